"""Appendix G.2: products p_i^T Q^T K p_j fitted to a function of i − j on short inputs, asked on long ones.

Positions and matrices are trained by Adam on the mean square error over causal pairs inside of windows of 50
positions at random offsets, plus a little of the mean squares of the weights. Then windows of 100 and 150 are
asked. Nothing here is exact: these are floats, and an experiment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

#: Functions of the distance by name, where they are true; see `tabulate`.
FUNCTIONS: dict[str, Callable[[int], int]] = {
    "local": lambda k: k == 1,
    "periodic": lambda k: k % 5 == 0,
    "combined": lambda k: (k == 1) + (k % 5 == 0),
    "neither": lambda k: math.isqrt(k) ** 2 == k,
}

#: What they mean, in words.
MEANINGS = {
    "local": "i - j = 1",
    "periodic": "i - j divisible by 5",
    "combined": "the sum of both",
    "neither": "i - j is a square",
}

#: What a function is where its condition is true. The source does not say which constant it took.
VALUE = 5.0


@dataclass(frozen=True, slots=True)
class Training:
    """How products are fitted; the numbers are those of the paper."""

    steps: int
    positions: int = 200
    length: int = 50  #: of the windows that are trained on
    asked: tuple[int, ...] = (50, 100, 150)  #: lengths of windows that are asked
    batch: int = 64
    rate: float = 1e-3
    decay: float = 0.01  #: factor of the mean squares of the weights


@dataclass(frozen=True, slots=True)
class Fit:
    """One fitted product: its mean square errors, by length of the windows."""

    function: str
    width: int
    seed: int
    losses: tuple[tuple[int, float], ...]
    zero_losses: tuple[tuple[int, float], ...]  #: those of the product that is 0 everywhere


def fit(function: str, width: int, seed: int, training: Training) -> Fit:
    """Fit a product of some width to one of `FUNCTIONS`, from entries of variance 1/width.

    A step takes time O(N² d + N d²) for N positions, not for each window of the batch: windows overlap, and
    the loss adds up squares of one N × N matrix, weighted by how many windows hold a pair.

    >>> found = fit("local", 8, 0, Training(steps=20, positions=20, length=10, asked=(10, 20)))
    >>> [length for length, _ in found.losses]
    [10, 20]
    """
    rng = np.random.default_rng(seed)
    wanted = tabulate(function, training.positions)
    sizes = (training.positions, width, width)
    weights = [rng.normal(scale=1 / math.sqrt(width), size=(size, width)) for size in sizes]
    adam = _Adam(weights, training.rate)
    for _ in range(training.steps):
        offsets = rng.integers(0, training.positions - training.length + 1, size=training.batch)
        pairs = weigh_pairs(training.positions, training.length, offsets)
        adam.step(compute_gradient(weights, wanted, pairs, training.decay))
    errors, zero = (
        tuple((n, _mean_over_windows((product - wanted) ** 2, n)) for n in training.asked)
        for product in (multiply(weights), np.zeros_like(wanted))
    )
    return Fit(function, width, seed, errors, zero)


def _mean_over_windows(squares: FloatArray, length: int) -> float:
    """The mean over causal pairs inside of all windows of a length."""
    return float((weigh_pairs(len(squares), length, range(len(squares) - length + 1)) * squares).sum())


def tabulate(function: str, positions: int) -> FloatArray:
    """One of `FUNCTIONS` on all pairs j ≤ i, times `VALUE`; 0 where j > i."""
    by_distance = VALUE * np.array([FUNCTIONS[function](k) for k in range(positions)], dtype=np.float64)
    distances = np.subtract.outer(np.arange(positions), np.arange(positions))
    return np.asarray(np.where(distances >= 0, by_distance[np.abs(distances)], 0.0))


def weigh_pairs(positions: int, length: int, offsets: Sequence[int] | NDArray[Any]) -> FloatArray:
    """Weights of pairs (i, j) that sum to 1: how many windows hold both, where j ≤ i.

    >>> (6 * weigh_pairs(3, 2, [0, 1])).tolist()
    [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]
    """
    begun = np.cumsum(
        np.bincount(np.asarray(offsets), minlength=positions)
    )  # windows that begin at or before
    ended = np.concatenate([np.zeros(length), begun])[:positions]  # and that end before
    held = np.tril(np.maximum(begun[None, :] - ended[:, None], 0))
    return np.asarray(held / held.sum())


def multiply(weights: Sequence[FloatArray]) -> FloatArray:
    """All products p_i^T Q^T K p_j of positions, keys and queries."""
    rows, keys, queries = weights
    return (rows @ queries.T) @ (rows @ keys.T).T


def compute_gradient(
    weights: Sequence[FloatArray], wanted: FloatArray, pairs: FloatArray, decay: float
) -> list[FloatArray]:
    """The gradient of the weighted square error, plus that of ``decay`` times the mean squares of weights."""
    rows, keys, queries = weights
    asked, given = rows @ queries.T, rows @ keys.T
    slope = 2 * pairs * (asked @ given.T - wanted)
    by_query, by_key = slope @ given, slope.T @ asked
    found = [by_query @ queries + by_key @ keys, by_key.T @ rows, by_query.T @ rows]
    return [own + 2 * decay / weight.size * weight for own, weight in zip(found, weights, strict=True)]


class _Adam:
    """Adam with the usual constants. Mutable: it changes the weights that it is given."""

    def __init__(self, weights: list[FloatArray], rate: float) -> None:
        self.weights, self.rate, self.steps = weights, rate, 0
        self.means = [np.zeros_like(weight) for weight in weights]
        self.squares = [np.zeros_like(weight) for weight in weights]

    def step(self, gradient: list[FloatArray]) -> None:
        self.steps += 1
        size = self.rate * math.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for weight, own, mean, square in zip(self.weights, gradient, self.means, self.squares, strict=True):
            mean += 0.1 * (own - mean)
            square += 0.001 * (own * own - square)
            weight -= size * mean / (np.sqrt(square) + 1e-8)
