"""The idealized inference procedure in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from idinf.errors import ArgumentError
from idinf.inference.kept_work import journals_of
from idinf.inference.procedure import Progress
from idinf.inference.run import KnownHypothesis, RunOptions, run
from idinf.library.programs import HypothesisLike, read_any
from idinf.library.reports import Report
from idinf.library.sources import ProgramLike, TargetLike, spec_of
from idinf.quoting import quoted
from idinf.report.value import Regularizer
from idinf.runtime.limits import DEFAULT_MEMORY, Limits
from idinf.transformers.regularizer import Aggregate
from idinf.words import Symbols


def identify(
    source: TargetLike | None = None,
    *,
    regex: str | None = None,
    program: ProgramLike | None = None,
    alphabet: Symbols | None = None,
    values: Mapping[str, int] | None = None,
    name: str | None = None,
    max_n: int | None = None,
    space: str | None = None,
    tolerance: float | None = None,
    aggregate: str = "max",
    anneal_steps: int | None = None,
    upper_bound: Sequence[HypothesisLike] = (),
    prove: bool = True,
    jobs: int = 1,
    time_limit: float | None = None,
    memory: int = DEFAULT_MEMORY,
    run_dir: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    **bounds: float | None,
) -> Report:
    """Run the idealized inference procedure on one target, exactly, for every n up to ``max_n``.

    Parameters
    ----------
    source : str, path or Spec, optional
        A name that `target_names` lists, the path of a spec, or a spec.
    regex, program, alphabet, values : optional
        As for `target`.
    name : str, optional
        Of a regex or a program, in the report.
    max_n : int, optional
        Largest n; fails are exact up to 2 · max_n. That of the spec if it is not given; a member of a family
        is then examined further and further.
    space : str, optional
        Preset of bounds: ``nope``, ``local``, ``periodic`` or ``full``.
    tolerance : float, optional
        Replaces 1/(2n).
    aggregate : str
        ``max`` or ``sum``.
    anneal_steps : int, optional
        Steps of annealing for an upper bound of R*; as many as take seconds, and none where a bound is known.
    upper_bound : sequence of path, Report, Hypothesis or LimitTransformer
        Hypotheses, or reports for their selected ones, that may bound R* from above; checked exactly.
    prove : bool
        Whether to look for proofs that n0 holds for every n.
    jobs : int
        Processes; the report does not depend on it.
    time_limit : float, optional
        Seconds.
    memory : int
        Bytes of all processes together; seen to where the search looks.
    run_dir : path, optional
        Where finished work is kept; with ``resume`` the run goes on from there.
    progress : callable, optional
        Called now and then with a `Progress`.
    **bounds
        Bounds of the space by name: ``layers``, ``heads``, ``units``, ``precision``, ``period``, ``reach``,
        ``logit_max``, ``content_max``, ``max_r``.

    Returns
    -------
    Report
        Of a run that a limit or Ctrl-C ended, what is known by then.

    Raises
    ------
    IdinfError
        If the target, a bound or a file is wrong.

    Examples
    --------
    >>> report = identify("majority", max_n=8, layers=1)
    >>> report.n0, report.outcome.value
    (3, 'identified-for-all-n')
    >>> identify(regex="1*", alphabet="01", max_n=4, layers=1).selected.formula
    'accept iff #0 = 0'
    """
    spec, origin = spec_of(source, regex=regex, program=program, alphabet=alphabet, values=values, name=name)
    known = tuple(
        KnownHypothesis(
            os.fspath(given) if isinstance(given, str | os.PathLike) else "upper_bound", read_any(given), True
        )
        for given in upper_bound
    )
    options = options_of(max_n, space, bounds, tolerance, aggregate, anneal_steps, prove)
    settings = options.about(spec, origin, known)
    journals = journals_of(settings, None if run_dir is None else os.fspath(run_dir), resume, follow=True)
    return Report.of(run(settings, Limits(time_limit, memory), jobs, progress, journals).report)


def options_of(
    max_n: int | None,
    space: str | None,
    bounds: Mapping[str, float | None],
    tolerance: float | None,
    aggregate: str,
    anneal_steps: int | None,
    prove: bool,
) -> RunOptions:
    """Make the options of a run of what `identify` and `batch` are given."""
    if aggregate not in (known := [choice.value for choice in Aggregate]):
        raise ArgumentError(
            f"aggregate = {quoted(aggregate)}; expected {' or '.join(known)}; name one of them"
        )
    return RunOptions(max_n, space, bounds, Regularizer(Aggregate(aggregate), tolerance), anneal_steps, prove)
