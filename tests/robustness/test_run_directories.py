"""The contract of kept directories: whatever lies in them, runs go on, and nothing outside is touched."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.asked_for import asked_for
from tests.robustness.command_runner import Bench
from tests.robustness.promise import Promise
from tests.robustness.sound_documents import DOCUMENTS, written

RUN = "identify majority --max-n 2 --max-r 6 --anneal-steps 0 --run-dir kept -o out.json"
BATCH = "batch f.toml --max-n 2 --run-dir kept --json-dir json -o out.csv"

#: Whatever a command makes of a damaged directory, it changes only this.
PROMISE = Promise(writes=("kept", "out.json", "out.csv", "json"), lines=4)

DEEP = b"[" * 100_000


def _content(content: bytes) -> Callable[[Path], None]:
    return lambda path: _replaced(path, lambda: path.write_bytes(content))


def _link(goal: str) -> Callable[[Path], None]:
    return lambda path: _replaced(path, lambda: path.symlink_to(goal))


def _node(kind: int) -> Callable[[Path], None]:
    return lambda path: _replaced(path, lambda: os.mknod(path, kind | 0o600))


def _other_digits(path: Path) -> None:
    """Other numbers of one digit in a file, which stays what it is otherwise."""
    if path.is_file():
        text = path.read_bytes()
        path.write_bytes(
            re.sub(rb"(?<=[ \[])[0-9](?=[,\n\]])", lambda found: b"%c" % (found[0][0] ^ 1), text)
        )


def _folder(path: Path) -> None:
    _replaced(path, path.mkdir)
    (path / "precious").write_text("precious")


def _flipped(path: Path) -> None:
    """Bits of a file, spread over it."""
    if path.is_dir():
        path = next(iter(sorted(path.iterdir())), path)
    if path.is_file():
        content = bytearray(path.read_bytes() or b"\0")
        for place in range(0, len(content), max(1, len(content) // 20)):
            content[place] ^= 1 << place % 8
        path.write_bytes(content)


def _cut(path: Path) -> None:
    if path.is_file():
        os.truncate(path, path.stat().st_size // 2)


def _sparse(path: Path) -> None:
    _replaced(path, path.touch)
    os.truncate(path, 2**30)


def _endless(path: Path) -> None:
    """A record that says it is larger than any disk, after sound ones."""
    if path.is_file():
        path.write_bytes(path.read_bytes() + b"IDJ1" + bytes(16) + b"\xff" * 8)


def _replaced(path: Path, put: Callable[[], object]) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    put()


#: What may lie where a file or folder of the directory should be.
DAMAGE: dict[str, Callable[[Path], None]] = {
    "missing": lambda path: _replaced(path, lambda: None),
    "empty": _content(b""),
    "garbage": _content(bytes(range(256)) * 40),
    "object": _content(b"{}"),
    "null": _content(b"null"),
    "deep": _content(DEEP),
    "digits": _content(b"9" * 5000),
    "controls": _content(b'{"\\u001b[31m": "\x1b[31m\\u009b"}'),
    "flipped": _flipped,
    "other-digits": _other_digits,
    "endless": _endless,
    "cut": _cut,
    "folder": _folder,
    "pipe": _node(stat.S_IFIFO),
    "socket": _node(stat.S_IFSOCK),
    "zero": _link("/dev/zero"),
    "sparse": _sparse,
}

#: Places of the directory of a run and of a batch; KEY is that of the first target.
PLACES = {
    "run": (
        "",
        "identity.json",
        "lock",
        "units-0001.log",
        "units-0002.log",
        "units-x.log",
        ".identity.json.part",
    ),
    "batch": (
        "",
        "batch.json",
        "lock",
        "reports",
        "reports/KEY.json",
        "work",
        "work/KEY",
        "work/KEY-4",
        "work/KEY/lock",
        ".batch.json.part",
        "reports/.KEY.json.part",
    ),
}

LINES = {"run": RUN, "batch": BATCH}

#: Pairs that guard most; the rest is slow.
QUICK = {
    ("run", "units-0001.log", "pipe"),
    ("run", "identity.json", "deep"),
    ("batch", "reports/KEY.json", "other-digits"),
    ("batch", "work/KEY", "folder"),
}


def _cases() -> list[object]:
    return asked_for(
        pytest.param(kind, place, damage, marks=() if (kind, place, damage) in QUICK else (pytest.mark.slow,))
        for kind, places in PLACES.items()
        for place in places
        for damage in DAMAGE
    )


def _kept(bench: Bench, kind: str) -> Path:
    """A directory of a finished run."""
    (bench.here / "f.toml").write_text(written(*DOCUMENTS["family"]))
    bench.run(*LINES[kind].split(), promise=replace(PROMISE, codes=(0,)))
    return bench.here / "kept"


def _path(directory: Path, place: str) -> Path:
    reports = sorted(directory.glob("reports/*.json"))
    path = directory / place.replace("KEY", reports[0].stem if reports else "KEY")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize(("kind", "place", "damage"), _cases())
def test_a_damaged_directory(kind: str, place: str, damage: str, bench: Bench) -> None:
    directory = _kept(bench, kind)
    before = _answers(bench)
    damaged = _path(directory, place)
    if place.startswith("work"):  # which counts for what is not finished
        for report in directory.glob("reports/*.json"):
            report.unlink()
    DAMAGE[damage](damaged)
    ended = bench.run(*LINES[kind].split(), "--resume", promise=PROMISE)
    if ended.code == 0 and b"failed" not in ended.stderr:  # a row may say that its report cannot be kept
        assert _answers(bench) == before, f"{place} {damage}: another answer than without the damage"


def _answers(bench: Bench) -> list[object]:
    """What was found: reports without what differs from run to run, tables without their seconds."""
    found: list[object] = []
    for path in [bench.here / "out.json", *sorted(bench.here.glob("json/*.json"))]:
        if path.exists():
            report = json.loads(path.read_text())
            found.append({key: report[key] for key in ("n0", "outcome", "stages", "records")})
    table = bench.here / "out.csv"
    if table.exists():
        rows = [line.split(",") for line in table.read_text().splitlines()]
        cells = [zip(rows[0], row, strict=False) for row in rows]
        found.append([[cell for name, cell in row if name not in _VARYING] for row in cells])
    return found


#: Columns of the table that differ between two runs.
_VARYING = ("seconds", "peak_mb", "peak_bytes")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("line", [RUN, BATCH])
@pytest.mark.parametrize("damage", ["zero", "pipe"])
def test_a_directory_that_is_none(line: str, damage: str, bench: Bench) -> None:
    (bench.here / "f.toml").write_text(written(*DOCUMENTS["family"]))
    DAMAGE[damage](bench.here / "kept")
    bench.run(*line.split(), promise=replace(PROMISE, codes=(3,)))


def test_an_empty_folder_is_no_batch(bench: Bench) -> None:
    (bench.here / "empty").mkdir()
    bench.run("batch", "empty", "-o", "out.csv", promise=Promise(codes=(3,)))
    (bench.here / "out.csv").write_text("old")
    bench.run("batch", "empty", "-o", "out.csv", promise=Promise(codes=(3,)))
