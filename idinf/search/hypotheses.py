"""From found rows to hypotheses: every realisation, and the first of them in the total order.

The total order on hypotheses is (R, L, H, p, Δ, τ, number of units, parameters in file order). R is settled
before this module is called; it writes out realisations and compares them.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from idinf.base.words import Alphabet
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.intervals import total_r
from idinf.search.slice_types import HypothesisBatch
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.structures import LayerShape
from idinf.space.units import aggregate_terms
from idinf.spec.spec import Answer


def order_key(
    found: HypothesisBatch, hypothesis: OneHotTransformer
) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    """The total order on hypotheses of equal R, as a sort key."""
    return found.structure.order_key, hypothesis.parameters_in_file_order()


def first_hypothesis(
    found: HypothesisBatch, rows: IntArray, high: float, alphabet: Alphabet, aggregate: Aggregate
) -> OneHotTransformer:
    """First hypothesis, in the total order, among all realisations of some rows with R ≤ ``high``.

    ``found`` lists every realisation (raw mode); of the rows, (k,), there is one at least, and each has a
    realisation with R ≤ ``high``. They are few: 24 at most in 18 runs of the gallery. So each is
    written out, with its units and heads in every order.
    """
    orders = [
        itertools.product(*(itertools.permutations(range(size)) for size in (len(s.heads), s.units)))
        for s in found.structure.layers
    ]
    every, written = [*itertools.product(*orders)], []
    for choice in itertools.product(*(range(len(layer)) for layer in found.lower)):
        point = np.zeros((1, 4))
        for layer, index in zip(found.lower, choice, strict=True):
            point = aggregate_terms(point, layer.costs[[index]], aggregate)
        r = total_r(found.structure.base(aggregate), point, found.top.costs[rows], aggregate)
        for row in rows[r <= high].tolist():
            written += [_written(found, (*choice, row), order, alphabet) for order in every]
    return min(written, key=lambda hypothesis: hypothesis.parameters_in_file_order())


#: The order of the heads of a layer, and that of its units.
_Order: TypeAlias = tuple[tuple[int, ...], ...]


def _written(
    found: HypothesisBatch, places: Sequence[int], orders: Sequence[_Order], alphabet: Alphabet
) -> OneHotTransformer:
    """A realisation, by its place in the list of every layer, with heads and units in some order."""
    structure, layers = found.structure, (*found.lower, found.top)
    features = list(range(layers[0].units[0].own.shape[1]))  # where each stands when units are put in order
    built = []
    for layer, k, shape, order in zip(layers, places, structure.layers, orders, strict=True):
        built.append(_layer(layer.take(slice(k, k + 1)), shape, order, features))
        features += [len(features) + u for u in order[1]]
    signs, reads = found.signs[places[-1]][..., list(orders[-1][1])], None  # (t,), or (K, t) of next symbols
    if structure.answer is not Answer.ACCEPT:
        read = np.where(signs.any(axis=1), np.abs(signs).argmax(axis=1), -1)
        reads = NextReads(structure.answer, tuple(read.tolist()))
        signs = signs.sum(axis=0) // np.abs(signs).sum(axis=0)
    row_U, threshold = tuple(signs.tolist()), int(found.threshold[places[-1]])
    return OneHotTransformer(
        alphabet, structure.precision, tuple(built), row_U, threshold, structure.period, reads
    )


def _layer(layer: LayerChoices, shape: LayerShape, order: _Order, features: list[int]) -> OneHotLayer:
    """The one layer of a list, with heads, units and features in some order."""
    heads, units = order
    written: list[OneHotHead] = []
    reads: dict[int, list[tuple[int, int, int]]] = {u: [] for u in units}
    for place, h in enumerate(heads):
        channels: list[tuple[int, ...]] = []
        shared: dict[int, int] = {}
        for u in units:
            entry, group = int(layer.units[u].entry[0, h]), int(layer.groups[0, u, h])
            if not entry:
                continue
            if not group or group not in shared:
                shared[group] = len(channels)
                channels.append(tuple(layer.units[u].channels[0, h, features].tolist()))
            reads[u].append((place, shared[group], entry))
        old = shape.heads[h].logits
        logits = tuple(tuple(old[key][query] for query in features) for key in features if old)
        written.append(OneHotHead(tuple(channels), replace(shape.heads[h], logits=logits)))
    ordered = (layer.units[u] for u in units)
    own = (
        OneHotUnit(tuple(read), tuple(unit.own[0, features].tolist()), int(unit.bias[0]))
        for unit, read in zip(ordered, reads.values(), strict=True)
    )
    return OneHotLayer(tuple(written), tuple(own))
