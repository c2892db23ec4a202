from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.errors import HypothesisFormatError
from idinf.transformers.gated import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.transformers.reference import accepts
from idinf.words import Alphabet, words_up_to


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def accepts_by_counting(gated, word):
    """The family's meaning in integers: a unit is [ Σ_{j<=i} v·feat_j + (i + 1)(s·feat_i + b) > 0 ]."""
    one = 1 << gated.precision  # s and b are on the grid 2^-p, v = A·g on 4^-p
    tokens = [0, *(1 + code for code in word)]
    features = [[int(token == k) for k in range(1 + len(gated.alphabet))] for token in tokens]
    for number, layer in enumerate(gated.layers):
        outputs = []
        for u, unit in enumerate(layer.units):
            values = gated.effective_values(number, u)
            sums = accumulate(sum(dot(v, f) for v in values) for f in features)
            outputs.append(
                [
                    int(total + (i + 1) * one * (dot(unit.s, features[i]) + unit.b) > 0)
                    for i, total in enumerate(sums)
                ]
            )
        features = [f + [unit[i] for unit in outputs] for i, f in enumerate(features)]
    return dot(gated.signs, [unit[-1] for unit in outputs]) > gated.threshold


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_dense_realisation_means_the_same(gated_transformers, data):
    gated = data.draw(gated_transformers)
    dense = gated.to_dense()
    for word in words_up_to(len(gated.alphabet), 5):
        assert accepts(dense, word) == accepts_by_counting(gated, word), word


def test_majority_accepts_ties_and_epsilon(majority):
    dense = majority.to_dense()
    for word in words_up_to(2, 6):
        assert accepts(dense, word) == (word.count(0) <= word.count(1)), word


def test_coordinates_by_hand():
    first = GatedLayer((GatedHead(((0, 1),)),), (GatedUnit(((0, 0, 1),), (0, 3), -1),))
    second = GatedLayer(
        (GatedHead(((1, 0, 2), (0, 0, 1))), GatedHead(((0, 0, 5),))),
        (GatedUnit(((0, 0, 1), (1, 0, 2)), (0, 0, 7), 0), GatedUnit(((0, 1, 1), (1, 0, -1)), (4, 0, 0), 0)),
    )
    dense = GatedTransformer(Alphabet(("a",)), 0, (first, second), (1, -1), 0).to_dense()
    # $, a, unit of layer 1, units of layer 2, channel of layer 1, channels of layer 2
    assert dense.width == 9
    assert dense.embedding == ((1, *(0,) * 8), (0, 1, *(0,) * 7))
    assert dense.positions == ((0,) * 9,)
    assert [len(layer.heads) for layer in dense.layers] == [1, 2]
    assert dense.layers[0].heads[0].V[5] == (0, 1, 0, 0, 0, 0, 0, 0, 0)
    assert dense.layers[1].heads[0].V[6] == (1, 0, 2, 0, 0, 0, 0, 0, 0)
    assert dense.layers[1].heads[0].V[7] == (0, 0, 1, 0, 0, 0, 0, 0, 0)
    assert dense.layers[1].heads[1].V[8] == (0, 0, 5, 0, 0, 0, 0, 0, 0)
    assert sum(any(row) for layer in dense.layers for head in layer.heads for row in head.V) == 4
    assert dense.layers[0].mlp.A == ((0, 3, 0, 0, 0, 1, 0, 0, 0),)
    assert dense.layers[0].mlp.b == (-1,)
    assert dense.layers[1].mlp.A == ((0, 0, 7, 0, 0, 0, 1, 0, 2), (4, 0, 0, 0, 0, 0, 0, 1, -1))
    assert [row[0] for row in dense.layers[0].mlp.B] == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert dense.layers[1].mlp.B[3:5] == ((1, 0), (0, 1))
    assert dense.unembedding == ((0, 0, 0, 1, -1, 0, 0, 0, 0),)
    assert all(head.K == head.Q == ((0,) * 9,) for layer in dense.layers for head in layer.heads)


def test_numbers_are_in_units_of_the_grid():
    unit = GatedUnit(((0, 0, 4),), (1, 0), 3)
    dense = GatedTransformer(
        Alphabet(("a",)), 2, (GatedLayer((GatedHead(((0, -2),)),), (unit,)),), (1,), 0
    ).to_dense()
    assert dense.layers[0].heads[0].V[3][1] == Fraction(-1, 2)
    assert dense.layers[0].mlp.A[0] == (Fraction(1, 4), 0, 0, 1)
    assert dense.layers[0].mlp.b == (Fraction(3, 4),)
    assert dense.layers[0].mlp.B == ((0,), (0,), (1,), (0,))


def test_effective_values_have_one_row_per_head():
    heads = (GatedHead(((0, 1),)), GatedHead(((2, -1),)))
    units = (GatedUnit(((0, 0, 2), (1, 0, 4)), (0, 0), 0), GatedUnit(((1, 0, -2),), (0, 0), 0))
    gated = GatedTransformer(Alphabet(("a",)), 1, (GatedLayer(heads, units),), (1, 1), 0)
    assert gated.effective_values(0, 0) == ((0, 2), (8, -4))
    assert gated.effective_values(0, 1) == ((0, 0), (-4, 2))


def test_parameters_in_file_order():
    layer = GatedLayer((GatedHead(((0, 2),)),), (GatedUnit(((0, 0, 1),), (3, 4), 5),))
    gated = GatedTransformer(Alphabet(("a",)), 0, (layer,), (-1,), -1)
    key = [0] * 4
    V = [0] * 12 + [0, 2, 0, 0]
    A, b, B = [3, 4, 0, 1], [5], [0, 0, 1, 0]
    assert gated.parameters_in_file_order() == tuple(key + key + V + [0] + A + b + B + [0, 0, -1, 0] + [-1])


def test_counts(majority):
    assert (majority.num_units, majority.num_features(0), majority.num_features(1)) == (1, 3, 4)


# --- refusals: a valid net of p = 1 with one private and one shared channel, one thing broken at a time -----

HEADS = (GatedHead(((0, 1), (1, 1))), GatedHead(((1, 0),)))
UNITS = (
    GatedUnit(((0, 0, 2),), (0, 1), 0),
    GatedUnit(((0, 1, 1), (1, 0, 2)), (0, 0), 0),
    GatedUnit(((0, 1, -4),), (0, 0), 0),
)
GATED = GatedTransformer(Alphabet(("a",)), 1, (GatedLayer(HEADS, UNITS),), (1, -1, 1), 0)


def with_units(*units):
    return {"layers": (GatedLayer(HEADS, units),)}


def with_heads(*heads):
    return {"layers": (GatedLayer(heads, UNITS),)}


def with_reads(unit, reads):
    return with_units(*(replace(old, reads=reads) if u == unit else old for u, old in enumerate(UNITS)))


REFUSALS = [
    ({"precision": -1}, r"precision = -1; expected an integer >= 0"),
    ({"layers": ()}, r"layers = \(\); expected at least one layer"),
    (
        {"layers": (GatedLayer((), ()),), "signs": ()},
        r"layers\[0\]\.units = \(\); expected at least one unit",
    ),
    ({"signs": (1, 1)}, r"signs = \(1, 1\); expected \+1 or -1 for each of 3 units"),
    ({"signs": (1, 0, 1)}, r"signs = \(1, 0, 1\); expected \+1 or -1"),
    (with_heads(HEADS[0], GatedHead(())), r"heads\[1\]\.channels = \(\); expected at least one channel"),
    (with_heads(HEADS[0], GatedHead(((0, 0),))), r"heads\[1\]\.channels\[0\] = \(0, 0\); expected a vector"),
    (with_heads(HEADS[0], GatedHead(((1,),))), r"heads\[1\]\.channels\[0\] = \(1,\); expected 2 entries"),
    (with_units(replace(UNITS[0], s=(0,)), *UNITS[1:]), r"units\[0\]\.s = \(0,\); expected 2 entries"),
    (with_reads(1, ((1, 0, 2), (0, 1, 1))), r"units\[1\]\.reads = .*; expected ascending heads"),
    (with_reads(1, ((0, 0, 1), (0, 1, 1), (1, 0, 2))), r"units\[1\]\.reads = .*; expected ascending heads"),
    (with_reads(0, ((2, 0, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (with_reads(0, ((0, 2, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (with_reads(0, ((0, -1, 2),)), r"units\[0\]\.reads = .*; expected channels of this layer"),
    (
        with_reads(0, ()),
        r"readers of layers\[0\]\.heads\[0\]\.channels\[0\] = \[\]; expected at least one unit",
    ),
    (with_reads(0, ((0, 0, 1),)), r"A entry on layers\[0\]\.heads\[0\]\.channels\[0\] = 1; expected 2, the"),
    (
        with_reads(2, ((0, 1, 0),)),
        r"A entries on layers\[0\]\.heads\[0\]\.channels\[1\] = \[1, 0\]; expected no",
    ),
]


@pytest.mark.parametrize(("changes", "message"), REFUSALS)
def test_refuses_one_broken_rule(changes, message):
    with pytest.raises(HypothesisFormatError, match=message):
        replace(GATED, **changes)
