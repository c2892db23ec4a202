"""Prefixes that need not be followed, as another one is wrong on a continuation wherever these are.

Where no continuation of a prefix is in the language, a hypothesis is wrong on a longer word iff it accepts.
It may accept the more readily the larger some sums are and the smaller others are. So of two such prefixes
one may *dominate*: every continuation that is accepted after the other one is accepted after it as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idinf.search.exact_check.joint_layers import FeatureSpace, JointLayer, Readout
from idinf.search.exact_check.merging import Masks, distinct_rows
from idinf.search.exact_check.summaries import LinearForms
from idinf.space.grid import IntArray

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
        _, group = distinct_rows(rest)
        first, second = here[:, one], here[:, other]
        order = np.lexsort((-second, -first, group))
        span = int(second.max()) - int(second.min()) + 1
        height = second[order] + group[order] * span  # in every group above all of the one before
        before = np.maximum.accumulate(height)[:-1]
        places = places[np.sort(order[np.concatenate([[True], height[1:] > before])])]
    return places
