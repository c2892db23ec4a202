"""The table of a batch or sweep while it grows: always whole, always in the order of what was asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from idinf.base.files import OutputError, check_writable, show_path, write_whole
from idinf.base.quoting import name_file
from idinf.tables.csv_tables import Cell, format_table

#: A table of more rows than twice this is not written with every row, but after one part of so many.
PARTS = 256

#: The suffix of a file that is written as Parquet; any other is CSV.
PARQUET = ".parquet"


class BatchTable:
    """Rows by the place of what was asked, the target first in each. Mutable: it grows.

    A file is rewritten as a whole with every row, and a long one when it `is_due`, so that a kill at any
    moment leaves a whole table; a pipe gets it once. No row, no file. Without a path rows go to stdout, where
    one waits for those before it.
    """

    def __init__(self, path: str | None, total: int, columns: Mapping[str, type]) -> None:
        self.path, self.total, self.columns = path, total, columns
        self.rows: dict[int, Sequence[Cell]] = {}
        self._written = 0
        self._has_header = path is not None
        self._is_file = path is not None and (os.path.isfile(path) or not os.path.exists(path))

    def put(self, place: int, row: Sequence[Cell]) -> None:
        """Add a row, and write what can be written; an OutputError if the file cannot be."""
        self.rows[place] = row
        if self.path is None:
            self._head()
            while self._written in self.rows:
                self._print(self._written)
        elif len(self.rows) == self.total or (self._is_file and is_due(len(self.rows), self.total)):
            self._write(self.path)

    def finish(self) -> None:
        """Write the rows that are not written, on stdout those that still wait for others."""
        if self.path is None:
            self._head()
            for place in sorted(place for place in self.rows if place >= self._written):
                self._print(place)
        elif self._written < len(self.rows):
            self._write(self.path)

    def _write(self, path: str) -> None:
        write_table(path, self.columns, [self.rows[place] for place in sorted(self.rows)])
        self._written = len(self.rows)

    def _head(self) -> None:
        """On stdout, write the header before the first row: what is refused until then writes nothing."""
        if not self._has_header:
            click.echo(format_table(self.columns, []), nl=False)
        self._has_header = True

    def _print(self, place: int) -> None:
        _, _, line = format_table(self.columns, [self.rows[place]]).partition("\n")
        click.echo(line, nl=False)
        self._written = place + 1


def is_due(rows: int, total: int) -> bool:
    """Whether a table with so many rows of all is to be written: else long ones would take hours.

    Examples
    --------
    >>> [is_due(rows, 5000) for rows in (1, 511, 4999, 5000)], sum(is_due(rows, 5000) for rows in range(5001))
    ([True, True, False, True], 1168)
    """
    return rows == total or rows % max(1, rows // PARTS) == 0


def write_table(path: str, columns: Mapping[str, type], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a table as a whole: as Parquet where the name of the file ends so, else as CSV.

    Raises
    ------
    OutputError
        If the file cannot be written.
    MissingPackageError
        If it is Parquet, and pyarrow is not installed.
    """
    if path.endswith(PARQUET):
        from idinf.tables.parquet import encode_parquet  # CSV has no use for it

        write_whole(path, encode_parquet(columns, rows))
    else:
        write_whole(path, format_table(columns, rows))


def check_table(path: str) -> None:
    """Refuse, before any work, a table that could not be written; errors as of `write_table`."""
    check_writable(path)
    if path.endswith(PARQUET):
        from idinf.tables.parquet import load_pyarrow

        load_pyarrow()


def name_report_paths(directory: str | None, names: list[str]) -> list[Path | None]:
    """Name a file for the report of every target; their folder is made with the first one.

    A name that comes again gets ``~2``, ``~3``, …, which no target has in its name.

    Raises
    ------
    OutputError
        If the folder cannot be written, or lies in none in which it could be made.

    Examples
    --------
    >>> [str(path) for path in name_report_paths(".", ["d-2", "parity", "d-2"])]
    ['d-2.json', 'parity.json', 'd-2~2.json']
    """
    if directory is None:
        return [None] * len(names)
    folder = Path(directory)
    is_there = os.path.isdir(folder)  # False for what is no path at all, too
    if os.path.lexists(folder) and not is_there:
        raise OutputError(f"{show_path(directory)}: is no folder; expected one; choose another --json-dir")
    try:
        check_writable(str(folder / "report.json") if is_there else directory)
    except OutputError as error:
        raise OutputError(f"{error} for --json-dir") from None
    counts: dict[str, int] = {}
    paths: list[Path | None] = []
    for name in map(name_file, names):
        counts[name] = counts.get(name, 0) + 1
        paths.append(folder / (f"{name}.json" if counts[name] == 1 else f"{name}~{counts[name]}.json"))
    return paths
