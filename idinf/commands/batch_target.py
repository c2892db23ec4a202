"""One target of a batch: the question, and its answer in a process of its own."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from idinf.commands.batch_dir import key_of
from idinf.commands.identify import bound_by_spec
from idinf.commands.run_dir import run_identity
from idinf.errors import BudgetError, IdinfError
from idinf.inference.outcome import Inference, Outcome
from idinf.inference.procedure import MAX_N, Budget, Procedure, Progress
from idinf.reports.json_report import dumps
from idinf.reports.report import report_object
from idinf.search.journal import Journal
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import load_family, upper_texts
from idinf.spec.experiment import Spec
from idinf.targets.build import build_target
from idinf.transformers import json_format
from idinf.transformers.regularizer import Aggregate

__all__ = ["Answer", "Question", "answered"]


@dataclass(frozen=True)
class Question:
    """What is asked of one target; hypotheses that bound its R* are read when the question is made.

    Attributes
    ----------
    spec : Spec
    bounds : SpaceBounds
    max_n : int
    max_n_cap : int
        ``max_n`` is doubled up to this while n0 is not at most half of it, as `idinf.inference.members` does;
        equal to ``max_n``, it is never raised.
    aggregate : Aggregate
    tolerance : float or None
    upper : tuple of (str, str)
        Name for messages and text of every hypothesis that the spec lists.
    """

    spec: Spec
    bounds: SpaceBounds
    max_n: int
    max_n_cap: int
    aggregate: Aggregate
    tolerance: float | None
    upper: tuple[tuple[str, str], ...]

    @classmethod
    def about(
        cls,
        source: str,
        spec: Spec,
        bounds: SpaceBounds,
        max_n: int | None,
        aggregate: Aggregate,
        tolerance: float | None,
    ) -> Question:
        """Ask about a spec that was read from ``source``; members of a family say how far max_n may go.

        Raises
        ------
        SpecError
            If a file that it lists cannot be read.
        """
        first, cap = (max_n, max_n) if max_n is not None else (spec.max_n, spec.max_n)
        if max_n is None and spec.parameters:
            cap = max(first, min(load_family(source).max_n_cap, MAX_N))
        return cls(spec, bounds, first, cap, aggregate, tolerance, tuple(upper_texts(source, spec)))

    @cached_property
    def key(self) -> str:
        """Names everything the report depends on."""
        identity = self.identity(self.max_n)
        content = {
            "max_n_cap": self.max_n_cap,
            "preset": self.bounds.preset,
            "digest": self.spec.digest,
            "upper": self.upper,
        }
        return key_of(self.spec.name, {**identity, **content})

    def identity(self, max_n: int) -> dict[str, object]:
        """Everything that the work of a run up to ``max_n`` depends on."""
        return run_identity(self.spec, self.bounds, max_n, self.aggregate, self.tolerance)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a run on one target ended.

    Attributes
    ----------
    report : str
        ``idinf-report/1`` as text; empty if there is none.
    error : str
        What went wrong; empty if nothing did.
    limited : bool
        Whether a limit of time or memory ended the run, so that others may end differently.
    short_of_memory : bool
        Whether more memory might have helped.
    """

    report: str = ""
    error: str = ""
    limited: bool = False
    short_of_memory: bool = False


def answered(
    question: Question, budget: Budget, work: Path | None, watch: Callable[[Progress], None] | None
) -> Answer:
    """Run the procedure, and turn whatever goes wrong into an answer.

    Parameters
    ----------
    question : Question
    budget : Budget
    work : Path or None
        Where finished work is kept and found again.
    watch : callable or None
        Called with a Progress now and then.
    """
    best: Answer | None = None  # of a smaller max_n
    settled = False  # whether it has an n0
    until = None if budget.time_limit_s is None else time.perf_counter() + budget.time_limit_s
    max_n = question.max_n
    try:
        while True:
            inference, answer = _run(question, max_n, _rest(budget, until), work, watch)
            is_open, n0 = inference.outcome is Outcome.OPEN, inference.n0
            if is_open and settled and best is not None:
                # What settled an earlier max_n stands, but for a limit more might have been seen.
                return replace(best, limited=answer.limited, short_of_memory=answer.short_of_memory)
            if is_open or max_n >= question.max_n_cap or (n0 is not None and 2 * n0 <= max_n):
                return answer
            best, settled, max_n = answer, n0 is not None, min(2 * max_n, question.max_n_cap)
    except Exception as error:
        if os.environ.get("IDINF_DEBUG") == "1":
            traceback.print_exc()
        answer = _answer_to(error, budget)
        if best is not None and answer.limited:
            return replace(best, limited=True, short_of_memory=True)
        return answer


def _rest(budget: Budget, until: float | None) -> Budget:
    """What is left of the time."""
    if until is None:
        return budget
    return replace(budget, time_limit_s=max(until - time.perf_counter(), 0.0))


def _answer_to(error: Exception, budget: Budget) -> Answer:
    """What is said of a target whose run raised."""
    # A library that is loaded late, and finds no room, is an import that fails.
    out_of_memory = isinstance(error, MemoryError | ImportError) and not isinstance(
        error, ModuleNotFoundError
    )
    if out_of_memory or isinstance(error, BudgetError):
        bound = f"{budget.memory_bytes / 2**20:.0f} MiB"
        told = f"the memory bound of {bound} was reached; raise --memory, or lower --max-r or --jobs"
        return Answer(error=told if out_of_memory else str(error), limited=True, short_of_memory=True)
    if isinstance(error, IdinfError):
        return Answer(error=str(error))
    return Answer(
        error=f"internal error: {type(error).__name__}: {error}; please report it with the command line "
        "and the spec; IDINF_DEBUG=1 shows the traceback"
    )


def _run(
    question: Question,
    max_n: int,
    budget: Budget,
    work: Path | None,
    watch: Callable[[Progress], None] | None,
) -> tuple[Inference, Answer]:
    """Run the procedure up to one ``max_n``."""
    spec = question.spec
    journal = (
        None if work is None else Journal(_work_at(work, question, max_n), question.identity(max_n), True)
    )
    with journal or nullcontext():
        procedure = Procedure(
            build_target(spec),
            question.bounds,
            max_n,
            question.aggregate,
            question.tolerance,
            budget,
            watch=watch,
            journal=journal,
            effort=0 if spec.parameters else None,  # as in `idinf family`
            proves=not spec.parameters,
        )
        for origin, text in question.upper:
            bound_by_spec(procedure, origin, json_format.loads(text, origin), spec)
        inference = procedure.run()
    report = dumps(report_object(spec, question.bounds, inference, question.aggregate, question.tolerance))
    limit = budget.time_limit_s
    in_time = limit is None or inference.seconds <= limit
    short_of_memory = inference.stopped and in_time
    return inference, Answer(report, limited=inference.stopped, short_of_memory=short_of_memory)


def _work_at(work: Path, question: Question, max_n: int) -> Path:
    """The journal of a larger ``max_n`` lies beside that of the first one."""
    return work if max_n == question.max_n else work.with_name(f"{work.name}-{max_n}")
