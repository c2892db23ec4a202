"""Product functions of an ordinary transformer: the products of its parameters.

A set S chooses at most one value matrix of each layer; it is written as one number for each layer, 0 for none
and h for V_{l,h}. Products are integers: every matrix in units of 2^-p, and a layer in which S has none
multiplies by 2^p, so that products of all sets have one unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import SOS
from idinf.nets.dense import Matrix
from idinf.nets.ordinary.translation import CausalTransformer

IntArray = NDArray[Any]  #: of int64 or of Python integers

#: Machine integers stay below this, also while they are summed up; their floats are good to 2^-53 of it.
_SAFE = 2.0**60


def to_integers(rows: Matrix, precision: int) -> IntArray:
    """A matrix in units of 2^-p."""
    one = 1 << precision
    entries = [[int(entry * one) if entry else 0 for entry in row] for row in rows]
    largest = max((abs(entry) for row in entries for entry in row), default=0)
    return np.array(entries, dtype=np.int64 if largest < _SAFE else object).reshape(len(rows), -1)


def times(one: IntArray, other: IntArray) -> IntArray:
    """The product of two integer matrices; exact."""
    if not one.size or not other.size:
        return np.zeros((one.shape[0], other.shape[1]), dtype=np.int64)
    if one.dtype != object and other.dtype != object:
        most = float(np.abs(one).astype(np.float64).sum(axis=1).max()) * float(np.abs(other).max())
        if most < _SAFE:
            return np.asarray(np.matmul(one, other))
    return np.asarray(np.matmul(one.astype(object), other.astype(object)))


def scale(array: IntArray, bits: int) -> IntArray:
    """An integer matrix times 2^bits; exact."""
    factor = np.array([[1 << bits]], dtype=np.int64 if bits < 60 else object)
    return times(factor, array.reshape(1, -1)).reshape(array.shape) if bits else array


Choice = tuple[int, ...]


class Products:
    """The vectors and matrices that product functions are made of, as integers.

    Implements Definition 43 of [HYB25]: α(l, h, S1, S2, v, w) = (M1 v)^T K^T Q (M2 w) and β(S, u, v) =
    u^T M v, where M is the product of the value matrices of S, that of the lowest layer at the right; v and w
    are any of p_1..p_N, embeddings and columns of B, and u is a row of any A or of U. As in Remark 45, layers
    are not restricted. By Lemma 49 a product has at most (4 + 2L) p fractional bits: two vectors, K, Q and up
    to 2L value matrices, each in units of 2^-p. Here α is in units of 2^-(4 + 2L)p, β in 2^-(2 + L)p.
    """

    def __init__(self, transformer: CausalTransformer) -> None:
        self.transformer = transformer
        layers, p = transformer.layers, transformer.precision
        symbols = (SOS, *transformer.alphabet.symbols)
        columns = [(f"E_{name}", row) for name, row in zip(symbols, transformer.embedding, strict=True)]
        readers = []
        for number, layer in enumerate(layers, start=1):
            written = zip(*layer.mlp.B, strict=True)
            columns += [(f"B_{number} column {place}", row) for place, row in enumerate(written, start=1)]
            readers += [(f"A_{number} row {place}", row) for place, row in enumerate(layer.mlp.A, start=1)]
        readers += [(f"U row {place}", row) for place, row in enumerate(transformer.unembedding, start=1)]
        self.written = tuple(name for name, _ in columns)  #: vectors besides positions: E, then B by layer
        self.readers = tuple(name for name, _ in readers)  #: rows of A by layer, then of U
        self.columns = to_integers(tuple(row for _, row in columns), p).T  #: (d, vectors)
        self.positions = to_integers(transformer.positions, p).T  #: (d, N)
        self.rows = to_integers(tuple(row for _, row in readers), p)  #: (readers, d)
        self.keys = [[to_integers(head.K, p) for head in layer.heads] for layer in layers]
        self.queries = [[to_integers(head.Q, p) for head in layer.heads] for layer in layers]
        self.values = [[to_integers(head.V, p) for head in layer.heads] for layer in layers]

    @property
    def num_sets(self) -> int:
        """Number of sets S: (H + 1)^L where every layer has H heads."""
        return math.prod(len(heads) + 1 for heads in self.values)

    @property
    def num_alphas(self) -> int:
        """Number of α: a head, two sets and two vectors each."""
        vectors = self.transformer.context + len(self.written)
        return sum(map(len, self.values)) * (self.num_sets * vectors) ** 2

    @property
    def num_betas(self) -> int:
        """Number of β: a set, a row and a vector each."""
        return self.num_sets * len(self.readers) * (self.transformer.context + len(self.written))

    @property
    def bits(self) -> int:
        """(4 + 2L) p, the fractional bits that a product has at most by Lemma 49 of [HYB25]_."""
        return (4 + 2 * self.transformer.depth) * self.transformer.precision

    def apply(self, layer: int, chosen: int, vectors: IntArray) -> IntArray:
        """V_{l,h} times some vectors, or 2^p times them where nothing is chosen; ``layer`` counts from 0."""
        if chosen:
            return times(self.values[layer][chosen - 1], vectors)
        return scale(vectors, self.transformer.precision)

    def list_images(self) -> list[tuple[Choice, IntArray]]:
        """M times all vectors, positions first, once for all sets for which it is the same; small sets first.

        Exact; O(d² (N + vectors)) integer operations for each distinct image and head.
        """
        images: list[tuple[Choice, IntArray]] = [((), np.hstack([self.positions, self.columns]))]
        for layer, heads in enumerate(self.values):
            images = list_distinct(
                [
                    ((*choice, chosen), self.apply(layer, chosen, image))
                    for choice, image in images
                    for chosen in range(len(heads) + 1)
                ]
            )
        return sorted(images, key=lambda pair: (sum(map(bool, pair[0])), pair[0]))


def list_distinct(images: list[tuple[Choice, IntArray]]) -> list[tuple[Choice, IntArray]]:
    """The first of those whose arrays are equal."""
    found: dict[object, tuple[Choice, IntArray]] = {}
    for choice, image in images:
        key = tuple(map(tuple, image)) if image.dtype == object else image.tobytes()
        found.setdefault(key, (choice, image))
    return list(found.values())


def show_set(choice: Choice) -> str:
    """A set of value matrices as text, such as ``{V_1,2 V_3,1}``."""
    return "{" + " ".join(f"V_{layer},{h}" for layer, h in enumerate(choice, start=1) if h) + "}"


@dataclass(frozen=True, slots=True)
class Variant:
    """A product that is not translation invariant: two places where it should have one value."""

    name: str  #: α or β with its arguments
    places: tuple[str, str]
    values: tuple[Fraction, Fraction]

    def __str__(self) -> str:
        (one, other), (first, second) = self.places, self.values
        return f"{self.name} is {first} at {one} and {second} at {other}"


def find_variant(products: Products) -> Variant | None:
    """The first product with positions that is not translation invariant; None in Θ_N.

    β comes first, by S, row and position, then α by layer, head, S1, S2 and vectors, small sets first. Sets
    that act alike on all vectors are looked at once, as the first of them. Exact; O(r N²) integer operations
    for each head and each pair of sets that differ for its keys and queries.

    Implements item 3 of Definition 46 of [HYB25], which is Definition 4: a product with one position vector
    is the same for all of them, and α(S1, S2, p_i, p_j) depends on j − i alone, for all pairs, not only for
    those that a causal query meets. Its other two items hold of every `CausalTransformer`.
    """
    return next(_variants(products), None)


def _variants(products: Products) -> Iterator[Variant]:
    transformer, images = products.transformer, products.list_images()
    N, bits = transformer.context, (2 + transformer.depth) * transformer.precision
    for choice, image in images:
        values = times(products.rows, image[:, :N])
        if (found := _first(values[:, 1:] != values[:, :1])) is not None:
            row, place = found
            name = f"β(S = {show_set(choice)}, {products.readers[row]}, p_i)"
            yield _variant(name, "i", place, values[row], bits)
    for layer, heads in enumerate(products.keys):
        for head, key in enumerate(heads):
            query = products.queries[layer][head]
            asked = list_distinct([(choice, times(query, image)) for choice, image in images])
            for left, K in list_distinct([(choice, times(key, image)) for choice, image in images]):
                for right, Q in asked:
                    sets = f"S1 = {show_set(left)}, S2 = {show_set(right)}"
                    about = f"α(l = {layer + 1}, h = {head + 1}, {sets}"
                    yield from _variants_of(about, times(K.T, Q), products)


def _variants_of(about: str, values: IntArray, products: Products) -> Iterator[Variant]:
    """Variants of one head and two sets; rows of values are keys, columns queries, positions first."""
    N, bits, written = products.transformer.context, products.bits, products.written
    if (found := _first((values[1:N, N:] != values[:1, N:]).T)) is not None:
        other, place = found
        yield _variant(f"{about}, p_i, {written[other]})", "i", place, values[:N, N + other], bits)
    if (found := _first(values[N:, 1:N] != values[N:, :1])) is not None:
        other, place = found
        yield _variant(f"{about}, {written[other]}, p_j)", "j", place, values[N + other, :N], bits)
    if (found := _first(values[1:N, 1:N] != values[: N - 1, : N - 1])) is not None:
        i, j = found
        places = (f"i, j = {i + 1}, {j + 1}", f"i, j = {i + 2}, {j + 2}")
        pair = (_exact(values[i, j], bits), _exact(values[i + 1, j + 1], bits))
        yield Variant(f"{about}, p_i, p_j)", places, pair)


def _first(differs: IntArray) -> tuple[int, int] | None:
    """The first place, row by row, where an array of truth values is true."""
    places = differs.nonzero()
    return (int(places[0][0]), int(places[1][0])) if len(places[0]) else None


def _variant(name: str, index: str, place: int, values: IntArray, bits: int) -> Variant:
    """A product with one position that is another at ``place`` + 2 than at 1."""
    pair = (_exact(values[0], bits), _exact(values[place + 1], bits))
    return Variant(name, (f"{index} = 1", f"{index} = {place + 2}"), pair)


def _exact(value: int, bits: int) -> Fraction:
    return Fraction(int(value), 1 << bits)
