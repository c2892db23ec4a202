"""From ordinary transformers of Θ_N to Limit Transformers that agree with them up to N (Lemma 52)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from idinf.errors import ArgumentError, BudgetError, HypothesisFormatError, PrecisionError
from idinf.nets.dense import Head, Layer, Matrix, Mlp, Vector, sparse_row
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.products import Choice, IntArray, Products, find_variant, times
from idinf.nets.ordinary.translation import CausalTransformer

#: Ranks above this are beyond every transformer that is written down.
MOST_RANK = 200


def find_largest_period(rank: int) -> tuple[int, tuple[int, ...]]:
    """Find the largest period of a translation-invariant product of at most this rank, and how it is reached.

    The second value has the numbers m_i whose cyclotomic polynomials multiply to the recurrence of the
    product: their least common multiple is the period, and Σ φ(m_i) is at most the rank. Exact.

    Raises
    ------
    ArgumentError
        If the rank is not from 1 to `MOST_RANK`.

    Notes
    -----
    Implements Lemma 48 of [HYB25] in a sharp form. Let G be a function on the integers such that for every N
    the matrix G(i − j), i and j from 1 to N, is p_i^T A p_j with bounded p_i, A of rank at most k, and values
    in 2^-q ℤ. Claim: G is periodic, and its period is at most the largest finite order of a matrix in
    GL(k, ℤ), which does not depend on q or the norms.

    1. The matrices have rank at most k for all N, so the shifts of G span a space of some dimension r <= k:
       otherwise k + 1 independent shifts would be independent on some finite window already. So G satisfies
       a linear recurrence of order r over ℚ, forwards and backwards, and no shorter one.
    2. Its values have bounded denominators. By Fatou's lemma a rational power series with integer
       coefficients, in lowest terms, has a denominator with integer coefficients and constant term 1; so the
       recurrence is monic with integer coefficients, and, read backwards, its last coefficient is ±1.
    3. G is bounded in both directions, so all roots of its characteristic polynomial lie on the unit circle
       and are simple; by Kronecker's theorem they are roots of unity. So the polynomial is a product of
       distinct cyclotomic polynomials Φ_m, r = Σ φ(m_i), and the period is lcm(m_i).
    4. The companion matrix of the product is in GL(r, ℤ) and has that order. In turn an element of finite
       order of GL(k, ℤ) is diagonalizable with such roots, so the largest orders are the same, and the bound
       is met: the recurrence has a bounded integer solution of just that period.

    So the most that is possible is the largest m whose cost is at most k, where the cost of m is the sum of
    φ(q^a) over its prime powers, but nothing for the 2 of an m that is twice an odd number above 1, because
    φ(2 q^a) = φ(q^a).

    Examples
    --------
    >>> [find_largest_period(k)[0] for k in range(1, 9)]
    [2, 6, 6, 12, 12, 30, 30, 60]
    >>> find_largest_period(4)
    (12, (3, 4))
    """
    if not 1 <= rank <= MOST_RANK:
        raise ArgumentError(f"rank = {rank}; expected one from 1 to {MOST_RANK}; correct it")
    odd: dict[int, tuple[int, tuple[int, ...]]] = {0: (1, ())}  # the largest odd product of each cost
    for prime in (q for q in range(3, rank + 2) if all(q % r for r in range(2, q))):
        for spent in sorted(odd, reverse=True):
            value, parts = odd[spent]
            for power, cost in _list_powers(prime, rank - spent):
                if value * power > odd.get(spent + cost, (0, ()))[0]:
                    odd[spent + cost] = (value * power, (*parts, power))
    found: list[tuple[int, tuple[int, ...]]] = [(2, (2,))]
    for spent, (value, parts) in odd.items():
        found += [(value * power, (*parts, power)) for power, _ in _list_powers(2, rank - spent) if power > 2]
        found += [(2 * value, (2 * parts[0], *parts[1:]))] if parts else []
    value, parts = max(found)
    return value, tuple(sorted(parts))


def _list_powers(prime: int, most: int) -> Iterator[tuple[int, int]]:
    """Powers q^a with φ(q^a), which is at most ``most``."""
    power = prime
    while (cost := power - power // prime) <= most:
        yield power, cost
        power *= prime


#: Pairs of a set and a vector, and products of two positions for one head: more would take minutes.
MOST_PAIRS, MOST_PRODUCTS = 2000, 1 << 24


@dataclass(frozen=True, slots=True)
class Pair:
    """M v: the product of a set S of value matrices of layers above that of v, and v."""

    choice: Choice
    vector: int  #: the number of the written vector; one more stands for all positions
    born: int  #: the layer that writes v, from 1; 0 for embeddings and positions

    @property
    def top(self) -> int:
        """The layer behind which it first occurs."""
        return max((layer for layer, h in enumerate(self.choice, start=1) if h), default=self.born)


@dataclass(frozen=True, slots=True)
class HeadProducts:
    """α of one head; keys are rows, queries columns, and both are pairs that occur below its layer.

    In units of 2^-(4 + 2L)p.
    """

    alpha: IntArray  #: (pairs, pairs), of p_1 for one position; 0 for two of them
    between: IntArray  #: (position pairs, position pairs, N), by j − i >= 0; 0 where both sets are empty
    phi: IntArray  #: (N,), by j − i >= 0, where both sets are empty


class PairProducts:
    """All pairs of a transformer, β of each with each reader, and α of any two of them for each head.

    Raises `BudgetError` if there are more than `MOST_PAIRS` pairs, or `MOST_PRODUCTS` products of positions.
    """

    def __init__(self, products: Products) -> None:
        self.products = products
        self.pairs = _list_pairs(products)  #: positions last
        self.index = {(pair.choice, pair.vector): k for k, pair in enumerate(self.pairs)}
        self.choices = np.array([pair.choice for pair in self.pairs])  #: (pairs, L)
        self.tops = np.array([pair.top for pair in self.pairs])
        self.first_position = self.index[(0,) * self.choices.shape[1], len(products.written)]
        self._behind = self._list_images()
        self._vectors = np.column_stack([self._behind[p.choice][:, p.vector] for p in self.pairs])
        self.beta = times(products.rows, self._vectors)  #: (readers, pairs), in units of 2^-(2 + L)p

    def _list_images(self) -> dict[Choice, IntArray]:
        """M times all vectors, positions last, for the set of every pair."""
        stacked = np.hstack([self.products.columns, self.products.positions])
        images = {}
        for pair in self.pairs:
            if pair.choice not in images:
                image = stacked
                for layer, chosen in enumerate(pair.choice):
                    image = self.products.apply(layer, chosen, image)
                images[pair.choice] = image
        return images

    def multiply(self, layer: int, head: int) -> HeadProducts:
        """α of a head, both counted from 0."""
        key, query = self.products.keys[layer][head], self.products.queries[layer][head]
        occurs = self.tops <= layer
        keys, first = times(key, self._vectors), self.first_position
        alpha = times(keys.T, times(query, self._vectors)) * np.outer(occurs, occurs)
        alpha[first:, first:] = 0
        N, own = self.products.transformer.context, range(first, len(self.pairs))
        if len(own) ** 2 * N > MOST_PRODUCTS:
            raise BudgetError(
                f"a head has {len(own) ** 2 * N} products of positions; expected at most {MOST_PRODUCTS}; "
                "lift one with a smaller context, or with fewer layers or heads"
            )
        columns = len(self.products.written)
        between = np.stack(
            [
                times(keys[:, first:].T, times(query, self._behind[self.pairs[k].choice][:, columns:]))
                for k in own
            ],
            axis=1,
        )
        between *= np.outer(occurs[first:], occurs[first:])[:, :, None]
        phi = between[0, 0].copy()
        between[0, 0] = 0
        return HeadProducts(alpha, between, phi)


def _list_pairs(products: Products) -> list[Pair]:
    transformer = products.transformer
    born = [0] * len(transformer.embedding)
    for number, layer in enumerate(transformer.layers, start=1):
        born += [number] * len(layer.mlp.b)
    sizes = [len(heads) + 1 for heads in products.values]
    found = []
    for vector, below in enumerate((*born, 0)):
        free = (range(size if number > below else 1) for number, size in enumerate(sizes, start=1))
        for choice in itertools.product(*free):
            found.append(Pair(choice, vector, below))
            if len(found) > MOST_PAIRS:
                raise BudgetError(
                    f"the transformer has more than {MOST_PAIRS} pairs of a vector and value matrices behind "
                    "it; expected fewer; lift one with fewer layers, heads or units"
                )
    return found


def lift(transformer: CausalTransformer) -> LimitTransformer:
    """Write a member of Θ_N as a Limit Transformer that gives the same logits on all inputs up to N.

    Its width is bounded by the shape alone, for any width and context of the transformer. Exact.

    Raises `HypothesisFormatError` if the transformer is not a member of Θ_N; says which product is not
    translation invariant. `BudgetError` if there are more than `MOST_PAIRS` pairs (S, v), or more than
    `MOST_PRODUCTS` products of positions. `PrecisionError` if a product is off the grid of 2^-p: a Limit
    Transformer rounds logits and weights on the grid of its parameters, so a finer one would compute
    something else.

    Implements Lemma 52 of [HYB25]; the argument is that of (58) and (59) in the proof of Lemma 53, taken as
    the construction. Every activation is a combination of M v, M being the product of a set S of value
    matrices of layers above that of v, and v a column of B, an embedding or a position vector. Here the
    stream holds the coefficients: one coordinate for each pair (S, v), p_1..p_N being one v for each residue
    modulo Δ. So embeddings and columns of B are unit vectors, V_{l,h} moves (S, v) to (S with V_{l,h}, v),
    rows of A and U hold β(S, u, v), and K^T Q holds α(l, h, S1, S2, v, w), all of them entries 0, 1 or
    products. A product with one position vector is that of p_1. Products of p_i and p_j depend on j − i.
    Where S1 and S2 are empty they are φ, as p_i has coefficient 1 in every activation; the others are
    periodic, for large N with a period that Lemma 48 bounds, and Δ is the least period that all of them have
    in the context. Logits and activations then agree layer by layer, and so do the coefficients. Coordinates
    that nothing reads are left out.
    """
    products = Products(transformer)
    variant = find_variant(products)
    if variant is not None:
        raise HypothesisFormatError(
            f"{variant}; expected a translation invariant product (Definition 4); let attention carry "
            "positions, as 'idinf net translate' does"
        )
    return _Lifting(PairProducts(products)).build()


class _Lifting:
    """The stream of coefficients: the heads, units and pairs that are needed, and their new matrices."""

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
        """Add the pairs that needed ones read; False if there is nothing to add."""
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
        """Moves by V of a head, as numbers: a pair below the layer, and the same pair behind the head."""
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
        """The Limit Transformer; its entries are explained at `lift`."""
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
