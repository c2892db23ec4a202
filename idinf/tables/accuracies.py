"""Accuracies of trained transformers as somebody measured them: a CSV with a row for each run and length."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from idinf.base.files import show_path
from idinf.errors import ReportFormatError
from idinf.tables.csv_tables import TableRow, parse_table, read_table

if TYPE_CHECKING:
    import pandas

#: How a bin is written: its least and its largest length.
_BIN = re.compile(r"([0-9]{1,9})\s*(?:-|–|\.\.)\s*([0-9]{1,9})")

#: What is expected of an accuracy, and what to do about another one.
_ACCURACY = "expected a number from 0 to 1; divide percentages by 100"

#: The columns that say which lengths a row is about; at most one of them, and the last needs both.
_LENGTHS = (("length",), ("bin",), ("bin_lo", "bin_hi"))


@dataclass(frozen=True, slots=True, order=True)
class Bin:
    """Lengths of words that an accuracy is about.

    Examples
    --------
    >>> str(Bin(51, 100)), str(Bin(64, 64)), str(EVERY), Bin(51, 100).middle
    ('51–100', '64', 'all', 75.5)
    """

    low: int
    high: int

    @property
    def middle(self) -> float:
        """Where it stands on an axis of lengths."""
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        if self == EVERY:
            return "all"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


#: Of rows that do not say what lengths they are about.
EVERY = Bin(-1, -1)


@dataclass(frozen=True, slots=True)
class Accuracies:
    """The accuracies of all seeds, by target, encoding and bin."""

    origin: str
    values: Mapping[tuple[str, str, Bin], tuple[float, ...]]
    about: tuple[str, ...] = ()  #: what is said wherever they are shown

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

    The columns ``length``, ``bin`` (as in ``51-100``), or ``bin_lo`` and ``bin_hi``, say which words a row is
    about, ``encoding`` names the positional encoding or whatever else sets series apart, and ``seed`` tells
    runs apart; rows that agree in all others are runs of one thing. Other columns are not looked at.

    Raises
    ------
    ReportFormatError
        If it is no such table; says in which line and column.

    Examples
    --------
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
    """What lengths a row is about."""
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
