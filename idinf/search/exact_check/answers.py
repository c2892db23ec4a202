"""What rows U say about units: one truth value, or K of them for next symbols.

The rows of N hypotheses over t units are an (N, t) array for acceptance, and (N, K, t) for next symbols, with
K = |Σ| + 1: the symbols, then end-of-string.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idinf.experiments.spec import Answer
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray


def answers(bits: NDArray[np.generic], signs: IntArray, threshold: IntArray, answer: Answer) -> BoolArray:
    """Answers of N hypotheses on S rows, (S, N) or (S, N, K), by the bits of their last units, (S, N, t).

    The rows U are (N, t) for acceptance and (N, K, t) for next symbols, where K = |Σ| + 1: the symbols, then
    end-of-string. For one symbol just one of each row is true: the first of those with the largest value.

    Examples
    --------
    >>> units = np.array([[[1, 0]]])
    >>> rows, zero = np.array([[[0, 0], [1, 0], [1, 0], [0, 1]]]), np.array([0])
    >>> answers(units, rows, zero, Answer.SET).tolist()
    [[[False, True, True, False]]]
    >>> answers(units, rows, zero, Answer.SYMBOL).tolist()
    [[[False, True, False, False]]]
    """
    small = bits.astype(np.int8)
    if answer is Answer.ACCEPT:
        return np.asarray((small * signs.astype(np.int8)).sum(axis=2, dtype=np.int8) > threshold)
    totals = (small[:, :, None, :] * signs.astype(np.int8)).sum(axis=3, dtype=np.int8)
    if answer is Answer.SET:
        return np.asarray(totals > threshold[:, None])
    return np.asarray(totals.argmax(axis=2)[:, :, None] == np.arange(totals.shape[2]))
