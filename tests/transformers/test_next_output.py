"""Hypotheses about next symbols: reading, files, R, and what is refused."""

from __future__ import annotations

import json
import math

import pytest

from idinf.errors import HypothesisFormatError
from idinf.experiments.spec import Answer
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.json_format import dumps, loads
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import NextReads, OneHotLayer, OneHotUnit
from idinf.transformers.reference import name_next_symbols
from idinf.transformers.regularizer import compute_r_terms
from idinf.words import Alphabet

BITS = Alphabet(("0", "1"))
LAST_1 = OneHotUnit((), s=(0, 0, 1), b=0)
LAST_0 = OneHotUnit((), s=(0, 1, 0), b=0)


def net(units, read, sign=1, threshold=0, kind=Answer.SET):
    signs = (sign,) * len(units)
    layer = OneHotLayer((), tuple(units))
    return OneHotTransformer(BITS, 0, (layer,), signs, threshold, reads=NextReads(kind, read))


SETS = [
    (net([LAST_1], (-1, 0, 0)), ((), ("1", "$"), ()), math.sqrt(2)),
    (net([LAST_1], (-1, 0, 0), -1, -1), (("0", "1", "$"), ("0",), ("0", "1", "$")), math.sqrt(2)),
    (net([LAST_1, LAST_0], (1, 0, -1)), ((), ("1",), ("0",)), 1.0),
    (net([LAST_1], (-1, 0, -1), kind=Answer.SYMBOL), (("0",), ("1",), ("0",)), 1.0),
    (net([LAST_1, LAST_0], (0, 1, -1), -1, 0, Answer.SYMBOL), (("0",), ("1",), ("0",)), 1.0),
]


@pytest.mark.parametrize(("hypothesis", "named", "norm_U"), SETS)
def test_every_position_is_read_and_files_keep_it(hypothesis, named, norm_U):
    dense = hypothesis.to_dense()
    assert name_next_symbols(dense, (1, 0)) == named
    assert compute_r_terms(dense).norm_U == pytest.approx(norm_U, abs=1e-12)
    assert loads(dumps(dense)) == dense
    assert to_one_hot(dense) == hypothesis


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "both"}, r'output.kind = "both"; expected "symbol" or "set"'),
        ({"symbols": ["0", "0", "$"]}, r"output.symbols\[1\] = '0'; expected each of 0 1 \$ at most once"),
        ({"symbols": ["0", "2", "$"]}, r"output.symbols\[1\] = '2'"),
        ({"symbols": [], "rows": []}, r"output.symbols = \[\]; expected at least one"),
        ({"rows": [0, 1]}, r"output.rows = \[0, 1\]"),
        ({"rows": [0, 1, 3]}, r"output.rows\[2\] = 3; expected an integer from 0 to 2"),
        ({"kind": "symbol", "threshold": -1}, r"output.threshold = -1; expected 0 beside symbol"),
        ({"extra": 1}, r"output.extra is an unknown key"),
    ],
)
def test_a_broken_output_is_refused(change, message):
    value = json.loads(dumps(SETS[0][0].to_dense()))
    value["output"] |= change
    with pytest.raises(HypothesisFormatError, match=message):
        loads(json.dumps(value), "net.json")


@pytest.mark.parametrize(
    ("units", "read", "sign", "threshold", "kind", "message"),
    [
        ([LAST_1], (0, 0), 1, 0, Answer.SET, r"reads = \(0, 0\); expected a unit from 0 to 0"),
        ([LAST_1], (0, 0, 1), 1, 0, Answer.SET, r"expected a unit from 0 to 0, or -1"),
        ([LAST_1, LAST_0], (0, 0, -1), 1, 0, Answer.SET, r"expected every unit of the last layer"),
        ([LAST_1], (0, -1, -1), 1, -1, Answer.SET, r"threshold = -1; expected 0"),
        ([LAST_1], (0, -1, -1), -1, 0, Answer.SET, r"threshold = 0; expected -1"),
        ([LAST_1], (0, -1, -1), 1, 0, Answer.SYMBOL, r"expected every unit once, by \+ not in row 0"),
        ([LAST_1], (-1, 0, -1), -1, 0, Answer.SYMBOL, r"expected every unit once"),
        ([LAST_1], (-1, 0, 0), 1, 0, Answer.SYMBOL, r"expected every unit once"),
    ],
)
def test_rows_outside_the_family_are_refused(units, read, sign, threshold, kind, message):
    with pytest.raises(HypothesisFormatError, match=message):
        net(units, read, sign, threshold, kind)
