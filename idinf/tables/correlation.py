"""Rank correlations of what is known of targets with accuracies of transformers that were trained on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from idinf.base.quoting import list_some, quote
from idinf.errors import ArgumentError, ReportFormatError
from idinf.tables.accuracies import Accuracies
from idinf.tables.row import Row

#: Fewer languages have no coefficient: a perfect order of 4, up or down, is that of 2 in 24 by chance alone,
#: one of 5 that of 2 in 120, which is the first below 5 %.
LEAST = 5

#: Standard deviations on either side of what holds with 95 %.
SURE = 1.959964

#: From as many languages on a correlation of `NOTICED` is told apart from 0 in four of five samples.
ENOUGH, NOTICED = 31, 0.5

#: Names of the coefficients.
METHODS = {"spearman": "Spearman's ρ", "kendall": "Kendall's τ_b"}

#: Lowest and highest value, and whether the lowest itself is left out.
Bracket: TypeAlias = tuple[float, float, bool]


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of one quantity with the accuracies of one encoding at some lengths."""

    encoding: str
    lengths: str
    quantity: str
    languages: int  #: with an exact value and an accuracy: all that the coefficient is about
    coefficient: float | None  #: None for fewer than `LEAST` languages, or where all values are equal
    low: float | None  #: of the interval of 95 %; None where there is no coefficient
    high: float | None
    left_out: tuple[str, ...]  #: targets whose value is a bracket, so that they have no rank
    #: Pairs of targets, those left out included, that values or brackets put in an order, and accuracies too.
    ordered: int
    agreeing: float | None  #: share of these in the same order less share in the other; None for few targets


def correlate_all(rows: Sequence[Row], data: Accuracies, method: str = "spearman") -> tuple[Correlation, ...]:
    """Correlate R*, n0 and the number of states with accuracies, for every encoding and bin.

    The number of states k has the ranks of 2k - 2, so one correlation is that of both. A target whose R* or
    n0 is not known has a bracket for it, and no rank: it is left out of the coefficient and named. Brackets
    put some pairs in an order all the same; ``agreeing`` is Goodman and Kruskal's γ of all such pairs. There
    a target that has no n0 counts as one with a larger n0 than any other.

    Raises
    ------
    ArgumentError
        If there is no such method.
    ReportFormatError
        If a target has several rows that disagree, or no target has accuracies.

    Examples
    --------
    >>> from idinf.tables.accuracies import parse_accuracies
    >>> rows = [Row(name, n0=k, n0_lower=k, states=2) for k, name in enumerate("abcdef")]
    >>> lines = [f"{name},{1 - k / 10}" for k, name in enumerate("abcdef")]
    >>> data = parse_accuracies("target,accuracy\\n" + "\\n".join(lines), "x.csv")
    >>> found = correlate_all(rows, data)
    >>> [(one.quantity, one.languages, one.coefficient, one.low) for one in found]
    [('r_star', 0, None, None), ('n0', 6, -1.0, -1.0), ('states', 6, None, None)]
    >>> found[1].high  # with six languages a perfect order leaves this open
    -0.3827
    """
    if method not in METHODS:
        expected = " or ".join(METHODS)
        raise ArgumentError(f"method = {quote(method)}; expected {expected}; name one of them")
    known = _by_target(rows, data)
    return tuple(
        _correlate(encoding, str(lengths), quantity, known, means, method)
        for encoding in data.encodings
        for lengths in data.bins
        if (means := data.means(encoding, lengths))
        for quantity in QUANTITIES
    )


def least_noticed(languages: int, method: str = "spearman") -> float:
    """The least correlation that is told apart from 0 in four of five samples of so many languages.

    By Fisher's transformation, whose variance is 1.06 / (n - 3) for ρ and 0.437 / (n - 4) for τ (Fieller,
    Hartley, Pearson 1957), at the level of 5 %. Of at least `LEAST` languages.

    Examples
    --------
    >>> round(least_noticed(10), 2), round(least_noticed(ENOUGH - 1), 3), round(least_noticed(ENOUGH), 3)
    (0.8, 0.504, 0.497)
    """
    variance = 1.06 / (languages - 3) if method == "spearman" else 0.437 / (languages - 4)
    return math.tanh((SURE + 0.841621) * math.sqrt(variance))


def _r_star(row: Row) -> Bracket | None:
    if row.r_star is not None:
        return row.r_star, row.r_star, False
    return None if row.r_lower is None else (row.r_lower, row.r_upper or math.inf, True)


def _n0(row: Row) -> Bracket | None:
    if row.n0 is not None:
        return row.n0, row.n0, False
    return None if row.n0_lower is None else (row.n0_lower, math.inf, False)


def _states(row: Row) -> Bracket | None:
    return None if row.states is None else (row.states, row.states, False)


#: What is correlated, by the columns of a batch: the bracket of each target, or None where there is none.
QUANTITIES: dict[str, Callable[[Row], Bracket | None]] = {
    "r_star": _r_star,
    "n0": _n0,
    "states": _states,
}


def _by_target(rows: Sequence[Row], data: Accuracies) -> dict[str, Row]:
    """The rows of the targets with accuracies."""
    wanted, found = set(data.targets), dict[str, Row]()
    for row in rows:
        if row.target not in wanted:
            continue
        other = found.setdefault(row.target, row)
        if any(bracket(row) != bracket(other) for bracket in QUANTITIES.values()):
            raise ReportFormatError(
                f"the batch has two rows of {quote(row.target)} that disagree; expected one; leave one out"
            )
    if not found:
        raise ReportFormatError(
            f"{data.origin} has accuracies of {list_some(data.targets, ', ')}; expected some of the targets "
            "of the batch; correct their names"
        )
    return found


def _correlate(
    encoding: str, lengths: str, quantity: str, rows: dict[str, Row], means: dict[str, float], method: str
) -> Correlation:
    brackets = [
        (name, bracket, means[name])
        for name, row in rows.items()
        if name in means and (bracket := QUANTITIES[quantity](row)) is not None
    ]
    exact = [(low, accuracy) for _, (low, high, _), accuracy in brackets if low == high]
    coefficient = _compute([x for x, _ in exact], [y for _, y in exact], method)
    signs = [sign for sign in _compare_pairs(brackets) if sign]
    return Correlation(
        encoding,
        lengths,
        quantity,
        len(exact),
        _rounded(coefficient),
        *_interval(coefficient, len(exact), method),
        left_out=tuple(name for name, (low, high, _), _ in brackets if low != high),
        ordered=len(signs),
        agreeing=_rounded(sum(signs) / len(signs)) if signs and len(brackets) >= LEAST else None,
    )


def _compare_pairs(brackets: Sequence[tuple[str, Bracket, float]]) -> Iterator[int]:
    """Of every pair in an order: 1 if accuracies are in the same one, -1 in the other, 0 where equal."""
    for (_, a, accuracy), (_, b, other) in combinations(brackets, 2):
        order = _is_below(a, b) - _is_below(b, a)
        if order:
            yield order * ((other > accuracy) - (other < accuracy))


def _is_below(a: Bracket, b: Bracket) -> bool:
    """Whether every value of a bracket is below every one of another."""
    return a[1] < b[0] or (b[2] and a[1] == b[0])


def _rounded(value: float) -> float | None:
    """Four decimals: the same on every machine."""
    return None if math.isnan(value) else round(float(value), 4) + 0.0


def _interval(value: float, languages: int, method: str) -> tuple[float | None, float | None]:
    """The interval of 95 % by Fisher's transformation; a perfect order is next to the one with a swap.

    Variances are (1 + ρ²/2)/(n - 3) for ρ (Bonett, Wright 2000), 0.437/(n - 4) for τ (Fieller, Hartley,
    Pearson 1957). The transformation of 1 is infinite, and no interval ends there: beside 1 it is that of the
    order in which two neighbours are swapped.
    """
    if math.isnan(value):
        return None, None
    is_rho = method == "spearman"
    swapped = 1 - (12 / (languages**3 - languages) if is_rho else 4 / (languages * (languages - 1)))
    near = max(-swapped, min(swapped, value))
    variance = (1 + near * near / 2) / (languages - 3) if is_rho else 0.437 / (languages - 4)
    low, high = (math.tanh(math.atanh(near) + end * math.sqrt(variance)) for end in (-SURE, SURE))
    return _rounded(-1.0 if value < near else low), _rounded(1.0 if value > near else high)


def _compute(x: Sequence[float], y: Sequence[float], method: str) -> float:
    """The coefficient; nan for few languages, or where all values of one are equal."""
    if len(x) < LEAST or len({*x}) == 1 or len({*y}) == 1:
        return math.nan
    from scipy import stats

    ask = stats.spearmanr if method == "spearman" else stats.kendalltau
    return float(ask(x, y).statistic)
