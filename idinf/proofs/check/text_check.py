"""What a report says in words, against its own keys: formulas, the end of the run, what holds for all n."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from json import dumps as _shown

from idinf.base.numbers import format_amount
from idinf.base.quoting import quote
from idinf.errors import HypothesisFormatError
from idinf.languages.classification.beyond_nets import find_obstacle
from idinf.nets.one_hot import to_one_hot
from idinf.report.proof import tell_proved
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target
from idinf.translate.formulas.formula import write_formula
from idinf.work.limits import StopReason, tell_max_r, tell_stop_bound, tell_work

#: How many functions a sentence speaks of, where it is more than one.
_NUMBER = re.compile(r"[0-9]{1,9}")


def formula_faults(report: Report) -> Iterator[str]:
    """Whether the formulas of hypotheses of the one-hot family are those of their matrices."""
    for name, records in (("records", report.records), ("worst", report.worst)):
        for number, record in enumerate(records):
            with suppress(HypothesisFormatError):  # it is not in the family, which is said elsewhere
                written = str(write_formula(to_one_hot(record.hypothesis)))
                if record.formula != written:
                    yield f"{name}[{number}].formula = {quote(record.formula)}; expected {quote(written)}"


def stop_faults(report: Report) -> Iterator[str]:
    """Whether ``stop_reason`` says what ``stop`` and the numbers say, where these decide it."""
    work = report.space.work if isinstance(report.space, SpaceBounds) else None
    expected = {
        StopReason.STOP_BOUND: tell_stop_bound(report.complete_up_to_r),
        StopReason.MAX_R: tell_max_r(report.space.max_r),
        StopReason.WORK: tell_work(work or 0),
        StopReason.INTERRUPTED: "interrupted",
        StopReason.TIME: "the ",
        StopReason.MEMORY: "the memory bound of ",
    }.get(report.stop, "")
    if not report.stop_reason.startswith(expected):
        yield (
            f"stop_reason = {quote(report.stop_reason)}; expected it to begin with {quote(expected)}, "
            f"as stop = {report.stop.value}"
        )


def beyond_faults(report: Report) -> Iterator[str]:
    """Whether ``beyond`` speaks of as many proofs as there are, and of none where there are none.

    Of k functions there are k proofs, and one more where the cheapest is written in two ways; fewer where
    some are said to fail later, at no n that matters.
    """
    number, said, outcome = len(report.proofs), report.beyond, report.outcome
    functions = int(found[0]) if (found := _NUMBER.search(said or "")) else 1
    later = said == tell_proved(functions, True)
    proved = later or said == tell_proved(functions, False)
    if proved is not (outcome is Outcome.IDENTIFIED_FOR_ALL_N):
        yield f"beyond = {_shown(said)}; expected proofs to be told iff outcome = identified-for-all-n"
    elif outcome is Outcome.NEVER:
        return  # `never_faults` judges it
    elif said is not None and not outcome.is_identified:
        yield f"beyond = {quote(said)}; expected null, there is no n0"
    elif proved and not (
        1 <= number <= functions if later else functions <= number <= functions + (functions > 1)
    ):
        yield f"beyond = {quote(said)}; expected what fits {format_amount(number, 'proof')}"


def never_faults(report: Report, target: Target) -> Iterator[str]:
    """Whether no net of the space decides the target of the outcome ``never``, for the reason given."""
    why = find_obstacle(target) if isinstance(report.space, SpaceBounds) else None
    if why is None:
        yield "outcome = never; no theorem is known by which no hypothesis of the space decides the target"
    elif report.beyond != why:
        yield f"beyond = {_shown(report.beyond)}; expected {quote(why)}"
