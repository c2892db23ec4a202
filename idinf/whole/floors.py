"""Least R of the parts of a net of any width: the floor below which the whole class is listed.

Below, T is a net of [HYB25]_ Definition 4 or 2 in the reading of Section 4.2: it accepts iff U y > 0 at the
last position. A number on the grid of 2^-p that is not 0 is at least 2^-p, so a vector or matrix of p bits
has a norm of at least 2^-p if it is not 0.

*More than the last token.* If T depends on another token, a head has V ≠ 0, and E ≠ 0 and U ≠ 0. So
R ≥ L + H + p + rank V + ‖V‖ + ‖U‖ + max ‖E‖ ≥ 3 + p + 3 · 2^-p, which is 6 for p = 0, 5.5 for p = 1, 5.75 for
p = 2, 6.375 for p = 3, and more for every other p.

*Logits.* Weights of a head differ from each other only if a logit y_j^T K^T Q y_i is not rounded to 0, so
is more than half a step, 2^-(p+1), in absolute value. In the first layer y is a grid vector E_x + p_i, and
e² = j / 4^p for its largest norm e and a whole number j, so logits are multiples of 2^-4p, and ‖K^T Q‖ e²
is at least the least such multiple. Both norms together are at least `least_of_logits`, and R ≥ 3 + p + 2 ·
2^-p + that much. (Beside a φ ≠ 0 half a step is enough, as a tie may then be rounded away from φ; with the
cost of φ R ≥ 6.44.)

*Positions.* A product of exactly one p_i and matrices does not depend on i (Definition 4), so U p_i, U V
p_i and A p_i are those of p_1, and T with the embeddings E_x + p_1 and no positions has the same values and
no larger R, as long as all logits are rounded to 0. So positions need logits. A Limit Transformer
with Δ = 1 is the same case; one with Δ ≥ 2 and a head has R ≥ 5 + p + 3 · 2^-p ≥ 7.5, and those without a
head are in `idinf.whole.token_sets`.

*Units.* A unit that has an effect needs B ≠ 0, and A ≠ 0 or b ≠ 0, in addition: R ≥ 3 + p + 5 · 2^-p, which
is 8, 6.5, 6.25, 6.625 for p = 0, 1, 2, 3. For p = 2 and one layer with one head all five norms are 1/4 at R
= 6.25, and the next larger value of R is 5 + (4 + √2) / 4 = 6.353553, as norms are roots of whole numbers
of quarters.

*More heads, layers, ranks.* A second layer, head or rank of V costs 1 more: R ≥ 6.5.

*φ.* A φ(k) ≠ 0 costs at least 4^-p: R ≥ 7, 5.75, 5.8125, 6.39 for p = 0, 1, 2, 3, and with a unit 6.3125 or
more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from idinf.spec.bounds import HypothesisClass

#: Largest p that is looked at: R ≥ 3 + p alone is beyond every floor for larger ones.
MAX_PRECISION = 4


def least_of_logits(p: int) -> float:
    """A lower bound of ‖K^T Q‖ + max ‖E‖ + max ‖p_i‖ where some logit is not rounded to 0.

    p = 1: logits are sixteenths above 1/4, at least 5/16, and e² = 3/4 has the least sum √3/2 + 5/12.

    >>> round(least_of_logits(1), 6), least_of_logits(0)
    (1.282692, 2.0)
    """
    least = (1 << 4 * p) // (2 << p) + 1  # in units of 2^-4p
    squares = range(1, (4 << 2 * p) + 1)  # beyond e = 2 the sum is no less
    # K^T Q is on the grid of 2^-2p, so its norm is at least that, too.
    return min(math.sqrt(j) * 0.5**p + max(least / j, 1.0) * 0.25**p for j in squares)


def least_r_of_logits() -> float:
    """The least R at which attention may depend on content or position.

    >>> round(least_r_of_logits(), 6)
    6.282692
    """
    return min(3 + p + 2 * 0.5**p + least_of_logits(p) for p in range(MAX_PRECISION))


def least_of_units(p: int) -> float:
    """The least R of a net with a unit that has an effect, and a head.

    >>> [least_of_units(p) for p in range(4)]
    [8.0, 6.5, 6.25, 6.625]
    """
    return float(3 + p) + 5 * 0.5**p


#: Below this R every net of the classes is known.
FLOOR = least_r_of_logits()


@dataclass(frozen=True, slots=True)
class MissingNets:
    """Nets that are not searched, and the R from which on there may be some."""

    what: str
    r: float


def list_missing(kind: HypothesisClass) -> list[MissingNets]:
    """Nets of a class that are not searched, the least R first.

    >>> [missing.what for missing in list_missing(HypothesisClass.LIMIT)][:2]
    ['attention that depends on content or position', 'a unit beside a φ']
    """
    beside_phi = [MissingNets("a unit beside a φ", 6.3125)] if kind is HypothesisClass.LIMIT else []
    return [
        MissingNets("attention that depends on content or position", FLOOR),
        *beside_phi,
        MissingNets("a unit beside norms above 1/4", 5 + (4 + math.sqrt(2)) / 4),
        MissingNets("a second layer, head or rank of V", 6.5),
    ]
