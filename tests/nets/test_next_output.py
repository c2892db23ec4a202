"""Hypotheses about next symbols: reading, files, R, and what is refused."""

from __future__ import annotations

import math

import pytest

from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError
from idinf.nets.json_format import dumps, loads
from idinf.nets.one_hot import NextReads, OneHotLayer, OneHotTransformer, OneHotUnit, to_one_hot
from idinf.nets.reference import name_next_symbols
from idinf.nets.regularizer import compute_r_terms
from idinf.spec.spec import Answer

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
