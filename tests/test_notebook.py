"""The notebooks: run from the top, they show what their files show, and they use the library alone."""

import os
import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parents[1]

PATHS = sorted((ROOT / "docs").glob("*.ipynb"))

REMEDY = "IDINF_GOLDEN=1 python -m pytest -m slow tests/test_notebook.py writes the output again"

#: Lines of IPython inside a cell of Python.
_MAGIC = re.compile(r"^%.*$", re.MULTILINE)

#: A cell of text that asks for a guess about the cell below it.
_GUESS = "**Before you run the next cell:**"

every_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def notebook(path: Path):
    return nbformat.read(path, as_version=4)


def codes(book) -> list:
    """The cells of Python."""
    return [cell for cell in book.cells if cell.cell_type == "code"]


def executed(book, folder: Path):
    """A notebook after a run of all its cells in a folder, without traces of when and where."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    client = nbclient.NotebookClient(
        book, timeout=300, record_timing=False, resources={"metadata": {"path": str(folder)}}
    )
    client.comm_open_handlers.clear()  # what sliders print is an output of the cell that moves them
    client.execute()
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


def test_the_notebook_is_there() -> None:
    assert [path.stem for path in PATHS] == ["first-steps"]


@pytest.mark.slow
@every_notebook
def test_a_run_shows_what_the_file_shows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the kernel runs in a folder of its own
    book = executed(notebook(path), tmp_path)
    if os.environ.get("IDINF_GOLDEN") == "1":
        nbformat.write(book, path)
    for fresh, kept in zip(book.cells, notebook(path).cells, strict=True):
        if fresh.cell_type == "code":
            assert printed(fresh) == printed(kept), f"{fresh.source}\n\nis stale; {REMEDY}"


@every_notebook
def test_a_guess_is_asked_for_before_it_is_shown(path: Path) -> None:
    cells = notebook(path).cells
    guesses = [i for i, cell in enumerate(cells) if _GUESS in cell.source]
    assert len(guesses) >= 4
    for i in guesses:
        assert cells[i].source.count(_GUESS) == 1
        assert _GUESS in cells[i].source.rstrip().split("\n\n")[-1], "the question comes last"
        assert cells[i + 1].cell_type == "code"


@every_notebook
def test_the_file_was_run_from_the_top(path: Path) -> None:
    book = notebook(path)
    nbformat.validate(book)
    cells = codes(book)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), REMEDY
    assert any(printed(cell) for cell in cells)
    assert "/home/" not in path.read_text(encoding="utf-8")


@every_notebook
def test_a_notebook_uses_the_library_alone(path: Path) -> None:
    source = "\n".join(_MAGIC.sub("", cell.source) for cell in codes(notebook(path)))
    assert re.findall(r"^\s*(?:import|from) .*$", source, re.MULTILINE) == ["import idinf"]
    compile(source, path.name, "exec")
