"""Accuracies of trained transformers, and rank correlations of results about targets with them.

Somebody measured them: a CSV with a row for each run and length of words.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from idinf.base.files import show_path
from idinf.base.numbers import format_amount
from idinf.base.quoting import list_some, quote
from idinf.errors import ArgumentError, ReportFormatError
from idinf.tables.files import TableRow, parse_table, read_table
from idinf.tables.row import Row

if TYPE_CHECKING:
    import pandas

#: How a bin is written: its least and its largest length.
_BIN = re.compile(r"([0-9]{1,9})\s*(?:-|–|\.\.)\s*([0-9]{1,9})")

#: Expected values of an accuracy, and a remedy for others.
_ACCURACY = "expected a number from 0 to 1; divide percentages by 100"

#: The columns that say which lengths a row is about; at most one of them, and the last needs both.
_LENGTHS = (("length",), ("bin",), ("bin_lo", "bin_hi"))


@dataclass(frozen=True, slots=True, order=True)
class Bin:
    """Lengths of words that an accuracy is about.

    >>> str(Bin(51, 100)), str(Bin(64, 64)), str(EVERY), Bin(51, 100).middle
    ('51–100', '64', 'all', 75.5)
    """

    low: int
    high: int

    @property
    def middle(self) -> float:
        """Place on an axis of lengths."""
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        if self == EVERY:
            return "all"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


#: Bin of rows that name no lengths.
EVERY = Bin(-1, -1)


@dataclass(frozen=True, slots=True)
class Accuracies:
    """The accuracies of all seeds, by target, encoding and bin."""

    origin: str
    values: Mapping[tuple[str, str, Bin], tuple[float, ...]]
    about: tuple[str, ...] = ()  #: notes beside all their figures and tables

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets, in the order of their first row."""
        return tuple(dict.fromkeys(target for target, _, _ in self.values))

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings, in the order of their first row; one that is empty where there is no such column."""
        return tuple(dict.fromkeys(encoding for _, encoding, _ in self.values))

    @property
    def bins(self) -> tuple[Bin, ...]:
        """The bins by length."""
        return tuple(sorted({lengths for _, _, lengths in self.values}))

    def series(self, target: str, encoding: str) -> list[tuple[Bin, tuple[float, ...]]]:
        """The accuracies of a target in one encoding, by length."""
        found = [(key[2], values) for key, values in self.values.items() if key[:2] == (target, encoding)]
        return sorted(found)

    def means(self, encoding: str, lengths: Bin) -> dict[str, float]:
        """Means over seeds, by target."""
        return {
            key[0]: fmean(values) for key, values in self.values.items() if key[1:] == (encoding, lengths)
        }


def read_accuracies(path: str) -> Accuracies:
    """Read a file as `parse_accuracies` does."""
    made_by = "with the columns target and accuracy; check the path"
    return _collect(read_table(path, ("target", "accuracy"), made_by), path)


def parse_accuracies(text: str, origin: str) -> Accuracies:
    """Read the text of a CSV with the columns target and accuracy, and perhaps more.

    The columns ``length``, ``bin`` (as in ``51-100``), or ``bin_lo`` and ``bin_hi``, give the lengths of a
    row, ``encoding`` names the positional encoding or another series, and ``seed`` numbers runs; rows that
    agree in all others are runs of one thing. Other columns are not looked at.

    >>> text = "target,bin,accuracy,seed\\nparity,0-50,1,1\\nparity,0-50,0.5,2\\n"
    >>> found = parse_accuracies(text, "mine.csv")
    >>> found.values
    {('parity', '', Bin(low=0, high=50)): (1.0, 0.5)}
    """
    return _collect(parse_table(text, origin, ("target", "accuracy")), origin)


def take_accuracies(data: str | os.PathLike[str] | pandas.DataFrame) -> Accuracies:
    """Read accuracies from a file, or from a table of pandas."""
    if isinstance(data, str | os.PathLike):
        return read_accuracies(os.fspath(data))
    return parse_accuracies(data.to_csv(index=False), "data")


def _collect(rows: Sequence[TableRow], origin: str) -> Accuracies:
    given = [columns for columns in _LENGTHS if set(columns) <= rows[0].cells.keys()]
    if len(given) > 1:
        raise ReportFormatError(
            f"{show_path(origin)}: the columns {given[0][0]} and {given[1][0]} both say which lengths a row "
            "is about; expected one of them; leave one out"
        )
    found: dict[tuple[str, str, Bin], tuple[float, ...]] = {}
    seen: dict[tuple[str, str, Bin, str], int] = {}
    for row in rows:
        target = row.text("target")
        if target is None:
            row.fail("target", "expected the name of a target; add it")
        accuracy = row.number("accuracy", _ACCURACY)
        if accuracy is None or not 0 <= accuracy <= 1:
            row.fail("accuracy", _ACCURACY)
        key = (target, row.text("encoding") or "", _lengths(row, given[0]) if given else EVERY)
        seed = row.text("seed")
        if seed is not None and (first := seen.setdefault((*key, seed), row.line)) != row.line:
            row.fail(
                "seed", f"line {first} has the same target, encoding, lengths and seed; keep one of them"
            )
        found[key] = (*found.get(key, ()), accuracy)
    return Accuracies(os.path.basename(origin), found)


def _lengths(row: TableRow, columns: Sequence[str]) -> Bin:
    """Lengths that a row is about."""
    if columns == ("bin",):
        text = row.text("bin") or ""
        if (match := _BIN.fullmatch(text)) is not None:
            ends: list[int | None] = [int(match[1]), int(match[2])]
        elif text.isascii() and text.isdigit() and len(text) < 10:
            ends = [int(text)]
        else:
            row.fail("bin", "expected lengths as in 51-100; correct it")
    else:
        ends = [row.whole(column) for column in columns]
    low, high = ends[0], ends[-1]
    if low is None or high is None:
        row.fail(columns[0 if low is None else -1], "expected a length; add it")
    if low > high:
        row.fail(columns[-1], "expected the smaller length first, as in 51-100; correct it")
    return Bin(low, high)


#: Fewer languages have no coefficient: a perfect order of 4, up or down, is that of 2 in 24 by chance alone,
#: one of 5 that of 2 in 120, which is the first below 5 %.
LEAST = 5

#: Standard deviations on either side of an interval of 95 %.
SURE = 1.959964

#: Languages from which on a correlation of `NOTICED` differs significantly from 0 in four of five samples.
ENOUGH, NOTICED = 31, 0.5

#: Names of the coefficients.
METHODS = {"spearman": "Spearman's ρ", "kendall": "Kendall's τ_b"}

#: Lowest and highest value, and True if the lowest itself is left out.
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


def list_rivals(rows: Sequence[Row], data: Accuracies) -> list[str]:
    """Say on which targets with accuracies C-RASP and LTL[P], its rival as a prediction, disagree.

    LTL[P] has the languages with an R-trivial monoid, which counts can decide: so C-RASP[] has them all. By
    Li and Cotterell soft attention of fixed precision without positional encoding decides exactly LTL[P].

    >>> rows = [Row("d-2", r_trivial="no", crasp_periodic_local="yes"), Row("parity", r_trivial="no")]
    >>> list_rivals(rows, parse_accuracies("target,accuracy\\nd-2,1\\nparity,1\\n", "x.csv"))[0]
    'LTL[P] (R-trivial, arXiv 2505.23623) and C-RASP[periodic,local] disagree on 1 of 1 target: d-2, which is
    in the latter alone.'
    """
    known = [row for row in rows if row.target in data.targets]
    both = [(row.target, row.crasp_periodic_local, row.r_trivial) for row in known]
    decided = dict.fromkeys(each for each in both if {*each[1:]} <= {"yes", "no"})
    apart = [name for name, one, other in decided if one != other]
    names = f": {list_some(apart, ', ')}, which {'is' if len(apart) == 1 else 'are'} in the latter alone"
    told = "LTL[P] (R-trivial, arXiv 2505.23623) and C-RASP[periodic,local] disagree on"
    many = f"{len(apart)} of {format_amount(len(decided), 'target')}"
    return [f"{told} {many}{names if apart else ''}."] if decided else []


def least_noticed(languages: int, method: str = "spearman") -> float:
    """The least correlation that differs significantly from 0 in four of five samples of so many languages.

    By Fisher's transformation, whose variance is 1.06 / (n - 3) for ρ and 0.437 / (n - 4) for τ (Fieller,
    Hartley, Pearson 1957), at the level of 5 %. Of at least `LEAST` languages.

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


#: Correlated quantities, by the columns of a batch: the bracket of each target, or None.
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
    """Signs of all ordered pairs: 1 if accuracies are in the same order, -1 in the other, 0 where equal."""
    for (_, a, accuracy), (_, b, other) in combinations(brackets, 2):
        order = _is_below(a, b) - _is_below(b, a)
        if order:
            yield order * ((other > accuracy) - (other < accuracy))


def _is_below(a: Bracket, b: Bracket) -> bool:
    """True if every value of a bracket is below every value of another."""
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
