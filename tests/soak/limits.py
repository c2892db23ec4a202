"""Runs under random limits: they keep them, and what they say is no more than the whole run knows."""

from __future__ import annotations

import json
import random
import time
from typing import Any

from tests.robustness.command_runner import Bench
from tests.robustness.promise import MIB, Promise
from tests.soak.questions import draw_any
from tests.soak.tools import Tools, rng_of

__all__ = ["run"]

#: What the contract of every command allows beyond a limit: seconds of CPU for each process, of the clock,
#: and bytes. CONTRIBUTING.md has the table.
CPU_SLACK_S, WALL_SLACK_S, MEMORY_SLACK = 3.0, 8.0, 150 * MIB

#: Steps of work of the whole run: a few seconds.
WORK = 4000


def run(seed: int, tools: Tools) -> str:
    """Run one question whole and under a limit; which limit it was."""
    rng = rng_of("bounds", seed)
    language = draw_any(rng, rng.choice(("a", "ab", "ab", "abc")))
    line = [
        "identify",
        "t.toml",
        "--max-n",
        str(rng.randint(3, 16)),
        "-o",
        "out.json",
        "-j",
        rng.choice("12"),
    ]
    line += ["--max-r", f"{rng.uniform(8.5, 12):.2f}", "--layers", rng.choice("123"), "--work", str(WORK)]
    line += ["--units", rng.choice("12"), "--space", rng.choice(("nope", "local", "periodic", "family"))]
    line += ["--anneal-steps", rng.choice(("0", "50"))]
    with tools.bench() as bench:
        (bench.here / "t.toml").write_text(language.toml, encoding="utf-8")
        began = time.monotonic()
        whole = asked(bench, line, rng, 60.0, 4096)
        seconds = time.monotonic() - began
        about = rng.choice(("time", "memory", "both"))
        limit = max(0.05, seconds * rng.uniform(0.05, 0.9)) if about != "memory" else 60.0
        size = rng.choice((128, 140, 170, 250)) if about != "time" else 4096
        limited = asked(bench, line, rng, round(limit, 2), size)
    check_consistent(limited, whole)
    return about


def asked(bench: Bench, line: list[str], rng: random.Random, seconds: float, mib: int) -> dict[str, Any]:
    """The report of a run under limits, which it keeps."""
    jobs = int(line[line.index("-j") + 1])
    promise = Promise(
        codes=(0, 4),
        cpu_s=(seconds + CPU_SLACK_S) * jobs,
        wall_s=seconds + WALL_SLACK_S,
        peak_bytes=mib * MIB + MEMORY_SLACK,
        writes=("out.json",),
    )
    limits = ["--time-limit", str(seconds), "--memory", f"{mib}M"]
    bench.run(*line, *limits, promise=promise, fresh=rng.random() < 0.3)
    found: dict[str, Any] = json.loads((bench.here / "out.json").read_text(encoding="utf-8"))
    return found


def check_consistent(part: dict[str, Any], whole: dict[str, Any]) -> None:
    """A run that ended early claims no more than one that went on, and nothing else."""
    if whole["complete_up_to_r"] < part["complete_up_to_r"] and whole["outcome"] == "open":
        assert whole["stop"] != "max-r"  # its own work or time ended it, so the other one may be further
        part, whole = whole, part
    identified = whole["outcome"] != "open"
    assert identified or part["complete_up_to_r"] <= whole["complete_up_to_r"]
    assert part["outcome"] in ("open", whole["outcome"], "identified")
    if part["outcome"] != "open":
        assert part["n0"] == whole["n0"]
    elif part["bracket"] is not None:
        assert whole["n0"] is None or part["bracket"]["n0_lower"] <= whole["n0"]
    if whole["n0_canonical"] is not None:
        assert part["n0_canonical"] in (None, whole["n0_canonical"])
    for less, more in zip(part["stages"], whole["stages"], strict=True):
        check_stage(less, more)
    right = [record["r"] for record in whole["records"] if record["fail"] is None]
    if part["bracket"] is not None and right:
        assert part["bracket"]["r_lower"] <= right[0] + 1e-9
        if part["bracket"]["r_upper"] is not None:
            assert part["bracket"]["r_upper"] >= right[0] - 1e-9
    known = [(record["r"], record["fail"]) for record in whole["records"]]
    for record in part["records"]:
        if record["r"] <= min(part["complete_up_to_r"], whole["complete_up_to_r"]):
            assert (record["r"], record["fail"]) in known


def check_stage(less: dict[str, Any], more: dict[str, Any]) -> None:
    """What is said of one n."""
    if more["r_star"] is not None:
        assert less["r_star_lower"] <= more["r_star"] + 1e-9
        assert less["r_star"] in (None, more["r_star"])
    elif less["r_star"] is not None:
        raise AssertionError(f"R* of n = {less['n']} is known early alone")
    if less["good"] is not None and more["good"] is not None:
        assert less["good"] == more["good"]
    if less["good"] is not None and more["good"] is None:
        raise AssertionError(f"n = {less['n']} is decided early alone")
