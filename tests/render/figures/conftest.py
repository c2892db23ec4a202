"""Reports that figures are drawn from: the golden ones, and some with planted values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.parameters import Size
from idinf.experiments.reader import parse_spec
from idinf.experiments.spec import Answer
from idinf.inference.run import MAX_RULE
from idinf.report.family import FamilyDescription, FamilyFit, FamilyMaximum, FamilyMember, FamilyReport
from idinf.report.target import TargetDescription
from idinf.report.value import Outcome
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import NextReads, OneHotHead, OneHotLayer, OneHotUnit
from tests.render.reports import golden


@pytest.fixture
def majority():
    """Identified, n0 = 3."""
    return golden("majority")


@pytest.fixture
def parity():
    """Open, nothing right is known."""
    return golden("parity")


@pytest.fixture
def dyck():
    """Identified, n0 = 5, two layers."""
    return golden("dyck-1")


@pytest.fixture
def bracketed():
    """Open with a known upper bound (planted: a hypothesis of majority), right up to 20."""
    report = golden("parity")
    hypothesis = golden("majority").records[-1].hypothesis
    bracket = replace(report.bracket, r_upper=12.5, upper_length=20, hypothesis=hypothesis)
    return replace(report, bracket=bracket)


def member(name, size, n0):
    settled = n0 is not None
    return FamilyMember(
        name=name,
        parameters={"k": size, "j": size},
        size=size,
        digest="0",
        outcome=Outcome.IDENTIFIED if settled else Outcome.OPEN,
        max_n=64,
        n0=n0,
        n0_canonical=n0,
        n0_lower=n0 if settled else 9,
        r_star=10.0 if settled else None,
        complete_up_to_r=10.0,
        formula="" if settled else None,
        stop_reason="",
        seconds=1.0,
    )


@pytest.fixture
def family():
    """Members of sizes 1 to 4; one of size 4 is not settled."""
    rows = [("a", 1, 3), ("b", 2, 4), ("c", 3, 8), ("d", 3, 5), ("e", 3, 5), ("f", 4, None)]
    return FamilyReport(
        idinf_version="1",
        family=FamilyDescription("ge", ("0", "1"), {"k": (1, 4), "j": (1, 4)}, None, Size.MAX),
        space=SpaceBounds(),
        regularizer=MAX_RULE,
        max_n=64,
        max_n_cap=64,
        members=tuple(member(*row) for row in rows),
        maxima=(
            FamilyMaximum(1, 3, 3, ("a",)),
            FamilyMaximum(2, 4, 4, ("b",)),
            FamilyMaximum(3, 8, 8, ("c",)),
            FamilyMaximum(4, None, 9, ("f",)),
        ),
        fits=(
            FamilyFit(
                "2.500(T - 1) + 2.500", (Fraction(5, 2), Fraction(5, 2)), (1, 2, 3), False, 0.7, Fraction(1)
            ),
        ),
    )


@pytest.fixture
def next_report():
    """About the legal next symbols of 1*, judged after a 1; two made-up hypotheses, + and one symbol less."""
    spec = parse_spec('name = "ones"\nalphabet = "01"\nmode = "next"\nregex = "1*"\njudged = "(0|1)*1"')
    head = OneHotHead(((0, 1, 0),))
    unit = OneHotUnit(((0, 0, 1),), (0, 0, 0), 0)
    report = golden("majority")
    records = []
    for record, read in zip(report.records, ((-1, 0, 0), (0, -1, 0)), strict=False):
        layers = (OneHotLayer((head,), (unit,)),)
        net = OneHotTransformer(spec.alphabet, 0, layers, (-1,), -1, 1, NextReads(Answer.SET, read))
        records.append(replace(record, hypothesis=net.to_dense(), counterexample="11"))
    return replace(report, target=TargetDescription.of(spec), records=tuple(records))
