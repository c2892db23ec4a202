"""One target of a batch: the question, and its answer in a process of its own."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from idinf.commands.batch_dir import key_of
from idinf.commands.identify import bound_by_spec
from idinf.commands.run_dir import run_identity
from idinf.errors import BudgetError, IdinfError
from idinf.inference.procedure import Budget, Procedure, Progress
from idinf.reports.json_report import dumps
from idinf.reports.report import report_object
from idinf.search.journal import Journal
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import upper_texts
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
    aggregate : Aggregate
    tolerance : float or None
    upper : tuple of (str, str)
        Name for messages and text of every hypothesis that the spec lists.
    """

    spec: Spec
    bounds: SpaceBounds
    max_n: int
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
        """Ask about a spec that was read from ``source``.

        Raises
        ------
        SpecError
            If a file that it lists cannot be read.
        """
        asked_n = spec.max_n if max_n is None else max_n
        return cls(spec, bounds, asked_n, aggregate, tolerance, tuple(upper_texts(source, spec)))

    @cached_property
    def key(self) -> str:
        """Names everything the report depends on."""
        identity = run_identity(self.spec, self.bounds, self.max_n, self.aggregate, self.tolerance)
        content = {"preset": self.bounds.preset, "digest": self.spec.digest, "upper": self.upper}
        return key_of(self.spec.name, {**identity, **content})


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
    try:
        journal = None if work is None else _journal(question, work)
        try:
            return _run(question, budget, journal, watch)
        finally:
            if journal is not None:
                journal.close()
    except Exception as error:
        if os.environ.get("IDINF_DEBUG") == "1":
            traceback.print_exc()
        return _answer_to(error, budget)


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


def _journal(question: Question, work: Path) -> Journal:
    identity = run_identity(
        question.spec, question.bounds, question.max_n, question.aggregate, question.tolerance
    )
    return Journal(work, identity, resume=True)


def _run(
    question: Question, budget: Budget, journal: Journal | None, watch: Callable[[Progress], None] | None
) -> Answer:
    spec = question.spec
    procedure = Procedure(
        build_target(spec),
        question.bounds,
        question.max_n,
        question.aggregate,
        question.tolerance,
        budget,
        watch=watch,
        journal=journal,
        effort=None,
    )
    for origin, text in question.upper:
        bound_by_spec(procedure, origin, json_format.loads(text, origin), spec)
    inference = procedure.run()
    report = dumps(report_object(spec, question.bounds, inference, question.aggregate, question.tolerance))
    limit = budget.time_limit_s
    in_time = limit is None or inference.seconds <= limit
    return Answer(report, limited=inference.stopped, short_of_memory=inference.stopped and in_time)
