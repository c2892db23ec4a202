"""Product functions of an ordinary transformer: what its parameters say to each other.

A set S chooses at most one value matrix of each layer; it is written as one number for each layer, 0 for none
and h for V_{l,h}. Products are integers: every matrix in units of 2^-p, and a layer in which S has none
multiplies by 2^p, so that products of all sets have one unit.
"""

from __future__ import annotations

import math

import numpy as np

from idinf.base.words import SOS
from idinf.nets.causal_transformer import CausalTransformer
from idinf.nets.ordinary.integers import IntArray, scale, times, to_integers

Choice = tuple[int, ...]


class Products:
    """The vectors and matrices that product functions are made of, as integers.

    Notes
    -----
    Implements Definition 43 of [HYB25]: α(l, h, S1, S2, v, w) = (M1 v)^T K^T Q (M2 w) and β(S, u, v) =
    u^T M v, where M is the product of the value matrices of S, that of the lowest layer at the right; v and w
    are any of p_1..p_N, embeddings and columns of B, and u is a row of any A or of U. As in Remark 45, layers
    are not restricted. By Lemma 49 a product has at most (4 + 2L) p fractional bits: two vectors, K, Q and up
    to 2L value matrices, each in units of 2^-p. Here α is in units of 2^-(4 + 2L)p, β in 2^-(2 + L)p.

    Examples
    --------
    >>> from idinf.nets.dense import Layer, Mlp, matrix
    >>> from idinf.base.words import Alphabet
    >>> layer, one = Layer((), Mlp((), (), ((),), ())), matrix([[1]])
    >>> net = CausalTransformer(Alphabet(("a",)), 1, matrix([[0], [1]]), matrix([[0], [1]]), (layer,), one)
    >>> products = Products(net)
    >>> products.num_sets, products.num_betas, products.bits, products.readers
    (1, 4, 6, ('U row 1',))
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
        """How many sets S there are: (H + 1)^L where every layer has H heads."""
        return math.prod(len(heads) + 1 for heads in self.values)

    @property
    def num_alphas(self) -> int:
        """How many α there are: a head, two sets and two vectors each."""
        vectors = self.transformer.context + len(self.written)
        return sum(map(len, self.values)) * (self.num_sets * vectors) ** 2

    @property
    def num_betas(self) -> int:
        """How many β there are: a set, a row and a vector each."""
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
    """Write a set of value matrices.

    Examples
    --------
    >>> show_set((0, 0)), show_set((2, 0, 1))
    ('{}', '{V_1,2 V_3,1}')
    """
    return "{" + " ".join(f"V_{layer},{h}" for layer, h in enumerate(choice, start=1) if h) + "}"
