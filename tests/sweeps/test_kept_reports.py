"""The directory of a batch: what it keeps, and what is left when it is removed."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from idinf.errors import RunDirectoryError
from idinf.experiments.catalogue import load
from idinf.experiments.spec import Verdict
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.report.files import dump_report
from idinf.report.value import Regularizer, Report
from idinf.runtime.limits import Limits
from idinf.sweeps import kept_reports
from idinf.sweeps.kept_reports import BatchDirectory, name_files
from idinf.transformers.regularizer import Aggregate


def reported(name: str, **bounds: float) -> Report:
    """The report of a small run."""
    spec = load(name)
    return run(
        Settings(max_n=3, bounds=bounds, anneal_steps=0, space="spec").about(spec, name), Limits()
    ).report


SETTLED, ENDED = reported("majority", layers=1, precision=0), reported("parity", max_r=6.0)
TEXT = dump_report(SETTLED)


def test_what_is_kept_is_recalled(tmp_path: Path) -> None:
    path = str(tmp_path / "run")
    with BatchDirectory(path, False) as directory:
        assert directory.recall("a-1", "60s") is None
        directory.keep("a-1", SETTLED, None)
        directory.keep("b-1", ENDED, "60s")
    with BatchDirectory(path, True) as directory:
        assert directory.recall("a-1", "60s") == directory.recall("a-1", "9s") == (SETTLED, False)
        assert directory.recall("b-1", "60s") == (ENDED, True)
        assert directory.recall("b-1", "9s") is None
        directory.keep("b-1", SETTLED, None)
        assert directory.recall("b-1", "60s") == (SETTLED, False)


def test_a_damaged_report_counts_as_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with BatchDirectory(str(tmp_path / "run"), False) as directory:
        directory.keep("a", SETTLED, None)
        path = tmp_path / "run" / "reports" / "a.json"
        whole, places = path.read_bytes(), random.Random(0)
        for _ in range(200):
            damaged = bytearray(whole)
            damaged[places.randrange(len(whole))] ^= 1 << places.randrange(8)
            path.write_bytes(damaged)
            assert directory.recall("a", "60s") is None
        for content in (b"", b"{}", b"null", b"[" * 100_000, TEXT.encode(), whole[:-1], whole + b"\n"):
            path.write_bytes(content)
            assert directory.recall("a", "60s") is None
        path.with_name("b.json").write_bytes(whole)  # the report of another target
        assert directory.recall("b", "60s") is None
        path.write_bytes(whole)
        assert directory.recall("a", "60s") == (SETTLED, False)
        monkeypatch.setattr(kept_reports, "MOST_REPORT", len(whole) - 1)
        assert directory.recall("a", "60s") is None


def test_removal_leaves_what_is_not_its_own(tmp_path: Path) -> None:
    for name, foreign in (("one", False), ("two", True)):
        with BatchDirectory(str(tmp_path / name), False) as directory:
            directory.keep("a", SETTLED, None)
            directory.work("b").mkdir()
            (directory.work("b") / "units-0001.log").write_text("work")
            if foreign:
                (tmp_path / name / "notes.txt").write_text("mine")
            directory.remove()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == [
        "two",
        "two/notes.txt",
    ]


HOLDER = (
    "import sys, time\nfrom idinf.sweeps.kept_reports import BatchDirectory\n"
    "directory = BatchDirectory(sys.argv[1], True)\nprint('held', flush=True)\ntime.sleep(60)\n"
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


def test_the_key_names_all_that_a_report_depends_on() -> None:
    target = load("d-12")
    question = Settings(space="spec").about(target, "d-12")
    others = [
        replace(question, max_n=8),
        replace(question, max_n_cap=64 + question.max_n_cap),
        replace(question, bounds=target.space.overridden(max_r=9)),
        replace(question, regularizer=Regularizer(Aggregate.SUM, None)),
        replace(question, regularizer=Regularizer(Aggregate.MAX, 0.0)),
        replace(question, known=()),
        replace(question, anneal_steps=7),
        replace(question, proves=False),
        replace(question, spec=replace(target, expected=(("crasp", Verdict.NO),))),
        Settings(space="spec").about(load("parity"), "parity"),
    ]
    assert len({name_files(question), *map(name_files, others)}) == 1 + len(others)
    assert name_files(replace(question, max_n=question.max_n)) == name_files(question)
