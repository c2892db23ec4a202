"""Reports that figures are drawn from: the golden ones, and some with planted values."""

from dataclasses import replace

import pytest

from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.report.target import TargetDescription
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Answer
from tests.show.reports import family_rows, golden, opened


@pytest.fixture
def majority():
    """Identified, n0 = 3."""
    return golden("majority")


@pytest.fixture
def parity():
    """Open, nothing right is known."""
    return opened()


@pytest.fixture
def dyck():
    """Identified, n0 = 5, two layers."""
    return golden("dyck-1")


@pytest.fixture
def bracketed():
    """Open with a known upper bound (planted: a hypothesis of majority), right up to 20."""
    report = opened()
    hypothesis = golden("majority").records[-1].hypothesis
    bracket = replace(report.bracket, r_upper=12.5, upper_length=20, hypothesis=hypothesis)
    return replace(report, bracket=bracket)


@pytest.fixture
def family():
    """Members of sizes 1 to 4; one of size 4 is not settled."""
    return family_rows()


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
