"""One target of a batch: the question, and its answer in a process of its own."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from idinf.errors import BudgetError, IdinfError
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.catalogue import load_family
from idinf.experiments.spec import Spec
from idinf.inference.kept_work import journal_of, run_identity
from idinf.inference.procedure import MAX_N, Progress
from idinf.inference.run import Setup, run_further, uppers_of
from idinf.report.json_text import dumps
from idinf.report.writer import report_object
from idinf.runtime.journal import Journal
from idinf.runtime.limits import ENDS, Limits
from idinf.sweeps.kept_reports import key_of
from idinf.transformers import json_format
from idinf.transformers.regularizer import Aggregate

__all__ = ["Answer", "Question", "answered"]


@dataclass(frozen=True)
class Question:
    """What is asked of one target; hypotheses that bound its R* are read when the question is made.

    Attributes
    ----------
    setup : Setup
    max_n_cap : int
        How far `idinf.inference.run.run_further` may raise ``max_n``; equal to it, it is never raised.
    """

    setup: Setup
    max_n_cap: int

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
        SpecError, HypothesisFormatError
            If a file that it lists cannot be read.
        """
        first, cap = (max_n, max_n) if max_n is not None else (spec.max_n, spec.max_n)
        if max_n is None and spec.parameters:
            cap = max(first, min(load_family(source).max_n_cap, MAX_N))
        is_member = bool(spec.parameters)  # examined as by `idinf family`
        setup = Setup(
            spec,
            bounds,
            first,
            aggregate,
            tolerance,
            uppers_of(source, spec),
            effort=0 if is_member else None,
            proves=not is_member,
        )
        return cls(setup, cap)

    @property
    def name(self) -> str:
        """The name of the target."""
        return self.setup.spec.name

    @cached_property
    def key(self) -> str:
        """Names everything the report depends on."""
        content = {
            "max_n_cap": self.max_n_cap,
            "preset": self.setup.bounds.preset,
            "digest": self.setup.spec.digest,
            "upper": [(upper.origin, json_format.dumps(upper.hypothesis)) for upper in self.setup.upper],
        }
        return key_of(self.name, {**run_identity(self.setup), **content})


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
    question: Question, limits: Limits, work: Path | None, watch: Callable[[Progress], None] | None
) -> Answer:
    """Run the procedure, and turn whatever goes wrong into an answer.

    Parameters
    ----------
    question : Question
    limits : Limits
    work : Path or None
        Where finished work is kept and found again.
    watch : callable or None
        Called with a Progress now and then.
    """

    def journal_for(max_n: int) -> AbstractContextManager[Journal | None]:
        """The journal of a larger ``max_n`` lies beside that of the first one."""
        if work is None:
            return nullcontext()
        first = question.setup.max_n
        place = work if max_n == first else work.with_name(f"{work.name}-{max_n}")
        return journal_of(replace(question.setup, max_n=max_n), place, resume=True)

    try:
        best, last = run_further(question.setup, question.max_n_cap, limits, watch, journal_for)
        asked = question.setup
        report = dumps(
            report_object(asked.spec, asked.bounds, best.inference, asked.aggregate, asked.tolerance)
        )
        limited = last.inference.stopped
        return Answer(report, limited=limited, short_of_memory=limited and not limits.is_over)
    except IdinfError as error:
        limited = isinstance(error, BudgetError)
        return Answer(error=str(error), limited=limited, short_of_memory=limited)
    except ENDS as end:
        return Answer(error=limits.reason(end), limited=True, short_of_memory=isinstance(end, MemoryError))
    except Exception as error:
        if os.environ.get("IDINF_DEBUG") == "1":
            traceback.print_exc()
        return Answer(
            error=f"internal error: {type(error).__name__}: {error}; please report it with the command line "
            "and the spec; IDINF_DEBUG=1 shows the traceback"
        )
