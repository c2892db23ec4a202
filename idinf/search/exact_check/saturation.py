"""Which summaries are one, and which need not be followed, when only so many positions are left: exact.

The units of a uniform layer compare a sum X over the positions before them with a bound that the length and
the features of the position decide. A *cut* at a length is a value that some comparison still to come tells
from the value below it. Values without a cut between them are one.

Where no continuation of a prefix is in the language, a hypothesis is wrong on a longer word iff it accepts.
It may accept the more readily the larger some sums are and the smaller others are. So of two such prefixes
one may *dominate*: every continuation that is accepted after the other one is accepted after it as well.

Runs to n = 24 need neither. To check the hypothesis of aa-bb-cc-dd-ee on words up to length 128 takes 2 s,
and 60 times as long without cuts; that of anbncn takes 20 times as long without dominance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from idinf.search.exact_check.merging import DEFAULT_SIZES, CheckSizes, Masks
from idinf.search.exact_check.nets import FeatureSpace, JointLayer, Readout
from idinf.search.exact_check.summaries import LinearForms, Sums, known_part, query_columns
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


#: What raising a number can do, as flags: turn a rejection into an acceptance, or an acceptance into a
#: rejection.
HELPS, HURTS = 1, 2


class Dominance:
    """Finds summaries that others dominate, for all of some hypotheses without M. Immutable.

    Every sum and every lower unit has flags: whether raising it can help, and hurt. A unit of the last layer
    has the flag of its sign in U. What a unit reads, a sum or a lower unit, has the flags of that unit, or
    the opposite ones where the coefficient is negative. A lower unit has those of the sums it is added to as
    well. The flags of several readers, and of several hypotheses, are joined.

    *Claim.* Take two prefixes of one length with equal recent codes. Let what only helps be at least as large
    after the second as after the first, what only hurts at most as large, and what does both equal. Then this
    stays so after any further symbols, and the second accepts where the first does. By induction over the
    positions, and the layers at each: a unit that only helps reads with a positive coefficient only what
    helps, and with a negative one only what hurts; so its bit does not fall. A unit that does both reads only
    what does both, so its bit is the same. Weights of attention are positive and change no sign.
    """

    def __init__(
        self, space: FeatureSpace, lower: Sequence[JointLayer], readout: Readout, summary: LinearForms
    ) -> None:
        zero = np.zeros(space.size, dtype=np.int64)
        sums, bits = np.zeros(len(summary.largest), dtype=np.int64), np.zeros(space.units, dtype=np.int64)
        each = np.eye(space.units, dtype=np.int64)
        on, off = space.rows(1, 0, each), space.rows(1, 0, 0 * each)
        added = (summary.increments(on) - summary.increments(off)).T  # (C, units)
        units = (readout.signs > 0).reshape(-1) * HELPS | (readout.signs < 0).reshape(-1) * HURTS
        for layer in (readout.layer, *reversed(lower)):
            if layer is not readout.layer:
                own = slice(layer.first, layer.first + len(layer))
                # What a head reads of a unit is in some sum as well, so its flags come with those of the sum.
                bits[own] |= _flags_of_read(sums, added[:, own].T)
                units = bits[own]
            for head in layer.heads:
                [(_, read)] = summary.sums(zero, head.values)
                sums |= _flags_of_read(units, read.weights)
            bits |= _flags_of_read(units, layer.own[:, space.first_unit :].T)
        self._moving = np.flatnonzero((sums == HELPS) | (sums == HURTS))
        self._fixed = np.flatnonzero(sums == HELPS | HURTS)
        self._direction = np.where(sums[self._moving] == HELPS, 1, -1)
        self._number = len(sums)

    def __bool__(self) -> bool:
        return bool(len(self._moving))

    def undominated(self, rows: IntArray, masks: Masks | None, verdicts: IntArray) -> IntArray:
        """Places of rows of which every other one of the S is dominated by one, ascending.

        ``rows``, (S, k): summaries after one length: the sums, then what has to be equal. ``masks``, (S,):
        has to be equal, too. ``verdicts``, (S,): 1 or 0: all continuations are in the language, or none; −1:
        this is not known.
        """
        kept = [np.flatnonzero(verdicts < 0)]
        for verdict in (0, 1):
            places = np.flatnonzero(verdicts == verdict)
            if not len(places):
                continue
            chosen = rows[places].astype(np.int64)
            equal = [chosen[:, self._fixed], chosen[:, self._number :]]
            if masks is not None:
                equal.append(masks[places, None].view(np.int64))
            towards = self._direction * (-1 if verdict else 1)
            kept.append(places[_maximal(chosen[:, self._moving] * towards, np.concatenate(equal, axis=1))])
        return np.sort(np.concatenate(kept))


def _flags_of_read(readers: IntArray, coefficients: IntArray) -> IntArray:
    """Flags of C things that U others, which have flags, read with some coefficients; (U,), (C, U) → (C,)."""
    turned = (readers & HELPS) << 1 | readers >> 1
    flags = np.where(coefficients > 0, readers, np.where(coefficients < 0, turned, 0))
    return np.asarray(np.bitwise_or.reduce(flags, axis=1))


def _maximal(values: IntArray, equal: IntArray) -> IntArray:
    """Places of rows that include all maximal ones of (S, m), among those with equal ``equal``, (S, e).

    Two columns are looked at at a time, so of three or more some rows stay that are not maximal.

    >>> _maximal(np.array([[0, 1], [1, 0], [0, 0], [0, 0]]), np.array([[5], [5], [5], [6]])).tolist()
    [0, 1, 3]
    """
    places, count = np.arange(len(values)), values.shape[1]
    pairs = [(0, 0)] if count == 1 else [(k, (k + 1) % count) for k in range(count if count > 2 else 1)]
    for one, other in pairs:
        here = values[places]
        rest = np.concatenate([np.delete(here, [one, other], axis=1), equal[places]], axis=1)
        _, group = group_rows(rest)
        first, second = here[:, one], here[:, other]
        order = np.lexsort((-second, -first, group))
        span = int(second.max()) - int(second.min()) + 1
        height = second[order] + group[order] * span  # in every group above all of the one before
        before = np.maximum.accumulate(height)[:-1]
        places = places[np.sort(order[np.concatenate([[True], height[1:] > before])])]
    return places
