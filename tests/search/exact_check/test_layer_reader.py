"""Units of one layer for many N at once, against the definition."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from idinf.search.exact_check.joint_layers import RecentCodes, joint_layers
from idinf.search.exact_check.layer_reader import LayerReader, Prefixes
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.summaries import LinearForms
from idinf.transformers.one_hot import OneHotTransformer
from idinf.words import Alphabet
from tests.search.word_by_word import random_family_layer, weight
from tests.transformers.logits import logit


def by_definition(net, layer, rows, N):
    """Units of a layer at the last of the positions with given features."""
    one, out = 2**net.precision, []
    averages = []
    for head in layer.heads:
        logits = [logit(head.pattern, row, rows[-1], len(rows) - 1 - j) for j, row in enumerate(rows)]
        weights = [weight(N, logit, net.precision) for logit in logits]
        read = [
            sum(w * x for w, x in zip(weights, column, strict=True)) for column in zip(*rows, strict=True)
        ]
        averages.append([x / sum(weights) for x in read])
    for unit in layer.units:
        z = Fraction(one * (unit.b + sum(s * x for s, x in zip(unit.s, rows[-1], strict=True))))
        for h, g, entry in unit.reads:
            z += entry * sum(v * x for v, x in zip(layer.heads[h].channels[g], averages[h], strict=True))
        out.append(z > 0)
    return out


@pytest.mark.thinned(6)
@pytest.mark.parametrize("kind", ["uniform", "phi", "M", "both"])
@pytest.mark.parametrize("precision", [0, 1, 2])
def test_outputs(kind, precision):
    """Positions with any features at all: the lower units are made up."""
    rng = np.random.default_rng([precision, len(kind)])
    for period in (1, 2):
        inputs = 3 + (period if period > 1 else 0)
        below = random_family_layer(rng, inputs, 2, precision, heads=0)
        top = random_family_layer(rng, inputs + 2, 3, precision, kinds=(kind,), heads=2)
        net = OneHotTransformer(Alphabet(("a", "b")), precision, (below, top), (1, 1, 1), 0, period)
        space, _, [readout] = joint_layers([nets_of(net)])
        summary = LinearForms(space, [readout.layer])
        reader = LayerReader(space, readout.layer, summary)
        recent = RecentCodes(space, [readout.layer])
        for positions in (1, 2, 6):
            tokens = [0, *rng.integers(1, 3, positions - 1).tolist()]
            bits = rng.integers(0, 2, (positions, 2))
            rows = [space.rows(t, i, bits[[i]])[0] for i, t in enumerate(tokens)]
            codes = np.zeros((1, recent.reach), dtype=np.int64)
            for i in range(positions - 1):
                code = tokens[i] + 3 * (bits[i] @ [1, 2])
                codes = recent.shifted(codes, np.array([code]))
            kept = summary.increments(np.array(rows[:-1]).reshape(-1, space.size)).sum(axis=0)[None]
            read = Prefixes(positions - 1, tokens[-1], kept, codes, bits[[-1]])
            block = tuple(range(positions, positions + 9))
            out = reader.outputs(read, (1,) if readout.layer.uniform else block)[0]
            plain = [row.tolist() for row in rows]
            want = [by_definition(net, top, plain, N) for N in block]
            assert out.tolist() == (want[:1] if readout.layer.uniform else want)
            if not readout.layer.uniform:
                assert reader.outputs(read, block, 4)[0].tolist() == want[4:]


def test_prefixes_that_look_alike_are_read_once():
    rng = np.random.default_rng(1)
    layer = random_family_layer(rng, 3, 1, 0, kinds=("phi",), heads=1)
    above = random_family_layer(rng, 4, 1, 0, kinds=("uniform",), heads=1)
    net = OneHotTransformer(Alphabet(("a", "b")), 0, (layer, above), (1,), 0)
    space, [below], [readout] = joint_layers([nets_of(net)])
    summary = LinearForms(space, [below, readout.layer])
    reader = LayerReader(space, below, summary)
    width = len(summary.largest)
    kept = rng.integers(0, 3, (60, width))
    recent = np.zeros((60, RecentCodes(space, [below, readout.layer]).reach), np.int64)
    read = Prefixes(8, 1, kept, recent, np.zeros((60, 1), np.int64))
    first, group = reader.alike(read)
    assert len(first) <= 3  # one of the sums is all that this layer reads
    block = tuple(range(9, 20))
    assert np.array_equal(reader.outputs(read, block), reader.outputs(read.take(first), block)[group])
    assert reader.outputs(replace(read, position=9), block).shape == (60, 11, 1)
