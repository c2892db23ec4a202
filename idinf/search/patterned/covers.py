"""Pairs of last units: what each may read, and whether two sets of words cover all that they have to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class PairValues:
    """N values v = c·g that one of two units may read, in units of 4^-p, and what they cost at least.

    Attributes
    ----------
    vectors : (N, f)
    direction : (N,), optional
        The direction of each where the two units have to share a channel; −1 for v = 0.
    costs, norms, entries : (N,)
        ‖V‖ + ‖A‖ + ‖b‖, ‖V‖, and the squares of the entries of A that read channels.
    """

    vectors: IntArray
    direction: IntArray | None
    costs: FloatArray
    norms: FloatArray
    entries: FloatArray

    def __len__(self) -> int:
        return len(self.vectors)


def covers(fails: BoolArray, direction: IntArray | None) -> bool:
    """Whether two of some sets of zeros, (n, zeros), are all of them; of one direction where that is given.

    The direction −1 goes with any other one.

    Examples
    --------
    >>> sets = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=bool)
    >>> covers(sets, None), covers(sets[1:], None), covers(sets, np.array([0, 0, 1]))
    (True, False, False)
    """
    if not fails.shape[1]:
        return bool(len(fails))
    if not len(fails) or not fails.any(axis=0).all():
        return False
    if fails.all(axis=1).any():
        return True
    packed = np.packbits(fails, axis=1)
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    words = np.ascontiguousarray(packed).view(np.int64)
    joint = words if direction is None else np.concatenate([words, direction[:, None]], axis=1)
    first, _ = group_rows(joint)
    words, fails = words[first], fails[first]
    full = np.bitwise_or.reduce(words, axis=0)
    hard = np.flatnonzero(fails[:, int(fails.sum(axis=0).argmin())])
    same = None if direction is None else direction[first]
    for begin in range(0, len(hard), 256):
        some = hard[begin : begin + 256]
        hit = np.ones((len(some), len(words)), dtype=np.bool_)
        if same is not None:
            hit = (same[some][:, None] == same[None]) | (same[some][:, None] < 0) | (same[None] < 0)
        for column in range(words.shape[1]):
            hit &= (words[some, column][:, None] | words[None, :, column]) == full[column]
        if hit.any():
            return True
    return False
