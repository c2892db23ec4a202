"""Tables as CSV: written, and read back with the place of every fault."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import NoReturn, TypeAlias

from idinf.base.files import MIB, read_text, show_path
from idinf.base.quoting import escape_controls, list_some, quote
from idinf.errors import ReportFormatError

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

    Examples
    --------
    >>> from idinf.tables.row import Row
    >>> list(list_columns(Row).items())[:3:2]
    [('target', <class 'str'>), ('size', <class 'int'>)]
    """
    kinds = {item.name: _KINDS.get(str(item.type).split(" | ")[0]) for item in fields(of)}
    return {name: kind for name, kind in kinds.items() if kind is not None}


def format_table(columns: Iterable[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Write rows of cells below a header, None as an empty one.

    Control characters, a carriage return among them, are written as in JSON.

    Examples
    --------
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


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table that was read; `fail` says where it stands.

    Examples
    --------
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
        """Give a number of at most `LARGEST`, with or without its sign; ``rest`` is for what is none."""
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
        """Raise a ReportFormatError about a cell; ``rest`` says what was expected, and what to do."""
        where = f"{show_path(self.origin)}: line {self.line}: {column}"
        raise ReportFormatError(f"{where} = {quote(self.text(column) or '')}; {rest}")


def read_table(path: str, needed: Sequence[str], made_by: str) -> tuple[TableRow, ...]:
    """Read a CSV file that has some columns, in any order, and perhaps more.

    Raises
    ------
    ReportFormatError
        If it cannot be read, or has no such columns; ``made_by`` says how to get such a file.
    """
    return parse_table(
        read_text(path, MOST_TABLE, ReportFormatError, f"expected a CSV {made_by}"), path, needed
    )


def parse_table(text: str, origin: str, needed: Sequence[str]) -> tuple[TableRow, ...]:
    """Read the text of a CSV as `read_table` does.

    Examples
    --------
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
