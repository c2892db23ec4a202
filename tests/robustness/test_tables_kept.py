"""The table of a batch: at any moment the old one or a whole newer one, whatever ends the batch."""

from __future__ import annotations

import csv
import io
import random
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from tests.robustness.command_runner import Bench
from tests.robustness.promise import Promise
from tests.robustness.sound_documents import DOCUMENTS, written

LINE = ["batch", "f.toml", "--max-n", "2", "-o", "out.csv"]
TARGETS = ["t-1-1", "t-1-2", "t-2-1"]

PROMISE = Promise(codes=(0,), writes=("out.csv", "out.csv.run", "kept"), lines=2 + len(TARGETS))

#: A table of somebody, one that the batch may replace by a whole one and by nothing less.
OLD = "target,n0\nt-1-1,3\nt-1-2,2\n"


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a table that is whole; an error if it is not."""
    assert text.endswith("\n")
    table = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in table} == {len(table[0])}
    return [dict(zip(table[0], row, strict=True)) for row in table[1:]]


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """A folder with a family of three targets, which are searched without annealing."""
    (bench.here / "f.toml").write_text(written(*DOCUMENTS["family"]))
    return bench


def _moments(number: int) -> list[object]:
    chosen = random.Random(20)
    return [
        pytest.param(round(chosen.uniform(0, 0.5), 3), marks=() if index == 0 else (pytest.mark.slow,))
        for index in range(number)
    ]


@pytest.mark.parametrize("moment", _moments(24))
def test_a_kill_leaves_the_old_table_or_a_whole_one(moment: float, bench: Bench) -> None:
    out = bench.here / "out.csv"
    out.write_text(OLD)
    killed = replace(PROMISE, codes=(0, -signal.SIGKILL))
    ended = bench.run(*LINE, promise=killed, sent=signal.SIGKILL, when=moment, check=False)
    assert ended.code in killed.codes
    text = out.read_text()
    if text != OLD:
        found = [row["target"] for row in rows(text)]
        assert found, "the old rows are gone, and no new one is there"
        assert set(found) <= set(TARGETS)
    bench.run(*LINE, "--resume", promise=PROMISE)
    assert [row["target"] for row in rows(out.read_text())] == TARGETS


@pytest.mark.thinned(2)
@pytest.mark.parametrize("room", [1, 100, 400, 700, 1000])
def test_a_full_disk_leaves_the_old_table_or_a_whole_one(room: int, bench: Bench) -> None:
    out = bench.here / "out.csv"
    out.write_text(OLD)
    bench.run(*LINE, promise=replace(PROMISE, codes=(0, 3), partial=True), file_size=room)
    assert out.read_text() == OLD or rows(out.read_text())


def test_rows_are_read_as_they_are_written(tmp_path: Path) -> None:
    assert [row["n0"] for row in rows(OLD)] == ["3", "2"]
    for broken in ("target,n0\nmajority,3\ndyck", "target,n0\nmajority\n", "target,n0\nmajority,3"):
        with pytest.raises(AssertionError):
            rows(broken)
