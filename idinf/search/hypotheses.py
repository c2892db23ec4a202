"""From found rows to hypotheses: every realisation, and the first of them in the total order.

The total order on hypotheses is (R, L, H, p, Δ, τ, number of units, parameters in file order). R is settled
before this module is asked; what is left is to write out realisations and to compare them.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from idinf.search.found import Found
from idinf.search.last_layer import total_r
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.units import joined
from idinf.transformers.gated import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet

__all__ = ["first_hypothesis", "order_key"]

OrderKey = tuple[tuple[int, ...], tuple[Fraction, ...]]


def order_key(found: Found, hypothesis: GatedTransformer) -> OrderKey:
    """The total order on hypotheses of equal R, as a sort key."""
    return found.structure.order_key, hypothesis.parameters_in_file_order()


def first_hypothesis(
    found: Found, rows: IntArray, high: float, alphabet: Alphabet, aggregate: Aggregate
) -> GatedTransformer:
    """First hypothesis, in the total order, among all realisations of some rows with R ≤ ``high``.

    Parameters
    ----------
    found : Found
        Rows that list every realisation (raw mode).
    rows : (k,) ndarray of int64
        Non-empty; each has a realisation with R ≤ ``high``.

    Notes
    -----
    Realisations with the same channels and the same order of units differ in the numbers of a few places
    only; the least of them is found by sorting integers, and the few winners are compared as files.
    """
    winners = []
    lower = list(itertools.product(*(range(len(layer)) for layer in found.lower)))
    chosen = np.array(lower, dtype=np.int64).reshape(len(lower), len(found.lower))
    costs = found.top.costs[rows]
    fits: list[tuple[int, int]] = []
    for place, choice in enumerate(chosen):
        front = np.zeros((1, 4))
        for layer, index in zip(found.lower, choice, strict=True):
            front = np.stack(
                [joined(float(front[0, c]), layer.costs[[index], c], aggregate) for c in range(4)], axis=1
            )
        r = total_r(found.structure.base(aggregate), front, costs, aggregate)
        fits.extend((place, int(row)) for row in rows[r <= high])
    pairs = np.array(fits, dtype=np.int64)
    layers = [layer.take(chosen[pairs[:, 0], k]) for k, layer in enumerate(found.lower)]
    layers.append(found.top.take(pairs[:, 1]))
    signs, thresholds = found.signs[pairs[:, 1]], found.threshold[pairs[:, 1]]
    orders = [list(itertools.permutations(range(len(layer.units)))) for layer in layers]
    for order in itertools.product(*orders):
        keys, pattern = _columns(layers, order, len(alphabet) + 1)
        table = np.concatenate([keys, signs[:, list(order[-1])], thresholds[:, None]], axis=1)
        for kind in np.unique(pattern):
            members = np.flatnonzero(pattern == kind)
            best = members[np.lexsort(table[members][:, ::-1].T)[0]]
            sign = tuple(int(signs[best, u]) for u in order[-1])
            winners.append(_hypothesis(layers, order, int(best), alphabet, sign, int(thresholds[best])))
    return min(winners, key=lambda h: h.parameters_in_file_order())


def _columns(
    layers: list[LayerChoices], order: tuple[tuple[int, ...], ...], tokens: int
) -> tuple[IntArray, IntArray]:
    """Numbers of each realisation in file order, and which channels it has (comparable only if equal)."""
    size = len(layers[0])
    columns: list[IntArray] = []
    pattern = np.zeros(size, dtype=np.int64)
    for index, (layer, places) in enumerate(zip(layers, order, strict=True)):
        permutation = _feature_order(order[:index], tokens)
        units = [layer.units[u] for u in places]
        for unit in units:
            columns.append(unit.channel[:, permutation])
            pattern = 2 * pattern + (unit.entry != 0)
        pattern = 2 * pattern + layer.shared
        for unit in units:
            columns.append(unit.own[:, permutation])
            columns.append(unit.entry[:, None])
        columns.extend(unit.bias[:, None] for unit in units)
    return np.concatenate(columns, axis=1), pattern


def _feature_order(order: tuple[tuple[int, ...], ...], tokens: int) -> list[int]:
    """Where each feature of a layer stands when the units of earlier layers are put in another order."""
    places, start = list(range(tokens)), tokens
    for units in order:
        places.extend(start + u for u in units)
        start += len(units)
    return places


def _hypothesis(
    layers: list[LayerChoices],
    order: tuple[tuple[int, ...], ...],
    row: int,
    alphabet: Alphabet,
    signs: tuple[int, ...],
    threshold: int,
) -> GatedTransformer:
    built = []
    for index, (layer, places) in enumerate(zip(layers, order, strict=True)):
        permutation = _feature_order(order[:index], len(alphabet) + 1)
        built.append(_layer(layer, places, row, permutation))
    return GatedTransformer(alphabet, layers[0].units[0].precision, tuple(built), signs, threshold)


def _layer(layer: LayerChoices, places: tuple[int, ...], row: int, permutation: list[int]) -> GatedLayer:
    channels: list[tuple[int, ...]] = []
    units = []
    for u in places:
        unit = layer.units[u]
        reads: tuple[tuple[int, int, int], ...] = ()
        if unit.entry[row]:
            if not (layer.shared[row] and channels):
                channels.append(tuple(int(x) for x in unit.channel[row, permutation]))
            reads = ((0, len(channels) - 1, int(unit.entry[row])),)
        own = tuple(int(x) for x in unit.own[row, permutation])
        units.append(GatedUnit(reads, own, int(unit.bias[row])))
    heads = (GatedHead(tuple(channels)),) if channels else ()
    return GatedLayer(heads, tuple(units))
