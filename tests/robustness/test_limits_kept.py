"""The contract under limits: what has --time-limit and --memory keeps them, whatever it is asked."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from tests.robustness.command_runner import Bench
from tests.robustness.command_table import SOUND, put_good_files
from tests.robustness.hostile_files import EXPONENTIAL, put_text
from tests.robustness.promise import MIB, Promise

#: Seconds of CPU for each process, and of the clock, that a run may take beyond its limit.
CPU_SLACK_S, WALL_SLACK_S = 3.0, 8.0

#: What a process may take beyond its memory bound: the interpreter, libraries, and the tests' warm start.
MEMORY_SLACK = 150 * MIB


def limited(seconds: float, codes: tuple[int, ...] = (4,), jobs: int = 1, mib: int = 4096) -> Promise:
    """What a command promises that has a limit of so many seconds and so much memory."""
    return Promise(
        codes=codes,
        cpu_s=(seconds + CPU_SLACK_S) * jobs,
        wall_s=seconds + WALL_SLACK_S,
        peak_bytes=mib * MIB + MEMORY_SLACK,
        writes=("out.json", "out.csv", "out.csv.run"),
        lines=4,
    )


SLOW_RUNS = (
    "identify d-12 --max-n 1000 --time-limit 5 -o out.json",
    "identify anbncn --space full --layers 5 --heads 2 --max-n 300 -j 2 --time-limit 5 -o out.json",
    "identify dyck-1 --max-n 1000 --time-limit 5 -o out.json",
    "identify dyck-1-next --space full --layers 5 --time-limit 5 -o out.json",
    "identify majority --max-r 100 --time-limit 3 -o out.json",
)


@pytest.mark.slow
@pytest.mark.parametrize("line", SLOW_RUNS)
def test_a_run_keeps_its_time_and_writes_a_report(line: str, bench: Bench) -> None:
    words = line.split()
    seconds = float(words[words.index("--time-limit") + 1])
    bench.run(*words, promise=limited(seconds, (0, 4), jobs=2 if "-j" in words else 1), fresh=True)
    assert json.loads((bench.here / "out.json").read_text())["outcome"]


@pytest.mark.slow
def test_a_batch_keeps_the_time_of_each_target(bench: Bench) -> None:
    line = "batch anbncn d-12 -j 2 --time-limit 5 --space full --layers 5 -o out.csv"
    bench.run(*line.split(), promise=limited(5, (0,), jobs=2), fresh=True)
    rows = list(csv.DictReader((bench.here / "out.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["target"] for row in rows] == ["anbncn", "d-12"]


#: An automaton of 2^23 states is asked for; each line gets ``--time-limit 3 --memory 400M``.
OF_EXPONENTIAL = {
    "identify": "identify e.toml -o out.json",
    "identify two": "identify e.toml -j 2 -o out.json",
    "batch": "batch e.toml -o out.csv",
    "batch two": "batch e.toml majority -j 2 -o out.csv",
    "family": "family f.toml -o out.json",
    "label": "label e.toml a",
    "classify": "classify e.toml",
    "classify regex": f"classify --regex {EXPONENTIAL}",
    "communicate": "communicate e.toml",
    "communicate regex": f"communicate regex:{EXPONENTIAL}",
    "diff": f"crasp diff regex:{EXPONENTIAL} regex:(a|b)*",
    "diff spec": "crasp diff e.toml e.toml",
    "domain": "identify domain.toml -o out.json",
    "judged": "identify judged.toml -o out.json",
    "label domain": "label domain.toml a",
    "verify": "verify e.json",
}


def put_exponential(bench: Bench) -> None:
    """Write specs and a report that ask for it."""
    head = 'name = "t"\nalphabet = ["a", "b"]\n'
    specs = {
        "e": f'regex = "{EXPONENTIAL}"',
        "domain": f'regex = "a*"\ndomain = "{EXPONENTIAL}"',
        "judged": f'mode = "next"\nregex = "(a|b)*"\njudged = "{EXPONENTIAL}"',
    }
    for name, text in specs.items():
        (bench.here / f"{name}.toml").write_text(f"{head}{text}\n")
    family = 'regex = "(a|b)*a(a|b){k}"\n[parameters]\nk = [22, 23]\n'
    (bench.here / "f.toml").write_text(head.replace('"t"', '"t-{k}"') + family)
    (bench.here / put_text(bench.here, "report", "exponential-target")).rename(bench.here / "e.json")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "identify" else (pytest.mark.slow,)) for name in OF_EXPONENTIAL],
)
def test_an_automaton_that_grows_without_end(name: str, bench: Bench) -> None:
    put_exponential(bench)
    seconds = 0.4 if name == "identify" else 3
    line = [*OF_EXPONENTIAL[name].split(), "--time-limit", str(seconds), "--memory", "400M"]
    writes_rows = name.startswith("batch")
    promise = limited(seconds, (0,) if writes_rows else (4,), jobs=2 if "-j" in line else 1, mib=400)
    bench.run(*line, promise=promise)
    written = [path for path in ("out.json", "out.csv") if path in line]
    assert [path for path in written if not (bench.here / path).stat().st_size] == []


@pytest.mark.slow
def test_a_demo_of_it(bench: Bench) -> None:
    put_exponential(bench)
    bench.run(*["demo", "e.toml", "--fast", "--time-limit", "3"], promise=limited(3))


#: Work without end for other commands, each with ``--time-limit 2``.
OTHER_WORK = {
    "verify": "verify good-report.json --length 22",
    "communicate": "communicate dyck-1 sort --max-n 1024 --words 10000",
    "classify": "classify --regex (a|b|c|d)*a(a|b|c|d){9}b(a|b|c|d)* --max-monoid 100000",
    "diff": "crasp diff d-12 d-12-regex.toml --max-n 100000",
    "constant": "crasp eventual large.crasp",
    "confuse": "crasp fooling-pair large.crasp",
    "compile": "crasp compile large.crasp",
    "check": "crasp check large.crasp",
    "run": "crasp run large.crasp --alphabet ab -",
    "trace": "crasp trace large.crasp ab",
    "family": "family ge-k-j --up-to 1 --units 2 --layers 2 --max-r 20",
}


def large_program() -> str:
    """A program whose parts are allowed each, and whose every way through is another case."""
    lines = ['n0 = # "a"']
    for number in range(1, 40):
        lines.append(f'c{number} = i mod {2 * number + 1} == 0 && n{number - 1} <= # [j == i - {number}] "b"')
        lines.append(
            f"n{number} = max(n{number - 1} + {number}, # c{number}) if c{number} else n{number - 1} - 2"
        )
    return "\n".join([*lines, "accept = n39 >= 1"]) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHER_WORK)
def test_other_work_ends_in_time(name: str, bench: Bench) -> None:
    put_good_files(bench.here)
    (bench.here / "large.crasp").write_text(large_program())
    regex = "(a" * 12 + "b)*" * 12
    (bench.here / "d-12-regex.toml").write_text(f'name = "d"\nalphabet = ["a", "b"]\nregex = "{regex}"\n')
    line = [*OTHER_WORK[name].split(), "--time-limit", "2"]
    promise = limited(2, (0, 1, 3, 4))
    bench.run(*line, promise=promise, stdin=b"ab" * 200_000 + b"\n")


HUGE_R = ("1e6", "1e160", "1e308")


@pytest.mark.slow
@pytest.mark.parametrize("budget", HUGE_R)
@pytest.mark.parametrize(
    "line",
    [
        "identify majority --time-limit 3 -o out.json",
        "identify dyck-1 --space full --layers 5 --time-limit 3 -o out.json",
        "batch majority --time-limit 3 -o out.csv",
        "family ge-k-j --up-to 2 --time-limit 3 -o out.json",
        "demo majority --fast --time-limit 3",
    ],
)
def test_a_huge_budget(line: str, budget: str, bench: Bench) -> None:
    seconds = 9 if line.startswith("family") else 3  # of each of three members
    bench.run(*line.split(), "--max-r", budget, promise=limited(seconds, (0, 2, 4)))


@pytest.mark.slow
@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("size", ["1", "1M", "30M"])
@pytest.mark.parametrize("name", SOUND)
def test_little_memory(name: str, size: str, fresh: bool, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    promise = replace(command.promise, codes=(0, 2, 4))
    bench.run(*command.line(), "--memory", size, promise=promise, fresh=fresh)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOUND)
def test_little_address_space(name: str, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    promise = replace(command.promise, codes=(0, 4))
    for size in (260, 400):
        bench.run(*command.line(), promise=promise, address_space=size * MIB, fresh=True)
