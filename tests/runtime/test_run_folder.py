"""The folder of a run: what is wrong with it is one short message."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from idinf.errors import RunDirectoryError
from idinf.runtime.folder import FILE
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


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "[" * 100_000, '{"a":' * 100_000, '{"max_n": 1' + "0" * 5000 + "}", " " * 2**21],
    ids=lambda text: text[:12],
)
def test_a_mark_that_cannot_be_read_is_damage(text: str, run: Path) -> None:
    (run / "mark.json").write_text(text)
    with pytest.raises(RunDirectoryError, match=r"mark.json: is damaged; expected the question of the run"):
        opened(run)


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "test/1", "max_n": 1' + "0" * 4000 + "}",
        '{"format": "' + "x" * 10**5 + '", "max_n": 8}',
        '{"format": "test/1", "max_n": 8, "' + "\\u001b" * 10**4 + '": 1}',
        '{"format": "test/1", "max_n": ' + "[" * 500 + "]" * 500 + "}",
    ],
    ids=["digits", "value", "key", "nested"],
)
def test_a_message_quotes_little_of_a_mark(text: str, run: Path) -> None:
    (run / "mark.json").write_text(text)
    with pytest.raises(RunDirectoryError, match=r"holds a run with .*; choose another --run-dir") as caught:
        opened(run)
    assert len(str(caught.value)) < 500
    assert str(caught.value).isprintable()


def test_names_with_a_zero_byte_are_refused() -> None:
    with pytest.raises(RunDirectoryError, match="cannot be used as the directory of a run"):
        opened(Path("a\0b"))


def test_a_folder_of_somebody_else_stays_as_it_is(mine: Path) -> None:
    (mine / "thesis.tex").touch()
    with pytest.raises(RunDirectoryError, match=r"holds 'thesis.tex' and is no directory of a run"):
        opened(mine)
    assert sorted(path.name for path in mine.iterdir()) == ["own", "thesis.tex"]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunDirectoryError, match=r"mark.json: cannot be written \(No space left on device\)"):
        opened(tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["lock"]


def test_discarding_follows_no_link(run: Path, mine: Path) -> None:
    (run / "link").symlink_to(mine)
    with opened(run) as folder:
        folder.discard("link", OWN)
        folder.discard("nowhere", OWN)
    assert (mine / "own").read_text() == "mine"


def test_discarding_leaves_what_is_not_its_own(run: Path) -> None:
    with opened(run) as folder:
        for name in ("own", "thesis.tex"):
            (run / "work").mkdir(exist_ok=True)
            (run / "work" / name).write_text("work")
        folder.discard("work", OWN)
    assert [path.name for path in (run / "work").iterdir()] == ["thesis.tex"]


def test_reading_is_bounded(run: Path) -> None:
    with opened(run) as folder:
        folder.write("own", b"12345")
        assert [folder.read("own", most) for most in (4, 5)] == [None, b"12345"]
        assert folder.read("nowhere", 5) is None


def test_only_one_kind_is_expected(run: Path) -> None:
    with opened(run) as folder:
        folder.expect(FILE)
        (run / ".hidden").mkdir()
        folder.expect(FILE)
        (run / "work").mkdir()
        with pytest.raises(RunDirectoryError, match="work: is a folder; expected a file"):
            folder.expect(FILE)
