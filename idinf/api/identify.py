"""The procedure on one target, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from idinf.api.limits import take_limits
from idinf.api.settings import NamedTarget
from idinf.api.sources import TargetLike, read_hypothesis, several
from idinf.base.files import take_path
from idinf.base.options import check_integer, options_of, take_settings, takes_settings
from idinf.errors import ArgumentError
from idinf.inference.outcome import Progress
from idinf.inference.run import Run, keep_journals, run
from idinf.inference.settings import KnownHypothesis, Settings
from idinf.nets.limit_transformer import LimitTransformer
from idinf.report.value import Path, Report
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import find_source
from idinf.work.limits import DEFAULT_MEMORY, Limits

if TYPE_CHECKING:
    from idinf.api.languages import HypothesisLike


@takes_settings(NamedTarget, Settings, SpaceBounds)
def identify(
    source: TargetLike,
    *,
    upper_bound: HypothesisLike | Sequence[HypothesisLike] = (),
    jobs: int = 1,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    **settings: Any,
) -> Report:
    """Run the idealized inference procedure on one target, exactly, for every n up to ``max_n``.

    If a limit or Ctrl-C ends the run, the report has the answers up to then.

    Parameters
    ----------
    source
        As for `idinf.target`.
    upper_bound : sequence of path, Report, Hypothesis or LimitTransformer
        Hypotheses, or reports for their selected ones, that may bound R* from above; checked exactly.
    jobs : int
        Processes; the report does not depend on it.
    time_limit, memory : optional
        Seconds, and bytes of all processes together.
    run_dir : path, optional
        Folder of finished work; with ``resume`` the run continues from there.
    progress : callable, optional
        Called now and then with a `Progress`.
    **settings
        ``alphabet``, ``values`` and ``name`` as for `idinf.target`, and settings by the names of the
        fields of `idinf.inference.settings.Settings` and of
        `idinf.spec.bounds.SpaceBounds`, as ``idinf identify --help-all`` lists them: ``max_n``,
        ``space``, ``work``, ``tolerance``, ``aggregate``, ``layers``, ``heads``, ``max_r`` and so on.

    Raises
    ------
    SpecError, ProgramError, HypothesisFormatError, ReportFormatError
        If the target or a file is wrong.
    ArgumentError, UnsupportedBoundError
        If an option or a bound is.

    Examples
    --------
    >>> report = identify("majority", max_n=8, layers=1)
    >>> report.n0, report.outcome.value
    (3, 'identified-for-all-n')
    >>> identify("regex:1*", alphabet="01", max_n=4, layers=1).selected.formula
    'accept iff #0 = 0'
    """
    limits = take_limits(time_limit, memory)
    return run_target(source, settings, upper_bound, None, limits, jobs, run_dir, resume, progress).report


def run_target(
    source: TargetLike,
    settings: Mapping[str, Any],
    upper_bound: HypothesisLike | Sequence[HypothesisLike],
    record: int | None,
    limits: Limits,
    jobs: int,
    run_dir: Path | None,
    resume: bool,
    progress: Callable[[Progress], None] | None,
) -> Run:
    """Run the procedure as `identify` does; ``record`` is that of reports that bound R* from above."""
    inside = {key: settings[key] for key in options_of(NamedTarget) if key in settings}
    (named,) = take_settings(inside, NamedTarget)
    asked = Settings.of(**{key: value for key, value in settings.items() if key not in inside})
    check_integer("jobs", jobs, 1)
    if resume and run_dir is None:
        raise ArgumentError("resume is given without run_dir; expected both; add run_dir")
    with limits.held():
        spec = named.read(source).spec
        about = asked.about(spec, find_source(spec), _take_known(upper_bound, record))
    journals = keep_journals(about, None if run_dir is None else take_path(run_dir), resume)
    return run(about, limits, jobs, progress, journals)


def _take_known(
    upper_bound: HypothesisLike | Sequence[HypothesisLike], record: int | None
) -> tuple[KnownHypothesis, ...]:
    """Read the hypotheses that may bound R* from above."""
    known = []
    for given in several(upper_bound):
        net = read_hypothesis(given, record).definition
        assert isinstance(net, LimitTransformer)
        origin = str(given) if isinstance(given, str | os.PathLike) else "upper_bound"
        known.append(KnownHypothesis(origin, net, True))
    return tuple(known)
