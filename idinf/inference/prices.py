"""Other prices of hypotheses than R of a run, and what each proves of the least price of what is right.

*Scaled.* Every matrix times the best power of two; where logits have to be 1 and 0, they stay what they are.
A net of the family without heads costs at least 1 + p + 3 · 2^-p, which is 3.5 at p = 1, as L = 1 and E, B
and U are not 0. One that tells apart two words of one length with one last symbol has a head that a unit
reads, and costs at least `idinf.whole_class.floors.least_of_units`, which is 6.25 at p = 2.

*Definition 50.* What is right up to n has R ≥ R*_n in Definition 5, so it costs at least
`idinf.space.largest_norm.least_by_definition_50` of that. Moreover let a net with a head cost less than
2 + √2. Then L = H = 1, p = 0, there are no positions, no φ, and one unit, and ‖V‖, ‖A‖ and ‖b‖ are below √2.
The entry of A on the head is 1, so A reads nothing else; V is ± one token, and b is -1, 0 or 1. All weights
are above 0, so the average is above 0 iff the token occurs, and 1 for `$` in the empty word alone. Hence
beyond the empty word the unit is constant, or says whether a symbol occurs. So where words show that a head
is needed, and more than whether one symbol occurs, what is right costs at least 2 + √2.

*Δ = 1 costing 1.* R' = R + 1 without a period, and R' = R with one. What is right up to n has R ≥ R*_n, and
with a period R ≥ F, the floor of all nets with one, with a head where words show that. So R' ≥ min(R*_n + 1,
max(R*_n, F)). Let something right have R' = u ≤ R*_n + 1, and w be the window. A net within u + w without a
period has R = R' - 1 ≤ R*_n + w, so it is selected in the run; so is one with a period if u = R*_n, and there
is none if F > u + w. In both cases n is good if it is good in the run. If even F > R*_n + 1 + w, what is
selected is the same, and so is the verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from idinf.errors import ArgumentError, BudgetError, UnsupportedBoundError
from idinf.experiments.bounds import LOGITS, RANGES, SpaceBounds
from idinf.experiments.spec import Answer
from idinf.inference.needed_heads import NeededHeads, find_needed_heads
from idinf.quoting import quote
from idinf.report.value import Report
from idinf.space.largest_norm import Nets, Sizes, least_by_definition_50
from idinf.space.structures import LayerShape, Structure
from idinf.transformers.attention import UNIFORM
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import EPSILON, compute_r_terms
from idinf.whole_class.floors import MAX_PRECISION, least_of_units

#: Scaled, what a net without heads costs at least, and one with a head that matters.
FLOOR_HEADLESS = min(1.0 + p + 3 * 0.5**p for p in range(MAX_PRECISION))
FLOOR = min(map(least_of_units, range(MAX_PRECISION)))

#: By Definition 50, what says more than whether one symbol occurs, and needs a head.
FLOOR_BEYOND_ONE_SYMBOL = 2 + math.sqrt(2)

#: A size that has no bound.
_ANY = 1 << 20


@dataclass(frozen=True, slots=True)
class Price:
    """Another price of hypotheses, and what is proved of it for one finished run."""

    title: str  #: the option that asks for it
    of: Callable[[LimitTransformer], float]
    floor: Callable[[int], float]  #: what is right on all words up to n costs at least this
    #: Writes a hypothesis with the matrices that are priced.
    realise: Callable[[LimitTransformer], LimitTransformer] = lambda net: net
    #: Whether n is proved good, or bad, where what is right up to n costs so much at most; None: neither.
    judge: Callable[[int, float], bool | None] = lambda n, upper: None
    #: Whether every net of the space costs the same beside its R, so that the order is that of the run.
    is_shift: bool = False


def take_price(name: str, report: Report) -> Price:
    """The price of a name, for a report.

    Raises
    ------
    ArgumentError
        If there is no such price.
    UnsupportedBoundError
        If the report is of a whole class, where R is the least of all realisations.

    Examples
    --------
    >>> from idinf.library.runs import identify
    >>> price = take_price("delta-one", identify("majority", max_n=4, space="nope", layers=1))
    >>> price.title, price.floor(4), price.is_shift
    ('delta-one 1', 9.414213562, True)
    """
    if name not in PRICES:
        raise ArgumentError(f"order {quote(name)}; expected one of: {', '.join(PRICES)}; name one")
    if not isinstance(report.space, SpaceBounds):
        raise UnsupportedBoundError(
            f"order {name} with class = {report.space.preset}; expected one-hot hypotheses, as in a whole "
            "class R is the least of all realisations; leave one out"
        )
    return PRICES[name](report, find_needed_heads(report.target.spec(), report.max_n))


def _scaled(report: Report, needed: NeededHeads) -> Price:
    rule, mixed = report.regularizer.aggregate, needed.mixed or math.inf
    asks_logits = isinstance(report.space, SpaceBounds) and report.space.match == LOGITS

    def realise(net: LimitTransformer) -> LimitTransformer:
        try:
            return find_least_scaling(net, rule, same_outputs=asks_logits)
        except BudgetError:
            return net  # an upper bound is all that is made of it

    return Price(
        "realisation scaled",
        lambda net: compute_r_terms(net, rule).total,
        lambda n: FLOOR if n >= mixed else FLOOR_HEADLESS,
        realise,
    )


def _definition_50(report: Report, needed: NeededHeads) -> Price:
    spec, rule = report.target.spec(), report.regularizer.aggregate
    mixed, beyond = (at or math.inf for at in (needed.mixed, needed.beyond_one_symbol))

    def floor(n: int) -> float:
        nets = Nets(_largest_sizes(report), spec.answer, len(spec.alphabet), rule, n >= mixed)
        least = least_by_definition_50(report.stages[n - 1].r_star_lower, nets)
        return max(least, FLOOR_BEYOND_ONE_SYMBOL) if n >= max(mixed, beyond) else least

    return Price(
        "regularizer definition-50",
        lambda net: math.fsum(compute_r_terms(net).by_definition_50().values()),
        floor,
    )


def _delta_one(report: Report, needed: NeededHeads) -> Price:
    answer, rule, mixed = report.target.spec().answer, report.regularizer.aggregate, needed.mixed or math.inf
    sizes, readers = _largest_sizes(report), int(answer is not Answer.ACCEPT)

    def least_periodic(n: int) -> float:
        heads = int(n >= mixed)
        if sizes.period == 1 or sizes.heads < heads:
            return math.inf
        return min(
            Structure((LayerShape((UNIFORM,) * heads, units),), p, 2, answer, readers).floor(rule)
            for units in range(1, min(sizes.units, 2) + 1)
            for p in range(min(sizes.precision, MAX_PRECISION) + 1)
        )

    def floor(n: int) -> float:
        r = report.stages[n - 1].r_star_lower
        return min(r + 1, max(r, least_periodic(n)))

    def judge(n: int, upper: float) -> bool | None:
        stage, window = report.stages[n - 1], report.regularizer.window(n)
        if stage.r_star is None:
            return None
        if least_periodic(n) > stage.r_star + 1 + window + EPSILON:
            return stage.good
        is_within = upper <= stage.r_star + EPSILON or least_periodic(n) > upper + window + EPSILON
        return True if stage.good and is_within else None

    return Price(
        "delta-one 1",
        lambda net: compute_r_terms(net, rule, 1).total,
        floor,
        judge=judge,
        is_shift=sizes.period == 1,
    )


def _largest_sizes(report: Report) -> Sizes:
    """The largest sizes of what the answer of a run in the one-hot family is about."""
    space = report.space
    assert isinstance(space, SpaceBounds)
    return Sizes(**{key: _ANY if space.allows(key, _ANY) else getattr(space, key) for key in RANGES})


#: Every other price by its name.
PRICES: dict[str, Callable[[Report, NeededHeads], Price]] = {
    "scaled": _scaled,
    "definition-50": _definition_50,
    "delta-one": _delta_one,
}
