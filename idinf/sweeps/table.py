"""The CSV of a batch while it grows: always whole, always in the order of the specs."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import click

from idinf.files import OutputError, Unreadable, check_writable, read_bytes, show_path, write_whole
from idinf.sweeps.csv_tables import MOST_TABLE
from idinf.sweeps.row import Row, count_csv_targets, format_csv


class BatchTable:
    """Rows by the place of their spec. Mutable: it grows.

    A file is rewritten as a whole with every row, so that a kill at any moment leaves a table, and never one
    with fewer rows than before: as long as it has rows of targets that are not among these, it is left as it
    is, and what is no such table is replaced by the last row only. No row, no file. Without a path rows go to
    stdout, where one waits for those before it.
    """

    def __init__(self, path: str | None, total: int) -> None:
        self.path, self.total = path, total
        self.rows: dict[int, Row] = {}
        self._written = 0
        self._missing = Counter[str]() if path is None else _targets(path)
        self._has_header = path is not None

    @property
    def is_held_back(self) -> bool:
        """Whether the file is left as it was, for what it has and these rows do not."""
        return len(self.rows) < self.total and (self._missing is None or bool(self._missing))

    def put(self, place: int, row: Row) -> None:
        """Add a row, and write what can be written; an OutputError if the file cannot be."""
        self.rows[place] = row
        if self._missing:
            self._missing -= count_csv_targets(format_csv([row])) or Counter()
        if self.path is None:
            self._head()
            while self._written in self.rows:
                self._print(self._written)
        elif not self.is_held_back:
            write_whole(self.path, format_csv(self.rows[place] for place in sorted(self.rows)))

    def finish(self) -> None:
        """On stdout, write the rows that still wait for others."""
        if self.path is None:
            self._head()
            for place in sorted(place for place in self.rows if place >= self._written):
                self._print(place)

    def _head(self) -> None:
        """On stdout, write the header before the first row: what is refused until then writes nothing."""
        if not self._has_header:
            click.echo(format_csv([]), nl=False)
        self._has_header = True

    def _print(self, place: int) -> None:
        _, _, line = format_csv([self.rows[place]]).partition("\n")
        click.echo(line, nl=False)
        self._written = place + 1


def _targets(path: str) -> Counter[str] | None:
    """Count the rows of every target in a file, none in a missing one; None if it is no table of a batch."""
    if not os.path.exists(path):
        return Counter()
    try:
        return count_csv_targets(read_bytes(path, MOST_TABLE).decode())
    except (Unreadable, UnicodeDecodeError):
        return None


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
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        paths.append(folder / (f"{name}.json" if counts[name] == 1 else f"{name}~{counts[name]}.json"))
    return paths
