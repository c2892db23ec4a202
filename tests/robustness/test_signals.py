"""The contract under signals: a run that is asked to stop writes its report and says which signal asked."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import pytest

from tests.robustness.command_runner import Bench
from tests.robustness.command_table import put_good_files
from tests.robustness.hostile_files import EXPONENTIAL
from tests.robustness.promise import MIB, Promise

#: Signals that ask a run to end; its exit code is 128 and the number.
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)

#: Seconds of CPU and of the clock after the signal.
ENDING = Promise(cpu_s=20, wall_s=25, peak_bytes=3000 * MIB)

LONG = {
    "search": "identify parity --max-r 14 --work 1000000 -o out.json --run-dir run",
    "search of two": "identify parity --max-r 14 --work 1000000 -o out.json --run-dir run -j 2",
    "automaton": "identify exponential.toml -o out.json",
}


def _put(bench: Bench) -> None:
    put_good_files(bench.here)
    text = f'name = "t"\nalphabet = ["a", "b"]\nregex = "{EXPONENTIAL}"\n'
    (bench.here / "exponential.toml").write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("number", ASKING, ids=lambda number: number.name)
@pytest.mark.parametrize("name", LONG)
def test_a_run_that_is_asked_to_stop(name: str, number: signal.Signals, bench: Bench) -> None:
    _put(bench)
    promise = replace(ENDING, codes=(128 + number,), writes=("out.json", "run"))
    when = str(bench.here / "run" / "units-*.log") if "search" in name else 1.5
    ended = bench.run(*LONG[name].split(), promise=promise, sent=number, when=when)
    report = json.loads((bench.here / "out.json").read_text())
    outcome, said = ("never", b"no n0 in") if "search" in name else ("open", b"open in")
    assert (report["outcome"], report["n0"]) == (outcome, None)
    assert ended.stdout.startswith(said + b" the one-hot family")


def test_a_run_that_is_terminated_while_it_searches(bench: Bench) -> None:
    test_a_run_that_is_asked_to_stop("search", signal.SIGTERM, bench)


@pytest.mark.slow
def test_the_limit_of_cpu_of_the_system(bench: Bench) -> None:
    before = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (3, 20))"
    promise = replace(ENDING, codes=(128 + signal.SIGXCPU,), writes=("out.json", "run"))
    bench.run(*LONG["search"].split(), promise=promise, before=before)
    assert json.loads((bench.here / "out.json").read_text())["outcome"] == "never"


#: Commands that may take long, and write no report: they may end by the signal itself.
OTHERS = {
    "batch": "batch parity majority --max-r 14 --work 1000000 -o out.csv",
    "batch of two": "batch parity exponential.toml --max-r 14 --work 1000000 -j 2 -o out.csv",
    "family": "family ge-k-j --up-to 16 --units 2 --layers 2 -o out.json",
    "demo": "demo parity --fast --max-r 14",
    "label": "label exponential.toml a",
    "classify": f"classify --regex {EXPONENTIAL}",
    "communicate": "communicate exponential.toml",
    "diff": f"crasp diff regex:{EXPONENTIAL} regex:(a|b)*",
    "verify": "verify good-report.json --length 22",
}


@pytest.mark.slow
@pytest.mark.parametrize("number", ASKING[:3], ids=lambda number: number.name)
@pytest.mark.parametrize("name", OTHERS)
def test_other_commands_that_are_asked_to_stop(name: str, number: signal.Signals, bench: Bench) -> None:
    _put(bench)
    codes = (128 + number,) if name.startswith("batch") else (128 + number, -number)
    promise = replace(ENDING, codes=codes, writes=("out.csv", "out.csv.run", "out.json"), lines=4)
    bench.run(*OTHERS[name].split(), promise=promise, sent=number, when=2.0)
