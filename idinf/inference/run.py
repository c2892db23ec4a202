"""A run: from a spec and settings to its report, also where a limit ends it early.

Every command, the library and the demonstration come through `run`, so one spec has one answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.base.files import show_path
from idinf.crasp.checker import read_program
from idinf.errors import (
    AlphabetMismatchError,
    BudgetError,
    HypothesisFormatError,
    LimitReached,
    ProgramError,
    RunDirectoryError,
    UnsupportedBoundError,
)
from idinf.inference.ladder import Ladder
from idinf.inference.outcome import Progress, build_report
from idinf.inference.procedure import Procedure
from idinf.inference.required_predicates import OUTSIDE, find_needs
from idinf.inference.settings import RunSettings
from idinf.nets.one_hot import OneHotTransformer, read_over
from idinf.report.target import TargetDescription
from idinf.report.value import Outcome, Regularizer, Report, Stage
from idinf.search.slice_types import STORED
from idinf.spec.bounds import DEFAULT_WORK, MERGED, Space, SpaceBounds, WholeClass
from idinf.spec.spec import Kind, Spec
from idinf.targets.build import build_target
from idinf.targets.letters import merge_letters
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.translate.compilation.compiler import compile_cheapest
from idinf.version import __version__
from idinf.work.deterministic_map import Remembered
from idinf.work.limits import ENDS, Limits, StopReason

if TYPE_CHECKING:
    from idinf.work.journal import Journal

#: How many times less work goes by default into a language that has no n0: some seconds.
WITHOUT_N0 = 30

#: Opens the journal of a run in one space, at one ``max_n``.
JournalOf = Callable[[RunSettings], "AbstractContextManager[Journal | None]"]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Report of a run that ended, and notes beside it."""

    report: Report
    compiled: float | None = None  #: R of the compiled program of the target, where it has one
    #: Reasons why hypotheses that the spec lists do not serve, or lengths up to which they were checked.
    notes: tuple[str, ...] = ()
    #: Limit that ended it, also where that was at a larger ``max_n`` and an earlier answer counts.
    limited: str | None = None


def run(
    settings: RunSettings,
    limits: Limits,
    jobs: int = 1,
    watch: Callable[[Progress], None] | None = None,
    journal_of: JournalOf = lambda asked: nullcontext(),
) -> Run:
    """Run the procedure on the target of a spec, for larger and larger ``max_n`` up to ``max_n_cap``.

    Smaller spaces are asked beside the space of the settings, on one budget, see `idinf.inference.ladder`;
    their answers stand beside an open report.

    A ``max_n`` is large enough when the target is identified with n0 ≤ max_n / 2: beyond the last bad n as
    many good ones were seen again. This is a rule for choosing the range; within the range n0 is exact. The
    n0 is that of the space, or while that is open of a smaller one. A target that is open in all of them is
    not tried at a larger ``max_n``, whose stop bound is no smaller; an earlier ``max_n`` that settled n0
    still counts. Nor is a target with ``never``, which a theorem decides before the search; less work goes
    into its table. A run that limits end, from the construction of the target on, is reported as open.
    Raises `IdinfError` if the spec, its target, the bounds or a file is wrong.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.settings import Settings
    >>> run(Settings(max_n=8).about(load("majority"), "majority"), Limits()).report.n0
    3
    """
    best: Run | None = None
    max_n = settings.max_n
    while True:
        last = _run_to(replace(settings, max_n=max_n), limits, jobs, watch, journal_of)
        found = last.report
        if best is None or best.report.n0 is None or found.outcome is not Outcome.OPEN:
            best = last
        n0 = next((each.n0 for each in found.answers if each.outcome is not Outcome.OPEN), None)
        is_well_inside = n0 is not None and 2 * n0 <= max_n
        is_told = found.outcome is Outcome.NEVER or (found.outcome is Outcome.OPEN and not found.smaller)
        if is_told or is_well_inside or found.stopped or max_n >= settings.max_n_cap:
            return replace(best, limited=found.stop_reason if found.stopped else None)
        max_n = min(2 * max_n, settings.max_n_cap)


def _run_to(
    settings: RunSettings,
    limits: Limits,
    jobs: int,
    watch: Callable[[Progress], None] | None,
    journal_of: JournalOf,
) -> Run:
    """Run at one ``max_n``; the report is written when the limits no longer hold."""
    procedure, target, bounds, obstacle, ended = None, None, settings.bounds, None, None
    compiled, notes = None, list[str]()
    with ExitStack() as opened:
        try:
            with limits.held():
                target = build_target(settings.spec)
                if isinstance(bounds, SpaceBounds) and bounds.letters == MERGED:
                    merged, target = merge_letters(settings.spec, target)
                    settings = replace(settings, spec=merged)
                if isinstance(bounds, SpaceBounds) and (obstacle := _find_obstacle(target)) is not None:
                    bounds = _lessen(bounds)
                    settings = replace(settings, smaller=())  # none has an answer, either
                needs = cache(partial(find_needs, settings.spec, target, limits.check))

                def enter(space: Space) -> Procedure:
                    """Begin in a space."""
                    assert target is not None
                    asked = replace(settings, bounds=space)
                    return Procedure(
                        target,
                        space,
                        settings.max_n,
                        settings.regularizer.aggregate,
                        settings.regularizer.tolerance,
                        limits,
                        jobs=jobs,
                        watch=watch,
                        journal=opened.enter_context(journal_of(asked)) or Remembered(),
                        beside=procedure,
                        proves=settings.proves and obstacle is None,
                        needs=needs if obstacle is None else lambda: OUTSIDE,
                        training=settings.training,
                        about=TargetDescription.of(settings.spec),
                    )

                procedure = enter(bounds)
                _bound_by_known(procedure, settings, notes)
                hypothesis, compiled = _compile(procedure, settings.spec)
                if hypothesis is not None:
                    with suppress(UnsupportedBoundError, BudgetError):  # one outside bounds nothing
                        procedure.bound_by(hypothesis, thorough=False)
        except ENDS as end:
            if procedure is not None and isinstance(end, BudgetError):  # a file that was given needs more
                raise LimitReached(str(end)) from end
            ended = end
        if procedure is None:
            assert ended is not None
            report = _unsearched(settings, bounds, limits, ended)
        elif ended is not None:
            report = procedure.report(limits.ending(ended))
        else:
            report = Ladder(procedure, settings.smaller, enter, watch).run()
    if obstacle is not None:
        report = replace(report, outcome=Outcome.NEVER, n0=None, n0_canonical=None, beyond=obstacle)
    return Run(report, compiled, tuple(notes))


def _find_obstacle(target: Target) -> str | None:
    """Why no net of the family decides a target, where a theorem says so: of automata alone."""
    if not isinstance(target, RegularTarget):
        return None
    from idinf.languages.classification.beyond_nets import find_obstacle  # counting programs need none of it

    return find_obstacle(target)


def _lessen(bounds: SpaceBounds) -> SpaceBounds:
    """The space with less work, unless its work is not the default."""
    return replace(bounds, work=DEFAULT_WORK // WITHOUT_N0) if bounds.work in (None, DEFAULT_WORK) else bounds


def _bound_by_known(procedure: Procedure, settings: RunSettings, notes: list[str]) -> None:
    """Bound R* by the hypotheses that were given and those of the spec; says in notes which do not serve."""
    for known in settings.known:
        try:
            net = read_over(known.hypothesis, settings.spec.alphabet)
            bound = procedure.bound_by(net, known.is_given)
        except (AlphabetMismatchError, HypothesisFormatError, UnsupportedBoundError, BudgetError) as error:
            told = type(error)(f"{known.origin}: {error}", *error.args[1:])
            if known.is_given or not isinstance(error, UnsupportedBoundError | BudgetError):
                raise told from error
            notes.append(str(told))
            continue
        if not known.is_given and bound.checked < procedure.max_n:
            further = "--upper-bound with that file checks further"
            notes.append(f"{known.origin}: checked up to length {bound.checked}; {further}")


def _compile(procedure: Procedure, spec: Spec) -> tuple[OneHotTransformer | None, float | None]:
    """A hypothesis of the program of a target, if there is a cheap one, and R of the cheapest of any p."""
    compiled = None
    if spec.kind is not Kind.CRASP or spec.mode != "accept":
        return None, compiled
    program = read_program(spec.text, spec.alphabet)
    with suppress(ProgramError, UnsupportedBoundError, BudgetError):  # too many residues or cases
        how, most = (program, spec.alphabet), procedure.family.precision
        hypothesis, compiled = compile_cheapest(*how, aggregate=procedure.aggregate)
        if hypothesis.precision > most:
            hypothesis, _ = compile_cheapest(*how, most, procedure.aggregate)
        return hypothesis, compiled
    return None, compiled


def _unsearched(settings: RunSettings, bounds: Space, limits: Limits, end: BaseException) -> Report:
    """The report of a run that a limit ended before anything was searched: nothing is known."""
    ending = limits.ending(end)
    if ending.reason is not StopReason.INTERRUPTED:
        ending = replace(ending, text=ending.text + ", before anything was searched")
    each = range(1, settings.max_n + 1)
    stages = tuple(Stage(n, None, 0.0, 0, 0, False, None, None, None) for n in each)
    about = TargetDescription.of(settings.spec)
    return build_report(about, bounds, settings.regularizer, ending, stages, limits)


def keep_journals(
    settings: RunSettings, directory: str | Path | None, resume: bool, run: str = ""
) -> JournalOf:
    """Say where the finished work of a run is kept, if a directory is named; to resume, it may hold some.

    Raises `RunDirectoryError` if the directory cannot be used.
    """
    if directory is not None and isinstance(settings.bounds, WholeClass):
        raise RunDirectoryError(
            f"run directory {show_path(str(directory))} with class = {settings.bounds.preset}; expected "
            "none, as such a run keeps nothing; leave it out"
        )
    if directory is None:
        return lambda asked: nullcontext()

    from idinf.work.journal import Journal, claim_folder  # most runs keep nothing

    folder = claim_folder(directory, "run", resume)
    return lambda asked: Journal(folder, run_identity(asked), STORED, run)


@cache
def _digest_sources() -> str:
    """Digest of the sources of idinf, as two checkouts of one version may differ."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def run_identity(settings: RunSettings) -> dict[str, object]:
    """Name the inputs that finished work of a run depends on: the fields marked so, and the version.

    A budget of work is not among them, so a run goes on with more.
    """
    found: dict[str, object] = {"idinf_version": __version__, "program": _digest_sources()}
    for item in fields(settings):
        if item.metadata["decides"]:
            found |= _name_inputs(item.name, getattr(settings, item.name))
    return found


def _name_inputs(key: str, value: object) -> dict[str, object]:
    """Inputs of one field by name: of a target its language, of bounds and rules each field."""
    match value:
        case Spec():
            language = f"{value.kind}\n{value.mode}\n{value.text}"
            if value.mode != "accept" or value.domain is not None:
                language += f"\n{value.answer}\n{value.next}\n{value.domain}\n{value.judged}"
            return {
                "target": value.name,
                "alphabet": " ".join(value.alphabet.symbols),
                "digest of the target": hashlib.sha256(language.encode()).hexdigest()[:16],
            }
        case SpaceBounds() | WholeClass() | Regularizer():
            inner = {item.name: getattr(value, item.name) for item in fields(value) if item.name != "work"}
            return {name: each if isinstance(each, int | str) else str(each) for name, each in inner.items()}
    return {key: value if isinstance(value, int) else repr(value)}
