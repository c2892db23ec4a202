"""Reports that figures are drawn from: the golden ones, and some with planted values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from idinf.experiments.reader import parse_spec
from idinf.experiments.spec import Answer
from idinf.report.writer import target_object
from idinf.transformers.json_format import to_json_object
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import NextReads, OneHotHead, OneHotLayer, OneHotUnit

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


def golden(name):
    """A golden report as a JSON object; a fresh one for each call."""
    return json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))


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
    hypothesis = golden("majority")["records"][-1]["hypothesis"]
    report["bracket"] |= {"r_upper": 12.5, "upper_length": 20, "hypothesis": hypothesis}
    return report


@pytest.fixture
def family():
    """Members of sizes 1 to 4; one of size 4 is not settled."""
    rows = [("a", 1, 3), ("b", 2, 4), ("c", 3, 8), ("d", 3, 5), ("e", 3, 5), ("f", 4, None)]
    members = [
        {"name": name, "size": size, "n0": n0, "n0_lower": 9 if n0 is None else n0} for name, size, n0 in rows
    ]
    return {
        "format": "idinf-family/1",
        "family": {"name": "ge", "size": "max", "parameters": {"k": [1, 4], "j": [1, 4]}},
        "members": members,
        "maxima": [
            {"size": 1, "n0": 3, "n0_lower": 3, "members": ["a"]},
            {"size": 2, "n0": 4, "n0_lower": 4, "members": ["b"]},
            {"size": 3, "n0": 8, "n0_lower": 8, "members": ["c"]},
            {"size": 4, "n0": None, "n0_lower": 9, "members": ["f"]},
        ],
        "fits": [
            {
                "formula": "2.500(T - 1) + 2.500",
                "coefficients": ["5/2", "5/2"],
                "sizes": [1, 2, 3],
                "exact": False,
                "residual": 0.7,
                "largest": "1",
            }
        ],
    }


@pytest.fixture
def next_report():
    """About the legal next symbols of 1*, judged after a 1; two made-up hypotheses, + and one symbol less."""
    spec = parse_spec('name = "ones"\nalphabet = "01"\nmode = "next"\nregex = "1*"\njudged = "(0|1)*1"')
    head = OneHotHead(((0, 1, 0),))
    unit = OneHotUnit(((0, 0, 1),), (0, 0, 0), 0)
    report = golden("majority")
    report["target"] = target_object(spec)
    for record, read in zip(report["records"], ((-1, 0, 0), (0, -1, 0)), strict=False):
        layers = (OneHotLayer((head,), (unit,)),)
        net = OneHotTransformer(spec.alphabet, 0, layers, (-1,), -1, 1, NextReads(Answer.SET, read))
        record["hypothesis"] = to_json_object(net.to_dense())
        record["counterexample"] = "11"
    report["records"] = report["records"][:2]
    return report
