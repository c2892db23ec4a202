"""Finished work on disk: what was kept is recalled, damage is absence, a directory has one question."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from idinf.errors import BudgetError, RunDirectoryError
from idinf.runtime import journal as module
from idinf.runtime.journal import Journal
from idinf.search.enumeration import Search
from idinf.search.found import STORED, Counts, HypothesisBatch, Mode
from tests.search.random_nets import random_counter
from tests.spaces import small_space

QUESTION = {"target": "majority", "max_n": 8, "max_r": 10.5, "names": ("a", "b")}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "run"


def test_what_was_kept_is_recalled(place):
    with Journal(place, QUESTION, classes=STORED) as journal:
        assert journal.recall((1, 2)) is None
        journal.keep((1, 2), (Counts(1, 2, 3), np.arange(3)))
        journal.keep((1, 2.5), "small")
        assert journal.recall((1, 2))[0] == Counts(1, 2, 3)
        assert journal.recall((1, 2))[1].tolist() == [0, 1, 2]
    with Journal(place, QUESTION, resume=True, classes=STORED) as journal:
        assert len(journal._places) == 2
        assert journal.recall((1, 2.5)) == "small"
        assert journal.recall((1, 2.0)) is None
        journal.keep((1, 2.5), "newer")
        assert journal.recall((1, 2.5)) == "newer"
    with Journal(place, QUESTION, resume=True, classes=STORED) as journal:
        assert journal.recall((1, 2.5)) == "newer"
        assert journal.recall((1, 2))[0] == Counts(1, 2, 3)


def test_real_batches_come_back_as_they_were(place):
    target = random_counter(np.random.default_rng(3), 2)
    search = Search(target, small_space(layers=2, units=1, precision=0, max_r=8.2), 8)
    batches = tuple(search.slice(5.5, 8.2, 1, Mode()))
    assert batches
    with Journal(place, QUESTION, classes=STORED) as journal:
        journal.keep(("all",), batches)
    with Journal(place, QUESTION, resume=True, classes=STORED) as journal:
        again = journal.recall(("all",))
        assert journal._codec.pack(again) == journal._codec.pack(batches)
        assert all(isinstance(batch, HypothesisBatch) for batch in again)


def units(place):
    return sorted(place.glob("units-*.log"))


@pytest.fixture
def three(place):
    """A directory with three values, the second large enough to be compressed."""
    with Journal(place, QUESTION, classes=STORED) as journal:
        journal.keep(("a",), "first")
        journal.keep(("b",), np.arange(1000))
        journal.keep(("c",), "third")
    return place


def recalled(place):
    with Journal(place, QUESTION, resume=True, classes=STORED) as journal:
        return [journal.recall((key,)) is not None for key in "abc"]


def test_a_file_cut_anywhere_keeps_the_records_before(three):
    (path,) = units(three)
    whole = path.read_bytes()
    with Journal(three, QUESTION, resume=True, classes=STORED) as journal:
        ends = [start + module._HEADER.size + size + 16 for _, start, size in journal._places.values()]
    assert ends[-1] == len(whole)
    for cut in [0, 1, *range(20, len(whole), 37), len(whole) - 1, *ends]:
        path.write_bytes(whole[:cut])
        assert recalled(three) == [end <= cut for end in ends], cut


def test_damage_anywhere_is_absence_and_never_another_value(three):
    (path,) = units(three)
    whole = path.read_bytes()
    want = {"a": "first", "c": "third"}
    for place in range(0, len(whole), 11):
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        path.write_bytes(damaged)
        with Journal(three, QUESTION, resume=True, classes=STORED) as journal:
            values = {key: journal.recall((key,)) for key in "abc"}
        assert sum(value is None for value in values.values()) >= 1
        assert all(values[key] in (None, value) for key, value in want.items())
        assert values["b"] is None or (values["b"] == np.arange(1000)).all()


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("target", "parity", "'majority', this one has target = 'parity'"),
        ("max_n", 9, "8, this one has max_n = 9"),
        ("max_r", 10.25, "10.5, this one has max_r = 10.25"),
        ("names", ("a", "c"), r"\['a', 'b'\], this one has names = \['a', 'c'\]"),
        ("extra", None, "nothing, this one has extra = None"),
        ("format", "idinf-run/0", "'idinf-run/1', this one has format = 'idinf-run/0'"),
    ],
)
def test_another_question_is_refused(three, key, value, told):
    with pytest.raises(
        RunDirectoryError, match=f"holds a run with {key} = {told}; .*; choose another --run-dir"
    ):
        Journal(three, {**QUESTION, key: value}, resume=True, classes=STORED)


def test_a_key_that_is_gone_and_a_schema_that_changed(three):
    fewer = {key: value for key, value in QUESTION.items() if key != "max_n"}
    with pytest.raises(RunDirectoryError, match="'max_n' = 8, this one has 'max_n' = nothing"):
        Journal(three, fewer, resume=True, classes=STORED)
    with pytest.raises(RunDirectoryError, match="stored values"):
        Journal(three, QUESTION, resume=True, classes=(Counts,))


HOLD = """
import json, os, signal, sys
from idinf.runtime.journal import Journal
journal = Journal(sys.argv[1], json.loads(sys.argv[2]))
journal.keep((1,), 1)
child = os.fork()
if child == 0:
    signal.pause()
print(child, flush=True)
signal.pause()
"""


def test_one_process_at_a_time_also_when_a_child_outlives_its_parent(place):
    arguments = [sys.executable, "-c", HOLD, str(place), json.dumps(QUESTION)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        child = int(process.stdout.readline())
        with pytest.raises(RunDirectoryError, match=r"in use by another process; .*; wait for it"):
            Journal(place, QUESTION, resume=True)
        process.kill()
        process.wait(timeout=30)
        assert Path(f"/proc/{child}").exists()
        with Journal(place, QUESTION, resume=True) as journal:
            assert journal.recall((1,)) == 1
    finally:
        process.kill()
        process.wait(timeout=30)
        subprocess.run(["kill", "-9", str(child)], check=True, timeout=30)
        process.stdout.close()


class FullDisk:
    """A file on a disk that takes ``room`` more bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        if not self.room:
            raise OSError(28, "No space left on device")
        part = bytes(data)[: self.room]
        self.room -= len(part)
        return self.file.write(part)


def test_a_full_disk_is_said_once_and_loses_nothing_kept(place):
    with Journal(place, QUESTION, classes=STORED) as journal:
        journal.keep((1,), "kept")
        journal._own = FullDisk(journal._own, 10)
        with pytest.raises(BudgetError, match=r"No space left on device.*go on with --resume"):
            journal.keep((2,), "lost")
        journal.keep((3,), "not even tried")
        assert journal.recall((1,)) == "kept"
    with Journal(place, QUESTION, resume=True, classes=STORED) as journal:
        assert [journal.recall((k,)) for k in (1, 2, 3)] == ["kept", None, None]
