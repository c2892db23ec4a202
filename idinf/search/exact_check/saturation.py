"""What sums a hypothesis need not remember when only so many positions are left: exact, for uniform layers.

The units of a uniform layer compare a sum X over the positions before them with a bound that the length and
the features of the position decide. A *cut* at a length is a value that some comparison still to come tells
from the value below it. Values without a cut between them are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from idinf.search.exact_check.joint_layers import FeatureSpace, JointLayer
from idinf.search.exact_check.layer_reader import known_part
from idinf.search.exact_check.merging import DEFAULT_SIZES, CheckSizes
from idinf.search.exact_check.summaries import LinearForms, Sums, query_columns
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray

FAR = 2**60  #: beyond every cut, whatever is added on the way


@dataclass(frozen=True)
class _Cuts:
    """The cuts of one sum."""

    at: BoolArray  #: (last + 1, 2 * bound + 1): whether X = place − bound after a length is told from X − 1
    #: (last + 1,): comparisons to come have one answer below ``low``, and the opposite one from ``high`` on.
    low: IntArray
    high: IntArray

    def representatives(self, values: IntArray, length: int, largest: int) -> IntArray:
        """One value for all without a cut between them, among those that are possible after a length."""
        bound, most = self.at.shape[1] // 2, largest * (length + 1)  # $ adds too
        cuts = self.at[length, bound - most : bound + most + 1]
        places = np.arange(len(cuts))
        start = np.maximum.accumulate(np.where(cuts, places, -1))
        below = int(np.argmax(cuts)) - 1 if cuts.any() else most
        return np.asarray(np.where(start < 0, below, start)[values + most] - most)


@dataclass(frozen=True)
class _UnitReads:
    """What the units of a layer read."""

    layer: JointLayer
    #: A unit, the sums it reads, and the lower units it reads at its own position; of the last layer one of
    #: each kind.
    kinds: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
    tied: BoolArray  #: (C,): sums that are read together with others, or that are weighed by N
    weights: IntArray
    sums: Sums | None

    @property
    def size(self) -> int:
        """Bound on the numbers of a comparison, for one position; 0 where none is tabulated."""
        if self.sums is None:
            return 0
        parts = [self.layer.own, self.layer.heads[0].values, self.sums.known, self.sums.sos[None]]
        return 4 * sum(int(np.abs(part).sum(axis=1).max(initial=0)) for part in parts)

    def cuts(self, space: FeatureSpace, k: int, position: int, rows: IntArray) -> IntArray:
        """Values of sum k that some unit tells from the value below, for positions with given features."""
        units = np.flatnonzero(self.weights[k])
        if self.sums is None or not len(units):
            return np.zeros(0, dtype=np.int64)
        head = self.layer.heads[0]
        known = known_part(space, self.sums.known[:, units], self.sums.sos[units], position)
        # (classes of features, units), over the features
        rest = known + rows @ head.values[units].T + (position + 1) * (rows @ self.layer.own[units].T)
        weight = self.weights[k, units]
        # w X + rest > 0: from floor(-rest / w) + 1 on for w > 0; up to ceil(rest / -w) - 1 for w < 0.
        return np.unique(np.where(weight > 0, -rest // np.abs(weight) + 1, -(-rest // np.abs(weight))))


class Saturation:
    """Maps summaries to such that all layers treat alike on all words up to length ``last``.

    Immutable after construction.

    *Cuts.* Let D_i be the values X of one sum over the positions before i that some unit at i tells from
    X − 1, for some features of i, and

        C_i = D_i ∪ ⋃_f (C_{i+1} − increment(f)),    C_{last+1} = ∅.

    Let x, x' have no cut of C_i between them. Every unit at i answers alike whatever the features are, as D_i
    ⊆ C_i; and x + increment(f), x' + increment(f) have no cut of C_{i+1} between them. By induction, two
    summaries that differ in such values only behave alike up to ``last``, and as this holds whatever the
    other sums are, all sums can be replaced at once. Values that a sum cannot reach by then are left out. A
    sum that a unit reads together with another one, or that is weighed by N, is kept as it is.

    *Dead sums.* Below ``low`` or from ``high`` on, a sum makes every unit that reads it constant, and no
    increment leads back. Such a unit asks for this sum and for nothing else, whatever goes into it. A sum
    that no unit asks for which is itself asked for, from the last layer down, is set to 0: it is asked for
    at no later length either, as constant units stay constant.
    """

    def __init__(
        self,
        space: FeatureSpace,
        lower: Sequence[JointLayer],
        last_layers: Sequence[JointLayer],
        summary: LinearForms,
        last: int,
        checkpoint: Callable[[], None] = lambda: None,
        sizes: CheckSizes = DEFAULT_SIZES,
    ) -> None:
        self._checkpoint = checkpoint
        self._space, self._last, self._largest = space, last, summary.largest
        self._lower = [_units(space, layer, summary, is_top=False) for layer in lower]
        self._last_layers = [_units(space, layer, summary, is_top=True) for layer in last_layers]
        self._cuts: dict[int, _Cuts] = {}
        layers = [*self._lower, *self._last_layers]
        count = sum(len(units.layer) for units in layers if units.sums is not None)
        if max(count, 1) * space.num_classes * (last + 1) > sizes.comparisons:
            return
        if max(units.size for units in layers) * (last + 2) > sizes.cuts_exact:
            return
        every = space.all_rows()
        self._classes = every[every[:, 0] == 0]
        self._added = summary.increments(self._classes)
        self._depends = [
            [unit for unit in range(space.units) if self._changed_by(space.first_unit + unit)[k]]
            for k in range(len(self._largest))
        ]
        tied = np.logical_or.reduce([units.tied for units in layers])
        for k in np.flatnonzero(~tied).tolist():
            if (2 * int(self._largest[k]) * (last + 1) + 1) * (last + 1) <= sizes.cut_cells:
                self._cuts[k] = self._cuts_of(k)

    def __bool__(self) -> bool:
        return bool(self._cuts)

    def merged(self, kept: IntArray, length: int) -> IntArray:
        """Sums after a length, (S, C) → (S, C), equal where they behave alike."""
        out = kept.copy()
        for k, asked in enumerate(self._asked(kept, length)):
            if k in self._cuts:
                out[:, k] = self._cuts[k].representatives(kept[:, k], length, int(self._largest[k]))
            out[:, k] *= False if asked is None else asked
        return out

    def _changed_by(self, feature: int) -> BoolArray:
        """Which increments depend on a lower unit, (C,)."""
        off, on = self._classes[:, feature] == 0, self._classes[:, feature] == 1
        return np.asarray((self._added[off] != self._added[on]).any(axis=0))  # over the classes of features

    def _cuts_of(self, k: int) -> _Cuts:
        space, last, bound = self._space, self._last, int(self._largest[k]) * (self._last + 1)
        at = np.zeros((last + 1, 2 * bound + 1), dtype=np.bool_)  # lengths × values from −bound to bound
        low, high = np.full(last + 1, FAR), np.full(last + 1, -FAR)
        for length in range(last - 1, -1, -1):
            self._checkpoint()
            rows, added = self._classes, self._added[:, k]
            if space.period > 1:
                here = rows[:, space.tokens + (length + 1) % space.period] == 1
                rows, added = rows[here], added[here]
            for step in np.unique(added).tolist():
                to = slice(max(-step, 0), 2 * bound + 1 - max(step, 0))
                at[length, to] |= at[length + 1, max(step, 0) : 2 * bound + 1 - max(-step, 0)]
            told = [units.cuts(space, k, length + 1, rows) for units in (*self._lower, *self._last_layers)]
            direct = np.concatenate(told)
            at[length, direct[np.abs(direct) <= bound] + bound] = True
            low[length] = min(int(direct.min(initial=FAR)), int(low[length + 1] - added.max()))
            high[length] = max(int(direct.max(initial=-FAR)), int(high[length + 1] - added.min()))
        return _Cuts(at, low, high)

    def _asked(self, kept: IntArray, length: int) -> list[BoolArray | None]:
        """Whether each sum is read by a unit that is asked for, C of (S,); None for never."""
        constant = {}
        for k, cuts in self._cuts.items():
            constant[k] = (kept[:, k] < cuts.low[length]) | (kept[:, k] >= cuts.high[length])
        asked: list[BoolArray | None] = [None] * kept.shape[1]
        wanted: list[BoolArray | None] = [None] * self._space.units
        always = np.ones(len(kept), dtype=np.bool_)
        layers = [(units, True) for units in self._last_layers] + [
            (units, False) for units in reversed(self._lower)
        ]
        for units, is_top in layers:
            for unit, reads, present in units.kinds:
                here = always if is_top else wanted[units.layer.first + unit]
                if here is None:
                    continue
                acts = here
                for k in reads:
                    asked[k] = _either(asked[k], here)
                    acts = acts & ~constant[k] if k in constant else acts
                for below in {*present, *(u for k in reads for u in self._depends[k])}:
                    wanted[below] = _either(wanted[below], acts)
        return asked


def _either(one: BoolArray | None, other: BoolArray) -> BoolArray:
    return other if one is None else one | other


def _units(space: FeatureSpace, layer: JointLayer, summary: LinearForms, is_top: bool) -> _UnitReads:
    number = len(layer)
    if not layer.uniform:
        reads = np.zeros(len(summary.largest), dtype=np.bool_)
        for head in layer.heads:
            reads |= head.logits is not None  # there are too many columns to look at for what little is left
            for column in query_columns(space, head) if head.logits is None else ():
                for _, sums in summary.sums(column, head.values):
                    reads |= sums.weights.any(axis=1)
        below = np.arange(space.units) < (space.units if is_top else layer.first)
        kinds = tuple((unit, _places(reads), _places(below)) for unit in range(1 if is_top else number))
        return _UnitReads(layer, kinds, reads, np.zeros((len(reads), number), dtype=np.int64), None)
    present = layer.own[:, space.first_unit :] != 0
    weights, parts = np.zeros((len(summary.largest), number), dtype=np.int64), None
    if layer.heads:
        values = layer.heads[0].values
        [(_, parts)] = summary.sums(np.zeros(space.size, dtype=np.int64), values)
        weights = parts.weights
        present = present | (values[:, space.first_unit :] != 0)
    tied = np.asarray(weights[:, np.count_nonzero(weights, axis=0) > 1].any(axis=1))
    first = np.arange(number)
    if is_top:
        first, _ = group_rows(np.concatenate([weights.T != 0, present], axis=1).astype(np.int64))
    kinds = tuple((u, _places(weights[:, u]), _places(present[u])) for u in np.sort(first).tolist())
    return _UnitReads(layer, kinds, tied, weights, parts)


def _places(flags: BoolArray | IntArray) -> tuple[int, ...]:
    return tuple(np.flatnonzero(flags).tolist())
