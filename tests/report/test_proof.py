"""Proofs as JSON: there and back, and each kind of garbage is refused where it stands."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from idinf.base.documents import telling
from idinf.errors import ReportFormatError
from idinf.languages.equivalence.conditions import Inequality
from idinf.report.proof import Invariant, Split, Sum
from idinf.report.value import PROOF as FORM
from idinf.report.value import Proof
from tests.proofs.check.small_reports import place_of, read

SPLIT = Split(
    Inequality((1, -2), 3),
    Sum(((0, Fraction(2)), (4, Fraction(1, 3)))),
    Split(X := Inequality((0, 1), 0), Sum(()), Sum(())),
)
PROOF = Invariant(
    ("#a", "layer 1 unit 0"),
    {"0//": (Inequality((1, 0), 0), Inequality((-1, 2), -5)), "0//0:1": ()},
    {("0//", 0, "1"): (SPLIT, Sum(((1, Fraction(7, 2)),))), ("0//", 0, "0"): ()},
    2,
)


def read_back(value):
    """Read a parsed proof."""
    with telling("r.json", ReportFormatError):
        return FORM.read(value)


def written():
    """What is written of it, as a text holds it."""
    return json.loads(json.dumps(FORM.write(Proof(1.5, read("proved").proofs[0].hypothesis, PROOF))))


def test_there_and_back():
    assert read_back(written()).invariant == PROOF
    assert (written()["kind"], written()["detail"]) == ("invariant", 2)
    assert written()["claims"]["0//"] == [[1, 0, 0], [-1, 2, -5]]
    assert written()["reasons"][0][:3] == ["0//", 0, "1"]
    assert written()["reasons"][0][3][1] == [[1, "7/2"]]
    assert written()["reasons"][0][3][0]["case"] == [1, -2, 3]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("kind",), "invariants"),
        (("detail",), True),
        (("claims", "0//", 0, 1), "1"),
        (("reasons",), None),
        (("reasons", 0, 3), 4),
        (("reasons", 0, 3, 1, 0), [1]),
        (("reasons", 0, 3, 1, 0, 1), "0.5"),
        (("reasons", 0, 3, 1, 0, 1), True),
    ],
)
def test_garbage_is_refused(path, value):
    proof = written()
    place_of(proof, path[:-1])[path[-1]] = value
    place = f"{path[0]}" + (f"[{path[1]}]" if path[0] == "reasons" and path[1:] else "")
    with pytest.raises(ReportFormatError, match=re.escape(f"r.json: {place}")):
        read_back(proof)
