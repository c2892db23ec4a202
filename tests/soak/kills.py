"""Runs that are killed at random moments and resumed: the same bytes as of undisturbed ones."""

from __future__ import annotations

import json
import random
import subprocess
import time
from pathlib import Path

from tests.commands.killed_runs import PATIENCE_S, comparable, comparable_rows, started
from tests.soak.questions import draw_any
from tests.soak.tools import Tools, rng_of

__all__ = ["run"]

#: Steps of work of one run: a second or two.
WORK = 800


def run(seed: int, tools: Tools) -> str:
    """Kill one run one to four times; which command it was, and whether a kill hit it."""
    rng = rng_of("kill", seed)
    command = rng.choice(("identify", "identify", "batch", "family"))
    output = tools.folder / ("out.csv" if command == "batch" else "out.json")
    line = [*write_line(rng, command, tools.folder), "-o", str(output)]
    began = time.monotonic()
    finished(*line)
    whole = time.monotonic() - began
    want = read(output)
    output.unlink()

    kept = ["--run-dir", str(tools.folder / "kept"), "--resume"]
    hit = False
    for _ in range(rng.randint(1, 4)):
        process = started(*line, *kept, "-j", str(rng.randint(1, 3)))
        try:
            process.communicate(timeout=whole * rng.uniform(0.2, 1.1))
        except subprocess.TimeoutExpired:
            process.kill()
            hit = True
        process.communicate(timeout=PATIENCE_S)
        if output.exists():
            check_part(read(output), want)
    finished(*line, *kept, "-j", str(rng.randint(1, 3)))
    assert read(output) == want
    return command if hit else "ended before"


def write_line(rng: random.Random, command: str, folder: Path) -> list[str]:
    """A command line of a random question, and the specs that it names."""
    bounds = ["--layers", rng.choice("12"), "--units", rng.choice("12"), "--precision", rng.choice("01")]
    bounds += [
        "--max-r",
        f"{rng.uniform(8.5, 10.5):.2f}",
        "--work",
        str(WORK),
        "--max-n",
        str(rng.randint(3, 8)),
    ]
    bounds += ["--anneal-steps", rng.choice(("0", "50"))]
    if command == "family":
        return [command, "ge-k-j", "--up-to", "2", *bounds]
    names = []
    for number in range(1 if command == "identify" else rng.randint(2, 4)):
        path = folder / f"t{number}.toml"
        language = draw_any(rng, rng.choice(("ab", "ab", "abc")))
        path.write_text(language.toml, encoding="utf-8")
        names.append(str(path))
    return [command, *names, *bounds]


def finished(*arguments: str) -> None:
    """Run a command to its end; 4 says that its work was ended by the budget."""
    process = started(*arguments)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode in (0, 4), errors


def read(output: Path) -> object:
    """What a command wrote, without what may differ."""
    text = output.read_text(encoding="utf-8")
    if output.suffix == ".csv":
        return comparable_rows(text)
    document = json.loads(text)
    if "members" not in document:
        return comparable(text)
    for member in document["members"]:
        member.pop("seconds")
    return document


def check_part(found: object, want: object) -> None:
    """A table that a killed batch left is whole, with some of the rows; another file is the whole answer."""
    if isinstance(found, list) and isinstance(want, list):
        assert [row for row in want if row in found] == found
    else:
        assert found == want
