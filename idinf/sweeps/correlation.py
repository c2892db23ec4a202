"""Rank correlations of what is known of targets with accuracies of transformers that were trained on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from idinf.errors import ArgumentError, ReportFormatError
from idinf.quoting import list_some, quote
from idinf.sweeps.accuracies import Accuracies
from idinf.sweeps.row import Row

FloatArray: TypeAlias = NDArray[np.float64]

#: Resamples of languages behind an interval, and the seed of their draws: the same input, the same bytes.
RESAMPLES, SEED = 4000, 0

#: Fewer languages have no interval: resamples of them hold the same few again and again.
LEAST = 5

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
    coefficient: float | None  #: None for fewer than two languages, or where all values are equal
    low: float | None  #: of the interval that holds the middle 95 % of resamples; None for few languages
    high: float | None
    left_out: tuple[str, ...]  #: targets whose value is a bracket, so that they have no rank
    ordered: int  #: pairs of targets, those left out included, that values or brackets put in an order
    agreeing: (
        float | None
    )  #: of these, with different accuracies: share in the same order less share in the other


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
    >>> from idinf.sweeps.accuracies import parse_accuracies
    >>> rows = [Row(name, n0=k, n0_lower=k, states=2) for k, name in enumerate("abcdef")]
    >>> lines = [f"{name},{1 - k / 10}" for k, name in enumerate("abcdef")]
    >>> data = parse_accuracies("target,accuracy\\n" + "\\n".join(lines), "x.csv")
    >>> found = correlate_all(rows, data)
    >>> [(one.quantity, one.languages, one.coefficient, one.low) for one in found]
    [('r_star', 0, None, None), ('n0', 6, -1.0, -1.0), ('states', 6, None, None)]
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


def least_noticed(languages: int) -> float:
    """The least correlation that is told apart from 0 in four of five samples of so many languages.

    By Fisher's transformation, whose variance for ranks is 1.06 / (n - 3) (Fieller, Hartley, Pearson 1957),
    at the level of 5 %.

    Examples
    --------
    >>> round(least_noticed(10), 2), round(least_noticed(ENOUGH - 1), 3), round(least_noticed(ENOUGH), 3)
    (0.8, 0.504, 0.497)
    """
    return math.tanh((1.959964 + 0.841621) * math.sqrt(1.06 / (languages - 3))) if languages > 3 else 1.0


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
    x, y = (np.array(column, dtype=float) for column in (zip(*exact, strict=True) if exact else ([], [])))
    coefficient = compute_coefficients(x[None], y[None], method)[0] if len(exact) > 1 else math.nan
    signs = list(_compare_pairs(brackets))
    agreeing = [sign for sign in signs if sign]
    return Correlation(
        encoding,
        lengths,
        quantity,
        len(exact),
        _rounded(coefficient),
        *_interval(x, y, method, coefficient),
        left_out=tuple(name for name, (low, high, _), _ in brackets if low != high),
        ordered=len(signs),
        agreeing=_rounded(sum(agreeing) / len(agreeing)) if agreeing else None,
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


def _interval(x: FloatArray, y: FloatArray, method: str, value: float) -> tuple[float | None, float | None]:
    """The middle 95 % of resamples of the languages in which the coefficient is defined."""
    if len(x) < LEAST or math.isnan(value):
        return None, None
    drawn = np.random.default_rng(SEED).integers(len(x), size=(RESAMPLES, len(x)))
    found = np.concatenate(
        [compute_coefficients(x[part], y[part], method) for part in np.array_split(drawn, max(1, len(x) // 4))]
    )
    low, high = np.quantile(found[~np.isnan(found)], [0.025, 0.975])
    return _rounded(low), _rounded(high)


def compute_coefficients(x: FloatArray, y: FloatArray, method: str) -> FloatArray:
    """Compute the coefficient of each row of (B, n) arrays; nan where one of them is constant.

    Examples
    --------
    >>> compute_coefficients(np.array([[1.0, 2.0, 3.0]]), np.array([[9.0, 5.0, 5.5]]), "spearman").tolist()
    [-0.5]
    """
    if method == "spearman":
        from scipy.stats import rankdata

        x, y = (rankdata(values, axis=1) for values in (x, y))
        a, b = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    else:
        a, b = (np.sign(v[:, :, None] - v[:, None, :]).reshape(len(v), -1) for v in (x, y))
    with np.errstate(invalid="ignore", divide="ignore"):
        result: FloatArray = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.clip(result, -1.0, 1.0)
