"""The folder of a run: nothing outside it is touched, and what is wrong with it is one short message."""

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


def opened(path: Path, resume: bool = True, follow: bool = False) -> RunFolder:
    return RunFolder(path, "run", "mark.json", QUESTION, OWN, resume, follow)


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
        (lambda path: path.symlink_to("/dev/zero"), "is a link"),
        (lambda path: path.symlink_to("nowhere"), "is a link"),
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
    with opened(run) as folder:
        (run / "link").symlink_to(mine)
        (run / "work").mkdir()
        (run / "work" / "own").symlink_to(mine / "own")
        for name in ("link", "work", "nowhere"):
            folder.discard(name, OWN)
    assert (mine / "own").read_text() == "mine"
    assert not (run / "work").exists()


def test_discarding_leaves_what_is_not_its_own(run: Path) -> None:
    with opened(run) as folder:
        for name in ("own", "thesis.tex"):
            (run / "work").mkdir(exist_ok=True)
            (run / "work" / name).write_text("work")
        folder.discard("work", OWN)
    assert [path.name for path in (run / "work").iterdir()] == ["thesis.tex"]
