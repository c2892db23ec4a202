"""From ordinary transformers of Θ_N to Limit Transformers that agree with them up to N (Lemma 52)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from idinf.errors import PrecisionError
from idinf.nets.causal_transformer import CausalTransformer
from idinf.nets.dense import Head, Layer, Matrix, Mlp, Vector, sparse_row
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.integers import IntArray
from idinf.nets.ordinary.membership import check_membership
from idinf.nets.ordinary.pairs import HeadProducts, PairProducts
from idinf.nets.ordinary.products import Products


def lift(transformer: CausalTransformer) -> LimitTransformer:
    """Write a member of Θ_N as a Limit Transformer that gives the same logits on all inputs up to N.

    Its width is bounded in terms of the shape alone, whatever the width and the context are. Exact.

    Raises
    ------
    HypothesisFormatError
        If the transformer is not a member of Θ_N; says which product is not translation invariant.
    BudgetError
        If there are more than `MOST_PAIRS` pairs (S, v), or more than `MOST_PRODUCTS` products of positions.
    PrecisionError
        If a product is off the grid of 2^-p: a Limit Transformer rounds logits and weights on the grid of its
        parameters, so a finer one would compute something else.

    Notes
    -----
    Implements Lemma 52 of [HYB25]; the argument is that of (58) and (59) in the proof of Lemma 53, taken as
    the construction. Every activation is a combination of M v, M being the product of a set S of value
    matrices of layers above that of v, and v a column of B, an embedding or a position vector. Here the
    stream holds the coefficients: one coordinate for each pair (S, v), p_1..p_N being one v for each residue
    modulo Δ. So embeddings and columns of B are unit vectors, V_{l,h} moves (S, v) to (S with V_{l,h}, v),
    rows of A and U hold β(S, u, v), and K^T Q holds α(l, h, S1, S2, v, w), all of them entries 0, 1 or
    products. A product with one position vector is that of p_1. Products of p_i and p_j depend on j − i.
    Where S1 and S2 are empty they are φ, as p_i has coefficient 1 in every activation; the others are
    periodic, for large N with a period that Lemma 48 bounds, and Δ is the least period that all of them have
    in the context. Logits and activations then agree layer by layer, and so do the coefficients. What nobody
    reads is left out.

    Examples
    --------
    >>> from idinf.nets.ordinary.translation import translate
    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot_parts import OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 0, 1, 0), b=0)
    >>> even = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0, period=2)
    >>> lifted = lift(translate(even.to_dense(), 8))
    >>> lifted.period, lifted.depth, lifted.width
    (2, 3, 10)
    """
    check_membership(transformer)
    return _Lifting(PairProducts(Products(transformer))).build()


class _Lifting:
    """The stream of coefficients: which heads, units and pairs are needed, and what they become."""

    def __init__(self, table: PairProducts) -> None:
        self.table, self.transformer = table, table.products.transformer
        self.heads: dict[tuple[int, int], HeadProducts] = {}  #: those needed, by layer and head from 0
        self.units: set[int] = set()  #: those needed, numbered through all layers
        outputs = table.beta[len(table.beta) - len(self.transformer.unembedding) :]
        self.needed: IntArray = np.asarray((outputs != 0).any(axis=0))
        self.needed[0] = True  # a stream has at least one coordinate
        while self._grow():
            pass
        self.period = self._find_period()
        # A coordinate is a pair, or one of positions with a residue.
        kept = np.flatnonzero(self.needed)
        copies = np.where(kept < table.first_position, 1, self.period)
        self.kept = np.repeat(kept, copies)
        self.residues = np.concatenate([np.arange(count) for count in copies])
        pairs = zip(self.kept.tolist(), self.residues.tolist(), strict=True)
        self.place = {pair: coordinate for coordinate, pair in enumerate(pairs)}

    def _grow(self) -> bool:
        """Add what those read that are needed; False if there is nothing to add."""
        table, needed = self.table, self.needed.copy()
        for layer, head in self._all_heads():
            if (layer, head) not in self.heads and needed[table.choices[:, layer] == head + 1].any():
                self.heads[layer, head] = table.multiply(layer, head)
        for unit in range(len(table.beta) - len(self.transformer.unembedding)):
            pair = table.pairs[self._written_by(unit)]
            if needed[self._written_by(unit)]:
                self.units.add(unit)
                needed |= (table.beta[unit] != 0) & (table.tops <= pair.born)
        first = table.first_position
        for (layer, head), found in self.heads.items():
            needed |= found.alpha.any(axis=0) | found.alpha.any(axis=1)
            needed[first:] |= found.between.any(axis=(0, 2)) | found.between.any(axis=(1, 2))
            for source, target in self._moves(layer, head):
                needed[source] |= needed[target]
        grown = bool((needed != self.needed).any())
        self.needed = needed
        return grown

    def _all_heads(self) -> list[tuple[int, int]]:
        layers = self.transformer.layers
        return [(layer, head) for layer in range(len(layers)) for head in range(len(layers[layer].heads))]

    def _written_by(self, unit: int) -> int:
        """The pair of a unit's column of B and no value matrix."""
        return self.table.index[(0,) * self.transformer.depth, len(self.transformer.embedding) + unit]

    def _moves(self, layer: int, head: int) -> list[tuple[int, int]]:
        """What V of a head moves: pairs below the layer, and the same behind the head."""
        moves = []
        for k in np.flatnonzero(self.table.tops <= layer).tolist():
            pair = self.table.pairs[k]
            behind = (*pair.choice[:layer], head + 1, *pair.choice[layer + 1 :])
            moves.append((k, self.table.index[behind, pair.vector]))
        return moves

    def _find_period(self) -> int:
        """The least Δ such that all products of two positions but φ have period Δ within the context."""
        N, products = self.transformer.context, [found.between for found in self.heads.values()]
        return next(
            delta
            for delta in range(1, N + 1)
            if all((array[..., delta:] == array[..., : N - delta]).all() for array in products)
        )

    def build(self) -> LimitTransformer:
        """The Limit Transformer; `lift` says what its entries are."""
        old, symbols = self.transformer, range(len(self.transformer.embedding))
        none = (0,) * old.depth
        units = itertools.count()  # numbered through all layers
        layers = tuple(
            Layer(
                tuple(
                    self._head(layer, head) for head in range(len(it.heads)) if (layer, head) in self.heads
                ),
                self._mlp(it.mlp, list(itertools.islice(units, len(it.mlp.b)))),
            )
            for layer, it in enumerate(old.layers)
        )
        positions = tuple(self._unit_vector(self.table.first_position, r) for r in range(self.period))
        return LimitTransformer(
            old.alphabet,
            old.precision,
            tuple(self._unit_vector(self.table.index[none, symbol]) for symbol in symbols),
            positions if any(positions[0]) else positions[:1],
            layers,
            self._rows(range(len(self.table.beta) - len(old.unembedding), len(self.table.beta))),
            old.accept_row,
            old.threshold,
            old.output,
        )

    def _unit_vector(self, pair: int, residue: int = 0) -> Vector:
        place = self.place.get((pair, residue))
        return sparse_row(len(self.kept), {} if place is None else {place: 1})

    def _rows(self, readers: Iterable[int], layer: int | None = None) -> Matrix:
        """β of some readers with every coordinate that occurs behind the attention of a layer."""
        values = self.table.beta[list(readers)][:, self.kept]
        if layer is not None:
            values = values * (self.table.tops[self.kept] <= layer)
        return self._to_matrix(values, (2 + self.transformer.depth) * self.transformer.precision)

    def _mlp(self, mlp: Mlp, numbers: list[int]) -> Mlp:
        """The units that are needed; ``numbers`` are those of all units of the layer."""
        kept = [place for place, unit in enumerate(numbers) if unit in self.units]
        written = [self._written_by(numbers[place]) for place in kept]
        layer = self.table.pairs[written[0]].born if written else 0
        columns = [self._unit_vector(pair) for pair in written]
        return Mlp(
            self._rows([numbers[place] for place in kept], layer),
            tuple(mlp.b[place] for place in kept),
            tuple(zip(*columns, strict=True)) or ((),) * len(self.kept),
            tuple(mlp.activation[place] for place in kept),
        )

    def _head(self, layer: int, head: int) -> Head:
        found, first, width = self.heads[layer, head], self.table.first_position, len(self.kept)
        alpha = found.alpha[np.ix_(self.kept, self.kept)]
        at = np.flatnonzero(self.kept >= first)
        if len(at):
            keys, queries = np.ix_(self.kept[at] - first, self.kept[at] - first)
            distances = (self.residues[at][None, :] - self.residues[at][:, None]) % self.period
            alpha[np.ix_(at, at)] = found.between[keys, queries, distances]
        bits = self.table.products.bits
        asked = np.flatnonzero(alpha.any(axis=1)).tolist()
        V = [sparse_row(width, {})] * width
        for source, target in self._moves(layer, head):
            for residue in range(self.period):
                place = self.place.get((target, residue))
                if place is not None:
                    V[place] = self._unit_vector(source, residue)
        return Head(
            tuple(sparse_row(width, {key: 1}) for key in asked) or (sparse_row(width, {}),),
            self._to_matrix(alpha[asked], bits) or (sparse_row(width, {}),),
            tuple(V),
            self._to_matrix(found.phi[None, :], bits)[0],
        )

    def _to_matrix(self, values: IntArray, bits: int) -> Matrix:
        """Products in units of 2^-bits as numbers on the grid of 2^-p."""
        p = self.transformer.precision
        if any(value % (1 << (bits - p)) for value in values[values != 0].tolist()):
            raise PrecisionError(
                f"a product of the transformer has more than p = {p} fractional bits; expected a multiple of "
                f"2^-{p}, for a Limit Transformer rounds on the grid of its parameters; use coarser entries"
            )
        return tuple(tuple(Fraction(int(value), 1 << bits) for value in row) for row in values)
