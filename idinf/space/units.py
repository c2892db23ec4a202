"""Lists of units of one layer as integer parameters, and what they cost.

Parameters are integers in units of 2^-p: the channel g a unit reads (over the layer's features), the entry
c of A with which it reads it, own features s, bias b. The unit is

    Heaviside( Σ_{j≤i} ⟨c·g, features_j⟩ / (i+1) + ⟨s, features_i⟩ + b ),

so in units of 4^-p and times i + 1 it is 1 iff ⟨c·g, counts⟩ + 2^p (i+1)(⟨s, features_i⟩ + b) > 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.errors import BudgetError
from idinf.space.grid import IntArray, grid_ball, largest_square
from idinf.space.structures import Cost
from idinf.transformers.regularizer import Aggregate

__all__ = ["MAX_UNITS", "SLACK", "BoolArray", "FloatArray", "Units", "check_size", "joined", "single_units"]

BoolArray = NDArray[np.bool_]

FloatArray = NDArray[np.float64]

#: Slack of every pruning comparison of R; the reported comparisons use the documented epsilon.
SLACK = 1e-9

#: Units of one list unless a caller bounds it: about 4 GB with what is computed from them.
MAX_UNITS = 8_000_000


@dataclass(frozen=True)
class Units:
    """A list of N units over f features, as arrays of integers in units of 2^-p.

    Attributes
    ----------
    channel : (N, f) ndarray of int64
        The channel g each unit reads; zero if it reads none.
    entry : (N,) ndarray of int64
        The entry c of A that reads it: 2^p on a channel of its own, 0 without a channel.
    own : (N, f) ndarray of int64
        s, the weights of the unit's own position.
    bias : (N,) ndarray of int64
    """

    precision: int
    channel: IntArray
    entry: IntArray
    own: IntArray
    bias: IntArray

    def __len__(self) -> int:
        return len(self.bias)

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Units:
        """The units at the given places."""
        return Units(
            self.precision, self.channel[index], self.entry[index], self.own[index], self.bias[index]
        )

    @staticmethod
    def concatenate(parts: list[Units]) -> Units:
        """Join non-empty lists over the same features."""
        return Units(
            parts[0].precision,
            np.concatenate([u.channel for u in parts]),
            np.concatenate([u.entry for u in parts]),
            np.concatenate([u.own for u in parts]),
            np.concatenate([u.bias for u in parts]),
        )

    @staticmethod
    def none(features: int, precision: int) -> Units:
        """The empty list."""
        empty, nothing = np.zeros((0, features), dtype=np.int64), np.zeros(0, dtype=np.int64)
        return Units(precision, empty, nothing, empty, nothing)

    @property
    def values(self) -> IntArray:
        """c·g, what the unit reads of the averaged features, (N, f) in units of 4^-p."""
        product: IntArray = self.channel * self.entry[:, None]
        return product

    @property
    def channel_square(self) -> IntArray:
        """‖g‖² in units of 4^-p, (N,)."""
        return np.asarray(np.einsum("nf,nf->n", self.channel, self.channel))

    @property
    def row_square(self) -> IntArray:
        """c² + ‖s‖², the unit's share of ‖A‖_F² in units of 4^-p, (N,)."""
        return np.asarray(self.entry**2 + np.einsum("nf,nf->n", self.own, self.own))

    @property
    def costs(self) -> FloatArray:
        """rank_V, ‖V‖, ‖A‖_F and ‖b‖ of a layer of this unit alone, (N, 4)."""
        step = 2.0**-self.precision
        return np.stack(
            [
                (self.entry != 0).astype(np.float64),
                step * np.sqrt(self.channel_square),
                step * np.sqrt(self.row_square),
                step * np.abs(self.bias),
            ],
            axis=1,
        )


def check_size(size: int, most: int) -> None:
    """Refuse a list of units, or of pairs of units, that would not fit the memory bound."""
    if size > most:
        raise BudgetError(
            f"a layer has more than {most} realisations within the budget of R, more than the memory bound "
            "holds; raise --memory, or lower --max-r, --units or --precision"
        )


def joined(rest: float, values: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Aggregate one term of R of the remaining layers with that of many candidates."""
    return rest + values if aggregate is Aggregate.SUM else np.maximum(rest, values)


def single_units(
    features: int,
    precision: int,
    head: bool,
    budget: float,
    rest: Cost,
    aggregate: Aggregate,
    most: int = MAX_UNITS,
) -> Units:
    """List every unit that is alone in its layer within a budget of R.

    Parameters
    ----------
    features : int
        Number of features the layer reads.
    head : bool
        Whether the unit reads a channel (g ≠ 0, with entry exactly 1) or none.
    budget : float
        Bound on rank_V + ‖V‖ + ‖A‖ + ‖b‖ of the whole hypothesis.
    rest : Cost
        What the other layers cost at least.
    most : int
        Bound on the length of the list.

    Returns
    -------
    Units
        Complete: no unit with a smaller or equal cost is missing. Ordered by bias, channel, own weights.

    Raises
    ------
    BudgetError
        If there are more than ``most`` units; nothing is listed then.

    Notes
    -----
    Lists are combined by prefix: for every bias and every channel the admissible s are a prefix of the
    list by norm. Floats prune with slack 1e-9, so they never lose a unit.
    """
    step = 2.0**-precision
    one = 2**precision
    budget = budget - float(joined(rest.rank, np.array([float(head)]), aggregate)[0]) + SLACK
    norm_A_least = float(joined(rest.norm_A, np.array([1.0 if head else 0.0]), aggregate)[0])
    norm_V_least = float(joined(rest.norm_V, np.array([step if head else 0.0]), aggregate)[0])
    spare = budget - norm_A_least - norm_V_least - rest.norm_b
    if spare < 0:
        return Units.none(features, precision)
    widest_V = budget - norm_A_least - rest.norm_b - (rest.norm_V if aggregate is Aggregate.SUM else 0.0)
    widest_A = budget - norm_V_least - rest.norm_b - (rest.norm_A if aggregate is Aggregate.SUM else 0.0)
    widest_b = budget - norm_V_least - norm_A_least - (rest.norm_b if aggregate is Aggregate.SUM else 0.0)
    if head:
        channels = grid_ball(features, largest_square(widest_V / step))[1:]
    else:
        channels = np.zeros((1, features), dtype=np.int64)
    own_square = math.sqrt(max(widest_A**2 - (1.0 if head else 0.0), 0.0)) / step
    owns = grid_ball(features, largest_square(own_square))
    norm_V = joined(rest.norm_V, step * np.sqrt(np.einsum("nf,nf->n", channels, channels)), aggregate)
    squares = step * step * np.einsum("nf,nf->n", owns, owns)
    norm_A = joined(rest.norm_A, np.sqrt((1.0 if head else 0.0) + squares), aggregate)
    parts = []
    size = 0
    for bias in range(-int(widest_b / step), int(widest_b / step) + 1):
        norm_b = float(joined(rest.norm_b, np.array([abs(bias) * step]), aggregate)[0])
        prefix = np.searchsorted(norm_A, budget - norm_b - norm_V, side="right")
        size += int(prefix.sum())
        check_size(size, most)
        which = np.repeat(np.arange(len(channels)), prefix)
        place = np.arange(len(which)) - np.repeat(np.cumsum(prefix) - prefix, prefix)
        parts.append((which, place, np.full(len(which), bias, dtype=np.int64)))
    which, place, biases = (np.concatenate(column) for column in zip(*parts, strict=True))
    entry = np.full(len(which), one if head else 0, dtype=np.int64)
    return Units(precision, channels[which], entry, owns[place], biases)
