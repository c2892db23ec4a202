"""Random cases of every kind until the time is over or one fails: ``python -m tests.soak --time 600``."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.robustness.command_runner import Server
from tests.soak.tools import Tools

__all__ = ["KINDS", "main", "soak"]

#: A case: its seed and tools in, a word for what it was about out; it raises what is wrong.
Case = Callable[[int, Tools], str]

#: Kinds, and the modules that hold them.
KINDS = {
    "search": "search",
    "classes": "classes",
    "report": "reports",
    "kill": "kills",
    "bounds": "limits",
    "text": "texts",
}

#: Seconds after which a case that has not ended has failed.
PATIENCE_S = 600

#: Frames of the failure that are shown with their variables, and characters of each variable.
SHOWN_FRAMES, SHOWN_CHARACTERS = 3, 300


def soak(seconds: float, seed: int, cases: Mapping[str, Case], server: Server, folder: Path) -> int:
    """Run cases, each kind for as long as the others, and say how many; 1 if one failed, else 0.

    Case k of every kind has the seed ``seed + k``, whatever was run before it.
    """
    start = time.monotonic()
    spent = dict.fromkeys(cases, 0.0)
    done = {kind: Counter[str]() for kind in cases}
    failed = None
    while failed is None and time.monotonic() < start + seconds:
        kind = min(spent, key=lambda name: spent[name])
        number = seed + done[kind].total()
        began = time.monotonic()
        try:
            with ended_by(PATIENCE_S):
                done[kind][cases[kind](number, Tools(folder / "case", server).emptied())] += 1
        except Exception as fault:
            failed = kind, number, fault
        spent[kind] += time.monotonic() - began
    for kind, counted in done.items():
        parts = ", ".join(f"{about} {number}" for about, number in sorted(counted.items()))
        print(f"{kind:8}{counted.total():6} right{f' ({parts})' if parts else ''}")
    if failed is None:
        print(f"no failure in {time.monotonic() - start:.0f} s, from seed {seed}")
        return 0
    kind, number, fault = failed
    print(f"\n{kind} failed with seed {number}; repeat it with:")
    print(f"  python -m tests.soak --seed {number} --only {kind}")
    print("".join(_told(fault)))
    return 1


@contextmanager
def ended_by(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what takes longer."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"the case did not end in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def load_cases(only: str | None = None) -> dict[str, Case]:
    """Import the modules of the kinds, or of one."""
    return {
        kind: importlib.import_module(f"tests.soak.{module}").run
        for kind, module in KINDS.items()
        if only in (None, kind)
    }


def _told(fault: Exception) -> Iterator[str]:
    """The traceback, and the variables of the last frames of it."""
    yield from traceback.format_exception(fault)
    frames = [frame for frame, _ in traceback.walk_tb(fault.__traceback__)]
    for frame in frames[-SHOWN_FRAMES:]:
        yield f"in {frame.f_code.co_qualname}:\n"
        for name, value in frame.f_locals.items():
            yield f"    {name} = {_short(value)}\n"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, and run cases."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--time", type=float, default=60.0, metavar="SECONDS", help="start no case after it")
    parser.add_argument("--seed", type=int, default=1, help="of the first case of every kind")
    parser.add_argument("--only", choices=KINDS, help="one kind alone")
    asked = parser.parse_args(arguments)
    if not asked.time > 0:  # NaN is not, either
        parser.error(f"argument --time: {asked.time:g}; expected more than 0, or no case would be run")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="idinf-soak-") as folder:
        server = Server(Path(folder))
        try:
            return soak(asked.time, asked.seed, load_cases(asked.only), server, Path(folder))
        finally:
            server.close()


if __name__ == "__main__":
    sys.exit(main())
