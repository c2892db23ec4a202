"""Word after word: a hypothesis by the reference beside the definition of the target, and nothing else.

N is that of the whole word at every position; a word outside the domain does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from idinf.base.words import Word, words_up_to
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import trace
from idinf.proofs.check.definition import Answers, TargetDefinition
from idinf.spec.spec import END


@dataclass(frozen=True)
class WordCheck:
    """Tries words in shortlex order; remembers for each hypothesis the length that was reached."""

    definition: TargetDefinition
    beat: Callable[[], None] = lambda: None  #: called before every word; may raise to stop
    by_logits: bool = False  #: True if the output of acceptance has to be 1 or 0
    #: By hypothesis: the length up to which all words were tried, and the first it gets wrong.
    tried: dict[LimitTransformer, tuple[int, Word | None]] = field(default_factory=dict)

    def first_wrong(self, net: LimitTransformer, upto: int) -> Word | None:
        """The shortlex-least word of length at most ``upto`` that a hypothesis gets wrong; None if none."""
        known, first = self.tried.get(net, (-1, None))
        if first is None and known < upto:
            longer = (word for word in words_up_to(len(net.alphabet), upto) if len(word) > known)
            first = next((word for word in longer if self.is_wrong(net, word)), None)
            self.tried[net] = upto, first
        return first if first is not None and len(first) <= upto else None

    def is_wrong(self, net: LimitTransformer, word: Word) -> bool:
        """True if it gets a word wrong: at the last position, or at one where next symbols are judged."""
        self.beat()
        definition = self.definition
        if not definition.counts(word):
            return False
        if self.by_logits:
            return trace(net, word).logits[net.accept_row] != int(definition.answers(word)[-1][0])
        named, right = answer_word(net, word), definition.answers(word)
        if not definition.everywhere:
            return named[-1] != right[-1]
        judged = definition.judged(word)
        return any(here and one != other for here, one, other in zip(judged, named, right, strict=True))

    def given(self, net: LimitTransformer, word: Word) -> tuple[Answers, ...]:
        """Answers of a hypothesis on a word; where it was found right, the reference is not run again."""
        known, first = self.tried.get(net, (-1, None))
        if first is None and len(word) <= known and self.definition.counts(word):
            if not self.definition.everywhere:
                return self.definition.answers(word)[-1:]
            if all(self.definition.judged(word)):
                return self.definition.answers(word)
        return answer_word(net, word)


def answer_word(net: LimitTransformer, word: Word) -> tuple[Answers, ...]:
    """Answers of a hypothesis on a word by the reference: at its end, or next symbols at positions 0..n."""
    run = trace(net, word)
    if net.output is None:
        return ((run.accepted,),)
    outputs = (*net.alphabet.symbols, END)
    return tuple(tuple(symbol in named for symbol in outputs) for named in run.next_symbols)
