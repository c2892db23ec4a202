"""Advice for a run that ended open, from its counts."""

from __future__ import annotations

from idinf.base.numbers import format_number
from idinf.inference.needs import Needs
from idinf.report.value import Report
from idinf.spec.bounds import WholeClass
from idinf.work.limits import StopReason

#: How many times as much work is suggested where the budget of work ended a run.
MORE_WORK = 10


def advise(report: Report, needs: Needs) -> tuple[str, ...]:
    """List options that may settle an open run, the most promising first; nothing for others.

    `needs`: what the target is known to need.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.run import run
    >>> from idinf.inference.settings import Settings
    >>> from idinf.work.limits import Limits
    >>> settings = Settings(max_n=4, bounds={"max_r": 8.4}).about(load("majority"), "majority")
    >>> advise(run(settings, Limits()).report, Needs("counts alone"))[0]
    '--max-r 8.664213562, which decides every n'
    """
    bracket = report.bracket
    space, advice = report.space, list[str]()
    if bracket is None or needs.is_outside or isinstance(space, WholeClass):
        return ()
    if needs.modulus > 1 and space.period < needs.modulus:
        advice.append(f"--period {needs.modulus}: it takes positions modulo {needs.modulus}")
    if needs.window and not space.logit_max:
        advice.append(f"--space local: it takes a look-back of {needs.window}")
    if report.stop is StopReason.WORK and space.work is not None:
        advice.append(f"--work {MORE_WORK * space.work}")
    if report.stop is StopReason.TIME:
        advice.append("a longer --time-limit; with --run-dir and --resume no work is done twice")
    if report.stop in (StopReason.MEMORY, StopReason.SIZE):
        advice.append("a larger --memory")
    if report.stop is StopReason.MAX_R:
        enough = bracket.stop_bound_upper
        advice.append(
            f"--max-r above {format_number(space.max_r)}"
            if enough is None
            else f"--max-r {format_number(enough)}, which decides every n"
        )
    return tuple(advice)
