"""Proofs as JSON: there and back, and each kind of garbage is refused where it stands."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

from idinf.equivalence.conditions import Inequality
from idinf.errors import ReportFormatError
from idinf.json_cursor import Cursor
from idinf.report.proof import MAX_CASES, Invariant, Split, Sum, invariant_to_json, read_invariant
from tests.verification.small_reports import place_of, read, report_of

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
    """Read a parsed proof, as one of a report."""
    return read_invariant(Cursor(value, "r.json", ReportFormatError, "proofs[0]"))


def written():
    """What is written of it, as a text holds it."""
    return json.loads(json.dumps(invariant_to_json(PROOF)))


def test_there_and_back():
    assert read_back(written()) == PROOF
    assert (written()["kind"], written()["detail"]) == ("invariant", 2)
    assert written()["claims"]["0//"] == [[1, 0, 0], [-1, 2, -5]]
    assert written()["reasons"][0][:3] == ["0//", 0, "1"]
    assert written()["reasons"][0][3][1] == [[1, "7/2"]]
    assert written()["reasons"][0][3][0]["case"] == [1, -2, 3]


@pytest.mark.parametrize("name", ["proved", "next", "wide"])
def test_proofs_of_reports_come_back_as_they_were(name):
    for proof, value in zip(report_of(name)["proofs"], read(name).proofs, strict=True):
        again = json.loads(json.dumps(invariant_to_json(value.invariant)))
        assert again == {key: value for key, value in proof.items() if key not in ("r", "hypothesis")}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("kind",), "invariants"),
        (("kind",), None),
        (("counters",), 3),
        (("detail",), "1"),
        (("detail",), True),
        (("claims",), []),
        (("claims", "0//"), 1),
        (("claims", "0//", 0), 1),
        (("claims", "0//", 0), []),
        (("claims", "0//", 0, 1), "1"),
        (("claims", "0//", 0, 1), 1.0),
        (("claims", "0//", 0, 1), True),
        (("claims", "0//", 0, 2), None),
        (("reasons",), None),
        (("reasons", 0), ["0//", 0, "1"]),
        (("reasons", 0, 1), "0"),
        (("reasons", 0, 1), True),
        (("reasons", 0, 3), 4),
        (("reasons", 0, 3, 0), {"case": [1, -2, 3], "yes": []}),
        (("reasons", 0, 3, 0, "case"), "x"),
        (("reasons", 0, 3, 0, "yes"), 5),
        (("reasons", 0, 3, 1, 0), [1]),
        (("reasons", 0, 3, 1, 0, 0), 1.5),
        (("reasons", 0, 3, 1, 0, 1), 0.5),
        (("reasons", 0, 3, 1, 0, 1), "1/0"),
        (("reasons", 0, 3, 1, 0, 1), "1e9"),
        (("reasons", 0, 3, 1, 0, 1), "0.5"),
        (("reasons", 0, 3, 1, 0, 1), " 1/2"),
        (("reasons", 0, 3, 1, 0, 1), "one"),
        (("reasons", 0, 3, 1, 0, 1), None),
        (("reasons", 0, 3, 1, 0, 1), True),
    ],
)
def test_garbage_is_refused(path, value):
    proof = written()
    place_of(proof, path[:-1])[path[-1]] = value
    place = f"proofs[0].{path[0]}" + (f"[{path[1]}]" if path[0] == "reasons" and path[1:] else "")
    with pytest.raises(ReportFormatError, match=re.escape(f"r.json: {place}")):
        read_back(proof)


@pytest.mark.parametrize("key", ["kind", "detail", "counters", "claims", "reasons"])
def test_a_missing_key_is_refused(key):
    proof = written()
    del proof[key]
    with pytest.raises(ReportFormatError, match=rf"r\.json: proofs\[0\]\.{key} is missing"):
        read_back(proof)


@pytest.mark.parametrize("value", [None, 3, "x", [], [1], True])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(ReportFormatError, match=r"r\.json: proofs\[0\] = .*; expected an object"):
        read_back(value)


@pytest.mark.parametrize(("depth", "is_read"), [(MAX_CASES, True), (MAX_CASES + 1, False), (100_000, False)])
def test_a_derivation_nested_too_deeply_is_refused(depth, is_read):
    """Reading and checking call themselves once for each, and would end in no message of their own."""
    report = written()
    reason = []
    for _ in range(depth):
        reason = {"case": [1, 0, 0], "yes": reason, "no": []}
    report["reasons"][0][3][0] = reason
    if is_read:
        read_back(report)
    else:
        with pytest.raises(ReportFormatError, match=f"expected at most {MAX_CASES} cases inside cases"):
            read_back(report)
