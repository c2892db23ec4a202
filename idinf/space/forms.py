"""Units of a first layer by what they compute: one form for all parameters that write one function.

Exactly one token feature is 1 at each position, one residue too, and weights of attention add up to 1. So
for ones 1 on the tokens, or the residues, (v + c 1, s + e 1, b + d) is the unit (v, s, b) if c + e + d = 0,
and s_$ matters at SOS alone, where it decides one bit. A *form* is what is left: v up to shifts c, the other
entries of s up to shifts e, the sum z of all shifts, and the bit at SOS. Forms are few where parameters are
many: over two symbols they have four dimensions and the bit, parameters seven.

With parameters listed instead, a run takes as long for D_3, and 1.3 to 1.4 times as long for (a|b)*d(b|c)* to
R = 11; from there on twice the memory, and more steps than its budget has.

What a form may cost is a mask of corners (see below). Below one corner the shifts of v that keep
‖V‖ small enough add up to something between two numbers, those of s that keep ‖A‖ small enough do, and d is
between −‖b‖ and ‖b‖; so z is. That ‖A‖ also counts s_$, and that shifts are integers, is forgotten there: a
mask may have a corner too many, and the realisations of a form are listed and measured when something is
still to be done with it.

*Corners* are the maximal choices of rank_V, ‖V‖, ‖A‖ and ‖b‖ that a budget of R leaves.

With ``max`` each of these terms of R is the largest of all layers. So a hypothesis is within the budget iff
some corner is at least what every layer of it costs, term by term. Its layers are then looked at one by one:
of each, a mask says below which corners it is. The masks of all realisations of a layer are joined by "or",
and those of different layers by "and", and nothing is lost.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.nets.regularizer import Aggregate
from idinf.space.grid import IntArray, find_largest_square, list_grid_ball
from idinf.space.rows import ArrayRecord, group_rows, list_members_of_groups, repeat_places
from idinf.space.structures import Cost, Structure
from idinf.space.units import CHUNK, SLACK, BoolArray, FloatArray, LayerBudget, Units

MOST_CORNERS = 64  #: Corners of one budget: the bits of a mask. Of more, some are joined to larger ones.

Masks = NDArray[np.unsignedinteger]  #: one mask for each thing, as unsigned integers; bits mean corners


@dataclass(frozen=True)
class Corners:
    """K corners of a budget, (K, 4): rank_V, ‖V‖, ‖A‖, ‖b‖.

    Room for ‖V‖ + ‖b‖ = 2 in integers beside ‖A‖ = 1:

    >>> corners = Corners.maximal([(1.0, v, 1.0, b) for v in (1.0, 2.0) for b in (0.0, 1.0) if v + b <= 2])
    >>> corners.points.tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0]]
    >>> corners.masks(np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 2.0, 1.0, 0.0], [1.0, 2.0, 1.0, 1.0]])).tolist()
    [192, 64, 0]
    """

    points: FloatArray

    @staticmethod
    def maximal(points: Sequence[tuple[float, float, float, float]]) -> Corners:
        """The points among some that no other one is above; neighbours are joined if they are too many."""
        # What is above a point comes before it, and is above all that this point is above.
        rest = np.array(sorted(set(points), reverse=True)).reshape(-1, 4)
        kept = []
        while len(rest):
            kept.append(rest[0])
            rest = rest[(rest > rest[0]).any(axis=1)]
        rows = np.array(kept[::-1]).reshape(-1, 4)
        if len(rows) > MOST_CORNERS:
            rows = np.stack([part.max(axis=0) for part in np.array_split(rows, MOST_CORNERS)])
        return Corners(rows)

    @staticmethod
    def of(structure: Structure, high: float) -> Corners:
        """The corners of all hypotheses of a structure with R ≤ ``high``, with ``max`` over the layers.

        Squares of norms are integers in units of 4^-p. So is each ‖b‖ itself in units of 2^-p if every layer
        has one unit; then rank_V is no more than a layer with heads needs.
        """
        step, floor = 2.0**-structure.precision, Cost()
        for layer in structure.layers:
            floor = floor.join(layer.floor(structure.precision, Aggregate.MAX), Aggregate.MAX)
        room = high + SLACK - structure.base(Aggregate.MAX)
        units = max(layer.units for layer in structure.layers)
        ranks = np.arange(floor.rank, (units if structure.heads else 0) + 1)
        widest = max(0.0, room - floor.total) / step
        most_b, least_V = math.floor(widest), round((floor.norm_V / step) ** 2)
        most_V = math.floor((widest + floor.norm_V / step) ** 2) if structure.heads else 0
        biases = np.arange(most_b + 1.0) if units == 1 else np.sqrt(np.arange(most_b**2 + 1.0))
        found = []
        for rank, square, bias in itertools.product(ranks, range(least_V, most_V + 1), biases):
            norm_V, norm_b = step * math.sqrt(square), step * float(bias)
            left = room - rank - norm_V - norm_b
            if left >= floor.norm_A:
                found.append((float(rank), norm_V, step * math.sqrt(math.floor((left / step) ** 2)), norm_b))
        return Corners.maximal(found)

    def masks(self, costs: FloatArray) -> Masks:
        """Below which corners each of N layers is, of given costs, (N, 4); (N,)."""
        below = np.ones((len(costs), len(self.points)), dtype=np.bool_)
        for own, most in zip(costs.T, self.points.T, strict=True):
            below &= own[:, None] <= most + SLACK
        return pack(below)


def pack(bits: BoolArray) -> Masks:
    """Rows of at most `MOST_CORNERS` bits as integers of the least size, (N, K) to (N,)."""
    number, corners = bits.shape
    width = 1 << max(0, -(-corners // 8) - 1).bit_length()
    whole = np.zeros((number, 8 * width), dtype=np.bool_)  # one run of bits is packed much faster than rows
    whole[:, :corners] = bits
    return np.packbits(whole.reshape(-1)).view(f"u{width}")


#: Forms of the first part, and of later ones at most: what is learned of one part helps with the next.
FIRST_PART, LARGEST_PART = 1 << 11, 1 << 17
#: Pairs of classes times corners, and forms whose realisations are listed, in one step.
CELLS, BLOCK = 1 << 20, 256


@dataclass(frozen=True, eq=False)
class UnitForms(ArrayRecord):
    """N forms: one realisation of each, whatever it costs, with 0 for v_$ and s of the first symbol."""

    units: Units
    masks: Masks  #: (N,): corners below which some realisation may be


@dataclass(frozen=True)
class FormSpace:
    """The forms of one unit over the tokens and residues, with one head or none."""

    tokens: int  #: |Σ| + 1, `$` among them
    features: int  #: tokens and residues
    precision: int
    heads: int

    def parts(self, corners: Corners, share: tuple[int, int] = (0, 1)) -> Iterator[UnitForms]:
        """Every form that may be below a corner, part by part.

        Of share k of K, (k, K), those with every K-th direction of v: multiples of a unit are in its share.
        All shares together have every form once. Without a head there is one share.

        A set of tokens without any head: what it says at `$`, a and b. Without ‖b‖ at ‖A‖ = 1 that is {$},
        {a}, {b}, a subset of these, or {$, a}, {$, b} as far as the mask tells.

        >>> space = FormSpace(tokens=3, features=3, precision=0, heads=0)
        >>> corner = Corners(np.array([[0.0, 0.0, 1.0, 0.0]]))
        >>> forms = UnitForms.concatenate(list(space.parts(corner)))
        >>> said = forms.units.own + forms.units.bias[:, None] > 0
        >>> sorted({"".join(np.array(list("$ab"))[row]) for row in said})
        ['', '$', '$a', '$b', 'a', 'b']
        """
        one = 2.0**self.precision
        squares_V, squares_A = (np.floor((corners.points[:, k] * one) ** 2 + 1e-6) for k in (1, 2))
        squares_A = squares_A - self.heads * one**2
        most_b = np.floor(corners.points[:, 3] * one + 1e-6).astype(np.int64)
        if squares_A.max(initial=-1) < 0:
            return
        values = list_grid_ball(self.features, int(squares_V.max()))
        if not self.heads:
            values = np.zeros((1, self.features), dtype=np.int64)
        values = _classes(values, self._groups[0])
        own = _classes(list_grid_ball(self.features - 1, int(squares_A.max())), self._groups[1])
        if share[1] > 1:
            values = values[_directions(values) % share[1] == share[0]]
        low_V, high_V = _shifts(values, self._groups[0], squares_V) if self.heads else _fixed(corners)
        low_A, high_A = _shifts(own, self._groups[1], squares_A)
        fits_V, fits_A, size = low_V <= high_V, low_A <= high_A, FIRST_PART
        for some, rest in _blocks(fits_V, fits_A, max(1, CELLS // len(most_b))):
            for v, s, z, inside in _within(
                (low_V[some, None] + low_A[rest] - most_b, high_V[some, None] + high_A[rest] + most_b),
                fits_V[some, None] & fits_A[rest],
                size // 2,
            ):
                yield self._forms(values[some[v]], own[rest[s]], z, pack(inside))
                size = min(2 * size, LARGEST_PART)

    def estimate(self, corners: Corners) -> float:
        """About how many forms there are, or several times fewer; only how work is shared out rests on it.

        Classes of v and of s are counted by the volumes of balls, z by how far it can be from 0.

        >>> corner = Corners(np.array([[1.0, 3.0, 3.0, 0.0]]))
        >>> space = FormSpace(tokens=3, features=3, precision=0, heads=1)
        >>> round(space.estimate(corner)), sum(map(len, space.parts(corner)))
        (4049, 3974)
        """
        one, groups = 2.0**self.precision, 1 + self.has_residues
        most = 0.0
        for _, norm_V, norm_A, norm_b in (corners.points * one).tolist():
            norm_s = math.sqrt(max(norm_A**2 - self.heads * one**2, 0.0))
            channels = _ball(self.features - groups, norm_V) if self.heads else 1.0
            width = 2 * (self.heads * norm_V + norm_s + norm_b) + 1
            most = max(most, 2 * channels * _ball(self.features - 1 - groups, norm_s) * width)
        return most

    def _forms(self, values: IntArray, own: IntArray, z: IntArray, masks: Masks) -> UnitForms:
        """Both bits of given v, own weights but for `$`, and z."""
        at_sos = self._at_sos(values, own, z)
        weights = np.minimum(-at_sos, 0), np.maximum(1 - at_sos, 0)
        parts = [UnitForms(self._units(values, own, z, weight), masks) for weight in weights]
        return UnitForms.concatenate(parts)

    def _units(self, values: IntArray, own: IntArray, bias: IntArray, weight: IntArray) -> Units:
        """Units with given s_$."""
        entry = np.full((len(bias), self.heads), 2**self.precision, dtype=np.int64)
        channel = values if self.heads else values[:, :0]
        return Units(self.precision, channel, entry, np.concatenate([weight[:, None], own], axis=1), bias)

    def _at_sos(self, values: IntArray, own: IntArray, bias: IntArray) -> IntArray:
        """The sums that are compared with 0 at SOS but for s_$, (N,): the only key is `$`, at residue 0."""
        residue = [
            part[:, k] for part, k in ((values, self.tokens), (own, self.tokens - 1)) if self.has_residues
        ]
        return np.asarray(sum(residue, values[:, 0] + bias))

    @property
    def has_residues(self) -> bool:
        """Whether Δ > 1."""
        return self.features > self.tokens

    @property
    def _groups(self) -> tuple[list[slice], list[slice]]:
        """Features of which one is 1 at each position: in v, and in s without `$`."""
        tokens, features = self.tokens, self.features
        both = [slice(tokens), slice(tokens, features)], [slice(tokens - 1), slice(tokens - 1, features - 1)]
        return both if self.has_residues else (both[0][:1], both[1][:1])

    def realisations(self, units: Units, within: LayerBudget, every: bool = False) -> Iterator[Units]:
        """Realisations of forms within a budget, in parts of about ``CHUNK``.

        Those with the shortest s_$, as a longer one computes the same and costs more, or ``every`` one.
        """
        least = Cost(rank=float(self.heads), norm_V=within.step * self.heads, norm_A=float(self.heads))
        if not len(units) or not within.admits(least):
            return
        one, widest = 2**self.precision, within.widest(least)
        values = units.channel if self.heads else np.zeros((len(units), self.features), dtype=np.int64)
        bits = self._at_sos(values, units.own[:, 1:], units.bias) + units.own[:, 0] > 0
        long_V = find_largest_square(widest.norm_V * one) if self.heads else 0
        long_A = find_largest_square(math.sqrt(max(widest.norm_A**2 - self.heads, 0.0)) * one)
        parts: list[Units] = []
        for begin in range(0, len(units), BLOCK):
            some = slice(begin, begin + BLOCK)
            row_V, moved, shift_V = _moved(values[some], self._groups[0], long_V)
            row_A, own, shift_A = _moved(units.own[some, 1:], self._groups[1], long_A)
            first = np.searchsorted(row_A, row_V)
            place, step = repeat_places(np.searchsorted(row_A, row_V, side="right") - first)
            other = first[place] + step
            row = begin + row_V[place]
            bias = units.bias[row] - shift_V[place] - shift_A[other]
            index = np.flatnonzero(np.abs(bias) <= (widest.norm_b + SLACK) * one)
            place, other, row, bias = place[index], other[index], row[index], bias[index]
            at_sos = self._at_sos(moved[place], own[other], bias)
            weight = np.where(bits[row], np.maximum(1 - at_sos, 0), np.minimum(-at_sos, 0))
            if every:
                room = np.sqrt(long_A - np.einsum("nf,nf->n", own[other], own[other])).astype(np.int64)
                low = np.where(bits[row], np.maximum(1 - at_sos, -room), -room)
                high = np.where(bits[row], room, np.minimum(-at_sos, room))
                again, step = repeat_places(np.maximum(high - low + 1, 0))
                place, other, bias, weight = place[again], other[again], bias[again], low[again] + step
            found = self._units(moved[place], own[other], bias, weight)
            keep = within.fits(*found.costs(within.aggregate).T)
            if self.heads:
                keep &= found.channel.any(axis=1)
            parts.append(found.take(np.flatnonzero(keep)))
            if begin + BLOCK >= len(units) or sum(map(len, parts)) > CHUNK:
                yield Units.concatenate(parts)
                parts.clear()


def _ball(dimension: int, radius: float) -> float:
    """The volume of a ball, at least 1."""
    unit: float = math.pi ** (dimension / 2) / math.gamma(dimension / 2 + 1)
    return max(1.0, unit * math.pow(radius, dimension))


def _blocks(fits: BoolArray, others: BoolArray, most: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Blocks of pairs of a v and an s that some corner has room for: places of each.

    Which corners have room for N channels v and for M own weights s is given, (N, C) and (M, C). The v of a
    block fit the same corners, and each of its s fits one of these. A block has ``most`` pairs at most.
    """
    first, group = group_rows(np.packbits(fits, axis=1))
    members = list_members_of_groups(group, len(first))
    for alike in sorted(members, key=lambda places: int(places[0])):
        rest = np.flatnonzero((others & fits[alike[0]]).any(axis=1))
        step = max(1, most // max(1, len(rest)))
        for begin, other in itertools.product(range(0, len(alike), step), range(0, len(rest), most)):
            yield alike[begin : begin + step], rest[other : other + most]


def _within(
    ends: tuple[IntArray, IntArray], possible: BoolArray, size: int
) -> Iterator[tuple[IntArray, IntArray, IntArray, BoolArray]]:
    """All integers between two ends of some corner for each of K · M pairs, (K, M, C) each, in parts.

    Gives the pair as two indices, the integer and the corners where it is inside, (N, C); about ``size`` of
    them in the first part, and twice as many in each later one.
    """
    others, corners = possible.shape[1:]
    possible = possible.reshape(-1, corners)
    pairs = np.flatnonzero(possible.any(axis=1))
    possible = possible[pairs]
    low, high = (end.reshape(-1, corners)[pairs] for end in ends)
    first = np.where(possible, low, high.max(initial=0) + 1).min(axis=1)
    widths = np.where(possible, high, low.min(initial=0) - 1).max(axis=1) - first + 1
    counts, begun = np.cumsum(widths), 0
    while begun < len(pairs):
        until = int(np.searchsorted(counts, (counts[begun - 1] if begun else 0) + size)) + 1
        place, offset = repeat_places(widths[begun:until])
        place += begun
        z = (first[place] + offset)[:, None]
        inside = possible[place] & (low[place] <= z) & (z <= high[place])
        kept = np.flatnonzero(inside.any(axis=1))
        yield *np.divmod(pairs[place[kept]], others), z[kept, 0], inside[kept]
        begun, size = until, min(2 * size, LARGEST_PART // 2)


def _classes(vectors: IntArray, groups: list[slice]) -> IntArray:
    """Vectors with entry 0 at the beginning of each group, one for each class up to shifts of groups."""
    moved = vectors.copy()
    for group in groups:
        moved[:, group] -= vectors[:, [group.start or 0]]
    first, _ = group_rows(moved)
    return moved[np.sort(first)]


def _directions(vectors: IntArray) -> IntArray:
    """Equal numbers for positive multiples of one vector, for N vectors."""
    _, group = group_rows(vectors // np.maximum(np.gcd.reduce(vectors, axis=1), 1)[:, None])
    return group


def _fixed(corners: Corners) -> tuple[IntArray, IntArray]:
    """No shift of a channel that is not there."""
    zero = np.zeros((1, len(corners.points)), dtype=np.int64)
    return zero, zero


def _shifts(vectors: IntArray, groups: list[slice], squares: FloatArray) -> tuple[IntArray, IntArray]:
    """Bounds of the sum of shifts of N vectors for squared norms of at most C numbers, (N, C) each.

    Real shifts leave Σ (x − mean)² of each group, and beyond the means a ball in which their sum is largest
    along one direction. The lower bound is above the upper one where nothing is short enough.
    """
    parts = [vectors[:, group] for group in groups]
    means = sum(part.mean(axis=1) for part in parts)
    left = sum(((part - part.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for part in parts)
    spare = squares - np.asarray(left)[:, None] + 1e-6
    reach = np.sqrt(np.maximum(spare, 0.0) * sum(1.0 / part.shape[1] for part in parts))
    low = np.ceil(-np.asarray(means)[:, None] - reach - 1e-6).astype(np.int32)
    high = np.floor(-np.asarray(means)[:, None] + reach + 1e-6).astype(np.int32)
    return low, np.where(spare < 0, low - 1, high)


def _moved(vectors: IntArray, groups: list[slice], square: int) -> tuple[IntArray, IntArray, IntArray]:
    """All shifts of N vectors up to a squared norm: which vector, the result, and the sum of its shifts."""
    row, moved, total = np.arange(len(vectors)), vectors, np.zeros(len(vectors), dtype=np.int64)
    for group in groups:
        low, high = _shifts(moved[:, group], [slice(None)], np.array([float(square)]))
        place, step = repeat_places(np.maximum(high - low + 1, 0)[:, 0])
        shift = low[place, 0] + step
        row, moved, total = row[place], moved[place].copy(), total[place] + shift
        moved[:, group] += shift[:, None]
    short = np.flatnonzero(np.einsum("nf,nf->n", moved, moved) <= square)
    return row[short], moved[short], total[short]
