"""Ranks and spectral norms of many small matrices at once, one for each column of an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from idinf.space.grid import IntArray

FloatArray = NDArray[np.float64]


def rank_and_norm(rows: list[IntArray]) -> tuple[FloatArray, FloatArray]:
    """Rank and spectral norm of stacks of 1..4 rows, each (F, C)."""
    if len(rows) == 1:
        squares = (rows[0] * rows[0]).sum(axis=0)
        return (squares > 0).astype(np.float64), np.sqrt(squares)
    if len(rows) == 2:
        a, d = (np.einsum("fc,fc->c", row, row) for row in rows)
        b = np.einsum("fc,fc->c", rows[0], rows[1])
        rank: FloatArray = ((a + d) > 0).astype(np.float64) + (a * d > b * b)
        return rank, np.sqrt((a + d + np.sqrt((a - d) ** 2 + 4.0 * b * b)) / 2.0)
    stack = np.stack(rows).transpose(2, 0, 1).astype(np.float64)
    singular = np.linalg.svd(stack, compute_uv=False).astype(np.float64)
    return (singular > 1e-6).sum(axis=1).astype(np.float64), singular[:, 0]


def spectral_norms(entries: IntArray, size: int) -> FloatArray:
    """Spectral norms of C square matrices from their entries row by row, (size², C) → (C,); float64.

    Examples
    --------
    >>> spectral_norms(np.array([[1, 0], [0, 0], [0, 0], [2, 0]]), 2).tolist()
    [2.0, 0.0]
    """
    norms = np.zeros(entries.shape[1])
    used = entries.any(axis=0)
    matrices = entries[:, used].T.reshape(-1, size, size).astype(np.float64)
    norms[used] = np.linalg.svd(matrices, compute_uv=False).max(axis=1, initial=0.0)
    return norms
