"""What docs/cluster.md says of clusters, measured: deaths of workers, efficiency, memory, and what travels.

``python -m tests.perf.cluster deaths|efficiency|memory|growth``; each prints what it found. Wall times mean
nothing on a machine that does other things; CPU seconds of all processes are printed beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.runtime.cluster.local_cluster import descendants, peak_bytes, stat

ROOT = Path(__file__).parents[2]

#: Rows of a batch, and one search, of some 16 s of CPU each.
ROWS = ["tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-7", "dyck-1", "majority"]
ROWS_OPTIONS = ["--max-n", "8", "--work", "5000", "--anneal-steps", "0"]
SEARCH = ["identify", "tomita-5", "--max-n", "16", "--work", "20000", "--anneal-steps", "0", "--json"]

#: Clock ticks in a second, in which the system counts CPU time.
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Seen:
    """What was seen of the processes of a command. Mutable: it is watched while the command runs."""

    cpu_s: dict[int, float] = field(default_factory=dict)
    peaks: dict[int, tuple[str, int]] = field(default_factory=dict)
    killed: int = 0
    wall_s: float = 0.0

    def look(self, pid: int) -> None:
        """Take note of the CPU time of all processes so far, and of their peaks."""
        for each, line in {pid: "client", **descendants(pid)}.items():
            if fields := stat(each):
                self.cpu_s[each] = (int(fields[11]) + int(fields[12])) / TICKS
                before = self.peaks.get(each, ("", 0))[1]
                self.peaks[each] = kind_of(line), max(before, peak_bytes(each))

    @property
    def total_cpu_s(self) -> float:
        """CPU seconds of all processes together, but for what ended between two looks."""
        return sum(self.cpu_s.values())

    def peak(self, kind: str) -> int:
        """The largest resident size of a process of a kind."""
        return max((size for name, size in self.peaks.values() if name == kind), default=0)


def kind_of(line: str) -> str:
    """What a process below the client is."""
    if "cluster.agent" in line:
        return "helper or session"
    if "cluster.local" in line:
        return "scheduler"
    return "worker" if "dask worker" in line else line if line == "client" else "other"


def workers_at_work(pid: int) -> list[int]:
    """Processes of workers of dask below a command, once all of them have started and some have work."""
    kinds = {each: kind_of(line) for each, line in descendants(pid).items()}
    has_begun = "helper or session" in kinds.values()
    return [each for each, kind in kinds.items() if has_begun and kind == "worker"]


def watch(command: list[str], output: Path, deaths: int = 0, every_s: float = 4.0, seed: int = 0) -> Seen:
    """Run a command to its end, and kill so many of its workers at random times meanwhile."""
    seen, began = Seen(), time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    rng = random.Random(seed)
    next_death = began + rng.uniform(0, 2 * every_s)
    with output.open("wb") as stdout:
        process = subprocess.Popen(
            [sys.executable, "-m", "idinf", *command], cwd=output.parent, env=environment, stdout=stdout
        )
        while process.poll() is None:
            seen.look(process.pid)
            if seen.killed < deaths and time.monotonic() > next_death:
                if workers := workers_at_work(process.pid):
                    os.kill(rng.choice(workers), signal.SIGKILL)
                    seen.killed += 1
                next_death = time.monotonic() + rng.uniform(0, 2 * every_s)
            time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"idinf {' '.join(command)}: exit code {process.returncode}")
    seen.wall_s = time.monotonic() - began
    return seen


def timeless(path: Path) -> str:
    """An answer without its times and peaks: of a report, or of a CSV with a column of seconds."""
    text = path.read_text()
    if text.startswith("{"):
        report = json.loads(text)
        return json.dumps(
            {key: value for key, value in report.items() if key not in ("seconds", "peak_bytes")}
        )
    import csv

    rows = list(csv.DictReader(text.splitlines()))
    return json.dumps([{key: value for key, value in row.items() if key != "seconds"} for row in rows])


def commands() -> dict[str, list[str]]:
    """The two commands that are measured."""
    return {
        "rows of a batch": ["batch", *ROWS, *ROWS_OPTIONS, "-o", "-", "-q"],
        "units of one search": [*SEARCH, "-q"],
    }


def measure_deaths(folder: Path, deaths: int) -> None:
    """Kill workers at random times, two in three seconds; the answer is that of one process."""
    few = ["tomita-1", "tomita-2", "tomita-7", "majority", "--max-n", "8"]
    for command in (
        ["batch", *few, "-o", "-", "-q"],
        ["identify", "tomita-7", "--max-n", "8", "--json", "-q"],
    ):
        alone = watch(command, folder / "alone")
        far = watch([*command, "--scheduler", "local:2"], folder / "far", deaths, every_s=1.5, seed=3)
        same = timeless(folder / "alone") == timeless(folder / "far")
        print(f"{command[0]}: {far.killed} workers killed, answers {'equal' if same else 'DIFFERENT'}")
        print(
            f"  one process {alone.wall_s:.1f} s, {alone.total_cpu_s:.1f} CPU s; with deaths "
            f"{far.wall_s:.1f} s, {far.total_cpu_s:.1f} CPU s",
            flush=True,
        )


def measure_efficiency(folder: Path) -> None:
    """One worker and two, in turn, thrice; T1 / (2 T2) by the clock, and C1 / C2 by CPU seconds."""
    for name, command in commands().items():
        clock, cpu, best = [], [], []
        for _ in range(3):
            one, two = (
                watch([*command, "--scheduler", f"local:{workers}"], folder / str(workers))
                for workers in (1, 2)
            )
            assert timeless(folder / "1") == timeless(folder / "2")
            clock.append(one.wall_s / (2 * two.wall_s))
            cpu.append(one.total_cpu_s / two.total_cpu_s)
            best.append((one, two))
            print(
                f"{name}: 1 worker {one.wall_s:.1f} s, {one.total_cpu_s:.1f} CPU s; "
                f"2 workers {two.wall_s:.1f} s, {two.total_cpu_s:.1f} CPU s",
                flush=True,
            )
        one, two = (min(pair, key=lambda seen: seen.wall_s) for pair in zip(*best, strict=True))
        alone = watch(command, folder / "alone")
        print(
            f"  efficiency by the clock {sorted(clock)[1]:.2f}, by CPU seconds {sorted(cpu)[1]:.2f} (medians)"
        )
        print(
            f"  best of three, by the clock: {one.wall_s / (2 * two.wall_s):.2f}; without a scheduler "
            f"{alone.wall_s:.1f} s, {alone.total_cpu_s:.1f} CPU s",
            flush=True,
        )


def measure_memory(folder: Path) -> None:
    """Largest resident sizes with a bound that some runs would like to exceed."""
    for share in (300, 600):
        command = ["batch", "tomita-5", "tomita-7", "--max-n", "32", "--time-limit", "20", "-o", "-", "-q"]
        seen = watch([*command, "--memory", f"{2 * share}M", "--scheduler", "local:2"], folder / "memory")
        peaks = {
            kind: seen.peak(kind) >> 20 for kind in ("client", "scheduler", "worker", "helper or session")
        }
        told = ", ".join(f"{kind} {size} MiB" for kind, size in peaks.items())
        print(f"share of {share} MiB for each of 2 runs: {told}", flush=True)


def measure_growth() -> None:
    """Bytes of waves, items, answers and journal, and seconds, of searches in this process."""
    from tests.perf.cluster_growth import print_growth

    print_growth()


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["deaths", "efficiency", "memory", "growth"])
    parser.add_argument("--deaths", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        match given.what:
            case "deaths":
                measure_deaths(folder, given.deaths)
            case "efficiency":
                measure_efficiency(folder)
            case "memory":
                measure_memory(folder)
            case _:
                measure_growth()


if __name__ == "__main__":
    main()
