"""Limits of time and memory hold in the library."""

import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import idinf
from idinf import crasp, errors
from idinf.spec.catalogue import load
from idinf.work.signals import call_at_every_tick
from tests.trained.nets import by_majority

#: Its automaton has 32,768 states, and takes many seconds.
LARGE = "regex:(a|b)*a(a|b){14}"

#: Sixty counts inside each other, whose compilation takes seconds.
NESTED = "\n".join(['x0 = # "a" >= 1', *(f"x{k} = # x{k - 1} >= {k}" for k in range(1, 61))])

#: Seconds of the processor beyond a limit that a call may take, with what it loads.
LATE_S = 3.0

REPORT = idinf.identify("majority", max_n=4, layers=1)

MODEL = by_majority(load("majority").alphabet)

#: A call for each public function that takes a time limit, but `train`, whose library is not always there,
#: and `batch`, whose runs have processes of their own.
CALLS: dict[str, Callable[[float], object]] = {
    "classify": lambda limit: idinf.classify(LARGE, time_limit=limit),
    "synthesize": lambda limit: crasp.synthesize(LARGE, time_limit=limit),
    "compile": lambda limit: crasp.compile(NESTED, alphabet="ab", time_limit=limit),
    "dataset": lambda limit: idinf.dataset("majority", bins="0-900", number=50_000, time_limit=limit),
    "verify": lambda limit: REPORT.verify(length=200, time_limit=limit),
}


def call_in_a_thread(call: Callable[[float], object], limit: float) -> object:
    """What a call gives in a thread that is not the main one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call, limit).result()


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_a_limit_of_time_holds(name: str, in_thread: bool) -> None:
    began = time.process_time()
    with pytest.raises(errors.LimitReached, match=r"the time limit of 0\.3 s was reached; raise time_limit"):
        call_in_a_thread(CALLS[name], 0.3) if in_thread else CALLS[name](0.3)
    assert time.process_time() - began < 0.3 + LATE_S


@pytest.mark.parametrize("in_thread", [False, True])
def test_identify_and_judge_say_what_is_known_at_their_limit(in_thread: bool) -> None:
    began = time.process_time()

    def call(limit: float) -> tuple[idinf.Report, idinf.Judgement]:
        report = idinf.identify(LARGE, max_n=4, time_limit=limit)
        return report, idinf.judge(MODEL, "majority", length=60, report=False, time_limit=limit)

    report, judgement = call_in_a_thread(call, 0.3) if in_thread else call(0.3)
    assert time.process_time() - began < 0.6 + 2 * LATE_S
    assert report.outcome is idinf.Outcome.OPEN
    assert judgement.exhaustive_to < 60


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
