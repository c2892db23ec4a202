"""The sweeps of the atlas, and their rows as they are read back from the committed CSV files."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from idinf.report.value import Outcome
from idinf.tables.batch_plan import READINGS
from idinf.tables.files import TableRow, read_table
from idinf.tables.row import Row, read_rows
from tools.readings import render_cell
from tools.suite import ROOT

#: Where the CSV files lie.
FOLDER = ROOT / "docs" / "results" / "atlas"

#: What `idinf batch` is given for each CSV; every budget is one of work or of R, so that bytes repeat.
#: The laws of a family are those of a named space; its smaller members are asked in the one-hot family, too.
RUNS = {
    "threshold": "threshold-t-s --spaces spec --set t=0..5 --set s=1..4 --letters apart",
    "threshold-family": "threshold-t-s --set t=0..3 --set s=1..3 --work 8000 --letters apart",
    "ge": "ge-k-j --spaces spec --set k=1..10 --set j=1..10",
    "ge-family": "ge-k-j --set k=1..4 --set j=1..4 --work 8000",
    "share": "share-k-s --spaces spec --set k=1..4 --set s=2..4 --letters apart",
    "share-family": "share-k-s --set k=1..2 --set s=2..4 --work 8000 --letters apart",
    "chain": "chain-k-s --spaces spec --set k=2..8 --set s=1",
    "chain-family": "chain-k-s --set k=2..4 --set s=1 --work 8000",
    "nested": "nested-d-b --spaces spec --set d=1..5 --set b=1 --layers 3 --units 1 --precision 1",
    "nested-family": "nested-d-b --set d=1..3 --set b=1 --work 8000",
    "blocks": "blocks-m-t --spaces spec --set m=1..4 --set t=0,1 --max-r 12.5 --work 20000",
    "blocks-family": "blocks-m-t --set m=1..3 --set t=0,1 --work 8000",
    "modulus": "modulus-m-r --set m=2..6 --set r=0,1 --work 2000",
    "small-inside": "regular-up-to-letters-k-i --set k=1..3 --only crasp_periodic_local=yes --work 4000 "
    "--letters apart",
    "small-outside": "regular-up-to-letters-k-i --set k=1..3 --only crasp_periodic_local=no --work 400",
    "random": "random-k-s-seed --set k=4..5 --set s=2 --set seed=1..200 --only crasp=yes --work 4000 "
    "--letters apart",
    "readings": "regular-up-to-letters-k-i --set k=1..2 "
    "--readings 'one-hot,theta,sum,tolerance 0' --work 2000 --letters apart",
}


#: A number below, at and above another.
TESTS: tuple[Callable[[int, int], bool], ...] = (operator.lt, operator.eq, operator.gt)


@dataclass(frozen=True, slots=True)
class Found:
    """One row of a CSV: its own columns, and what `idinf batch` says."""

    table: TableRow
    row: Row

    def value(self, parameter: str) -> int:
        """The value of a parameter."""
        found = self.table.whole(parameter)
        assert found is not None
        return found

    @property
    def reading(self) -> str:
        """The reading."""
        return self.row.reading or READINGS[0].name

    @property
    def is_proved(self) -> bool:
        """Whether n0 is proved for every n."""
        return self.row.outcome == Outcome.IDENTIFIED_FOR_ALL_N.value

    @property
    def cell(self) -> str:
        """R* and n0, or what is known of them and what a smaller space says; up to which n that holds."""
        row = self.row
        text = render_cell(row)
        if row.n0 is not None and not self.is_proved:
            return f"{text}, n ≤ {row.max_n}"
        if row.smaller_n0 is None:
            return text
        return f"{text}; smaller: {row.smaller_r_star:.8g}, n0 = {row.smaller_n0}"


@cache
def read(name: str) -> tuple[Found, ...]:
    """Read the rows of a CSV of the atlas."""
    path = str(FOLDER / f"{name}.csv")
    tables = read_table(path, ["target", "family"], "of `make atlas`")
    return tuple(Found(*pair) for pair in zip(tables, read_rows(path), strict=True))


def markdown(header: Sequence[object], lines: Iterable[Sequence[object]]) -> str:
    """Write a table of Markdown.

    Examples
    --------
    >>> print(markdown(["t", "n0"], [[1, 2]]))
    | t | n0 |
    |---|---|
    | 1 | 2 |
    """
    first, *rest = (f"| {' | '.join(map(str, line))} |" for line in (header, *lines))
    return "\n".join([first, "|" + "---|" * len(header), *rest])


def count(number: int, what: str) -> str:
    """Write a number and what it counts.

    Examples
    --------
    >>> count(1, "language"), count(2, "language")
    ('1 language', '2 languages')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
