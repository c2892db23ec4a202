"""A hypothesis beside a target on all words in turn, by the reference and the definition of a mistake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from idinf.targets.judged import JudgedTarget
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.reference import accepts, next_symbols
from idinf.words import Word, words_up_to

__all__ = ["WordCheck"]


@dataclass(frozen=True)
class WordCheck:
    """Tries words in shortlex order; remembers for each hypothesis how far it came.

    Parameters
    ----------
    target : JudgedTarget
    beat : callable
        Called before every word; may raise to stop.
    """

    target: JudgedTarget
    beat: Callable[[], None] = lambda: None
    #: By hypothesis: the length up to which all words were tried, and the first it gets wrong.
    tried: dict[LimitTransformer, tuple[int, Word | None]] = field(default_factory=dict)

    def first_wrong(self, net: LimitTransformer, upto: int) -> Word | None:
        """The shortlex-least word of length at most ``upto`` that a hypothesis gets wrong; None if none."""
        known, first = self.tried.get(net, (-1, None))
        if first is None and known < upto:
            longer = (word for word in words_up_to(len(self.target.alphabet), upto) if len(word) > known)
            first = next((word for word in longer if self.is_wrong(net, word)), None)
            self.tried[net] = upto, first
        return first if first is not None and len(first) <= upto else None

    def is_wrong(self, net: LimitTransformer, word: Word) -> bool:
        """Whether it gets a word wrong: at the last position, or at one that the target judges.

        A word outside the domain does not count. With next symbols N is that of the whole word everywhere.
        """
        self.beat()
        if not self.target.is_counted(word):
            return False
        if self.target.everywhere:
            pairs = zip(next_symbols(net, word), self.target.next_symbols(word), strict=True)
            return any(right is not None and set(named) != set(right) for named, right in pairs)
        states = self.target.start()
        for symbol in word:
            states = self.target.step(states, symbol)
        return accepts(net, word) != bool(self.target.labels(states)[0])
