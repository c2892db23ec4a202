"""A run: from a spec and settings to its report, whatever ends it early.

Every command, the library and the demonstration come through `run`, so one spec has one answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from idinf.compilation.compiler import compile_cheapest
from idinf.crasp.checker import read_program
from idinf.errors import (
    AlphabetMismatchError,
    BudgetError,
    HypothesisFormatError,
    LimitReached,
    ProgramError,
    UnsupportedBoundError,
)
from idinf.experiments.bounds import ZERO, HypothesisClass, Space, WholeClass
from idinf.experiments.catalogue import load_family, read_upper_texts
from idinf.experiments.spec import Kind, Spec
from idinf.inference.needs import UNKNOWN, find_needs
from idinf.inference.outcome import Inference, Progress, build_report
from idinf.inference.procedure import MAX_N, Procedure
from idinf.quoting import list_some
from idinf.report.target import TargetDescription
from idinf.report.value import Outcome, Regularizer, Report, Stage
from idinf.runtime.limits import ENDS, Limits, StopReason
from idinf.runtime.memory import measure_peak_bytes
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from idinf.transformers import json_format
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.bracket import UpperBound

if TYPE_CHECKING:
    from idinf.experiments.training import TrainingLength
    from idinf.inference.whole_class import WholeClassProcedure
    from idinf.runtime.journal import Journal
    from idinf.runtime.places import Engine

#: R as [HYB25] adds it up, and its rule of what is selected.
MAX_RULE = Regularizer(Aggregate.MAX, None)

#: Opens the journal of the run at one ``max_n``.
JournalOf = Callable[[int], "AbstractContextManager[Journal | None]"]


@dataclass(frozen=True, slots=True)
class KnownHypothesis:
    """What a ``limit-transformer/1`` file holds that may bound R* from above.

    One that the user gave to this run is checked as far as it goes, and has to serve. One that the spec lists
    is checked as far as that is quick, and a note says where it does not serve. Messages name its ``origin``.
    """

    origin: str
    hypothesis: LimitTransformer
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What is asked: everything a report depends on beside limits."""

    spec: Spec
    bounds: Space  #: the space; that of the spec, or with some bounds replaced; or a whole class
    max_n: int  #: the largest n examined, at first
    max_n_cap: int  #: how far `run` may raise it; equal to ``max_n``, it is never raised
    regularizer: Regularizer = MAX_RULE
    known: tuple[KnownHypothesis, ...] = ()  #: may bound R* from above
    #: Steps of the upper-bound finder; None: as many as take seconds, and none where a bound is known.
    anneal_steps: int | None = None
    #: Whether to look for proofs that n0 holds for every n, once the target is identified.
    proves: bool = True
    training: TrainingLength | None = None  #: another one than n / 2 that is asked about, too


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a command line or a call asks about any target, before a spec is known; None: what its spec says.

    ``bounds`` go by their names in a spec.
    """

    max_n: int | None = None
    preset: str | None = None
    bounds: Mapping[str, int | float | str | None] = field(default_factory=dict)
    regularizer: Regularizer = MAX_RULE
    anneal_steps: int | None = None
    proves: bool = True
    hypothesis_class: HypothesisClass = HypothesisClass.ONE_HOT
    training: TrainingLength | None = None

    def space(self, spec: Spec) -> Space:
        """Give the space in which a target is searched.

        Raises
        ------
        UnsupportedBoundError
            If a bound cannot be had, or is not one of a whole class.
        """
        if (kind := self.hypothesis_class) is not HypothesisClass.ONE_HOT:
            given = {"preset": self.preset, **self.bounds}
            for key, value in given.items():
                is_had = key == "max_r" or (key, value) == ("threshold", ZERO)
                if value is not None and not is_had:
                    raise UnsupportedBoundError(
                        f"{'space' if key == 'preset' else key} = {value} with class = {kind.value}; "
                        "expected no bound but max_r, as nets of any size are looked at; leave one out"
                    )
            if self.anneal_steps is not None:
                raise UnsupportedBoundError(
                    f"anneal_steps = {self.anneal_steps} with class = {kind.value}; expected none, as "
                    "nothing is annealed there; leave it out"
                )
            max_r = self.bounds.get("max_r")
            return WholeClass(kind) if max_r is None else WholeClass(kind, float(max_r))
        return spec.space.overridden(preset=self.preset, **self.bounds)

    def about(self, spec: Spec, source: str, given: tuple[KnownHypothesis, ...] = ()) -> RunSettings:
        """Ask it about a spec that was loaded from ``source``.

        A member of a family is examined further and further where ``max_n`` is not given.

        Raises
        ------
        IdinfError
            If a bound cannot be had, or a file that the spec lists cannot be read.

        Examples
        --------
        >>> from idinf.experiments.catalogue import load
        >>> RunOptions().about(load("majority"), "majority").max_n
        64
        """
        first = cap = spec.max_n if self.max_n is None else self.max_n
        if self.max_n is None and spec.parameters:
            cap = max(first, min(load_family(source).max_n_cap, MAX_N))
        texts = read_upper_texts(source, spec)
        of_spec = (KnownHypothesis(origin, json_format.loads(text, origin)) for origin, text in texts)
        known = (*given, *of_spec)
        rest = self.regularizer, known, self.anneal_steps, self.proves, self.training
        space = self.space(spec)
        return RunSettings(spec, space, first, cap, *rest)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """How a run ended."""

    report: Report
    target: Target | None = None  #: None: a limit ended its construction
    compiled: float | None = None  #: R of the compiled program of the target, where it has one
    #: Why hypotheses that the spec lists do not serve, or how far they were checked.
    notes: tuple[str, ...] = ()
    #: Which limit ended it, also where that was at a larger ``max_n`` and an earlier answer counts.
    limited: str | None = None


def run(
    settings: RunSettings,
    limits: Limits,
    jobs: int = 1,
    watch: Callable[[Progress], None] | None = None,
    journal_of: JournalOf = lambda max_n: nullcontext(),
    tell: Callable[[str], None] = lambda text: None,
    engine: Engine | None = None,
) -> Run:
    """Run the procedure on the target of a spec, for larger and larger ``max_n`` where that is asked.

    What is known before the search, and makes it hopeless, is told at once.

    A ``max_n`` is large enough when the target is identified with n0 ≤ max_n / 2: beyond the last bad n as
    many good ones were seen again. This is a rule for choosing the range; within the range n0 is exact.
    An outcome ``open`` is not tried at a larger ``max_n``, whose stop bound is no smaller; where it was met
    at one, an earlier one that settled n0 still counts. What the limits end, from the construction of the
    target on, is told as open.

    Raises
    ------
    IdinfError
        If the spec, its target, the bounds or a file is wrong.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> run(RunOptions(max_n=8).about(load("majority"), "majority"), Limits()).report.n0
    3
    """
    best: Run | None = None
    max_n = settings.max_n
    while True:
        with journal_of(max_n) as journal:
            last = _run_to(replace(settings, max_n=max_n), limits, jobs, engine, watch, journal, tell)
        found = last.report
        if best is None or best.report.n0 is None or found.outcome is not Outcome.OPEN:
            best = last
        is_well_inside = found.n0 is not None and 2 * found.n0 <= max_n
        if found.outcome is Outcome.OPEN or max_n >= settings.max_n_cap or is_well_inside:
            return replace(best, limited=found.stop_reason if found.stopped else None)
        max_n = min(2 * max_n, settings.max_n_cap)


def _run_to(
    settings: RunSettings,
    limits: Limits,
    jobs: int,
    engine: Engine | None,
    watch: Callable[[Progress], None] | None,
    journal: Journal | None,
    tell: Callable[[str], None],
) -> Run:
    """Run at one ``max_n``; the report is written when the limits no longer hold."""
    bounding, target, bounds = None, None, settings.bounds
    with limits.held():
        try:
            target = build_target(settings.spec)
            procedure: Procedure | WholeClassProcedure
            if isinstance(bounds, WholeClass):
                from idinf.inference.whole_class import WholeClassProcedure  # most runs have no use for it

                procedure = WholeClassProcedure(
                    target,
                    bounds,
                    settings.max_n,
                    settings.regularizer,
                    limits,
                    jobs=jobs,
                    engine=engine,
                    watch=watch,
                    proves=settings.proves,
                    training=settings.training,
                )
            else:
                needs = find_needs(settings.spec, target, limits.check) if bounds.is_chosen else UNKNOWN
                bounds = needs.lessen(bounds)
                if needs.is_outside:
                    tell(f"{settings.spec.name} is not expected to be identified: {needs.text}")
                procedure = Procedure(
                    target,
                    bounds,
                    settings.max_n,
                    settings.regularizer.aggregate,
                    settings.regularizer.tolerance,
                    limits,
                    jobs=jobs,
                    engine=engine,
                    watch=watch,
                    journal=journal,
                    anneal_steps=settings.anneal_steps,
                    proves=settings.proves,
                    needs=needs,
                    training=settings.training,
                )
            bounding = _Bounding(procedure, settings)
            bounding.all()
        except ENDS as end:
            if bounding is None:
                found = _unsearched(settings.max_n, limits, end)
            elif isinstance(end, BudgetError):  # a file that was given needs more than there is
                raise LimitReached(str(end)) from end
            else:
                found = procedure.run(limits.ending(end))
        else:
            found = procedure.run()
    report = build_report(TargetDescription.of(settings.spec), bounds, settings.regularizer, found)
    if bounding is None:
        return Run(report)
    return Run(report, target, bounding.compiled, tuple(bounding.notes))


@dataclass(eq=False)
class _Bounding:
    """What bounds R* from above before the search. Mutable: a limit may end it halfway."""

    procedure: Procedure | WholeClassProcedure
    settings: RunSettings
    compiled: float | None = None
    notes: list[str] = field(default_factory=list)

    def all(self) -> None:
        """Take every hypothesis that was given, those of the spec, and the program of the target."""
        for known in self.settings.known:
            try:
                bound = self._take(known)
            except (UnsupportedBoundError, BudgetError) as error:
                if known.is_given:
                    raise
                self.notes.append(str(error))
                continue
            if not known.is_given and bound.checked < self.procedure.max_n:
                further = "--upper-bound with that file checks further"
                self.notes.append(f"{known.origin}: checked up to length {bound.checked}; {further}")
        self._compile()

    def _take(self, known: KnownHypothesis) -> UpperBound:
        """Bound R* by a hypothesis of the family, over the alphabet of the target."""
        dense, spec = known.hypothesis, self.settings.spec
        if dense.alphabet != spec.alphabet:
            raise AlphabetMismatchError(
                f"{known.origin}: alphabet {list_some(dense.alphabet.symbols)}; expected that of "
                f"{spec.name}, {list_some(spec.alphabet.symbols)}; give a hypothesis of this target"
            )
        try:
            return self.procedure.bound_by(to_one_hot(dense), known.is_given)
        except (HypothesisFormatError, UnsupportedBoundError, BudgetError) as error:
            raise type(error)(f"{known.origin}: {error}", *error.args[1:]) from error

    def _compile(self) -> None:
        """Bound R* by the compiled program of a target, as far as that is quick."""
        spec, procedure = self.settings.spec, self.procedure
        if spec.kind is not Kind.CRASP or spec.mode != "accept":
            return
        program = read_program(spec.text, spec.alphabet)
        # A program with too many residues or cases has no cheap hypothesis; one outside bounds nothing.
        with suppress(ProgramError, UnsupportedBoundError, BudgetError):
            hypothesis, self.compiled = compile_cheapest(
                program, spec.alphabet, procedure.bounds.precision, procedure.aggregate
            )
            procedure.bound_by(hypothesis, thorough=False)


def _unsearched(max_n: int, limits: Limits, end: BaseException) -> Inference:
    """The result of a run that a limit ended before anything was searched: nothing is known."""
    ending = limits.ending(end)
    if ending.reason is not StopReason.INTERRUPTED:
        ending = replace(ending, text=ending.text + ", before anything was searched")
    limits.closing()
    stages = tuple(Stage(n, None, 0.0, 0, 0, False, None, None, None) for n in range(1, max_n + 1))
    return Inference(max_n, ending, stages, limits.elapsed_s, measure_peak_bytes())
