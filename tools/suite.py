"""The table of `docs/results/benchmark.md`: every language of Table 2 of [HYB25] and the four of the text.

Runs `idinf identify` on each with default settings, in a process of its own, writes the reports as JSON and
the table between the marks of that document. An answer is that of the whole family; where it stays open, what
a smaller space says stands beside it, under its name. Upper ends are the hypotheses that the specs name; the
run checks them. Reports that the JSON file has are not run again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from idinf.base.files import write_whole
from idinf.spec.bounds import SpaceBounds

ROOT = Path(__file__).parents[1]

#: Where the table is shown.
DOCUMENT = ROOT / "docs" / "results" / "benchmark.md"

BEGIN, END = "<!-- suite: written by `make suite` -->", "<!-- end of suite -->"

#: Targets in the order of the table.
ROWS = (
    "majority",
    "dyck-1",
    "anbncn",
    "parity",
    "tomita-1",
    "tomita-2",
    "tomita-3",
    "tomita-4",
    "tomita-5",
    "tomita-6",
    "tomita-7",
    "d-2",
    "d-3",
    "d-4",
    "d-12",
    "aa-star",
    "aaaa-star",
    "abab-star",
    "aa-bb-cc",
    "aa-bb-cc-dd-ee",
    "ab-d-bc",
    "012-02",
    "contains-ab",
    "contains-ab-abc",
)

HEADER = ("target", "outcome", "R* at n = 64", "n0", "in a smaller space", "CPU", "memory")


def measure(name: str) -> dict[str, Any]:
    """The report of one run of the command in a process of its own, and what CPU that took."""
    before = cpu_of_children()
    command = [sys.executable, str(ROOT / "cli.py"), "identify", name, "--json", "-q", "-j", "1"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(command)}\n{answer.stderr}")
    return {**json.loads(answer.stdout), "cpu_seconds": round(cpu_of_children() - before, 1)}


def cpu_of_children() -> float:
    """CPU seconds of the processes that this one waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_all(names: Iterable[str], path: Path, jobs: int) -> dict[str, dict[str, Any]]:
    """The reports by name: those of the file first, then each as soon as it is finished."""
    reports = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    left = [name for name in names if name not in reports]
    # Each process waits for one run at a time: what its children used more than before is what that run used.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(measure, name): name for name in left}
        for finished in as_completed(running):
            name, report = running[finished], finished.result()
            reports[name] = report
            write_whole(path, json.dumps(reports, ensure_ascii=False) + "\n")
            print(line_of(name, report), flush=True)
    return {name: reports[name] for name in names}


def r_of(report: dict[str, Any]) -> str:
    """R* at max_n, or its bracket."""
    last = report["stages"][-1]
    if last["r_star"] is not None:
        return f"{last['r_star']:.6f}"
    upper, length = report["bracket"]["r_upper"], report["bracket"]["upper_length"]
    end = "∞" if upper is None else f"{upper:.6f}"
    if upper is not None and length < report["max_n"]:
        end += f" for n ≤ {length}"
    return f"({last['r_star_lower']:g}, {end}]"


def n0_of(report: dict[str, Any]) -> str:
    """n0, or its lower bound."""
    if report["outcome"].startswith("identified"):
        return str(report["n0"])
    if report["outcome"] in ("not-identified", "never"):
        return "none"
    return f"≥ {report['bracket']['n0_lower']}"


def smaller_of(report: dict[str, Any]) -> str:
    """What the first of the smaller spaces says that stand beside an open family."""
    if not report.get("smaller"):
        return "-"
    smaller = report["smaller"][0]
    bounds = {key: value for key, value in smaller["space"].items() if key in SpaceBounds().to_dict()}
    name = SpaceBounds(**{key: value for key, value in bounds.items() if value is not None}).name
    proved = ", for every n" if smaller["outcome"] == "identified-for-all-n" else ""
    return f"{name}: R\\* {r_of(smaller)}, n0 {n0_of(smaller)}{proved}"


def line_of(name: str, report: dict[str, Any]) -> str:
    """One row of the table."""
    seconds = report["cpu_seconds"]
    cells = [
        name,
        report["outcome"],
        r_of(report),
        n0_of(report),
        smaller_of(report),
        f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s",
        f"{report['peak_bytes'] / 2**20:.0f} MB",
    ]
    return f"| {' | '.join(cells)} |"


def table(reports: dict[str, dict[str, Any]]) -> str:
    """Markdown."""
    lines = [f"| {' | '.join(HEADER)} |", "|---" * len(HEADER) + "|"]
    return "\n".join([*lines, *(line_of(*row) for row in reports.items())])


def write_between(begin: str, end: str, text: str, document: Path = DOCUMENT) -> None:
    """Write a text into the document, in place of what is between two marks."""
    before, _, rest = document.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    document.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def main() -> None:
    """Run the rows, write the JSON, and the table where the document has its marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*", help="only these rows; all if none is given")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("-o", "--output", type=Path, default=Path("suite.json"))
    parser.add_argument("--document", action="store_true", help=f"write the table into {DOCUMENT.name}")
    chosen = parser.parse_args()
    reports = measure_all(chosen.targets or ROWS, chosen.output, chosen.jobs)
    if chosen.document:
        write_between(BEGIN, END, table(reports))


if __name__ == "__main__":
    main()
