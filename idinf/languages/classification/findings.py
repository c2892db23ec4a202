"""What a classification says of one class: yes, no or unknown, and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from idinf.base.words import Alphabet, Word
from idinf.spec.spec import Verdict
from idinf.targets.explored import find_least_word
from idinf.targets.regular import RegularTarget

#: Longer words are told by their beginning and their length.
LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict with its reason: a theorem or construction, and a witness where there is one.

    `notes`: what a proof by counts lets every position show: how many of the last symbols, and the length
    modulo which number.
    """

    verdict: Verdict
    reason: str
    notes: tuple[int, int] | None = None

    @property
    def is_yes(self) -> bool:
        """Whether membership is proved."""
        return self.verdict is Verdict.YES

    @property
    def is_no(self) -> bool:
        """Whether membership is refuted."""
        return self.verdict is Verdict.NO

    def to_dict(self) -> dict[str, str]:
        """The object of --json."""
        return {"verdict": str(self.verdict), "reason": self.reason}


#: A proved membership, a refuted one, and neither, each with its reason.
yes, no, unknown = (partial(Finding, verdict) for verdict in (Verdict.YES, Verdict.NO, Verdict.UNKNOWN))


def show_word(alphabet: Alphabet, codes: Word) -> str:
    """A word inside a reason: ε for the empty one, long ones by their beginning.

    >>> sigma = Alphabet(("a", "b"))
    >>> show_word(sigma, ()), show_word(sigma, (0, 1)), show_word(sigma, (0,) * 41)[-18:]
    ('ε', 'ab', 'a… (41 characters)')
    """
    word = alphabet.decode(codes)
    if len(word) <= LONGEST_SHOWN:
        return word or "ε"
    return f"{word[:LONGEST_SHOWN]}… ({len(word)} characters)"


def word_to(machine: RegularTarget, state: int) -> str:
    """A least word that leads to a state: what a reader can check, unlike its number.

    >>> machine = RegularTarget.from_regex("(ab)*", Alphabet(("a", "b")))
    >>> [word_to(machine, state) for state in range(3)]
    ['ε', 'a', 'b']
    """
    return show_word(machine.alphabet, find_least_word(machine.table, state))
