"""The folder of a run: what is wrong with it is one short message."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from idinf.errors import RunDirectoryError
from idinf.runtime.run_folder import RunFolder

QUESTION = {"format": "test/1", "max_n": 8}
OWN = re.compile("own|reports")


def opened(path: Path, resume: bool = True) -> RunFolder:
    return RunFolder(path, "run", "mark.json", QUESTION, OWN, resume)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    opened(path).close()
    return path


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of somebody else."""
    path = tmp_path / "mine"
    path.mkdir()
    (path / "own").write_text("mine")
    return path


@pytest.mark.parametrize("name", ["mark.json", "lock"])
@pytest.mark.parametrize(
    ("plant", "told"),
    [
        (lambda path: path.symlink_to("/dev/zero"), "is a device"),
        (os.mkfifo, "is a pipe"),
        (lambda path: path.mkdir(), "is a folder"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    name: str, plant: Callable[[Path], None], told: str, run: Path
) -> None:
    (run / name).unlink()
    plant(run / name)
    with pytest.raises(RunDirectoryError, match=f"{name}: {told}; expected a file; choose another --run-dir"):
        opened(run)


def test_discarding_follows_no_link(run: Path, mine: Path) -> None:
    (run / "link").symlink_to(mine)
    with opened(run) as folder:
        folder.discard("link", OWN)
        folder.discard("nowhere", OWN)
    assert (mine / "own").read_text() == "mine"
    assert not (run / "work").exists()


def test_discarding_leaves_what_is_not_its_own(run: Path) -> None:
    with opened(run) as folder:
        for name in ("own", "thesis.tex"):
            (run / "work").mkdir(exist_ok=True)
            (run / "work" / name).write_text("work")
        folder.discard("work", OWN)
    assert [path.name for path in (run / "work").iterdir()] == ["thesis.tex"]
