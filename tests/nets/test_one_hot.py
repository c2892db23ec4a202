import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet, words_up_to
from idinf.errors import HypothesisFormatError
from idinf.nets.attention import AttentionPattern
from idinf.nets.json_format import dumps, loads
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit, to_one_hot
from idinf.nets.reference import accepts, name_next_symbols
from idinf.nets.regularizer import Aggregate, compute_r_terms
from idinf.spec.spec import Answer
from tests.search.word_by_word import answer


@given(data=st.data())
def test_dense_realisation_means_the_same(networks, data):
    net = data.draw(networks)
    dense = net.to_dense()
    for word in words_up_to(len(net.alphabet), {1: 6, 2: 4, 3: 3}[len(net.alphabet)]):
        assert accepts(dense, word) == answer(net, word), word


def spectral(rows):
    return float(np.linalg.svd(np.array(rows, dtype=float), compute_uv=False)[0])


@pytest.mark.thinned(2)
@pytest.mark.parametrize("aggregate", list(Aggregate))
@given(data=st.data())
def test_R_follows_the_cost_rules_of_the_family(networks, aggregate, data):
    """The terms of R read off heads, channels, patterns and units, without any matrix of the realisation."""
    net = data.draw(networks)
    terms, one = compute_r_terms(net.to_dense(), aggregate).as_dict(), 1 << net.precision
    join = max if aggregate is Aggregate.MAX else sum
    heads = [head for layer in net.layers for head in layer.heads] or [None]
    ranks = [np.linalg.matrix_rank(np.array(head.channels)) if head else 0 for head in heads]
    norms_V = [spectral(head.channels) / one if head else 0 for head in heads]
    norms_KQ = [spectral(head.pattern.logits) / one if head and head.pattern.logits else 0 for head in heads]
    entries = [
        [x for unit in layer.units for x in (*unit.s, *(c for _, _, c in unit.reads))] for layer in net.layers
    ]
    expected = {
        "layers_plus_heads": len(net.layers) + max(len(layer.heads) for layer in net.layers),
        "precision": net.precision,
        "rank_V": join(ranks),
        "norm_KQ": join(norms_KQ),
        "norm_V": join(norms_V),
        "norm_A": join(math.hypot(*row) / one for row in entries),
        "norm_B": join(math.sqrt(len(layer.units)) for layer in net.layers),
        "norm_U": math.sqrt(len(net.signs)),
        "norm_p": float(net.period > 1),
        "norm_E": 1,
        "norm_b": join(math.hypot(*(unit.b for unit in layer.units)) / one for layer in net.layers),
        "phi": sum(x * x for head in heads if head for x in head.pattern.phi) / one**2,
        "period": net.period if net.period > 1 else 0,
    }
    assert terms == pytest.approx(expected, abs=1e-9)


# Refusals: a valid net of p = 1 with one private and one shared channel, one thing broken at a time


HEADS = (OneHotHead(((0, 1), (1, 1))), OneHotHead(((1, 0),)))
UNITS = (
    OneHotUnit(((0, 0, 2),), (0, 1), 0),
    OneHotUnit(((0, 1, 1), (1, 0, 2)), (0, 0), 0),
    OneHotUnit(((0, 1, -4),), (0, 0), 0),
)
NET = OneHotTransformer(Alphabet(("a",)), 1, (OneHotLayer(HEADS, UNITS),), (1, -1, 1), 0)


def with_units(*units):
    return {"layers": (OneHotLayer(HEADS, units),)}


def with_heads(*heads):
    return {"layers": (OneHotLayer(heads, UNITS),)}


def with_pattern(pattern):
    return with_heads(HEADS[0], replace(HEADS[1], pattern=pattern))


def with_reads(unit, reads):
    return with_units(*(replace(old, reads=reads) if u == unit else old for u, old in enumerate(UNITS)))


REFUSALS = [
    ({"precision": -1}, r"precision = -1; expected an integer >= 0"),
    ({"layers": (OneHotLayer((), ()),), "signs": ()},
        r"layers\[0\]\.units = \(\); expected at least one unit"),
    ({"signs": (1, 1)}, r"signs = \(1, 1\); expected \+1 or -1 for each of 3 units"),
    (with_heads(HEADS[0], OneHotHead(())), r"heads\[1\]\.channels = \(\); expected at least one channel"),
    (with_heads(HEADS[0], OneHotHead(((1,),))), r"heads\[1\]\.channels\[0\] = \(1,\); expected 2 entries"),
    (with_units(replace(UNITS[0], s=(0,)), *UNITS[1:]), r"units\[0\]\.s = \(0,\); expected 2 entries"),
    (with_reads(1, ((0, 0, 1), (0, 1, 1), (1, 0, 2))), r"units\[1\]\.reads = .*; expected ascending heads"),
    (with_reads(0, ((0, 2, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (with_reads(0, ((0, -1, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (with_reads(0, ((0, 0, 1),)),
        r"A entries on layers\[0\]\.heads\[0\]\.channels\[0\] = \[1\]; expected some, .* and 2, the"),
    ({"period": 0}, r"period = 0; expected an integer >= 1"),
    ({"period": 2}, r"channels\[0\] = \(0, 1\); expected 4 entries"),
    (with_pattern(AttentionPattern(((1, 0), (0, 1, 0)))),
        r"heads\[1\]\.logits\[1\] = \(0, 1, 0\); expected 2 entries"),
    (with_pattern(AttentionPattern(((1, 0.5), (0, 0)))),
        r"heads\[1\]\.logits\[0\]\[1\] = 0\.5; expected an integer >= 0"),
    (with_pattern(AttentionPattern(((0, 0), (0, 0)))),
        r"heads\[1\] = .*; expected channels, and logits if there are any, that are not zero"),
    (with_pattern(AttentionPattern(phi=(1, 0))),
        r"heads\[1\]\.phi = \(1, 0\); expected no zero at the end"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), REFUSALS)
def test_refuses_one_broken_rule(changes, message):
    with pytest.raises(HypothesisFormatError, match=message):
        replace(NET, **changes)


# Hypotheses about next symbols: reading, files, R, and what is refused


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
