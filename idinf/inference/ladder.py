"""The ladder: small named spaces and the parts of the family are asked beside it, on one budget of work.

For example, the family stays open for minutes at the words with "aa" somewhere. In ``local, layers <= 2,
heads <= 1, units <= 1, precision <= 1, reach <= 1, logit_max <= 1`` the same words have their n0 after two
seconds, and the rule that is found there bounds R* of the family. Nobody knows beforehand which small space
answers. So all of them are asked in rounds: in each round a space may take twice as many steps as in the one
before, and goes on where it stopped. The family comes first in each round, and takes what the others leave.

Lemma (parts first). *Let C be a part of the family F. Then R*_n(F) ≤ R*_n(C), and what is right in C is
right in F.* Proof: every net of C is one of F. So a right net of any rung is an upper end of R* for every
space that holds it, and what is selected in C, and its n0, is said of C alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from idinf.errors import UnsupportedBoundError
from idinf.inference.outcome import refuse_missed
from idinf.inference.procedure import Procedure
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Outcome, Report
from idinf.search.upper_bounds import UpperBound, find_smallest_space
from idinf.spec.bounds import SpaceBounds
from idinf.work.limits import Ending, StopReason, tell_work

#: Steps that the family takes before any other space is asked, some seconds: easy targets end before. In the
#: first round of the ladder a space takes so many times less; both are doubled from round to round.
FIRST_STEPS, FAMILY_PART = 4_800, 8

#: What ends one space of the ladder while the others go on: it was exhausted, or too much had to be listed.
_OWN_ENDS = (StopReason.MAX_R, StopReason.SIZE, StopReason.MEMORY)


@dataclass(eq=False)
class Rung:
    """A space that is asked. Mutable: it goes on until its question is answered."""

    procedure: Procedure
    taken: int = 0  #: steps so far
    report: Report | None = None  #: once its question is answered
    is_over: bool = False

    @property
    def space(self) -> SpaceBounds:
        """The space that is asked."""
        return self.procedure.family


class Ladder:
    """Asks a family and smaller spaces beside it. Mutable: it is the state of a run.

    `family`: what the answer is wanted of. `spaces`: those beside it, from small to large. `enter` begins in
    one of them.
    """

    def __init__(
        self, family: Procedure, spaces: Sequence[SpaceBounds], enter: Callable[[SpaceBounds], Procedure]
    ) -> None:
        self.family, self._spaces, self._enter = Rung(family), spaces, enter
        self.rungs: list[Rung] = []
        self._tight: Rung | None = None  #: the smallest space that holds the best right hypothesis
        self._bound: UpperBound | None = None  #: that hypothesis

    def run(self) -> Report:
        """Ask in rounds until the family is answered, or the budget or a limit ends it; the report is valid."""
        ending = self._go_on(self.family, FIRST_STEPS)
        if not self.family.is_over or self._is_exhausted(ending):
            ending = self._climb()
        return self._beside(self.family.procedure.report(ending))

    def _climb(self) -> Ending | None:
        """Ask in rounds; gives why the family ended, None where it is answered."""
        share, ended = FIRST_STEPS // FAMILY_PART, None
        while True:
            for rung in self._open():
                end = self._go_on(rung, share)
                if end is not None and end.reason not in _OWN_ENDS:
                    return end
            ...
