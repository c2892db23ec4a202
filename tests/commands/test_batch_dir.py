"""The directory of a batch: what it refuses, what it keeps, and what is left when it is removed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from idinf.commands import batch_dir
from idinf.commands.batch_dir import BatchDirectory, key_of
from idinf.errors import RunDirectoryError


def test_what_is_kept_is_recalled(tmp_path: Path) -> None:
    path = str(tmp_path / "run")
    with BatchDirectory(path, False) as directory:
        assert directory.recall("a-1", "60s") is None
        directory.keep("a-1", '"settled"', None)
        directory.keep("b-1", '"ended"', "60s")
    with BatchDirectory(path, True) as directory:
        assert directory.recall("a-1", "60s") == directory.recall("a-1", "9s") == ('"settled"', False)
        assert directory.recall("b-1", "60s") == ('"ended"', True)
        assert directory.recall("b-1", "9s") is None
        directory.keep("b-1", '"settled"', None)
        assert directory.recall("b-1", "60s") == ('"settled"', False)


def test_a_damaged_report_counts_as_absent(tmp_path: Path) -> None:
    with BatchDirectory(str(tmp_path / "run"), False) as directory:
        directory.keep("a", '{"n0": 3', None)
        assert directory.recall("a", "60s") is None


def test_the_journal_of_a_settled_target_goes(tmp_path: Path) -> None:
    with BatchDirectory(str(tmp_path / "run"), False) as directory:
        for key, limits in (("a", None), ("b", "60s")):
            directory.work(key).mkdir()
            (directory.work(key) / "units-0001.log").write_text("work")
            directory.keep(key, "report", limits)
        assert not directory.work("a").exists()
        assert directory.work("b").exists()


def test_removal_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    for name, foreign in (("one", False), ("two", True)):
        with BatchDirectory(str(tmp_path / name), False) as directory:
            directory.keep("a", "report", None)
            directory.work("b").mkdir()
            (directory.work("b") / "units-0001.log").write_text("work")
            if foreign:
                (tmp_path / name / "notes.txt").write_text("mine")
            directory.remove()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == [
        "two",
        "two/notes.txt",
    ]


def test_a_batch_is_not_resumed_unasked(tmp_path: Path) -> None:
    BatchDirectory(str(tmp_path / "run"), True).close()
    with pytest.raises(RunDirectoryError, match=r"already holds a batch; .*add --resume"):
        BatchDirectory(str(tmp_path / "run"), False)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("notes.txt", "mine", "holds 'notes.txt' and is no directory of a batch"),
        ("identity.json", "{}", "holds 'identity.json' and is no directory of a batch"),
        ("batch.json", "[]", "is not the mark of an idinf-batch/1 directory"),
        ("batch.json", '{"format": "idinf-batch/2"}', "is not the mark of an idinf-batch/1 directory"),
        ("batch.json", "{", "is not the mark of an idinf-batch/1 directory"),
    ],
)
def test_a_directory_of_something_else_is_refused(name: str, content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(RunDirectoryError, match=told):
        BatchDirectory(str(tmp_path), True)
    assert (tmp_path / name).read_text() == content


def test_a_missing_parent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match="No such file or directory"):
        BatchDirectory(str(tmp_path / "nowhere" / "run"), False)


HOLDER = (
    "import sys, time\nfrom idinf.commands.batch_dir import BatchDirectory\n"
    "directory = BatchDirectory(sys.argv[1], True)\nprint('held', flush=True)\ntime.sleep(60)\n"
)

#: Holds it in a child alone, which a kill of its parent leaves for a moment.
LEFTOVER = (
    "import os, sys, time\nfrom idinf.commands.batch_dir import BatchDirectory\n"
    "directory = BatchDirectory(sys.argv[1], True)\n"
    "if os.fork() == 0:\n    os.close(1)\n    time.sleep(1.0)\n    os._exit(0)\n"
    "print('held', flush=True)\nos._exit(0)\n"
)


def holding(code: str, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_one_batch_at_a_time(tmp_path: Path) -> None:
    process = holding(HOLDER, tmp_path)
    with pytest.raises(RunDirectoryError, match="in use by another process"):
        BatchDirectory(str(tmp_path), True)
    process.kill()
    process.communicate()
    BatchDirectory(str(tmp_path), True).close()


def test_what_a_killed_batch_left_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(LEFTOVER, tmp_path).communicate()
    monkeypatch.setattr(batch_dir, "PATIENCE_S", 0.1)
    with pytest.raises(RunDirectoryError, match="in use by another process"):
        BatchDirectory(str(tmp_path), True)
    monkeypatch.setattr(batch_dir, "PATIENCE_S", 60.0)
    BatchDirectory(str(tmp_path), True).close()


def test_another_question_is_another_key() -> None:
    keys = {key_of("a", {"max_n": 1}), key_of("a", {"max_n": 2}), key_of("b", {"max_n": 1})}
    assert len(keys) == 3
    assert key_of("a", {"x": 1, "y": 2}) == key_of("a", {"y": 2, "x": 1})
