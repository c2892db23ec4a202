"""The contract with outputs: files that cannot be written, full disks, closed streams."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.asked_for import asked_for
from tests.robustness.command_runner import Bench
from tests.robustness.command_table import SOUND, Command, put_good_files
from tests.robustness.hostile_files import FILES
from tests.robustness.promise import EXIT_CODES

#: Commands that write a file or folder, ``@``.
WRITERS = {
    "identify": Command("identify good.toml --max-n 2 --max-r 5 --anneal-steps 0 -o @"),
    "identify-only": Command("identify good.toml --max-n 2 --max-r 5 --anneal-steps 0 --json -o @"),
    "identify-run": Command("identify good.toml --max-n 2 --max-r 5 --anneal-steps 0 --run-dir @"),
    "batch": Command("batch good.toml --max-n 2 --max-r 5 -o @"),
    "batch-json": Command("batch good.toml --max-n 2 --max-r 5 -o - --json-dir @"),
    "batch-run": Command("batch good.toml --max-n 2 --max-r 5 -o - --run-dir @"),
    "batch-long": Command("batch good.toml --max-n 2 --max-r 5 -o - --long @"),
    "batch-records": Command("batch good.toml --max-n 2 --max-r 5 -o - --records @"),
    "family": Command("family good-family.toml --up-to 1 --max-n 2 -o @"),
    "family-run": Command("family good-family.toml --up-to 1 --max-n 2 --run-dir @"),
    "report": Command("report good-report.json -o @"),
    "plot": Command("plot good-report.json -o @"),
    "communicate": Command("communicate good.toml --max-n 4 --plot @"),
    "fit-positions": Command("fit-positions --width 2 --steps 1 --plot @"),
    "curve": Command("ordinary curve good.json --max-context 4 --plot @"),
    "curve-csv": Command("ordinary curve good.json --max-context 4 --csv @"),
    "trace": Command("crasp trace good.crasp ab -o @"),
    "trace-html": Command("crasp trace good.crasp ab --html -o @"),
    "compile": Command("crasp compile good.crasp -o @"),
    "demo": Command("demo good.toml --max-n 1 --max-r 5 --open --no-browser -o @"),
}

ENDINGS = dict.fromkeys(("plot", "communicate", "fit-positions", "curve"), "svg")


def _name(name: str) -> Callable[[Path, str], str]:
    return lambda folder, ending: f"{name}.{ending}"


def _link(goal: str) -> Callable[[Path, str], str]:
    def put(folder: Path, ending: str) -> str:
        (folder / f"out.{ending}").symlink_to(goal.replace("@", ending))
        return f"out.{ending}"

    return put


def _node(kind: int) -> Callable[[Path, str], str]:
    def put(folder: Path, ending: str) -> str:
        os.mknod(folder / f"out.{ending}", kind | 0o600)
        return f"out.{ending}"

    return put


def _old(content: bytes) -> Callable[[Path, str], str]:
    def put(folder: Path, ending: str) -> str:
        (folder / f"out.{ending}").write_bytes(content)
        return f"out.{ending}"

    return put


def _folder(folder: Path, ending: str) -> str:
    (folder / f"out.{ending}").mkdir()
    (folder / f"out.{ending}" / "precious").write_text("precious")
    return f"out.{ending}"


#: Where to write, by name.
OUTPUTS = {
    "new": _name("out"),
    "old": _old(b"old"),
    "folder": _folder,
    "loop": _link("out.@"),
    "dangling": _link("out"),
    "into-nowhere": _link("nowhere/out"),
    "pipe": _node(stat.S_IFIFO),
    "socket": _node(stat.S_IFSOCK),
    "dev-null": _link("/dev/null"),
    "dev-full": _link("/dev/full"),
    "dev-stdout": _link("/dev/stdout"),
    "name-of-250": _name("x" * 240),
    "name-of-300": _name("x" * 300),
    "name-of-5000": _name("x" * 5000),
    "no-folder": _name("nowhere/out"),
    "under-a-file": _name("good.json/out"),
    "controls": _name("a\x1b[31mb\x07\x9b2J"),
    "half-a-character": _name("a\udcff"),
    "empty": lambda folder, ending: "",
    "root": lambda folder, ending: "/",
    "here": lambda folder, ending: ".",
    "hidden": lambda folder, ending: f".{ending}",
    "minus": lambda folder, ending: "-",
}


def _cases(kinds: object) -> list[object]:
    names = list(WRITERS)
    return asked_for(
        pytest.param(
            name,
            kind,
            marks=() if turn == number % len(names) else (pytest.mark.slow,),
            id=f"{name}-{kind}",
        )
        for number, kind in enumerate(kinds)  # type: ignore[var-annotated, arg-type]
        for turn, name in enumerate(names)
    )


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "kind"), _cases(OUTPUTS))
def test_outputs(name: str, kind: str, bench: Bench) -> None:
    put_good_files(bench.here)
    out = OUTPUTS[kind](bench.here, ENDINGS.get(name, "x"))
    command = replace(WRITERS[name], writes=(out, f"{out}.run", "out", "t.json", "t.html"))
    bench.run(*command.line(out), promise=command.promise)
    if kind == "folder" and name != "batch-json":
        assert (bench.here / out / "precious").read_text() == "precious"


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in WRITERS])
def test_a_full_disk_leaves_the_old_file(name: str, bench: Bench) -> None:
    put_good_files(bench.here)
    out = f"out.{ENDINGS.get(name, 'x')}"
    folders = ("identify-run", "batch-json", "batch-run")
    if name not in folders:
        (bench.here / out).write_text("old")
    command = replace(WRITERS[name], writes=(out,) if name in folders else (f"{out}.run",))
    # The folder of a batch, and rows on stdout, may be there before the disk is found to be full.
    promise = replace(
        command.promise,
        codes=(0, 3, 4) if name in folders else (3,),
        partial=name in folders or name == "batch",
        streams=name in ("batch-json", "batch-run"),
    )
    bench.run(*command.line(out), promise=promise, file_size=8)


#: Commands that stand for the others where their streams are closed or full.
FEW = ("identify", "batch", "label", "demo", "crasp compile")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FEW else (pytest.mark.slow,)) for name in SOUND]
)
def test_a_full_standard_output(name: str, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    prints = name not in ("report", "plot", "site")
    promise = replace(command.promise, codes=(3,) if prints else (0,), writes=())
    promise = promise if prints else replace(promise, writes=command.writes)
    line = command.line()
    if "-o" in line and prints:  # what was written before stdout was found to be full is another matter
        del line[line.index("-o") : line.index("-o") + 2]
        line += ["-o", "-"] * (name in ("batch", "crasp compile"))
    bench.run(*line, promise=promise, stdout="/dev/full")


CLOSED = (("stdin",), ("stdout",), ("stderr",), ("stdin", "stdout", "stderr"))


@pytest.mark.parametrize("closed", CLOSED, ids="-".join)
@pytest.mark.parametrize("name", SOUND)
@pytest.mark.slow
def test_closed_streams(name: str, closed: tuple[str, ...], bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    for fresh in (False, True):
        bench.run(
            *command.line(),
            promise=replace(command.promise, codes=EXIT_CODES, mute="stderr" in closed),
            fresh=fresh,
            **dict.fromkeys(closed, None),  # type: ignore[arg-type]
        )


REFUSED = (
    "identify",
    "label majority 2",
    "label majority -",
    "r nowhere.json",
    "nonsense",
    "crasp check nowhere.crasp",
)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("closed", CLOSED, ids="-".join)
@pytest.mark.parametrize("line", REFUSED)
def test_refusals_with_closed_streams(line: str, closed: tuple[str, ...], bench: Bench) -> None:
    promise = replace(SOUND["label"].promise, codes=(0, 2, 3), mute="stderr" in closed)
    bench.run(*line.split(), promise=promise, **dict.fromkeys(closed, None))  # type: ignore[arg-type]


@pytest.mark.parametrize("stdin", ["/dev/zero", "sparse"])
@pytest.mark.parametrize(
    "line", ["label majority -", "eval good.json -", "crasp run good.crasp --alphabet ab -"]
)
def test_standard_input_that_is_no_text(line: str, stdin: str, bench: Bench) -> None:
    put_good_files(bench.here)
    if stdin == "sparse":
        stdin = str(bench.root / FILES["sparse-gigabyte"](bench.root, "txt"))
    bench.run(*line.split(), stdin=stdin)
