"""The CSV of a batch while it grows: always whole, always in the order of the specs."""

from __future__ import annotations

from pathlib import Path

import click

from idinf.files import OutputError, check_writable, write_whole
from idinf.reports.batch_row import Row, csv_text

__all__ = ["BatchTable", "report_paths"]


class BatchTable:
    """Rows by the place of their spec. Mutable: it grows.

    Parameters
    ----------
    path : str or None
        Rewritten as a whole with every row, so that a kill at any moment leaves a table; None: stdout, where
        a row waits for those before it.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.rows: dict[int, Row] = {}
        self._written = 0
        if path is None:
            click.echo(csv_text([]), nl=False)
        else:
            self._rewrite()

    def put(self, place: int, row: Row) -> None:
        """Add a row, and write what can be written.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        self.rows[place] = row
        if self.path is not None:
            self._rewrite()
            return
        while self._written in self.rows:
            self._print(self._written)

    def finish(self) -> None:
        """On stdout, write the rows that still wait for others."""
        if self.path is None:
            for place in sorted(place for place in self.rows if place >= self._written):
                self._print(place)

    def _rewrite(self) -> None:
        assert self.path is not None
        write_whole(self.path, csv_text([self.rows[place] for place in sorted(self.rows)]))

    def _print(self, place: int) -> None:
        _, _, line = csv_text([self.rows[place]]).partition("\n")
        click.echo(line, nl=False)
        self._written = place + 1


def report_paths(directory: str | None, names: list[str]) -> list[Path | None]:
    """Name a file for the report of every target, and make the folder for them.

    A name that comes again gets ``~2``, ``~3``, …, which no target has in its name.

    Raises
    ------
    OutputError
        If the folder cannot be made or written.

    Examples
    --------
    >>> [str(path) for path in report_paths(".", ["d-2", "parity", "d-2"])]
    ['d-2.json', 'parity.json', 'd-2~2.json']
    """
    if directory is None:
        return [None] * len(names)
    folder = Path(directory)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"{directory}: cannot be made ({error.strerror}); expected a folder, or a new name in an "
            "existing one; choose another --json-dir"
        ) from None
    counts: dict[str, int] = {}
    paths: list[Path | None] = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        paths.append(folder / (f"{name}.json" if counts[name] == 1 else f"{name}~{counts[name]}.json"))
    check_writable(str(folder / "report.json"))
    return paths
