"""The CSV of a batch: at any moment a whole one."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import pytest

from idinf.base.files import OutputError
from idinf.tables.files import GrowingTable
from idinf.tables.row import COLUMNS, Row, format_csv


def table_of(*names: str) -> str:
    return format_csv(map(Row, names))


def grown(path: Path, *names: str, total: int = 9) -> list[str]:
    """Fill a table; what the file has before the first row and after each."""
    table = GrowingTable(str(path), total, COLUMNS)
    seen = [path.read_text() if path.exists() else ""]
    for place, name in enumerate(names):
        table.put(place, [astuple(Row(name))])
        seen.append(path.read_text() if path.exists() else "")
    return seen


def test_a_missing_file_grows_from_the_first_row(tmp_path: Path) -> None:
    assert grown(tmp_path / "r.csv", "a", "b") == ["", table_of("a"), table_of("a", "b")]


def test_another_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("thesis\n")
    assert grown(tmp_path / "r.csv", "a", "b", total=2) == ["thesis\n", table_of("a"), table_of("a", "b")]


def test_a_full_disk_leaves_the_old_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "r.csv"
    path.write_text(table_of("a", "b"))
    monkeypatch.setattr("os.fsync", full)
    table = GrowingTable(str(path), 3, COLUMNS)
    with pytest.raises(OutputError, match="No space left on device"):
        table.put(0, [astuple(Row("a"))])
    assert path.read_text() == table_of("a", "b")
