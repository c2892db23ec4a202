"""What the units of work of a slice have found and learned: from the next wave on others know of it.

What is known to a unit changes what is looked at, and how much that takes, but never what is found. It must
not depend on the number of processes, so it is what the units of all earlier waves gave, in their order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from idinf.base.words import Word
from idinf.search.decided import Refutation, least_r
from idinf.search.found import Ceiling, Counts, HypothesisBatch
from idinf.search.last_layer.certificates import SharedCertificate, SharedCertificates
from idinf.search.short_words.prefix_trees import Witnesses
from idinf.space.structures import Structure

#: What a unit of work gives: what was found and counted, words that refuted, useful certificates with the
#: structure, and what is left for further units to decide.
UnitResult: TypeAlias = tuple[
    tuple[HypothesisBatch, ...],
    Counts,
    tuple[Word, ...],
    tuple[tuple[Structure, tuple[SharedCertificate, ...]], ...],
    tuple[HypothesisBatch, ...],
]


@dataclass(eq=False)
class SliceResults:
    """What is known to the units of the present wave. Mutable: it learns between waves."""

    ceiling: Ceiling
    refutation: Refutation
    witnesses: Witnesses
    repertoire: SharedCertificates
    _taken: list[UnitResult] = field(default_factory=list)
    _undecided: list[HypothesisBatch] = field(default_factory=list)

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

    def to_decide(self) -> list[HypothesisBatch]:
        """What waves left undecided, the cheapest first; from now on somebody decides it."""
        items = sorted(self._undecided, key=least_r)
        self._undecided.clear()
        return items
