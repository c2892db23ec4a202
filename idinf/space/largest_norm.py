"""From R of Definition 5 to that of Definition 50: how large the largest norm of a net has to be.

For example, one layer with one head and one unit, p = 0 and no positions, has R = 9 at most in Definition 5
if no norm is above 1: L + H = 2, rank V = 1, and ‖V‖, ‖A‖, ‖B‖, ‖b‖, ‖U‖ and ‖E‖ are 1. So one with R > 9 has
a norm of √2 or more, and R ≥ 2 + √2 in Definition 50.

*Lemma.* Let a net of the family have L layers, at most H heads and u units in a layer, p, Δ, and a largest
norm m (of rows by their maximum). In Definition 50 its R is c + m with c = L + H + p + Δ + Σ φ², where Δ
counts only above 1. In Definition 5 it is at most

    c + rank V + ‖K^T Q‖ + ‖V‖ + ‖A‖ + ‖b‖ + ‖U‖ + √u + 1 + [Δ > 1].


- embeddings and positions are one-hot, so have norm 1, and ‖B‖ is √u;
- a channel is a row of V and is read by some unit, which reads one channel of a head at most: rank V ≤ u;
- the other norms are at most m. Those of A and b, and of a V with one row, are √k · 2^-p for a whole number
  k, so they are at most the largest such number a ≤ m; ‖K^T Q‖, and ‖V‖ of several rows, need not be one.
  Without heads there are no V and K, and K^T Q = 0 where logits do not depend on content;
- ‖U‖ ≤ a, and ‖U‖² ≤ u for acceptance, 1 for one next symbol, |Σ| + 1 for a set of them;
- for the sum over rows, there are at most L of each term of a layer, and L · H of each term of a head.

All of this grows with a, m and Σ φ² alone, so R ≥ r in Definition 5 needs a least c + m: with m = a, or with
what is missing made up for by those terms that need not lie on the grid, each of which grows by m - a at
most, or by φ, where Σ φ² is a multiple of 4^-p.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from idinf.experiments.spec import Answer
from idinf.transformers.regularizer import Aggregate

#: An r that a report holds has 9 decimals.
_SLACK = 1e-8


@dataclass(frozen=True, slots=True)
class Sizes:
    """The largest sizes that some nets have; names as in `idinf.experiments.bounds.SpaceBounds`."""

    layers: int
    heads: int
    units: int
    precision: int
    period: int = 1
    reach: int = 0
    logit_max: int = 0
    content_max: int = 0


@dataclass(frozen=True, slots=True)
class Nets:
    """Which nets of the family are asked about."""

    sizes: Sizes
    answer: Answer = Answer.ACCEPT
    symbols: int = 2  #: |Σ|
    aggregate: Aggregate = Aggregate.MAX  #: of the rows of Definition 5; Definition 50 has one maximum
    with_head: bool = False  #: whether all of them have a head

    def shapes(self, below: float) -> Iterator[tuple[int, int, int, int, int]]:
        """L, H, p, Δ and u, none of which costs ``below`` or more by itself in Definition 50."""
        of, most = self.sizes, math.ceil(below)
        return itertools.product(
            range(1, min(of.layers, most) + 1),
            range(int(self.with_head), min(of.heads, most) + 1),
            range(min(of.precision, most) + 1),
            range(1, min(of.period, most) + 1),
            range(1, min(of.units, most * most) + 1),
        )


@lru_cache(maxsize=1 << 12)
def least_by_definition_50(r: float, nets: Nets) -> float:
    """A lower bound of R in Definition 50 of nets whose R in Definition 5 is at least ``r``.

    Examples
    --------
    >>> nets = Nets(Sizes(2, 1, 1, 2), with_head=True)
    >>> least_by_definition_50(9.0, nets), round(least_by_definition_50(9.1, nets), 6)
    (3.0, 3.414214)

    Without heads and with ‖A‖ = ‖b‖ = √2 it may be 1 + 3 + 2 · √2 = 6.83.

    >>> round(least_by_definition_50(6.5, replace(nets, with_head=False)), 6)
    2.414214
    """
    smallest = replace(nets, sizes=Sizes(1, min(1, nets.sizes.heads), 1, 0))
    best = math.inf
    r = max(r, 1.0)  # as every R is; a run that was stopped at once has shown less
    for some in (smallest, nets):  # the former has few shapes, and bounds how many of the latter matter
        for shape in some.shapes(min(best, r)):
            best = min(best, _least_of_shape(r, nets, shape, best))
    return best


def _least_of_shape(r: float, nets: Nets, shape: tuple[int, int, int, int, int], best: float) -> float:
    """The lemma for one shape; what is not below ``best`` need not be found."""
    layers, heads, p, period, units = shape
    is_sum, reads_content = nets.aggregate is Aggregate.SUM, nets.sizes.content_max > 0
    of_layer, of_head = (layers, layers * heads) if is_sum else (1, min(heads, 1))
    c = layers + heads + p + (period if period > 1 else 0)
    fixed = c + of_head * units + of_layer * math.sqrt(units) + 1 + (period > 1)
    on_grid = 2 * of_layer + of_head * (1 + reads_content)
    loose = of_head * ((units > 1) + reads_content)
    outputs = {Answer.ACCEPT: units, Answer.SYMBOL: 1, Answer.SET: nets.symbols + 1}[nets.answer]
    for k in itertools.count(units << 2 * p):
        a = math.sqrt(k) / (1 << p)
        if c + a >= best:
            return best
        missing = r - _SLACK - fixed - on_grid * a - math.sqrt(min(outputs, k >> 2 * p))
        if missing <= 0:
            return c + a
        if loose:
            best = min(best, c + a + missing / loose)
        elif heads and nets.sizes.logit_max:
            best = min(best, c + a + math.ceil(missing * (1 << 2 * p)) / (1 << 2 * p))
    raise AssertionError("k has no end")
