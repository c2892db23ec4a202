"""Units and heads that are several times the same, and such that nobody reads.

*Lemma.* Units of one layer with the same question and activation have the same answer everywhere, so they may
be one unit whose column of B is the sum of theirs, and one unit may be several whose columns have its own as
their sum. A unit whose column of B is 0 and a head whose V is 0 write nothing. A layer without heads and
units changes nothing. Heads of one layer with the same K, Q and φ have the same weights, as have those with
the same φ and no logits, so one head with the sum of their V writes what they write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from idinf.transformers.dense import Activation, DenseTransformer, Head, Layer, Matrix, Mlp, Vector
from idinf.transformers.factorizations import find_unit, share_out, transpose

T = TypeVar("T", bound=DenseTransformer)

#: A unit: its row of A, its entry of b, its activation, its column of B.
_Unit = tuple[Vector, Fraction, Activation, Vector]


def join_equal_units(net: T) -> T:
    """One unit for all that are equal, without units, heads and layers that do nothing."""
    layers = [_joined(layer, net.width) for layer in net.layers]
    busy = [layer for layer in layers if layer.heads or layer.mlp.b]
    return replace(net, layers=tuple(busy or layers[:1]))


def join_equal_heads(net: T) -> T:
    """One head for all of a layer with the same attention weights."""
    layers = []
    for layer in net.layers:
        found: dict[tuple[Matrix, Matrix, Vector], Head] = {}
        for head in layer.heads:
            key = (head.K, head.Q, head.phi) if head.has_logits else ((), (), head.phi)
            other = found.get(key)
            found[key] = head if other is None else replace(other, V=_sum(other.V, head.V))
        layers.append(replace(layer, heads=tuple(found.values())))
    return replace(net, layers=tuple(layers))


def list_split_units(net: T) -> Iterator[T]:
    """One unit as two or three equal ones, where a column of B is more than a step of its own."""
    for number, layer in enumerate(net.layers):
        units = _list_units(layer)
        step = find_unit(entry for row in layer.mlp.B for entry in row)
        for place, (question, b, kind, column) in enumerate(units):
            for parts in share_out(column, step)[1:3]:
                split = [(question, b, kind, part) for part in parts]
                made = _with_units(layer, [*units[:place], *split, *units[place + 1 :]], net.width)
                yield replace(net, layers=(*net.layers[:number], made, *net.layers[number + 1 :]))


def _joined(layer: Layer, width: int) -> Layer:
    columns: dict[tuple[Vector, Fraction, Activation], Vector] = {}
    for question, b, kind, column in _list_units(layer):
        before = columns.get((question, b, kind), (Fraction(0),) * width)
        columns[question, b, kind] = tuple(x + y for x, y in zip(before, column, strict=True))
    heads = tuple(head for head in layer.heads if any(map(any, head.V)))
    units = [(*asked, column) for asked, column in columns.items() if any(column)]
    return _with_units(replace(layer, heads=heads), units, width)


def _list_units(layer: Layer) -> list[_Unit]:
    mlp = layer.mlp
    return [*zip(mlp.A, mlp.b, mlp.activation, transpose(mlp.B), strict=True)]


def _with_units(layer: Layer, units: list[_Unit], width: int) -> Layer:
    A, b, kinds, columns = zip(*units, strict=True) if units else ((), (), (), ())
    return replace(layer, mlp=Mlp(A, b, transpose(columns) or ((),) * width, kinds))


def _sum(one: Matrix, other: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(one, other, strict=True))
