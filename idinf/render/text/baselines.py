"""What finite-automaton learners need, beside what the procedure needs."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.baselines.automata import Baseline, BaselineError, measure_baseline, settle_length
from idinf.numbers import format_amount
from idinf.report.value import Outcome, Report
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

#: What is said of an n for which RPNI was not run, and of which its proof of correctness says nothing.
_NOT_RUN = "-"


@dataclass(frozen=True, slots=True)
class BaselineColumns:
    """Columns of the table of all n about learners of finite automata, given all words up to n."""

    states: int  #: k, those of the target's minimal complete automaton
    settled: int  #: 2k − 2
    rpni: Baseline | str  #: what RPNI did, or why it was not run; then it has no column

    @property
    def header(self) -> tuple[str, ...]:
        """One name a column."""
        return ("n >= 2k - 2",) if isinstance(self.rpni, str) else ("n >= 2k - 2", "RPNI")

    def cells(self, n: int) -> tuple[str, ...]:
        """One cell a column.

        Examples
        --------
        >>> columns = BaselineColumns(3, 4, Baseline((False, False, True)))
        >>> [columns.cells(n) for n in (1, 2, 3, 4)]
        [('not yet', 'wrong'), ('not yet', 'has it'), ('not yet', '-'), ('settled', 'has it')]
        """
        is_settled = n >= self.settled
        settled = "settled" if is_settled else "not yet"
        if isinstance(self.rpni, str):
            return (settled,)
        if n > self.rpni.tried:
            return settled, "has it" if is_settled else _NOT_RUN
        return settled, "has it" if self.rpni.right[n] else "wrong"

    def legend(self, report: Report) -> list[str]:
        """What the columns mean, and from which n on each learner has the target."""
        return [
            f"k = {format_amount(self.states, 'state')}, {_procedure(report)}; from n = 2k - 2 = "
            f"{self.settled} on all words up to n leave one automaton of at most k states",
            f"RPNI {self._rpni()}",
        ]

    def _rpni(self) -> str:
        if isinstance(self.rpni, str):
            return f"has no column: {self.rpni}"
        if self.rpni.since is None:
            ran = f"is wrong at n = {self.rpni.tried}"
        else:
            ran = f"has it from n = {self.rpni.since} to {self.rpni.tried}"
        # One state: ε alone does not show that the state returns to itself.
        least = "2k - 2" if self.settled else "1"
        return f"{ran}; larger samples are not run, but characteristic for it from n = {least} on"


def _procedure(report: Report) -> str:
    if report.n0 is not None:
        return f"n0 = {report.n0}"
    if report.outcome is Outcome.NEVER:
        return "no n0"
    if report.outcome is Outcome.NOT_IDENTIFIED:
        return f"no n0 up to {report.max_n}"
    return "n0 not decided"


def measure_baseline_columns(target: Target) -> BaselineColumns | None:
    """Columns about a regular target; None about any other."""
    if not isinstance(target, RegularTarget):
        return None
    rpni: Baseline | str
    try:
        rpni = measure_baseline(target)
    except BaselineError as error:
        rpni = str(error)
    return BaselineColumns(len(target.table), settle_length(target), rpni)
