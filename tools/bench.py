"""Speeds on this machine: whole runs, hot loops beside a plain copy, the exact check. No time is asserted.

Run by ``make bench``. Prints a table and writes ``idinf-bench/1`` JSON, by default to ``bench.json``. Inputs
are named and built outside the clock; a kernel and the copy it is compared with are timed in turn.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import platform
import pstats
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from idinf import __version__
from idinf.base.words import Alphabet
from idinf.inference.procedure import Procedure
from idinf.nets.attention import UNIFORM
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.report.target import TargetDescription
from idinf.search.exact_check.nets import nets_of
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.last_layer.solver import OneUnitLayer
from idinf.search.lower_layers.builder import LowerLayersBuilder
from idinf.search.short_words.features import Features, Inputs, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords, screening_length
from idinf.space.grid import IntArray
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import BoolArray, LayerBudget, Units, iter_unit_chunks
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from tools.crasp_labels import bench_labels, bench_long_word

FORMAT = "idinf-bench/1"

ROOT = Path(__file__).resolve().parents[1]

#: Targets whose whole runs are timed, with the defaults of their specs.
TARGETS = ("majority", "dyck-1", "d-2", "at-least-3-ones", "ge-2-3")

#: Repetitions of a kernel; the best one is the least disturbed.
KERNEL_RUNS = 9

#: Repetitions of a whole run.
COMMAND_RUNS = 3

#: Repetitions of the start of an interpreter.
IMPORT_RUNS = 15

#: Longest length of the exact check: 2 · max_n of the shipped specs.
HORIZON = 128

Result = dict[str, object]


def timed(action: Callable[[], object]) -> float:
    """Seconds one call takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def beside_copy(name: str, what: str, cells: int, num_bytes: int, kernel: Callable[[], object]) -> Result:
    """Time a kernel and a plain copy of as many bytes in turn; speeds are those of the best runs."""
    source = np.ones(num_bytes, dtype=np.uint8)
    kernel()
    pairs = [(timed(kernel), timed(source.copy)) for _ in range(KERNEL_RUNS)]
    own, copy = (min(column) for column in zip(*pairs, strict=True))
    return {
        "name": name,
        "what": what,
        "cells": cells,
        "bytes": num_bytes,
        "best_s": own,
        "cells_per_s": cells / own,
        "copy_s": copy,
        "copy_cells_per_s": cells / copy,
        "ratio_to_copy": copy / own,
    }


def first_features() -> tuple[ShortWords, Features]:
    """The short words of Dyck-1, and what a uniform head of the first layer reads on them."""
    words = ShortWords.of(build_target(load("dyck-1")), screening_length(2, HORIZON))
    return words, Inputs.first(words, 1).top((UNIFORM,), 1)


def bench_unit_outputs() -> Result:
    """Tables of first-layer units with a head and p = 1, on the distinct rows of all short words."""
    _, features = first_features()
    rows = features.take(features.rows[0])
    within = LayerBudget(features.size, 1, 5.0, Cost(), Aggregate.MAX)
    units = Units.concatenate(list(iter_unit_chunks(within, (True,), alone=True)))
    arrays = (units.channel, units.entry, units.own, units.bias, rows.sums, rows.last, rows.scale)
    cells = len(units) * len(rows.scale)
    num_bytes = sum(array.nbytes for array in arrays) + cells * np.dtype(np.bool_).itemsize
    what = f"{len(units)} units x {len(rows.scale)} rows, bytes of input and output"
    return beside_copy("unit_outputs", what, cells, num_bytes, lambda: unit_outputs(units, rows))


def bench_last_layer() -> Result:
    """Intervals of a last unit over the first lower layers that pass for Dyck-1, on all short words."""
    words, _ = first_features()
    structure = Structure((LayerShape((UNIFORM,), 1), LayerShape((UNIFORM,), 1)), precision=1)
    high = 11.0
    builder = LowerLayersBuilder(words, structure, Aggregate.MAX, high, words.length)
    lower = next(iter(builder.starts()))
    layer = OneUnitLayer(structure, Aggregate.MAX, words.symbols, high, lower.lower_costs)
    features = lower.inputs.top((UNIFORM,), 1)
    values, _ = layer.values(features.size)
    cells = len(values) * len(words.labels)
    inputs = (values, features.sums, features.last, features.scale, words.labels)
    num_bytes = sum(array.nbytes for array in inputs) + cells * np.dtype(np.float32).itemsize
    what = f"{len(values)} value vectors x {len(words.labels)} words, bytes of input and one float32 each"
    return beside_copy(
        "OneUnitLayer.solve",
        what,
        cells,
        num_bytes,
        lambda: layer.solve(features, words.labels, ~words.labels),
    )


#: Functions whose time is that of a stage of a run.
STAGES = {
    "lower layers": ("builder.py", "_layer"),
    "certificates": ("exclusion.py", "excluded"),
    "last layers": ("solver.py", "right"),
    "exact check": ("reachability.py", "fail_lengths"),
    "report": ("procedure.py", "_report"),
}


def bench_stages() -> Result:
    """Share of time per stage of `identify dyck-1`, by a deterministic profiler (which slows Python code)."""
    spec = load("dyck-1")
    profile = cProfile.Profile()
    about = TargetDescription.of(spec)
    procedure = Procedure(build_target(spec), spec.space, HORIZON // 2, about=about)
    started = time.perf_counter()
    run = profile.runcall(procedure.run)
    seconds = time.perf_counter() - started
    rows = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    shares = {
        stage: sum(
            row[3] for (path, _, name), row in rows.items() if path.endswith(file) and name == function
        )
        / seconds
        for stage, (file, function) in STAGES.items()
    }
    return {
        "name": "stages of identify dyck-1",
        "shares": shares,
        "enumerated": run.counts.enumerated,
        "enumerated_per_s": run.counts.enumerated / seconds,
    }


class CountingSteps:
    """A target that counts the joint states it is stepped from. Mutable: it is the counter."""

    def __init__(self, target: Target) -> None:
        self.target, self.alphabet, self.states = target, target.alphabet, 0

    def start(self) -> IntArray:
        """State of ε."""
        return self.target.start()

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """One symbol; the states are counted once, at the first symbol."""
        self.states += len(states) if symbol == 0 else 0
        return self.target.step(states, symbol)

    def labels(self, states: IntArray) -> BoolArray:
        """Membership."""
        return self.target.labels(states)


def dyck_1_net() -> OneHotTransformer:
    """Dyck-1 by u = [last is a, or #b > #a]: reject iff u holds at the end, or more often than b came."""
    below = OneHotLayer((OneHotHead(((0, -1, 1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 1, 0), b=0),))
    above = OneHotLayer((OneHotHead(((0, 0, -1, 1),)),), (OneHotUnit(((0, 0, 1),), s=(0, 0, 0, 1), b=0),))
    return OneHotTransformer(Alphabet(("a", "b")), 0, (below, above), (-1,), -1)


def bench_fail_lengths() -> Result:
    """The exact check of a hypothesis that is right: nothing ends it before the horizon."""
    target, nets = build_target(load("dyck-1")), nets_of(dyck_1_net())
    counting = CountingSteps(target)
    if fail_lengths(counting, nets, HORIZON)[0] >= 0:
        raise RuntimeError("the hypothesis of the benchmark no longer recognises dyck-1")
    best = min(timed(lambda: fail_lengths(target, nets, HORIZON)) for _ in range(KERNEL_RUNS))
    return {
        "name": "fail_lengths",
        "what": f"dyck-1, a right two-layer hypothesis, all words up to length {HORIZON}",
        "joint_states": counting.states,
        "best_s": best,
        "joint_states_per_s": counting.states / best,
    }


def bench_identify(target: str) -> Result:
    """Wall time and peak memory of ``idinf identify TARGET`` as a process of its own."""
    code = "from idinf.commands import main; main()"
    command = [sys.executable, "-c", code, "identify", target, "--json", "-j", "1"]
    runs = [_run(command) for _ in range(COMMAND_RUNS)]
    report = json.loads(runs[0][2])
    return {
        "name": f"identify {target}",
        "outcome": report["outcome"],
        "n0": report["n0"],
        "max_n": report["max_n"],
        "complete_up_to_r": report["complete_up_to_r"],
        "best_s": min(run[0] for run in runs),
        "median_s": statistics.median(run[0] for run in runs),
        "peak_bytes": max(run[1] for run in runs),
        "runs": COMMAND_RUNS,
    }


def bench_import() -> Result:
    """Wall time of ``import idinf`` beside that of a bare interpreter; names load when asked for."""
    bare, loaded = (
        statistics.median(_run([sys.executable, "-c", code])[0] for _ in range(IMPORT_RUNS))
        for code in ("pass", "import idinf")
    )
    return {
        "name": "import idinf",
        "what": "processes that do nothing else",
        "best_s": loaded,
        "over_bare_s": loaded - bare,
        "ratio_to_bare": loaded / bare,
    }


def _run(command: list[str]) -> tuple[float, int, bytes]:
    """Wall seconds, peak bytes and output of a process."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}")
    return seconds, usage.ru_maxrss * 1024, output


#: Parts of a run, in the order of the output.
KERNELS = (
    bench_import,
    bench_unit_outputs,
    bench_last_layer,
    bench_fail_lengths,
    bench_stages,
    bench_labels,
    bench_long_word,
)


def machine() -> Result:
    """What the figures depend on."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas_threads": os.environ.get("OPENBLAS_NUM_THREADS"),
        "idinf": __version__,
        "commit": _commit(),
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _commit() -> str | None:
    """Commit of the checkout; None outside of one, with a plus sign if files differ from it."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def describe(result: Result) -> str:
    """One line for people."""
    name = f"{result['name']:<24}"
    match result:
        case {"cells_per_s": float(own), "copy_cells_per_s": float(copy), "ratio_to_copy": float(ratio)}:
            speeds = f"{own:.2e} cells/s, plain copy {copy:.2e} cells/s, ratio {ratio:.2f}"
            return f"{name} {speeds} ({result['what']})"
        case {"joint_states_per_s": float(speed), "joint_states": int(states), "best_s": float(best)}:
            return f"{name} {speed:.2e} joint states/s, {states} in {best:.3f} s ({result['what']})"
        case {"best_s": float(best), "median_s": float(median), "peak_bytes": int(peak)}:
            answer = f"{result['outcome']}, n0 = {result['n0']}, n <= {result['max_n']}"
            return f"{name} best {best:.2f} s, median {median:.2f} s, peak {peak / 1e6:.0f} MB ({answer})"
        case {"words_per_s": float(speed), "ratios": dict(ratios), "best_s": float(best)}:
            told = ", ".join(f"{ratio:.0f} times the {loop}" for loop, ratio in ratios.items())
            return f"{name} {speed:.2e} words/s, {best:.2f} s, {told} ({result['what']})"
        case {"times_the_seconds": float(times), "times_as_long": float(longer), "best_s": float(best)}:
            return f"{name} {best:.4f} s, {times:.1f} times that of a {longer:.0f}th ({result['what']})"
        case {"over_bare_s": float(over), "ratio_to_bare": float(ratio)}:
            return (
                f"{name} {over:.3f} s over a bare interpreter, {ratio:.2f} times its start ({result['what']})"
            )
        case {"shares": dict(shares)}:
            told = ", ".join(f"{stage} {share:.0%}" for stage, share in shares.items())
            return f"{name} {told}; {result['enumerated_per_s']:.2e} parameter vectors per second"
    return f"{name} {result}"


def main() -> None:
    """Run everything and write the JSON."""
    parser = argparse.ArgumentParser(description="Measure the speeds of idinf on this machine.")
    parser.add_argument("-o", "--output", default="bench.json", metavar="FILE", help="where the JSON goes")
    output = Path(parser.parse_args().output)
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    kernels, commands = [], []
    # Whole runs first: Linux counts the memory of the starting process into the peak of the started one.
    for target in TARGETS:
        commands.append(bench_identify(target))
        print(describe(commands[-1]), flush=True)
    for bench in KERNELS:
        kernels.append(bench())
        print(describe(kernels[-1]), flush=True)
    content = {"format": FORMAT, "machine": about, "kernels": kernels, "commands": commands}
    output.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    print(f"wrote {output}")


if __name__ == "__main__":
    main()
