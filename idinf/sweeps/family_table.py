"""The table of a family: what was found out about each member, the largest n0 per size T, and the law."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from idinf.experiments.family import FamilySpec
from idinf.inference.run import RunSettings
from idinf.report.family import FamilyDescription, FamilyMaximum, FamilyMember, FamilyReport
from idinf.report.value import Outcome
from idinf.sweeps.fit import fits_of
from idinf.sweeps.sweep import RunAnswer
from idinf.version import __version__


def family_report(
    family: FamilySpec, questions: Sequence[RunSettings], answers: Mapping[int, RunAnswer]
) -> FamilyReport:
    """Put the answers about the members of a family together.

    Everything but seconds is the same for the same questions.

    Parameters
    ----------
    family : FamilySpec
    questions : sequence of RunSettings
        One for each member, by size; at least one.
    answers : mapping of int to RunAnswer
        By the place of the question; one that has none was interrupted.
    """
    first, parameters = questions[0], family.parameters
    members = tuple(
        _member(family, question, answers.get(place, RunAnswer(limit="interrupted")))
        for place, question in enumerate(questions)
    )
    by_size = itertools.groupby(members, lambda member: member.size)
    maxima = tuple(_maximum(size, list(of_size)) for size, of_size in by_size)
    return FamilyReport(
        idinf_version=__version__,
        family=FamilyDescription(
            name=family.name,
            alphabet=family.first.alphabet.symbols,
            parameters={name: (low, high) for name, low, high in parameters.ranges},
            gcd=parameters.gcd,
            size=parameters.size,
        ),
        space=first.bounds,
        regularizer=first.regularizer,
        max_n=first.max_n,
        max_n_cap=first.max_n_cap,
        members=members,
        maxima=maxima,
        fits=fits_of([(maximum.size, maximum.n0) for maximum in maxima if maximum.n0 is not None]),
    )


def _member(family: FamilySpec, question: RunSettings, answer: RunAnswer) -> FamilyMember:
    """The row of a member; nothing is known of one without a report."""
    spec, report = question.spec, answer.report
    selected = None if report is None or report.stages[-1].r_star is None else report.selected
    bad = () if report is None else [stage.n for stage in report.stages if stage.good is False]
    n0 = None if report is None else report.n0
    return FamilyMember(
        name=spec.name,
        parameters=dict(spec.parameters),
        size=family.parameters.size_of(spec.parameters),
        digest=spec.digest,
        outcome=Outcome.OPEN if report is None else report.outcome,
        max_n=None if report is None else report.max_n,
        n0=n0,
        n0_canonical=None if report is None else report.n0_canonical,
        n0_lower=max(bad, default=0) + 1 if n0 is None else n0,
        r_star=None if selected is None else selected.r,
        complete_up_to_r=0.0 if report is None else report.complete_up_to_r,
        formula=None if selected is None else selected.formula,
        stop_reason=answer.limit or ("" if report is None else report.stop_reason),
        seconds=0.0 if report is None else report.seconds,
    )


def _maximum(size: int, members: Sequence[FamilyMember]) -> FamilyMaximum:
    """The largest n0 of one size."""
    largest = max(member.n0_lower for member in members)
    settled = all(member.n0 is not None for member in members)
    names = tuple(member.name for member in members if member.n0_lower == largest)
    return FamilyMaximum(size, largest if settled else None, largest, names)
