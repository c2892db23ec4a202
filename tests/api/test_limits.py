"""Limits of time and memory hold in the library, and are checked."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import idinf
from idinf import crasp, errors
from idinf.work.signals import call_at_every_tick

#: Its automaton has 32,768 states, and takes many seconds.
LARGE = "regex:(a|b)*a(a|b){14}"

#: Sixty counts inside each other, whose compilation takes seconds.
NESTED = "\n".join(['x0 = # "a" >= 1', *(f"x{k} = # x{k - 1} >= {k}" for k in range(1, 61))])

#: Seconds of the processor beyond a limit that a call may take, with what it loads.
LATE_S = 3.0

CALLS: dict[str, Callable[[float], object]] = {
    "classify": lambda limit: idinf.classify(LARGE, time_limit=limit),
    "synthesize": lambda limit: crasp.synthesize(LARGE, time_limit=limit),
    "compile": lambda limit: crasp.compile(NESTED, alphabet="ab", time_limit=limit),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_limit_of_time_holds(name: str) -> None:
    began = time.process_time()
    with pytest.raises(errors.LimitReached, match="the time limit of 1 s was reached; raise time_limit"):
        CALLS[name](1)
    assert time.process_time() - began < 1 + LATE_S


# The clock may strike inside a callback of the garbage collector, where nothing can be raised.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_identify_says_what_is_known_at_its_limit() -> None:
    began = time.process_time()
    report = idinf.identify(LARGE, max_n=4, time_limit=1)
    assert time.process_time() - began < 1 + LATE_S
    assert report.outcome is idinf.Outcome.OPEN


def test_a_limit_of_memory_holds() -> None:
    """In a process of its own, which no other test has filled."""
    code = (
        "import idinf\nfrom idinf import errors\nfrom idinf.work.memory import measure_peak_bytes\n"
        "try:\n    idinf.classify('regex:(a|b)*a(a|b){17}', memory=256 << 20)\n"
        "except errors.LimitReached as error:\n    print(error)\n"
        "print(measure_peak_bytes() >> 20)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240
    )
    said, peak = done.stdout.splitlines()
    assert said == "the memory bound of 256 MiB was reached; raise memory"
    assert int(peak) < 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"time_limit": math.nan}, "time_limit = nan; expected seconds above 0"),
        ({"time_limit": "3"}, "time_limit = '3'; expected seconds above 0"),
        ({"time_limit": 0}, "time_limit = 0; expected seconds above 0"),
        ({"memory": "512M"}, "memory = '512M'; expected whole bytes, at least 134217728"),
        ({"memory": 5.0}, "memory = 5.0; expected whole bytes"),
    ],
)
def test_what_is_no_limit_is_refused(arguments: dict[str, object], message: str) -> None:
    for call in (idinf.classify, crasp.synthesize, idinf.identify, lambda *a, **k: idinf.batch([*a], **k)):
        with pytest.raises(errors.ArgumentError, match=message):
            call("tomita-1", **arguments)


def test_no_import_is_ended_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_load.py").write_text(
        "import time\nend = time.perf_counter() + 0.5\nwhile time.perf_counter() < end: pass\nloaded = True\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def end() -> None:
        raise TimeoutError

    def work() -> None:
        with call_at_every_tick(end):
            importlib.import_module("slow_to_load")
            while True:
                pass

    with pytest.raises(TimeoutError):
        work()
    assert sys.modules["slow_to_load"].loaded
