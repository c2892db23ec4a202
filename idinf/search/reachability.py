"""Exact fail lengths by joint reachability of hypotheses and target.

A prefix is summarised by a few integers (linear forms of the counts of tokens and lower units, enough to
compute every unit from here on) and by the target's state. Prefixes with equal summaries behave alike for
ever and are merged, so all words of a length are covered by the reachable summaries of that length:
polynomially many where there are 2^128 words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from idinf.errors import BudgetError, PrecisionError
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray, Units
from idinf.targets.machine import Target
from idinf.words import Word

__all__ = ["Nets", "ScaledUnits", "fail_lengths", "least_counterexample"]

#: Products run in float64 on integers; below 2^53 every sum is exact.
FLOAT64_EXACT = 2**53

#: Merged summaries of one length, at most, before the check gives up and says so; about 100 bytes each.
DEFAULT_MAX_STATES = 4_000_000


@dataclass(frozen=True)
class ScaledUnits:
    """N units over f features in units of 4^-p: 1 iff ⟨values, counts⟩ + (n+1)(⟨own, last⟩ + bias) > 0."""

    values: IntArray
    own: IntArray
    bias: IntArray

    @staticmethod
    def of(units: Units, features: int | None = None) -> ScaledUnits:
        """Bring units to one scale, padded with zeros to ``features`` features."""
        scale = 2**units.precision
        pad = ((0, 0), (0, (features or units.own.shape[1]) - units.own.shape[1]))
        return ScaledUnits(np.pad(units.values, pad), np.pad(scale * units.own, pad), scale * units.bias)

    @staticmethod
    def concatenate(parts: list[ScaledUnits], features: int) -> ScaledUnits:
        """Stack lists over fewer features into one list over ``features``."""
        pads = [((0, 0), (0, features - part.own.shape[1])) for part in parts]
        return ScaledUnits(
            np.concatenate(
                [np.zeros((0, features), np.int64), *map(np.pad, (p.values for p in parts), pads)]
            ),
            np.concatenate([np.zeros((0, features), np.int64), *map(np.pad, (p.own for p in parts), pads)]),
            np.concatenate([np.zeros(0, np.int64), *(part.bias for part in parts)]),
        )


@dataclass(frozen=True)
class Nets:
    """N hypotheses that share their lower layers.

    Attributes
    ----------
    lower : ScaledUnits
        The m lower units in order; unit u reads the tokens and units before it.
    top : ScaledUnits
        The N · t units of the last layer, those of one hypothesis together.
    signs : (N, t) ndarray of int64
        The row U on the last units.
    threshold : (N,) ndarray of int64
    """

    lower: ScaledUnits
    top: ScaledUnits
    signs: IntArray
    threshold: IntArray

    def __len__(self) -> int:
        return len(self.threshold)

    def take(self, index: IntArray) -> Nets:
        """The hypotheses at the given places."""
        width = self.signs.shape[1]
        rows = (index[:, None] * width + np.arange(width)).reshape(-1)
        top = ScaledUnits(self.top.values[rows], self.top.own[rows], self.top.bias[rows])
        return Nets(self.lower, top, self.signs[index], self.threshold[index])


def fail_lengths(
    target: Target,
    nets: Nets,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    checkpoint: Callable[[], None] = lambda: None,
) -> IntArray:
    """Length of a shortest word on which each hypothesis differs from the target.

    Parameters
    ----------
    target : Target
    nets : Nets
    horizon : int
        Longest length that counts (2 · max_n).
    max_states : int
        Bound on the summaries of one length.
    checkpoint : callable
        Called before every length; may raise to stop.

    Returns
    -------
    (N,) ndarray of int64
        Fail length; -1 if there is no difference up to ``horizon``.

    Raises
    ------
    BudgetError
        If more summaries than ``max_states`` would have to be kept.

    Notes
    -----
    Implements fail of [HYB25] Definition 6 for uniform heads: exact integer arithmetic. Cost is linear in
    the number of summaries, at most O(n^(independent forms)) of them per length.
    """
    fails = np.full(len(nets), -1, dtype=np.int64)
    for group in _groups(nets):
        run = _Run(target, nets.take(group), horizon, max_states)
        alive = np.arange(len(group))
        for length, wrong in run.lengths():
            checkpoint()
            dead = np.any(wrong, axis=0)[alive]
            fails[group[alive[dead]]] = length
            alive = alive[~dead]
            if not len(alive):
                break
    return fails


def least_counterexample(
    target: Target, net: Nets, horizon: int, max_states: int = DEFAULT_MAX_STATES
) -> Word | None:
    """Shortlex-least word of length at most ``horizon`` on which one hypothesis differs from the target.

    Summaries are kept in the order of their least word, so the first wrong one has the least word.
    """
    run = _Run(target, net, horizon, max_states)
    trail: list[tuple[IntArray, IntArray]] = []
    for _, wrong in run.lengths(trail):
        bad = np.flatnonzero(wrong[:, 0])
        if len(bad):
            codes: list[int] = []
            place = int(bad[0])
            for parents, symbols in reversed(trail):
                codes.append(int(symbols[place]))
                place = int(parents[place])
            return tuple(reversed(codes))
    return None


def _groups(nets: Nets) -> list[IntArray]:
    """Split hypotheses so that each group's summaries stay few.

    When plain counts need at most two columns, one run serves all; otherwise one run per value vector,
    whose accumulators merge more prefixes than counts do.
    """
    if _few_counts(nets):
        return [np.arange(len(nets))] if len(nets) else []
    keys = nets.top.values.reshape(len(nets), -1)
    _, group = group_rows(keys)
    return [np.flatnonzero(group == k) for k in range(int(group.max(initial=-1)) + 1)]


def _few_counts(nets: Nets) -> bool:
    lower = len(nets.lower.bias)
    symbols = nets.top.values.shape[1] - lower - 1
    return bool(symbols - 1 + lower <= 2)


class _Run:
    """One breadth-first run over the summaries of a group. Mutable: it is the frontier."""

    def __init__(self, target: Target, nets: Nets, horizon: int, max_states: int) -> None:
        self.target, self.nets, self.horizon, self.max_states = target, nets, horizon, max_states
        self.lower = len(nets.lower.bias)
        self.features = nets.top.values.shape[1]
        self.tokens = self.features - self.lower
        self.needed = np.concatenate([nets.lower.values, nets.top.values])
        self.forms, self.weights, self.constant = self._choose_forms()
        self._guard()

    def _choose_forms(self) -> tuple[IntArray, IntArray, IntArray]:
        """Columns of a summary, and every needed ⟨v, counts⟩ as columns @ weights + constant."""
        if _few_counts(self.nets):
            forms = np.eye(self.features, dtype=np.int64)[1:]
            return forms, self.needed[:, 1:].T, self.needed[:, 0]
        first, place = group_rows(self.needed)
        forms = self.needed[first]
        used = forms.any(axis=1)
        weights = np.zeros((len(forms), len(self.needed)), dtype=np.int64)
        weights[place, np.arange(len(self.needed))] = 1
        return forms[used], weights[used], np.zeros(len(self.needed), dtype=np.int64)

    def _guard(self) -> None:
        nets, n = self.nets, self.horizon + 1
        largest = np.abs(self.needed).sum(axis=1).max(initial=0) * n
        for units in (nets.lower, nets.top):
            own = np.abs(units.own).sum(axis=1, initial=0) + np.abs(units.bias)
            largest = max(int(largest), int(largest) + int(own.max(initial=0)) * n)
        if largest >= FLOAT64_EXACT:
            raise PrecisionError(
                f"an accumulator could reach {largest}; lower --precision, --max-n or --max-r"
            )

    def lengths(
        self, trail: list[tuple[IntArray, IntArray]] | None = None
    ) -> Iterator[tuple[int, BoolArray]]:
        """Yield (length, wrong): which arrivals of that length which hypothesis gets wrong, (S, N) bool.

        Arrivals are in the order of their least words. With ``trail``, back-pointers (parent, symbol) of the
        arrivals of every length are appended.
        """
        columns = np.zeros((1, len(self.forms)), dtype=np.int64)
        columns, outputs = self._read(columns, 0, 1)
        states = self.target.start()
        yield 0, outputs != self.target.labels(states)[:, None]
        origin = np.zeros(1, dtype=np.int64)
        for length in range(1, self.horizon + 1):
            symbols = self.tokens - 1
            reads = [self._read(columns, code + 1, length + 1) for code in range(symbols)]
            steps = [self.target.step(states, code) for code in range(symbols)]
            arrived = _interleave([read[0] for read in reads])
            outputs = _interleave([read[1] for read in reads])
            targets = _interleave(steps)
            if trail is not None:
                trail.append((np.repeat(origin, symbols), np.tile(np.arange(symbols), len(columns))))
            yield length, outputs != self.target.labels(targets)[:, None]
            origin = _first_of_each(np.concatenate([arrived, targets], axis=1))
            if len(origin) > self.max_states:
                raise BudgetError(
                    f"exact check at length {length}: {len(origin)} joint states, more than the "
                    f"{self.max_states} that fit the memory bound; raise --memory or lower --max-n"
                )
            columns, states = arrived[origin], targets[origin]

    def _read(self, columns: IntArray, token: int, positions: int) -> tuple[IntArray, BoolArray]:
        """Read one token: new columns (S, c) and the outputs of all hypotheses (S, N)."""
        nets = self.nets
        columns = columns + self.forms[:, token]
        bits = np.zeros((len(columns), self.lower), dtype=np.int64)
        for u in range(self.lower):
            total = columns @ self.weights[:, u] + self.constant[u]
            own = nets.lower.own[u, token] + bits @ nets.lower.own[u, self.tokens :] + nets.lower.bias[u]
            bits[:, u] = total + positions * own > 0
            columns += bits[:, u, None] * self.forms[:, self.tokens + u]
        with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all numbers are finite
            total = columns.astype(np.float64) @ self.weights[:, self.lower :] + self.constant[self.lower :]
        own = nets.top.own[:, token] + bits @ nets.top.own[:, self.tokens :].T + nets.top.bias
        units = (total + positions * own > 0).reshape(len(columns), *nets.signs.shape)
        return columns, (units * nets.signs).sum(axis=2) > nets.threshold


_Array = TypeVar("_Array", IntArray, BoolArray)


def _interleave(parts: list[_Array]) -> _Array:
    """Arrivals by state, then by symbol: the order of their least words."""
    size, width = parts[0].shape
    return np.stack(parts, axis=1).reshape(size * len(parts), width)


def _first_of_each(rows: IntArray) -> IntArray:
    """Index of the first of each distinct row, increasing: packed into one int64 where the ranges allow."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    widths = [int(w) for w in high - low + 1]
    size = 1
    for width in widths:
        size *= width
    if size >= 2**62:
        return np.sort(group_rows(rows)[0])
    strides = np.ones(len(widths), dtype=np.int64)
    for k in range(1, len(widths)):
        strides[k] = strides[k - 1] * widths[k - 1]
    return np.sort(np.unique((rows - low) @ strides, return_index=True)[1])
