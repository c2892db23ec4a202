"""What the units of work of a slice have found and learned: from the next wave on others know of it.

What is known to a unit changes what is looked at, and how much that takes, but never what is found. It must
not depend on the number of processes, so it is what the units of all earlier waves gave, in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from idinf.runtime.units_of_work import Part, count_array_bytes
from idinf.search.ceiling import Ceiling
from idinf.search.found import Counts, Found
from idinf.search.last_layer.exclusion import SharedCertificate, SharedCertificates
from idinf.search.last_layer.refutation import Refutation
from idinf.search.short_words.long_words import Witnesses
from idinf.search.undecided import Undecided, least_r
from idinf.space.structures import Structure
from idinf.words import Word

T = TypeVar("T")

#: What a unit of work gives: what was found and counted, words that refuted, useful certificates with the
#: structure, and what is left for further units to decide.
UnitResult: TypeAlias = tuple[
    tuple[Found, ...],
    Counts,
    tuple[Word, ...],
    tuple[tuple[Structure, tuple[SharedCertificate, ...]], ...],
    tuple[Undecided, ...],
]


@dataclass(eq=False)
class Begun:
    """What units of work of one slice have given so far, over several attempts. Mutable.

    An attempt that is given up, as it takes too much work, leaves what was taken in; the next one goes on
    there. Which units those are depends on the work alone, not on the number of processes or on a journal.
    """

    attempt: int = 0  #: how many were given up
    spent: int = 0  #: steps of work that they took together
    size: int = 0  #: bytes of what they gave
    _further: dict[Structure, tuple[Word, ...]] = field(default_factory=dict)
    _results: dict[tuple[object, ...], dict[int | str, Any]] = field(default_factory=dict)

    def further(self, structure: Structure, choose: Callable[[], tuple[Word, ...]]) -> tuple[Word, ...]:
        """The longer words that are screened with a structure: those of the attempt that began with it."""
        if structure not in self._further:
            self._further[structure] = choose()
        return self._further[structure]

    def part(self, part: Part[T, UnitResult]) -> Part[T, UnitResult]:
        """A part that recalls what was taken of it in earlier attempts, and remembers what is taken now."""
        if part.key is None:
            return part
        taken = self._results.setdefault(part.key, {})
        # What units of this attempt give rests on what earlier attempts have taught.
        return replace(part, key=(*part.key, self.attempt), taken_before=taken)

    def give_up(self, spent: int, most_bytes: int) -> None:
        """End an attempt after so many steps of all; results of more bytes than fit are forgotten."""
        self.attempt, self.spent = self.attempt + 1, spent
        self.size = count_array_bytes([list(part.values()) for part in self._results.values()])
        if self.size > most_bytes:
            self.spent = self.size = 0
            self._further.clear()
            self._results.clear()


@dataclass(eq=False)
class Gathered:
    """What is known to the units of the present wave. Mutable: it learns between waves."""

    ceiling: Ceiling
    refutation: Refutation
    witnesses: Witnesses
    repertoire: SharedCertificates
    begun: Begun | None = None
    _taken: list[UnitResult] = field(default_factory=list)
    _undecided: list[Undecided] = field(default_factory=list)

    def take(self, result: UnitResult) -> None:
        """Take in what a unit of the present wave gives, which no other one may know yet."""
        self._taken.append(result)

    def learn(self) -> None:
        """Begin another wave, which knows of all that was taken in."""
        refuting: list[Word] = []
        for found, _, words, certificates, undecided in self._taken:
            refuting += words
            for structure, excluding in certificates:
                self.repertoire.learn(excluding, structure)
            self._undecided += undecided
            for batch in found:
                self.ceiling.meet(batch.r, batch.fail)
        self._taken.clear()
        if refuting:
            self.witnesses.learn(refuting)
            self.refutation = self.refutation.knowing(refuting)

    def to_decide(self) -> list[Undecided]:
        """What waves left undecided, the cheapest first; from now on somebody decides it."""
        items = sorted(self._undecided, key=least_r)
        self._undecided.clear()
        return items
