"""A run from the spec to its result: whatever ends it early, there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace

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
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.catalogue import upper_texts
from idinf.experiments.spec import Kind, Spec
from idinf.inference.procedure import MAX_N, Procedure, Progress
from idinf.quoting import listed
from idinf.report.value import Inference, Outcome, SearchCounts, Stage
from idinf.runtime.journal import Journal
from idinf.runtime.limits import ENDS, INTERRUPTED, Limits
from idinf.runtime.memory import peak_bytes
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from idinf.transformers import json_format
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.bracket import UpperBound

__all__ = ["Run", "Setup", "Upper", "run", "run_further", "uppers_of"]


@dataclass(frozen=True, slots=True)
class Upper:
    """What a ``limit-transformer/1`` file holds that may bound R* from above.

    Attributes
    ----------
    origin : str
        Its name, for messages.
    hypothesis : LimitTransformer
    is_given : bool
        Whether the user gave it to this run: then it is checked as far as it goes, and has to serve. One that
        the spec lists is checked as far as that is quick, and a note says where it does not serve.
    """

    origin: str
    hypothesis: LimitTransformer
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Setup:
    """What is asked: everything a result depends on beside limits.

    Attributes
    ----------
    spec : Spec
    bounds : SpaceBounds
    max_n : int
    aggregate : Aggregate
    tolerance : float or None
    upper : tuple of Upper
    by_program : bool
        Whether the compiled program of the target bounds R* from above, too.
    effort, proves
        As for `Procedure`.
    """

    spec: Spec
    bounds: SpaceBounds
    max_n: int
    aggregate: Aggregate = Aggregate.MAX
    tolerance: float | None = None
    upper: tuple[Upper, ...] = ()
    by_program: bool = False
    effort: int | None = 0
    proves: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended.

    Attributes
    ----------
    inference : Inference
    target : Target or None
        None: a limit ended its construction.
    compiled : float or None
        R of the compiled program, where there is one and it was asked for.
    notes : tuple of str
        Why files that the spec lists do not serve, or how far they were checked.
    """

    inference: Inference
    target: Target | None = None
    compiled: float | None = None
    notes: tuple[str, ...] = ()


@dataclass
class _Bounding:
    """What bounds R* from above before the search. Mutable: a limit may end it halfway."""

    procedure: Procedure
    setup: Setup
    compiled: float | None = None
    notes: list[str] = field(default_factory=list)

    def all(self) -> None:
        """Take every file that was given, those of the spec, and the program of the target."""
        for upper in self.setup.upper:
            if upper.is_given:
                self._take(upper)
            else:
                self._try(upper)
        if self.setup.by_program:
            self._compile()

    def _try(self, upper: Upper) -> None:
        try:
            bound = self._take(upper)
        except (UnsupportedBoundError, BudgetError) as error:
            self.notes.append(str(error))
            return
        if bound.checked < self.procedure.max_n:
            self.notes.append(
                f"{upper.origin}: checked up to length {bound.checked}; --upper with that file checks further"
            )

    def _take(self, upper: Upper) -> UpperBound:
        """Bound R* by a hypothesis of the family, over the alphabet of the target."""
        dense, spec = upper.hypothesis, self.setup.spec
        if dense.alphabet != spec.alphabet:
            raise AlphabetMismatchError(
                f"{upper.origin}: alphabet {listed(dense.alphabet.symbols)}; expected that of {spec.name}, "
                f"{listed(spec.alphabet.symbols)}; give a hypothesis of this target"
            )
        try:
            return self.procedure.bound_by(to_one_hot(dense), upper.is_given)
        except (HypothesisFormatError, UnsupportedBoundError, BudgetError) as error:
            raise type(error)(f"{upper.origin}: {error}", *error.args[1:]) from error

    def _compile(self) -> None:
        """Bound R* by the compiled program of a target, as far as that is quick."""
        spec, procedure = self.setup.spec, self.procedure
        if spec.kind is not Kind.CRASP or spec.mode != "accept":
            return
        program = read_program(spec.text, spec.alphabet)
        # A program with too many residues or cases has no cheap hypothesis; one outside bounds nothing.
        with suppress(ProgramError, UnsupportedBoundError, BudgetError):
            hypothesis, self.compiled = compile_cheapest(
                program, spec.alphabet, procedure.bounds.precision, procedure.aggregate
            )
            procedure.bound_by(hypothesis, thorough=False)


def uppers_of(source: str, spec: Spec) -> tuple[Upper, ...]:
    """Hypotheses that a spec, loaded from ``source``, lists as bounds of R* from above."""
    return tuple(Upper(origin, json_format.loads(text, origin)) for origin, text in upper_texts(source, spec))


def run(
    setup: Setup,
    limits: Limits,
    jobs: int = 1,
    watch: Callable[[Progress], None] | None = None,
    journal: Journal | None = None,
) -> Run:
    """Run the procedure on the target of a spec.

    Parameters
    ----------
    setup : Setup
    limits : Limits
        Of everything from the construction of the target on; what they end is told as open.
    jobs, watch, journal
        As for `Procedure`.

    Raises
    ------
    IdinfError
        If the spec, its target, the bounds or a file is wrong.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> majority = load("majority")
    >>> run(Setup(majority, majority.space, 8), Limits()).inference.n0
    3
    """
    with limits.held():
        try:
            target = build_target(setup.spec)
            procedure = Procedure(
                target,
                setup.bounds,
                setup.max_n,
                setup.aggregate,
                setup.tolerance,
                limits,
                jobs=jobs,
                watch=watch,
                journal=journal,
                effort=setup.effort,
                proves=setup.proves,
            )
        except ENDS as end:
            return Run(_unsearched(setup.max_n, limits, end))
        bounding = _Bounding(procedure, setup)
        try:
            bounding.all()
        except ENDS as end:
            if isinstance(end, BudgetError):  # a file that was given needs more than there is
                raise LimitReached(str(end)) from end
            procedure.end(limits.reason(end))
        return Run(procedure.run(), target, bounding.compiled, tuple(bounding.notes))


def run_further(
    setup: Setup,
    max_n_cap: int,
    limits: Limits,
    watch: Callable[[Progress], None] | None = None,
    journal_of: Callable[[int], AbstractContextManager[Journal | None]] = lambda max_n: nullcontext(),
) -> tuple[Run, Run]:
    """Run the procedure for larger and larger ``max_n``, up to ``max_n_cap``.

    A ``max_n`` is large enough when the target is identified with n0 ≤ max_n / 2: beyond the last bad n as
    many good ones were seen again. This is a rule for choosing the range; within the range n0 is exact.
    An outcome ``open`` is not tried at a larger ``max_n``, whose stop bound is no smaller.

    Parameters
    ----------
    journal_of : callable
        Opens the journal of a ``max_n``.

    Returns
    -------
    (Run, Run)
        The one that counts, and the last one: where that ends open, an earlier one that settled n0 still
        counts.
    """
    cap = max(setup.max_n, min(max_n_cap, MAX_N))
    best: Run | None = None
    while True:
        with journal_of(setup.max_n) as journal:
            last = run(setup, limits, watch=watch, journal=journal)
        found = last.inference
        if best is None or best.inference.n0 is None or found.outcome is not Outcome.OPEN:
            best = last
        is_well_inside = found.n0 is not None and 2 * found.n0 <= found.max_n
        if found.outcome is Outcome.OPEN or found.max_n >= cap or is_well_inside:
            return best, last
        setup = replace(setup, max_n=min(2 * setup.max_n, cap))


def _unsearched(max_n: int, limits: Limits, end: BaseException) -> Inference:
    """The result of a run that a limit ended before anything was searched: nothing is known."""
    reason = limits.reason(end)
    if reason != INTERRUPTED:
        reason += ", before anything was searched"
    limits.closing()
    stages: Sequence[Stage] = [
        Stage(n, None, 0.0, 0, 0, False, None, None, None) for n in range(1, max_n + 1)
    ]
    return Inference(
        max_n=max_n,
        outcome=Outcome.OPEN,
        n0=None,
        n0_canonical=None,
        complete_up_to_r=0.0,
        stop_bound=None,
        stop_reason=reason,
        stopped=True,
        stages=tuple(stages),
        records=(),
        n0_lower=1,
        counts=SearchCounts(0, 0, 0, 0),
        seconds=limits.elapsed_s,
        peak_bytes=peak_bytes(),
    )
