"""Tables as CSV files: written while they grow, and read with the place of every fault."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NoReturn, TypeAlias

import click

from idinf.base.files import MIB, OutputError, check_writable, read_text, show_path, write_whole
from idinf.base.quoting import escape_controls, list_some, name_file, quote
from idinf.errors import ReportFormatError

#: A table of more rows than twice this is not written with every row, but after one part of so many.
PARTS = 256

#: Longest file that is read: a hundred thousand rows.
MOST_TABLE = 16 * MIB

#: Far above everything that is measured or found, and no trouble on any axis.
LARGEST = 1e9

Cell: TypeAlias = str | int | float | None

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


#: Types of columns by how they are written first in an annotation.
_KINDS: Mapping[str, type] = {"str": str, "int": int, "float": float, "bool": bool}


def list_columns(of: type) -> dict[str, type]:
    """List the fields of a dataclass that are cells, with their types; any may be None.

    >>> from idinf.tables.row import Row
    >>> list(list_columns(Row).items())[:3:2]
    [('target', <class 'str'>), ('size', <class 'int'>)]
    """
    kinds = {item.name: _KINDS.get(str(item.type).split(" | ")[0]) for item in fields(of)}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def format_table(columns: Iterable[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Write rows of cells below a header, None as an empty one.

    Control characters, a carriage return among them, are written as in JSON.

    >>> print(format_table(("target", "n"), [("x", -3), ("a, b", None)]), end="")
    target,n
    x,-3
    "a, b",
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    # csv writes None as an empty cell, and floats so that they read back as they were.
    writer.writerows(
        [escape_controls(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return text.getvalue()


def is_due(rows: int, total: int) -> bool:
    """True if a table with so many rows of all is to be written: else long ones would take hours.

    >>> [is_due(rows, 5000) for rows in (1, 511, 4999, 5000)], sum(is_due(rows, 5000) for rows in range(5001))
    ([True, True, False, True], 1168)
    """
    return rows == total or rows % max(1, rows // PARTS) == 0


class GrowingTable:
    """Rows in blocks by the place of their question: one row, or several about one target. Mutable: it grows.

    A file is rewritten as a whole with every block, and a long one when it `is_due`, so that a kill at any
    moment leaves a whole table; a pipe gets it once. No block, no file. Without a path rows go to stdout,
    where one waits for those before it.
    """

    def __init__(self, path: str | None, total: int, columns: Sequence[str]) -> None:
        self.path, self.total, self.columns = path, total, columns
        self.blocks: dict[int, Sequence[Sequence[Cell]]] = {}
        self._written = 0
        self._has_header = path is not None
        self._is_file = path is not None and (os.path.isfile(path) or not os.path.exists(path))

    def put(self, place: int, rows: Sequence[Sequence[Cell]]) -> None:
        """Add a block, and write all rows that are due; an OutputError if the file cannot be written."""
        self.blocks[place] = rows
        number = len(self.blocks)
        if self.path is None:
            self._head()
            while self._written in self.blocks:
                self._print(self._written)
        elif number == self.total or (self._is_file and is_due(number, self.total)):
            self._write(self.path)

    def finish(self) -> None:
        """Write the rows that are not written, on stdout those that still wait for others."""
        if self.path is None:
            self._head()
            for place in sorted(place for place in self.blocks if place >= self._written):
                self._print(place)
        elif self._written < len(self.blocks):
            self._write(self.path)

    def _write(self, path: str) -> None:
        rows = [row for place in sorted(self.blocks) for row in self.blocks[place]]
        write_whole(path, format_table(self.columns, rows))
        self._written = len(self.blocks)

    def _head(self) -> None:
        """On stdout, write the header before the first row: a refusal until then writes nothing."""
        if not self._has_header:
            click.echo(format_table(self.columns, []), nl=False)
        self._has_header = True

    def _print(self, place: int) -> None:
        _, _, lines = format_table(self.columns, self.blocks[place]).partition("\n")
        click.echo(lines, nl=False)
        self._written = place + 1


def name_report_paths(directory: str | None, names: list[str]) -> list[Path | None]:
    """Name a file for the report of every target; their folder is made with the first one.

    A name that comes again gets ``~2``, ``~3``, …, which no target has in its name. Raises OutputError if the
    folder cannot be written, or lies in none in which it could be made.

    >>> [str(path) for path in name_report_paths(".", ["d-2", "parity", "d-2"])]
    ['d-2.json', 'parity.json', 'd-2~2.json']
    """
    if directory is None:
        return [None] * len(names)
    folder = Path(directory)
    is_there = os.path.isdir(folder)  # False for a text that is no path at all, too
    if os.path.lexists(folder) and not is_there:
        raise OutputError(f"{show_path(directory)}: is no folder; expected one; choose another folder")
    check_writable(str(folder / "report.json") if is_there else directory)
    counts: dict[str, int] = {}
    paths: list[Path | None] = []
    for name in map(name_file, names):
        counts[name] = counts.get(name, 0) + 1
        paths.append(folder / (f"{name}.json" if counts[name] == 1 else f"{name}~{counts[name]}.json"))
    return paths


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table that was read; errors of `fail` name its place.

    >>> row = TableRow("x.csv", 2, {"n": "3", "r": "-"})
    >>> row.whole("n"), row.whole("k")
    (3, None)
    >>> row.number("r")
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: x.csv: line 2: r = '-'; expected a number up to 1e+09; correct it
    """

    origin: str
    line: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str | None:
        """Give a cell; None if it is empty or not there."""
        return self.cells.get(column, "").strip() or None

    def number(
        self, column: str, rest: str = f"expected a number up to {LARGEST:.0e}; correct it"
    ) -> float | None:
        """Give a number of at most `LARGEST`, with or without its sign; ``rest`` ends an error."""
        text = self.text(column)
        if text is None:
            return None
        if not _NUMBER.fullmatch(text) or abs(float(text)) > LARGEST:
            self.fail(column, rest)
        return float(text)

    def whole(self, column: str) -> int | None:
        """Give a whole number of at least 0; pandas may have written it as 3.0."""
        number = self.number(column)
        if number is not None and not (number >= 0 and number == int(number)):
            self.fail(column, "expected a whole number; correct it")
        return None if number is None else int(number)

    def fail(self, column: str, rest: str) -> NoReturn:
        """Raise a ReportFormatError about a cell; ``rest`` is the expectation and the remedy."""
        where = f"{show_path(self.origin)}: line {self.line}: {column}"
        raise ReportFormatError(f"{where} = {quote(self.text(column) or '')}; {rest}")


def read_table(path: str, needed: Sequence[str], made_by: str) -> tuple[TableRow, ...]:
    """Read a CSV file that has some columns, in any order; ``made_by`` says who makes one."""
    text = read_text(path, MOST_TABLE, ReportFormatError, f"expected a CSV {made_by}")
    return parse_table(text, path, needed)


def parse_table(text: str, origin: str, needed: Sequence[str]) -> tuple[TableRow, ...]:
    """Read the text of a CSV as `read_table` does.

    >>> [row.cells for row in parse_table("n,target\\n3,x\\n", "x.csv", ["target"])]
    [{'n': '3', 'target': 'x'}]
    >>> parse_table("n;target\\n", "x.csv", ["target"])
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: x.csv: line 1: 'n;target'; expected the column target; separate by commas
    """
    shown = show_path(origin)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[TableRow] = []
    names: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                _check_header(names, f"{shown}: line {reader.line_num}", needed)
            elif len(cells) != len(names):
                raise ReportFormatError(
                    f"{shown}: line {reader.line_num}: {len(cells)} cells; expected {len(names)}, one "
                    "for each column; correct the line, and put a text with a comma into quotes"
                )
            else:
                rows.append(TableRow(origin, reader.line_num, dict(zip(names, cells, strict=True))))
    except csv.Error as error:
        raise ReportFormatError(
            f"{shown}: line {reader.line_num}: {error}; expected a CSV; check the quotes there"
        ) from None
    if not rows:
        raise ReportFormatError(f"{shown}: no row; expected a header and rows below it; add some")
    return tuple(rows)


def _check_header(names: Sequence[str], where: str, needed: Sequence[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ReportFormatError(
            f"{where}: the column {quote(twice[0])} comes twice; expected it once; rename one"
        )
    missing = [name for name in needed if name not in names]
    if missing:
        one = len(missing) == 1
        remedy = f"add {'it' if one else 'them'} to the header" if len(names) > 1 else "separate by commas"
        columns = f"the column{'' if one else 's'} {', '.join(missing)}"
        raise ReportFormatError(f"{where}: {quote(list_some(names, ','))}; expected {columns}; {remedy}")
