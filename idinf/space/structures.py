"""Structures: the discrete shape of a one-hot Limit Transformer, its attention patterns, and its floor of R.

A structure fixes the attention patterns of the heads and the number of units of every layer, the period and
the precision; the rest are integer vectors. Structures are visited by their floor, never by their depth:
a further one-unit layer costs 1, a further unit in a layer more than that.

Of attention patterns φ costs Σ φ(k)² and M its spectral norm ([HYB25] Definition 50). The spectral norm of a
matrix without negative entries does not fall when an entry grows (Perron), so matrices are built row by row
and cut as soon as the rows so far are too long."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.nets.attention import UNIFORM, Attention, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.spec.bounds import SpaceBounds
from idinf.spec.spec import Answer

#: Patterns of one head, at most: beyond that every structure would be visited for hours.
MAX_PATTERNS = 200_000

#: Patterns, or matrices, between two calls of the checkpoint.
LOOK = 64

SLACK = 1e-9  #: slack of every pruning comparison of R; the reported comparisons use the documented epsilon

Logits = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class FeatureSpace:
    """Features of a position that a layer sees: a token, a residue if the period is above 1, units below."""

    symbols: int
    period: int
    units: int

    @property
    def tokens(self) -> int:
        """$ and the symbols."""
        return self.symbols + 1

    @property
    def first_unit(self) -> int:
        """Place of the first lower unit."""
        return self.tokens + (self.period if self.period > 1 else 0)

    @property
    def size(self) -> int:
        """Number of features."""
        return self.first_unit + self.units

    @property
    def num_classes(self) -> int:
        """Number of values a row of features can take; at $ only the residue 0 occurs."""
        return int((self.symbols * self.period + 1) * 2**self.units)

    def rows(self, token: int | IntArray, position: int, bits: IntArray) -> IntArray:
        """Features of S positions with one token, or tokens (S,), (S, size), for unit outputs (S, units)."""
        rows = np.zeros((len(bits), self.size), dtype=np.int64)
        rows[np.arange(len(bits)), token] = 1
        if self.period > 1:
            rows[:, self.tokens + position % self.period] = 1
        rows[:, self.first_unit :] = bits
        return rows

    def unit_outputs(self) -> IntArray:
        """Everything the lower units can say at a position, (2^units, units)."""
        return (np.arange(2**self.units)[:, None] >> np.arange(self.units)) & 1

    def all_rows(self, bits: IntArray | None = None) -> IntArray:
        """Every class of features, (num_classes, size), or those with given unit outputs."""
        bits = self.unit_outputs() if bits is None else bits
        parts = [self.rows(0, 0, bits)]
        parts += [self.rows(t, r, bits) for t in range(1, self.tokens) for r in range(self.period)]
        return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class PatternGrid:
    """Bounds of the attention patterns of a space, on the grid of 2^-precision.

    φ(k) may be non-zero for k ≤ ``reach``, up to ``logit_max``, and entries of M are at most ``content_max``.
    """

    precision: int
    reach: int
    logit_max: int
    content_max: int

    @classmethod
    def of(cls, bounds: SpaceBounds, precision: int, attention: Attention) -> PatternGrid:
        """The patterns of a space that depend on no more than an attention says."""
        logit_max = bounds.logit_max if attention >= Attention.LOCAL else 0
        content_max = bounds.content_max if attention >= Attention.CONTENT else 0
        return cls(precision, bounds.reach, logit_max, content_max)

    @property
    def least(self) -> float:
        """The cost of the cheapest pattern that is not uniform; infinite if there is none."""
        step = 0.5**self.precision
        return step * step if self.logit_max else step if self.content_max else math.inf


def list_attentions(bounds: SpaceBounds) -> tuple[Attention, ...]:
    """The kinds of attention that a space has, fewest patterns first.

    >>> [attention.name for attention in list_attentions(SpaceBounds(content_max=0))]
    ['UNIFORM', 'LOCAL']
    """
    given = True, bounds.logit_max > 0, bounds.content_max > 0
    return tuple(attention for attention, is_given in zip(Attention, given, strict=True) if is_given)


def list_patterns(
    grid: PatternGrid,
    features: int,
    tokens: int,
    room: float,
    checkpoint: Callable[[float], None] = lambda work: None,
) -> tuple[tuple[float, AttentionPattern], ...]:
    """List patterns with ‖M‖ + Σ φ² ≤ ``room``, with that cost, cheapest first: one of every normal form.

    *Lemma (idle columns).* The query `$` stands at position 0 and sees itself alone, so the column of M for
    the query `$` does nothing. Where all logits are integers, taking a number off a column, for all tokens as
    keys, divides every weight of that query by one power of N, which no average sees; so some token has the
    entry 0. Both make no entry larger, so ‖M‖ does not grow (Perron), nor does the place in the total order:
    a head with another M is a head of the list that answers alike and costs no more.

    ``features``, ``tokens``: number of features of the layer, the size of M, and how many of them are tokens,
    `$` first. Raises BudgetError if there are more than ``MAX_PATTERNS``.

    >>> [pattern.phi for _, pattern in list_patterns(PatternGrid(0, 1, 1, 0), 3, 3, 1.0)]
    [(), (0, 1), (1,)]
    >>> len(list_patterns(PatternGrid(0, 0, 1, 1), 3, 3, 1.0))  # φ(0), or no φ and one of 13 matrices
    14
    """
    one = 1 << grid.precision
    biases = list_local_biases(grid, room)
    norms, matrices = _logit_matrices(grid, features, room, checkpoint) if biases else (np.zeros(0), [])
    raised = np.array([_has_raised_column(matrix, tokens, one) for matrix in matrices], dtype=np.bool_)
    found: list[tuple[float, AttentionPattern]] = []
    for phi_cost, phi in biases:
        fits = norms <= (room - phi_cost) * one + 1e-9
        if all(value % one == 0 for value in phi):
            fits &= ~raised
        for place in np.flatnonzero(fits):
            if len(found) % LOOK == 0:
                checkpoint(1 / 8)
            found.append((phi_cost + float(norms[place] / one), AttentionPattern(matrices[place], phi)))
            if len(found) > MAX_PATTERNS:
                raise BudgetError(
                    f"more than {MAX_PATTERNS} attention patterns of one head within a cost of {room:.3f}; "
                    "lower --content-max, --logit-max, --reach, --precision or --max-r"
                )
    return tuple(sorted(found, key=lambda item: (item[0], item[1].logits, item[1].phi)))


def _has_raised_column(matrix: Logits, tokens: int, one: int) -> bool:
    """True if a column of integers has no 0 among the tokens, and a query may see it with integers alone.

    Queries see single columns where tokens are the only features.
    """
    columns = tuple(zip(*matrix, strict=True))
    whole = [all(x % one == 0 for x in column) for column in columns]
    if len(matrix) > tokens and not all(whole):
        return False
    return any(w and min(column[:tokens]) > 0 for w, column in zip(whole, columns, strict=True))


def list_local_biases(grid: PatternGrid, room: float) -> list[tuple[float, tuple[int, ...]]]:
    """Every φ with Σ φ² ≤ ``room``, without trailing zeros."""
    one = 1 << grid.precision
    square = math.floor(room * one * one + 1e-6)
    found = []
    for values in list_grid_ball(grid.reach + 1, square, 0, grid.logit_max * one):
        phi = tuple(int(x) for x in np.trim_zeros(values, "b"))
        found.append((float(values @ values) / (one * one), phi))
    return found


def _logit_matrices(
    grid: PatternGrid, features: int, room: float, checkpoint: Callable[[float], None]
) -> tuple[NDArray[np.float64], list[Logits]]:
    """Every M with ‖M‖ ≤ ``room`` and column 0 for the query `$`, and ‖M‖ in units of 2^-p.

    They grow column by column. The zero matrix is the empty tuple.
    """
    one = 1 << grid.precision
    if grid.content_max == 0 or room < 1.0 / one - 1e-9:
        return np.zeros(1), [()]
    square = find_largest_square(room * one)
    if sum(math.comb(features, ones) for ones in range(min(square, features) + 1)) > 20 * MAX_PATTERNS:
        raise _too_many_matrices(features)  # columns of 0 and 1 alone
    columns = list_grid_ball(features, square, 0, grid.content_max * one)
    matrices, norms = np.zeros((1, features, 1), dtype=np.int64), np.zeros(1)
    for width in range(2, features + 1):
        if len(matrices) * len(columns) > 20 * MAX_PATTERNS:
            raise _too_many_matrices(features)
        block = max(1, LOOK * 16 // (width * features))
        grown, of_grown = [], []
        for begin in range(0, len(matrices) * len(columns), block):
            checkpoint(1 / 4)
            places = np.arange(begin, min(begin + block, len(matrices) * len(columns)))
            place, column = np.divmod(places, len(columns))
            larger = np.concatenate([matrices[place], columns[column][:, :, None]], axis=2)
            squares = (larger**2).sum(axis=2).max(axis=1)  # of rows, none of which is longer than ‖M‖
            larger = larger[squares <= (room * one + 1e-6) ** 2]
            larger_norms = np.linalg.norm(larger.astype(np.float64), 2, axis=(1, 2))
            short = larger_norms <= room * one + 1e-9
            grown.append(larger[short])
            of_grown.append(larger_norms[short])
        matrices, norms = np.concatenate(grown), np.concatenate(of_grown)
    return norms, [tuple(map(tuple, matrix)) if any(map(any, matrix)) else () for matrix in matrices.tolist()]


def _too_many_matrices(features: int) -> BudgetError:
    return BudgetError(
        f"more than {20 * MAX_PATTERNS} logit matrices over {features} features to look at; lower "
        "--content-max, --precision or --max-r"
    )


def choose_heads(
    listed: Sequence[tuple[float, AttentionPattern]], heads: int, precision: int, room: float, first: int = 0
) -> Iterator[tuple[tuple[AttentionPattern, ...], float]]:
    """Every multiset of ``heads`` of the patterns from the first on whose φ terms leave room, and how much.

    Heads of a layer may be exchanged: every head keeps its pattern and its channels, units sum over heads in
    any order, and the terms of R are maxima or sums over heads. So one order of every multiset is enough.
    Heads of equal patterns can still exchange their channels; such layers are one function, as normal forms
    add up the values of equal patterns (`idinf.search.lower_layers.normal_form`).
    """
    if not heads:
        yield (), room
        return
    for place in range(first, len(listed)):
        pattern = listed[place][1]
        left = room - pattern.phi_square() / 4.0**precision
        if left >= -SLACK:
            for others, rest in choose_heads(listed, heads - 1, precision, left, place):
                yield (pattern, *others), rest


@dataclass(frozen=True, slots=True)
class Cost:
    """The terms rank_V, ‖V‖, ‖A‖_F and ‖b‖_2 of R ([HYB25] Definition 5), aggregated over some layers."""

    rank: float = 0.0
    norm_V: float = 0.0
    norm_A: float = 0.0
    norm_b: float = 0.0

    def join(self, other: Cost, aggregate: Aggregate) -> Cost:
        """Aggregate two groups of layers by max or by sum."""
        return Cost(*map(operator.add if aggregate is Aggregate.SUM else max, self, other))

    @property
    def total(self) -> float:
        """Sum of the four terms."""
        return self.rank + self.norm_V + self.norm_A + self.norm_b

    def __iter__(self) -> Iterator[float]:
        return iter((self.rank, self.norm_V, self.norm_A, self.norm_b))


@dataclass(frozen=True, slots=True, order=True)
class LayerShape:
    """The heads, by their attention patterns, and the number of units of one layer.

    Every head has at least one channel that some unit reads; unread heads do not count.

    >>> LayerShape((UNIFORM,), units=1).floor(0, Aggregate.MAX).total
    3.0
    """

    heads: tuple[AttentionPattern, ...]
    units: int

    def floor(self, precision: int, aggregate: Aggregate) -> Cost:
        """Least cost of a layer of this shape: one short channel per head, and its cheapest readers."""
        count = len(self.heads)
        if not count:
            return Cost()
        step = 2.0**-precision
        reading = min(1.0, 2.0 * step * step) if self.units > 1 else 1.0  # entries of A, squared, per head
        channels = count if aggregate is Aggregate.SUM else 1
        return Cost(rank=channels, norm_V=channels * step, norm_A=math.sqrt(count * reading))


def join_floors(layers: Iterable[LayerShape], precision: int, aggregate: Aggregate) -> Cost:
    """Least cost of some layers together."""
    cost = Cost()
    for layer in layers:
        cost = cost.join(layer.floor(precision, aggregate), aggregate)
    return cost


@dataclass(frozen=True, slots=True)
class Structure:
    """Shape of a whole hypothesis.

    The row U of acceptance reads every unit of the last layer, ‖U‖ = √units. A row of a next symbol reads one
    unit or none, and ‖U‖ is the root of ``readers``, the number of rows of the unit that most of them read.

    >>> one = Structure((LayerShape((UNIFORM,), units=1),), precision=0)
    >>> one.floor(Aggregate.MAX)
    8.0
    """

    layers: tuple[LayerShape, ...]
    precision: int
    period: int = 1
    answer: Answer = Answer.ACCEPT
    readers: int = 0

    @property
    def depth(self) -> int:
        """Number of layers L."""
        return len(self.layers)

    @property
    def heads(self) -> int:
        """H, the largest number of heads of a layer."""
        return max(len(layer.heads) for layer in self.layers)

    @property
    def attention(self) -> Attention:
        """The inputs that the weights of its heads depend on."""
        heads = (pattern.attention for layer in self.layers for pattern in layer.heads)
        return max(heads, default=Attention.UNIFORM)

    @property
    def hidden(self) -> tuple[LayerShape, ...]:
        """The layers whose units are features of later layers."""
        return self.layers[:-1]

    def num_features(self, symbols: int, layer: int) -> int:
        """Number of features that a layer reads."""
        return FeatureSpace(symbols, self.period, sum(below.units for below in self.layers[:layer])).size

    def base(self, aggregate: Aggregate) -> float:
        """Terms of R that the shape alone decides: L + H, p, ‖B‖, ‖U‖, ‖E‖ = 1, ‖K^T Q‖, φ, ‖p_i‖ and Δ."""
        norms_B = [math.sqrt(layer.units) for layer in self.layers]
        norms_M = [_norm_KQ(pattern, self.precision) for layer in self.layers for pattern in layer.heads]
        phi = sum(pattern.phi_square() for layer in self.layers for pattern in layer.heads)
        whole: Callable[[Iterable[float]], float] = sum if aggregate is Aggregate.SUM else max
        positions = 1.0 + self.period if self.period > 1 else 0.0
        norm_U = math.sqrt(self.readers or self.layers[-1].units)
        of_units = self.depth + self.heads + self.precision + whole(norms_B) + norm_U + 1.0
        return of_units + whole((0.0, *norms_M)) + phi / 4.0**self.precision + positions

    def floor(self, aggregate: Aggregate) -> float:
        """Lower bound of R over all hypotheses of this structure."""
        return self.base(aggregate) + join_floors(self.layers, self.precision, aggregate).total

    @property
    def order_key(self) -> tuple[int, int, int, int, int, int]:
        """(L, H, p, Δ, τ, number of units): the order of theory at equal R, before the parameters."""
        reach = max((pattern.reach for layer in self.layers for pattern in layer.heads), default=0)
        units = sum(layer.units for layer in self.layers)
        return (self.depth, self.heads, self.precision, self.period, reach, units)


class StructureSpace:
    """All structures of a bounded space, listed on demand up to a bound of R.

    ``symbols``: |Σ|; logit matrices are over the features of a layer. ``answer``: the kind of answers of
    hypotheses; next symbols have K = |Σ| + 1 outputs. ``checkpoint``: called for every few attention patterns
    that are looked at, and for every structure. May raise to stop.

    >>> bounds = SpaceBounds.from_preset("nope", layers=2, units=1, precision=0)
    >>> space = StructureSpace(bounds, Aggregate.MAX, 2)
    >>> [floor for floor, _ in (*space.headless(9.0, 1), *space.shapes(9.0))]
    [4.0, 5.0, 8.0, 9.0, 9.0, 9.0]
    """

    def __init__(
        self,
        bounds: SpaceBounds,
        aggregate: Aggregate,
        symbols: int,
        answer: Answer = Answer.ACCEPT,
        checkpoint: Callable[[float], None] = lambda work: None,
    ) -> None:
        self.bounds, self.aggregate, self.symbols, self.answer = bounds, aggregate, symbols, answer
        self.checkpoint = checkpoint
        # A few lists serve every structure.
        self._patterns = lru_cache(maxsize=256)(partial(list_patterns, checkpoint=checkpoint))

    @property
    def floor(self) -> float:
        """The least floor of all structures: that of one unit without heads."""
        return self._floor((LayerShape((), 1),), 0, 1, self._numbers_of_readers()[0])

    def _numbers_of_readers(self) -> range:
        """Possible numbers of rows of U that read the unit with most readers; 0 for acceptance."""
        if self.answer is Answer.SET:
            return range(1, self.symbols + 2)
        return range(0, 1) if self.answer is Answer.ACCEPT else range(1, 2)

    def _admits(self, units: int, readers: int) -> bool:
        """True if the rows of U can read so many units, each at least once and one of them by ``readers``.

        Of rows for one next symbol one is zero: that of the symbol named where no unit decides.
        """
        if self.answer is Answer.SYMBOL:
            return units <= self.symbols
        return self.answer is Answer.ACCEPT or units - 1 + readers <= self.symbols + 1

    def headless(self, high: float, period: int) -> Iterator[tuple[float, Structure]]:
        """Every structure without heads, of one period, with a floor ≤ ``high``, with the floor."""
        yield from self._grown(high, [0], period)

    def shapes(self, high: float) -> Iterator[tuple[float, Structure]]:
        """Every structure with heads, all of them uniform, and a floor ≤ ``high``, with the floor."""
        for period in range(1, self.bounds.period + 1 if self.bounds.heads else 1):
            yield from self._grown(high, range(self.bounds.heads + 1), period)

    def _floor(self, layers: tuple[LayerShape, ...], precision: int, period: int, readers: int) -> float:
        return Structure(layers, precision, period, self.answer, readers).floor(self.aggregate)

    def _grown(
        self, high: float, numbers_of_heads: Sequence[int], period: int
    ) -> Iterator[tuple[float, Structure]]:
        """Structures with uniform heads, at least one if layers may have any.

        The floor of a net does not rise when a layer is replaced by one unit without heads, nor, where heads
        are needed, by one head with one unit or two, the cheaper of both: two may share a channel, which
        takes a smaller A. Above two units each costs more, and so do each head and each bit.
        """
        must, rest_with_head = len(numbers_of_heads) > 1, [(LayerShape((UNIFORM,), m),) for m in (1, 2)]
        fewest = min(2, self.bounds.units)

        def least(done: tuple[LayerShape, ...], depth: int, precision: int, readers: int) -> float:
            rest = (LayerShape((), 1),) * (depth - len(done))
            options = [rest]
            if must and rest and not any(layer.heads for layer in done):
                options = [(*rest[:-1], *headed) for headed in rest_with_head]
                options += [(*headed, *rest[1:]) for headed in rest_with_head]
            floors = [self._floor((*done, *option), precision, period, readers) for option in options]
            return min(floors)

        def grow(
            done: tuple[LayerShape, ...], depth: int, precision: int, readers: int
        ) -> Iterator[tuple[float, Structure]]:
            self.checkpoint(1 / 16)
            if len(done) == depth:
                structure = Structure(done, precision, period, self.answer, readers)
                if (structure.heads > 0) == must and self._admits(done[-1].units, readers):
                    yield structure.floor(self.aggregate), structure
                return
            for heads in numbers_of_heads:
                fits = False
                for units in range(1, self.bounds.units + 1):
                    larger = (*done, LayerShape((UNIFORM,) * heads, units))
                    if least(larger, depth, precision, readers) <= high + SLACK:
                        fits = True
                        yield from grow(larger, depth, precision, readers)
                    elif units >= fewest:
                        break
                if heads and not fits:
                    break

        for readers in self._numbers_of_readers():
            for depth in range(1, self.bounds.layers + 1):
                if least((), depth, 0, readers) > high + SLACK:
                    break
                for precision in range(self.bounds.precision + 1):
                    if least((), depth, precision, readers) > high + SLACK:
                        break
                    yield from grow((), depth, precision, readers)

    def with_patterns(
        self, shape: tuple[float, Structure], high: float, attention: Attention = Attention.CONTENT
    ) -> Iterator[tuple[float, Structure]]:
        """The structures of a shape with attention patterns of up to some kind, with floors ≤ ``high``.

        Raises BudgetError if there are too many patterns to list.
        """
        floor, structure = shape
        grid = PatternGrid.of(self.bounds, structure.precision, attention)
        if high + SLACK - floor < grid.least:
            yield shape
            return
        for grown in self._chosen(structure, grid, high + SLACK - floor, ()):
            self.checkpoint(1 / 32)
            if (floor := grown.floor(self.aggregate)) <= high + SLACK:
                yield floor, grown

    def _chosen(
        self, shape: Structure, grid: PatternGrid, room: float, done: tuple[LayerShape, ...]
    ) -> Iterator[Structure]:
        index = len(done)
        if index == shape.depth:
            yield replace(shape, layers=done)
            return
        layer = shape.layers[index]
        features = shape.num_features(self.symbols, index)
        # Rounded up to a coarse grid, so that a few lists of patterns serve every structure.
        coarse = math.ceil(room * 8) / 8
        listed = self._patterns(grid, features, self.symbols + 1, coarse) if layer.heads else ()
        for heads, left in choose_heads(listed, len(layer.heads), grid.precision, room):
            yield from self._chosen(shape, grid, left, (*done, LayerShape(heads, layer.units)))


def order_structures(
    structures: Iterable[Structure], aggregate: Aggregate, high: float
) -> tuple[Structure, ...]:
    """The structures among some with a floor ≤ ``high``, by floor, ties by the total order on hypotheses."""
    found = [(structure.floor(aggregate), structure) for structure in structures]
    found.sort(key=lambda item: (item[0], item[1].order_key, item[1].layers))
    return tuple(structure for floor, structure in found if floor <= high + SLACK)


@lru_cache(maxsize=1 << 16)
def _norm_KQ(pattern: AttentionPattern, precision: int) -> float:
    """‖K^T Q‖ of a pattern; many structures have it."""
    return pattern.norm_KQ(precision)
