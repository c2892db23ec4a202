"""Languages as values: membership, equality and inclusion, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from idinf.crasp.library import LoadedProgram
from idinf.equivalence.comparison import ComparedAnswer, compare
from idinf.equivalence.dense import Decider, accepts
from idinf.equivalence.machines import intersect
from idinf.errors import UndecidedError
from idinf.experiments.spec import Spec
from idinf.library.operands import Operand, find_common_alphabet, language
from idinf.library.sources import ProgramLike, TargetLike, take_operand
from idinf.proofs.languages import prove_equal
from idinf.quoting import shorten
from idinf.targets.machine import Target
from idinf.transformers import reference
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet, Symbols, Word, words_up_to

#: Joint states of one length that a comparison may take: some hundred megabytes.
MOST_STATES = 1_000_000

#: How far languages are compared where that is not proved for all words.
MAX_N = 64

#: What a language is called by what defines it.
_KINDS = {Spec: "target", LoadedProgram: "C-RASP program", LimitTransformer: "hypothesis", str: "regex"}

#: A word as users write it: a text, or a sequence of symbols where symbols are longer than a character.
WordLike = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Difference:
    """How languages a and b compare; the object of ``idinf crasp diff --json``."""

    a: str
    b: str
    alphabet: tuple[str, ...]
    equal: bool | None  #: None: not even the empty word was compared
    proved: bool  #: whether ``equal`` holds for words of every length
    up_to: int | None  #: all words up to this length were compared; None: all words
    word: str | None  #: one that just one of them has, which ``accepted_by`` names
    is_least: bool | None  #: whether it is the least of its length
    accepted_by: str | None
    method: str  #: how this is known
    stop_reason: str | None  #: what ended the comparison early

    @classmethod
    def of(
        cls, names: tuple[str, str], languages: tuple[Decider, Decider], answer: ComparedAnswer
    ) -> Difference:
        """Say an answer with the names of the two."""
        alphabet, word = languages[0].alphabet, answer.word
        found = word is not None
        by = None if word is None else names[0] if accepts(languages[0], word) else names[1]
        return cls(
            *names,
            alphabet.symbols,
            None if not found and answer.up_to == -1 else not found,
            found or answer.up_to is None,
            answer.up_to,
            None if word is None else alphabet.decode(word),
            answer.is_least if found else None,
            by,
            answer.method,
            answer.stop_reason or None,
        )

    def to_dict(self) -> dict[str, object]:
        """Write ``idinf-diff/1``, plain values that JSON takes."""
        return {"format": "idinf-diff/1", **asdict(self), "alphabet": list(self.alphabet)}

    def __str__(self) -> str:
        if self.word is not None:
            is_spaced = " " in self.word or any(len(symbol) > 1 for symbol in self.alphabet)
            length = len(Alphabet(self.alphabet, is_spaced).encode(self.word))
            least = "" if self.is_least else ", perhaps not the least of that length"
            shown = f"{self.word}  (length {length}{least})" if self.word else "the empty word"
            return f"different  {shown}: accepted by {self.accepted_by} alone  ({self.method})"
        if self.up_to is None:
            return f"equal on all words  ({self.method})"
        if self.up_to < 0:
            return "undecided  not even the empty word was compared"
        return f"equal on all words up to length {self.up_to}  ({self.method})"


class Language:
    """A language: a target, a regex, a program or a hypothesis.

    Words are texts; where symbols are longer than one character they are sequences of symbols. ``==`` and
    ``<=`` speak of all words: they are proved, or raise `UndecidedError`.

    Two are compared over the alphabet that one of them has or was given; where neither has, over the symbols
    that both name.

    Examples
    --------
    >>> t = target("dyck-1")
    >>> "ab" in t, "ba" in t, t.words(up_to=4)
    (True, False, ('', 'ab', 'aabb', 'abab'))
    >>> target(regex="(aa)*") <= target(regex="a*"), target(regex="a*") == target(regex="(aa)*")
    (True, False)
    """

    __hash__ = None  # type: ignore[assignment]  # equal languages may be written differently

    def __init__(self, operand: Operand) -> None:
        self._operand, self.name = operand, operand.name
        self.alphabet: Alphabet = find_common_alphabet(operand, operand)
        if not isinstance(operand.definition, LimitTransformer):  # which may name next symbols instead
            _ = self._language  # raises at once what is wrong

    def __repr__(self) -> str:
        symbols = " ".join(self.alphabet.symbols)
        kind = _KINDS[type(self._operand.definition)]
        return f"<{kind} {shorten(self.name, 60)} over {symbols}>"

    @cached_property
    def _language(self) -> Decider:
        return language(self._operand, self.alphabet)

    def __contains__(self, word: WordLike) -> bool:
        return accepts(self._language, self.alphabet.encode(word))

    def words(self, up_to: int) -> tuple[str | tuple[str, ...], ...]:
        """List the words up to a length in shortlex order; cost O(|Σ|^up_to), whatever the language holds."""
        size, decided = len(self.alphabet), self._language
        found: Iterator[Word]
        if isinstance(decided, LimitTransformer):
            found = (word for word in words_up_to(size, up_to) if reference.accepts(decided, word))
        else:
            found = _words_of(decided, size, up_to)
        if self.alphabet.spaced:
            return tuple(tuple(self.alphabet.symbols[code] for code in word) for word in found)
        return tuple(map(self.alphabet.decode, found))

    def difference(self, other: Language, max_n: int = MAX_N) -> Difference:
        """Find the first word that one of two languages has and the other has not.

        Words are compared up to ``max_n`` where nothing is proved for all of them. Raises
        AlphabetMismatchError if they have different symbols.
        """
        one, two = self._beside(other)
        answer = compare(one, two, max_n, MOST_STATES, prove=prove_equal)
        return Difference.of((self.name, other.name), (one, two), answer)

    def __eq__(self, other: object) -> bool:
        return self._decided(self.difference(other)) if isinstance(other, Language) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._is_within(other) if isinstance(other, Language) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._is_within(other) and self != other if isinstance(other, Language) else NotImplemented

    def _is_within(self, other: Language) -> bool:
        one, two = self._beside(other)
        both = intersect(one, two)
        names = (self.name, f"{self.name} within {other.name}")
        return self._decided(
            Difference.of(names, (one, both), compare(one, both, MAX_N, MOST_STATES, prove=prove_equal))
        )

    def _decided(self, found: Difference) -> bool:
        """Whether two languages are equal, where that is known of all words."""
        if not found.proved:
            raise UndecidedError(
                f"{shorten(found.a)} and {shorten(found.b)}: {found}; expected a proof for all words; "
                "use difference(), which says how far they agree"
            )
        return bool(found.equal)

    def _beside(self, other: Language) -> tuple[Decider, Decider]:
        alphabet = find_common_alphabet(self._operand, other._operand)
        return language(self._operand, alphabet), language(other._operand, alphabet)


def _words_of(machine: Target, size: int, up_to: int) -> Iterator[Word]:
    """Words that a machine accepts, length by length: all states of one length at once, in shortlex order."""
    states = machine.start()
    for length in range(up_to + 1):
        for place in np.flatnonzero(machine.labels(states)):
            word = np.unravel_index(place, (size,) * length) if length else ()
            yield tuple(int(code) for code in word)
        if length < up_to:
            # Axes: the word so far, the next symbol, the columns of a state.
            steps = np.stack([machine.step(states, code) for code in range(size)], axis=1)
            states = steps.reshape(-1, states.shape[1])


def target(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    program: ProgramLike | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
) -> Language:
    """Take a target as a language.

    Parameters
    ----------
    source : str, path or Spec, optional
        A name that `target_names` lists, the path of a spec (.toml), a hypothesis (.json) or a program
        (.crasp).
    regex, program : str, optional
        What defines the language, in place of ``source``.
    alphabet : str or sequence of str, optional
        Of a regex or a program: symbols written together, or a list; the symbols it names, sorted, if it is
        not given.
    values : mapping, optional
        The values that choose a member of a family.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError
        If there is no such target, or it is wrong.

    Examples
    --------
    >>> target(regex="(ab)*").words(up_to=4)
    ('', 'ab', 'abab')
    >>> "aab" in target(program='accept = # "b" <= # "a"')
    True
    """
    return Language(take_operand(source, regex=regex, program=program, alphabet=alphabet, values=values))
