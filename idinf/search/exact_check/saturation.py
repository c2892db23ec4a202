"""Summaries that may be merged, or need not be followed, as only so many positions are left: exact.

The units of a uniform layer compare a sum X over the positions before them with a bound that the length and
the features of the position decide. A *cut* at a length is a value that some later comparison answers
differently from the value below it. Values without a cut between them are merged.

Where no continuation of a prefix is in the language, a hypothesis is wrong on a longer word iff it accepts.
It may accept the more readily the larger some sums are and the smaller others are. So of two such prefixes
one may *dominate*: every continuation that is accepted after the other one is accepted after it as well.

Runs to n = 24 need neither. Of the hypotheses that tests know to be right, on words up to length 128: without
cuts that of aa-bb-cc-dd-ee keeps more than 2 million summaries, in place of 1,058, and that of aa-bb-cc takes
4 times as long; without dominance that of anbncn takes 19 times as long, and that of d-3 7 times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from idinf.search.exact_check.nets import JointLayer, NetBatch
from idinf.search.exact_check.summaries import DEFAULT_SIZES, CheckSizes, LinearForms, Masks
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, sort_distinct
from idinf.space.structures import FeatureSpace


class Cuts:
    """Maps summaries to equal ones if all layers treat them alike on all words up to length ``last``.

    Immutable after construction.

    Let D_i be the values X of one sum over the positions before i on which some unit at i answers otherwise
    than on X − 1, for some features of i, and

        C_i = D_i ∪ ⋃_f (C_{i+1} − increment(f)),    C_{last+1} = ∅.

    Let x, x' have no cut of C_i between them. Every unit at i answers alike whatever the features are, as D_i
    ⊆ C_i; and x + increment(f), x' + increment(f) have no cut of C_{i+1} between them. By induction, two
    summaries that differ in such values only behave alike up to ``last``, and as this holds whatever the
    other sums are, all sums can be replaced at once. Values that a sum cannot have after a length are left
    out. A sum that a unit reads together with another one, or that is weighed by N, is kept as it is.
    """

    def __init__(
        self,
        space: FeatureSpace,
        layers: Sequence[JointLayer],
        summary: LinearForms,
        last: int,
        checkpoint: Callable[[], None] = lambda: None,
        sizes: CheckSizes = DEFAULT_SIZES,
    ) -> None:
        #: Of some sums the cuts after each length, ascending.
        self._cuts = [dict[int, IntArray]() for _ in range(last)]
        if space.num_classes * max(map(len, layers)) > sizes.cuts:
            return
        read, free = list[tuple[JointLayer, IntArray, IntArray]](), np.ones(len(summary.largest), np.bool_)
        for layer in layers:
            for head in layer.heads:
                [(_, sums)] = summary.sums(np.zeros(space.size, dtype=np.int64), head.values)
                weights = sums[: len(free)]
                together = np.count_nonzero(weights, axis=0) > layer.uniform
                free &= ~weights[:, together].any(axis=1)
                read.append((layer, head.values, sums))
        classes = space.all_rows()[2**space.units :]  # those of symbols
        steps = [sort_distinct(added) for added in summary.increments(classes).T]
        cuts = dict.fromkeys(np.flatnonzero(free).tolist(), np.zeros(0, dtype=np.int64))
        for position in range(last, 0, -1):
            checkpoint()
            here, told = classes, list[tuple[IntArray, IntArray]]()
            if space.period > 1:
                here = classes[classes[:, space.tokens + position % space.period] == 1]
            for layer, values, sums in read:
                k, units = np.nonzero(sums[: len(free)])
                weight, known = sums[k, units], summary.known(position) @ sums[len(free) :]
                rest = (known + here @ (values + (position + 1) * layer.own).T)[:, units]
                # w X + rest > 0: from floor(-rest / w) + 1 on for w > 0; up to ceil(rest / -w) - 1 for w < 0.
                cut = np.where(weight > 0, -rest // np.abs(weight) + 1, -(-rest // np.abs(weight)))
                told.append((k, cut))
            for one, later in list(cuts.items()):
                own = [cut[:, k == one].ravel() for k, cut in told]
                found = sort_distinct(np.concatenate([*(later - step for step in steps[one]), *own]))
                cuts[one] = found[np.abs(found) <= summary.largest[one] * position]  # $ adds, too
                if len(cuts[one]) > sizes.cuts // (last + 1):
                    del cuts[one]
            self._cuts[position - 1] = cuts.copy()

    def merged(self, kept: IntArray, length: int) -> IntArray:
        """Sums after a length, (S, C) → (S, C), equal where they behave alike."""
        out = kept.copy()
        for k, cuts in self._cuts[length].items():
            least = np.concatenate([cuts[:1] - 1, cuts]) if len(cuts) else np.zeros(1, dtype=np.int64)
            out[:, k] = least[np.searchsorted(cuts, kept[:, k], side="right")]
        return out


#: Effects of raising a number, as flags: a rejection may become an acceptance, or an acceptance a
#: rejection.
HELPS, HURTS = 1, 2


class Dominance:
    """Finds summaries that others dominate, for all of some hypotheses without M. Immutable.

    Every sum and every lower unit has flags: whether raising it can help, and hurt. A unit of the last layer
    has the flag of its sign in U. A sum or a lower unit that a unit reads has the flags of that unit, or the
    opposite ones where the coefficient is negative. A lower unit has the flags of the sums to which it is
    added as well. The flags of several readers, and of several hypotheses, are joined.

    *Claim.* Take two prefixes of one length with equal recent codes. Let numbers that only help be at least
    as large after the second as after the first, numbers that only hurt at most as large, and numbers that do
    both equal. Then this stays so after any further symbols, and the second accepts where the first does. By
    induction over the positions, and the layers at each: a unit that only helps reads, with a positive
    coefficient, only numbers that help, and with a negative one only those that hurt; so its bit does not
    fall. A unit that does both reads only numbers that do both, so its bit is the same. Weights of attention
    are positive and change no sign.
    """

    def __init__(
        self, space: FeatureSpace, layers: Sequence[JointLayer], nets: NetBatch, summary: LinearForms
    ) -> None:
        zero = np.zeros(space.size, dtype=np.int64)
        sums, bits = np.zeros(len(summary.largest), dtype=np.int64), np.zeros(space.units, dtype=np.int64)
        each = np.eye(space.units, dtype=np.int64)
        on, off = space.rows(1, 0, each), space.rows(1, 0, 0 * each)
        added = (summary.increments(on) - summary.increments(off)).T  # (C, units)
        units = (nets.signs > 0).reshape(-1) * HELPS | (nets.signs < 0).reshape(-1) * HURTS
        for layer in reversed(layers):
            if layer is not layers[-1]:
                own = slice(layer.first, layer.first + len(layer))
                # A unit that a head reads is in some sum as well, so its flags come with those of the sum.
                bits[own] |= _flags_of_read(sums, added[:, own].T)
                units = bits[own]
            for head in layer.heads:
                [(_, read)] = summary.sums(zero, head.values)
                sums |= _flags_of_read(units, read[: len(sums)])
            bits |= _flags_of_read(units, layer.own[:, space.first_unit :].T)
        self._moving = np.flatnonzero((sums == HELPS) | (sums == HURTS))
        self._fixed = np.flatnonzero(sums == HELPS | HURTS)
        self._direction = np.where(sums[self._moving] == HELPS, 1, -1)
        self._number = len(sums)

    def __bool__(self) -> bool:
        return bool(len(self._moving))

    def undominated(self, rows: IntArray, masks: Masks, verdicts: IntArray) -> IntArray:
        """Places of rows of which every other one of the S is dominated by one, ascending.

        ``rows``, (S, k): summaries after one length: the sums, then what has to be equal. ``masks``, (S,):
        has to be equal, too. ``verdicts``, (S,): 1 or 0: all continuations are in the language, or none; −1:
        this is not known.
        """
        places = np.flatnonzero(verdicts >= 0)
        if not len(places):
            return np.arange(len(rows))
        chosen, known = rows[places].astype(np.int64), verdicts[places, None]
        towards = self._direction * (1 - 2 * known)
        columns = chosen[:, self._fixed], chosen[:, self._number :], masks[places, None].view(np.int64), known
        most = places[_maximal(chosen[:, self._moving] * towards, np.concatenate(columns, axis=1))]
        return np.sort(np.concatenate([np.flatnonzero(verdicts < 0), most]))


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
        _, ranks = np.unique(-here[:, other], return_inverse=True)
        order = np.lexsort((ranks, -here[:, one], group))
        # Groups are pushed below one another, so one running minimum serves them all.
        pushed = (ranks - group * len(ranks))[order]
        keep = np.r_[True, pushed[1:] < np.minimum.accumulate(pushed)[:-1]]
        places = places[np.sort(order[keep])]
    return places
