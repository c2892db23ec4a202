"""The notebook for a class: run from the top, it shows what the file shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")

PATH = Path(__file__).resolve().parents[1] / "docs" / "teaching.ipynb"

REMEDY = "IDINF_GOLDEN=1 python -m pytest -m slow tests/test_notebook.py writes the output again"


def notebook():
    return nbformat.read(PATH, as_version=4)


def executed():
    """The notebook after a run of all its cells, without traces of when and where."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    book = notebook()
    nbclient.NotebookClient(
        book, timeout=300, record_timing=False, resources={"metadata": {"path": str(PATH.parent)}}
    ).execute()
    book.metadata["language_info"] = {"name": "python"}
    return book


def printed(cell) -> str:
    """What a cell shows, as text."""
    shown = []
    for output in cell.outputs:
        assert output.output_type in ("stream", "execute_result"), output
        assert output.get("name", "stdout") == "stdout", output
        shown.append(output.text if "text" in output else output.data["text/plain"])
    return "".join(shown)


@pytest.mark.slow
def test_a_run_shows_what_the_file_shows() -> None:
    book = executed()
    if os.environ.get("IDINF_GOLDEN") == "1":
        nbformat.write(book, PATH)
    for fresh, kept in zip(book.cells, notebook().cells, strict=True):
        if fresh.cell_type == "code":
            assert printed(fresh) == printed(kept), f"{fresh.source}\n\nis stale; {REMEDY}"


def test_the_file_was_run_from_the_top() -> None:
    book = notebook()
    nbformat.validate(book)
    codes = [cell for cell in book.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in codes] == list(range(1, len(codes) + 1)), REMEDY
    assert any(printed(cell) for cell in codes)
    assert "/home/" not in PATH.read_text(encoding="utf-8")


def test_cells_are_short() -> None:
    for cell in notebook().cells:
        assert len(cell.source.splitlines()) <= 25, cell.source
        assert cell.cell_type != "code" or len(printed(cell).splitlines()) <= 25, cell.source
