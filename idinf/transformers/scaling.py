"""Realisations in which every matrix is multiplied by a power of two: the same function, another R.

Let c_k be an integer for each coordinate k of the stream, D the diagonal matrix of the 2^c_k, and let

    E' = D E,  p' = D p,  V' = D V D^-1,  K' = 2^κ K D^-1,  Q' = 2^-κ Q D^-1,
    A' = 2^a A D^-1,  b' = 2^a b,  B' = D B S^-1,  U' = 2^u U D^-1,  threshold' = 2^u · threshold,

with its own κ for each head, its own a for each layer, and S diagonal with 2^a at ReLU units and 1 at
Heaviside ones. Then the stream is D times the old one at every position of every word, by induction over
layers: D y is read as y was, so logits are what they were and V' (D y) = D (V y). Questions A' (D y) + b' are
2^a times the old ones; Heaviside units answer them as before, ReLU units 2^a times as much, which S takes
back. So U' y' = 2^u U y, and what is above the threshold, or largest, is so still.

Weights are rounded on the grid of 2^-p. With another p they are the same if all logits are natural numbers,
as N^a is one then. This is sure where φ is, and K^T Q is and reads nothing but embeddings, positions and
Heaviside units that are natural, too.

What one matrix writes has one exponent, so the coordinates fall into groups: those that one matrix, or
several that share coordinates, write. A coordinate that nothing has written yet is 0, and is read as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from idinf.linear_algebra import dot
from idinf.transformers.dense import Activation, DenseTransformer, Head, Layer, Matrix, Mlp, Vector

T = TypeVar("T", bound=DenseTransformer)

#: The group of what is not scaled; its exponent is 0.
UNSCALED = 0


@dataclass(frozen=True, slots=True)
class Part:
    """Matrices with one factor of their own: 2^x for the exponent x of their group."""

    terms: tuple[str, ...]  #: the terms of R that they make, one each; for K and Q together one
    matrices: tuple[Matrix, ...]
    columns: tuple[tuple[int, ...], ...]  #: for each of them the group by which a column is divided
    group: int  #: of K the group of κ


@dataclass(frozen=True, slots=True)
class _Places:
    """The groups of one layer."""

    read: tuple[int, ...]  #: of the coordinates that heads read
    mixed: tuple[int, ...]  #: of the coordinates that A reads
    keys: tuple[int, ...]  #: of κ, for each head
    values: tuple[int, ...]  #: of what each head writes
    questions: int  #: of a
    fired: tuple[int, ...]  #: of what B divides each unit by
    written: int  #: of what B writes


class Scaling:
    """All ways to multiply the matrices of a transformer by powers of two, as an exponent for each group."""

    def __init__(self, transformer: DenseTransformer) -> None:
        self.transformer = transformer
        written = list(_list_written(transformer))
        self.coordinates = _join(written, transformer.width)  #: the group of each
        writers = iter([(of, max((self.coordinates[k] for k in of), default=UNSCALED)) for of in written])
        (known, self.embedding), (more, self.positions) = next(writers), next(writers)
        known, size = known | more, max(self.coordinates, default=UNSCALED)
        self.layers: list[_Places] = []
        for layer in transformer.layers:
            heads = [next(writers) for _ in layer.heads]
            read, known = self._seen(known), known.union(*(of for of, _ in heads))
            *keys, questions = range(size + 1, size + 2 + len(heads))
            fired = [questions if kind is Activation.RELU else UNSCALED for kind in layer.mlp.activation]
            of, group = next(writers)
            values = tuple(group for _, group in heads)
            self.layers.append(
                _Places(read, self._seen(known), tuple(keys), values, questions, tuple(fired), group)
            )
            known, size = known | of, questions
        self.last, self.unembedding = self._seen(known), size + 1
        self.size = size + 2  #: the number of groups

    def parts(self) -> Iterator[Part]:
        """All matrices that are not 0, in the order of the forward pass."""
        net = self.transformer
        parts = [
            Part(("norm_E",), (_transposed(net.embedding),), ((0,) * len(net.embedding),), self.embedding),
            Part(("norm_p",), (_transposed(net.positions),), ((0,) * len(net.positions),), self.positions),
        ]
        for layer, places in zip(net.layers, self.layers, strict=True):
            for head, key, value in zip(layer.heads, places.keys, places.values, strict=True):
                parts.append(Part(("norm_KQ",), (head.K, head.Q), (places.read,) * 2, key))
                parts.append(Part(("norm_V",), (head.V,), (places.read,), value))
            mlp = layer.mlp
            asked = (mlp.A, ((mlp.b,) if mlp.b else ()))
            columns = (places.mixed, (0,) * len(mlp.b))
            parts.append(Part(("norm_A", "norm_b"), asked, columns, places.questions))
            parts.append(Part(("norm_B",), (mlp.B,), (places.fired,), places.written))
        parts.append(Part(("norm_U",), (net.unembedding,), (self.last,), self.unembedding))
        return (part for part in parts if any(any(map(any, rows)) for rows in part.matrices))

    def apply(self, exponents: Sequence[int], precision: int) -> DenseTransformer:
        """Multiply, with an exponent for each group and the new p; exact.

        Raises
        ------
        PrecisionError
            If an entry leaves the grid of 2^-p.
        """
        net = self.transformer
        untouched = (0,) * net.width
        layers = [
            _scaled_layer(layer, places, exponents)
            for layer, places in zip(net.layers, self.layers, strict=True)
        ]
        return replace(
            net,
            precision=precision,
            embedding=scale(net.embedding, exponents[self.embedding], untouched),
            positions=scale(net.positions, exponents[self.positions], untouched),
            layers=tuple(layers),
            unembedding=scale(net.unembedding, *_factors(self.unembedding, self.last, exponents)),
            threshold=_plain(net.threshold * power(exponents[self.unembedding])),
        )

    def keeps_weights(self) -> bool:
        """Whether attention weights are the same for every p: all logits are sure to be natural numbers."""
        net, exact = self.transformer, set(range(self.transformer.width))
        for layer in net.layers:
            for head in layer.heads:
                exact -= {k for k, row in enumerate(head.V) if any(row)}
            for unit, kind in enumerate(layer.mlp.activation):
                written = {k: row[unit] for k, row in enumerate(layer.mlp.B) if row[unit]}
                exact -= {
                    k for k, entry in written.items() if kind is Activation.RELU or not _is_natural(entry)
                }
        for row in (*net.embedding, *net.positions):
            exact -= {k for k, entry in enumerate(row) if not _is_natural(entry)}
        return all(
            all(map(_is_natural, head.phi)) and (not head.has_logits or _reads_naturals(head, exact))
            for layer in net.layers
            for head in layer.heads
        )

    def _seen(self, known: set[int]) -> tuple[int, ...]:
        return tuple(group if k in known else UNSCALED for k, group in enumerate(self.coordinates))


def power(exponent: int) -> Fraction:
    """2^exponent.

    Examples
    --------
    >>> power(-2), power(3)
    (Fraction(1, 4), Fraction(8, 1))
    """
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def scale(rows: Matrix, exponent: int, columns: Sequence[int]) -> Matrix:
    """Multiply a matrix by 2^exponent, and divide its columns by powers of two; exact.

    Examples
    --------
    >>> scale(((Fraction(1), Fraction(3)),), 1, (0, 2))
    ((Fraction(2, 1), Fraction(3, 2)),)
    """
    factors = [power(exponent - column) for column in columns]
    return tuple(
        tuple(entry * factor if entry else entry for entry, factor in zip(row, factors, strict=True))
        for row in rows
    )


def count_halvings(entry: Fraction) -> int:
    """The largest x so that 2^x divides a number that is not 0 and lies on some grid of 2^-p.

    Examples
    --------
    >>> count_halvings(Fraction(12)), count_halvings(Fraction(3, 4))
    (2, -2)
    """
    return (entry.numerator & -entry.numerator).bit_length() - entry.denominator.bit_length()


def _factors(group: int, columns: Sequence[int], exponents: Sequence[int]) -> tuple[int, list[int]]:
    return exponents[group], [exponents[column] for column in columns]


def _scaled_layer(layer: Layer, places: _Places, exponents: Sequence[int]) -> Layer:
    heads = []
    for head, key, value in zip(layer.heads, places.keys, places.values, strict=True):
        kappa, columns = _factors(key, places.read, exponents)
        K, Q = scale(head.K, kappa, columns), scale(head.Q, -kappa, columns)
        heads.append(Head(K, Q, scale(head.V, exponents[value], columns), head.phi))
    mlp, (a, columns) = layer.mlp, _factors(places.questions, places.mixed, exponents)
    b: Vector = tuple(entry * power(a) for entry in mlp.b)
    B = scale(mlp.B, *_factors(places.written, places.fired, exponents))
    return Layer(tuple(heads), Mlp(scale(mlp.A, a, columns), b, B, mlp.activation))


def _list_written(net: DenseTransformer) -> Iterator[set[int]]:
    """The coordinates that E, p and then the heads and B of each layer write."""
    for rows in (net.embedding, net.positions):
        yield {k for row in rows for k, entry in enumerate(row) if entry}
    for layer in net.layers:
        for rows in (*(head.V for head in layer.heads), layer.mlp.B):
            yield {k for k, row in enumerate(rows) if any(row)}


def _join(writers: Sequence[set[int]], width: int) -> tuple[int, ...]:
    """The group of each coordinate, from 1 on by their first writer; 0 where nothing is written."""
    groups: list[set[int]] = []
    for coordinates in filter(None, writers):
        met = [group for group in groups if group & coordinates]
        place = groups.index(met[0]) if met else len(groups)
        groups = [group for group in groups if group not in met]
        groups.insert(place, coordinates.union(*met))
    numbers = {k: number for number, group in enumerate(groups, 1) for k in group}
    return tuple(numbers.get(k, UNSCALED) for k in range(width))


def _transposed(rows: Matrix) -> Matrix:
    return tuple(zip(*rows, strict=True))


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


def _is_natural(entry: Fraction) -> bool:
    return entry.denominator == 1 and entry >= 0


def _reads_naturals(head: Head, exact: set[int]) -> bool:
    keys, queries = _transposed(head.K), _transposed(head.Q)
    for k, key in enumerate(keys):
        for q, query in enumerate(queries):
            logit = dot(key, query)
            if logit and not (k in exact and q in exact and _is_natural(logit)):
                return False
    return True
