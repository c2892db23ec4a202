"""Finished work in a sqlite3 file: what was kept is recalled, damage is absence, others are refused."""

import os
import pickle
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from idinf.errors import BudgetError, RunDirectoryError
from idinf.search.slice_types import STORED, Counts
from idinf.work.journal import FILE, Journal, claim_folder, remove_folder

QUESTION = {"target": "majority", "max_n": 8, "max_r": 10.5, "names": ("a", "b")}


def opened(folder: Path, run: str = "", **changed: object) -> Journal:
    return Journal(folder, {**QUESTION, **changed}, STORED, run)


def test_what_was_kept_is_recalled(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        assert journal.recall((1, 2)) is None
        journal.keep((1, 2), (Counts(1, 2, 3), np.arange(3)))
        journal.keep((1, 2.5), "small")
    with opened(tmp_path) as journal:
        counts, array = journal.recall((1, 2))
        assert (counts, array.tolist()) == (Counts(1, 2, 3), [0, 1, 2])
        assert journal.recall((1, 2.5)) == "small"
        for other in ((1, 2.0), (1, "2"), ((1, 2),), (1, True)):
            assert journal.recall(other) is None
        journal.keep((1, 2.5), "newer")
    with opened(tmp_path) as journal:
        assert journal.recall((1, 2.5)) == "newer"


def test_a_question_sees_its_own_work_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as journal, opened(tmp_path, max_n=9) as other, opened(tmp_path, "a") as named:
        for number, each in enumerate((journal, other, named)):
            each.keep(("x",), number)
        assert [each.recall(("x",)) for each in (journal, other, named)] == [0, 1, 2]
        journal.forget("a")
        assert [each.recall(("x",)) for each in (journal, other, named)] == [0, 1, None]


@pytest.mark.parametrize("value", [os.system, subprocess.Popen, Path("x"), pickle.loads])
def test_what_is_on_no_list_is_not_made(value: object, tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.keep(("x",), value)
        assert journal.recall(("x",)) is None


def test_a_damaged_value_is_absent_and_never_another(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.keep(("a",), np.arange(1000))
    places = random.Random(0)
    with sqlite3.connect(tmp_path / FILE) as file:
        ((whole,),) = file.execute("SELECT value FROM kept").fetchall()
        for _ in range(100):
            damaged = bytearray(whole)
            damaged[places.randrange(len(whole))] ^= 1 << places.randrange(8)
            for value in (bytes(damaged), whole[: places.randrange(len(whole))], "text", None):
                file.execute("UPDATE kept SET value = ?", (value,))
                file.commit()
                with opened(tmp_path) as journal:
                    assert journal.recall(("a",)) is None
        file.execute("UPDATE kept SET value = ?, key = ?", (whole, b"another"))
    file.close()
    with opened(tmp_path) as journal:
        assert journal.recall(("a",)) is None


def foreign(path: Path) -> None:
    file = sqlite3.connect(path)
    file.execute("CREATE TABLE mine (x)")
    file.commit()
    file.close()


@pytest.mark.parametrize(
    "plant",
    [
        lambda path: path.write_text("a thesis\n" * 1000),
        lambda path: path.write_bytes(os.urandom(5000)),
        lambda path: path.mkdir(),
        foreign,
    ],
)
def test_a_file_that_is_not_ours_is_refused_in_one_line(
    plant: Callable[[Path], object], tmp_path: Path
) -> None:
    plant(tmp_path / FILE)
    told = rf"{FILE}: is no file of finished work \(.*\); expected one that idinf wrote; choose another"
    with pytest.raises(RunDirectoryError, match=told) as refusal:
        opened(tmp_path)
    assert "\n" not in str(refusal.value)


def test_pages_cut_or_overwritten_never_give_another_value(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        for number in range(200):
            journal.keep((number,), (number, np.full(100, number)))
    whole, places = (tmp_path / FILE).read_bytes(), random.Random(1)
    for _ in range(60):
        content = bytearray(whole)
        start = places.randrange(len(content))
        content[start : start + 300] = os.urandom(300) if places.random() < 0.5 else b""
        (tmp_path / FILE).write_bytes(content)
        try:
            with opened(tmp_path) as journal:
                for number in range(200):
                    value = journal.recall((number,))
                    assert value is None or (value[0] == number and (value[1] == number).all())
        except RunDirectoryError:
            pass
        for name in (f"{FILE}-wal", f"{FILE}-shm"):
            (tmp_path / name).unlink(missing_ok=True)


def test_a_folder_with_work_is_resumed_or_refused(tmp_path: Path) -> None:
    folder = claim_folder(tmp_path / "run", "batch", resume=False)
    opened(folder).__exit__()
    with pytest.raises(RunDirectoryError, match=r"already holds a batch; .*; add --resume"):
        claim_folder(folder, "batch", resume=False)
    assert claim_folder(folder, "batch", resume=True) == folder
    (folder / "notes.txt").write_text("mine")
    remove_folder(folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    for wrong in (folder / "notes.txt", tmp_path / "nowhere" / "run", "a\0b"):
        with pytest.raises(RunDirectoryError, match="cannot be used as the directory of a run"):
            claim_folder(wrong, "run", resume=True)


KEEPS = """
import sys
from pathlib import Path
from idinf.work.journal import Journal
with Journal(Path(sys.argv[1]), {}) as journal:
    for number in range(10**9):
        journal.keep((number,), "x" * number)
        print(number, flush=True)
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_kill_loses_nothing_that_was_kept_also_beside_another_process(seed: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KEEPS, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    last = []
    for process in processes:
        assert process.stdout is not None
        for _ in range(1, random.Random(seed).randrange(2, 300)):
            process.stdout.readline()
    for process in processes:
        process.kill()
        output, _ = process.communicate(timeout=60)
        last.append(int(output.split()[-1]) if output.split() else 0)
    with Journal(tmp_path, {}) as journal:
        assert all(journal.recall((number,)) == "x" * number for number in range(max(last)))


def test_a_full_disk_is_said_once_and_loses_nothing_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.keep((1,), "kept")
        ((pages,),) = journal._file.execute("PRAGMA page_count")
        journal._file.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(BudgetError, match=r"database or disk is full.*go on with --resume"):
            journal.keep((2,), os.urandom(100_000))
        journal.keep((3,), "not even tried")
        assert journal.recall((1,)) == "kept"
    with opened(tmp_path) as journal:
        assert [journal.recall((key,)) for key in (1, 2, 3)] == ["kept", None, None]
