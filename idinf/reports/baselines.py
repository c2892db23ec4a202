"""What finite-automaton learners need, beside n0."""

from __future__ import annotations

from idinf.baselines.automata import BaselineError, baseline, settled_from
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

__all__ = ["baseline_cells", "baseline_lines"]


def baseline_lines(target: Target, n0: int | None) -> list[str]:
    """Lines about a regular target; none about any other.

    Parameters
    ----------
    target : Target
    n0 : int or None
        Of the procedure.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> baseline_lines(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))), 4)[1]
    '  2k - 2 = 4: all words up to there leave one automaton of at most k = 3 states'
    """
    if not isinstance(target, RegularTarget):
        return []
    return [
        "baselines: from which n on all words up to n give a learner of finite automata the target",
        f"  2k - 2 = {settled_from(target)}: all words up to there leave one automaton of at most "
        f"k = {len(target.table)} states",
        f"  RPNI {_rpni(target)}",
        f"  n0 {'is not decided' if n0 is None else f'= {n0}'}: the procedure, over transformers",
    ]


def _rpni(target: RegularTarget) -> str:
    try:
        found = baseline(target)
    except BaselineError as error:
        return f"was not run: {error}"
    if found.since is None:
        return f"> {found.tried}: wrong there; larger samples are not tried"
    return f"= {found.since}: right for every n from there to {found.tried}; larger samples are not tried"


def baseline_cells(target: Target) -> tuple[str, str]:
    """2k − 2 and the n of RPNI as cells of a table; "-" where the target is not regular.

    Raises
    ------
    BaselineError
        If AALpy is not installed.
    """
    if not isinstance(target, RegularTarget):
        return "-", "-"
    found = baseline(target)
    return str(settled_from(target)), f"> {found.tried}" if found.since is None else str(found.since)
