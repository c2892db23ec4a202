"""Proofs as JSON: there and back, and each kind of garbage is refused."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from idinf.equivalence.conditions import Inequality
from idinf.report.proof import MAX_CASES, Invariant, ProofError, Split, Sum, proof_from_json, proof_to_json
from tests.verification.small_reports import place_of, report_of

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


def test_there_and_back():
    written = json.loads(json.dumps(proof_to_json(PROOF)))
    assert proof_from_json(written) == PROOF
    assert (written["kind"], written["detail"]) == ("invariant", 2)
    assert written["claims"]["0//"] == [[1, 0, 0], [-1, 2, -5]]
    assert written["reasons"][0][:3] == ["0//", 0, "1"]
    assert written["reasons"][0][3][1] == [[1, "7/2"]]
    assert written["reasons"][0][3][0]["case"] == [1, -2, 3]


@pytest.mark.parametrize("name", ["proved", "next", "wide"])
def test_proofs_of_reports_come_back_as_they_were(name):
    for proof in report_of(name)["proofs"]:
        written = json.loads(json.dumps(proof_to_json(proof_from_json(proof))))
        assert written == {key: value for key, value in proof.items() if key not in ("r", "hypothesis")}


def written():
    return json.loads(json.dumps(proof_to_json(PROOF)))


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
    with pytest.raises(ProofError, match=r"not the shape of a proof \(\w+: "):
        proof_from_json(proof)


@pytest.mark.parametrize("key", ["kind", "detail", "counters", "claims", "reasons"])
def test_a_missing_key_is_refused(key):
    proof = written()
    del proof[key]
    with pytest.raises(ProofError, match=f"KeyError: '{key}'"):
        proof_from_json(proof)


@pytest.mark.parametrize("value", [None, 3, "x", [], [1], True])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(ProofError, match="not the shape of a proof"):
        proof_from_json(value)


@pytest.mark.parametrize(("depth", "read"), [(MAX_CASES, True), (MAX_CASES + 1, False), (100_000, False)])
def test_a_derivation_nested_too_deeply_is_refused(depth, read):
    """Reading and checking call themselves once for each, and would end in no message of their own."""
    report = written()
    reason = []
    for _ in range(depth):
        reason = {"case": [1, 0, 0], "yes": reason, "no": []}
    report["reasons"][0][3][0] = reason
    if read:
        proof_from_json(report)
    else:
        with pytest.raises(ProofError, match=f"cases inside cases, more than {MAX_CASES}"):
            proof_from_json(report)
