"""The benchmark table of `docs/benchmark.md`: every language of Table 2 of [HYB25] and the four of the text.

Runs `idinf identify` on each spec in a process of its own, writes the results as JSON and the table between
the marks of that document. A row has the space of its spec, the widest that completes; where that is narrower
than its preset, a second run in the preset gives a lower bound there, and the narrower run an upper bound if
the preset contains it. Upper ends are the hypotheses that the specs name; the run checks them. Beside n0
stands from which n on automata learners have a regular target, see `idinf.baselines`; RPNI needs AALpy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from idinf.baselines.automata import measure_baseline, settle_length
from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

ROOT = Path(__file__).parents[2]

#: Where the table is shown.
DOCUMENT = ROOT / "docs" / "benchmark.md"

BEGIN, END = "<!-- suite: written by `make suite` -->", "<!-- end of suite -->"

#: Targets in the order of the table, with the budget of the run in the preset; None: the spec has the preset.
ROWS: dict[str, float | None] = {
    "majority": None,
    "dyck-1": None,
    "anbncn": None,
    "parity": None,
    "tomita-1": None,
    "tomita-2": None,
    "tomita-3": None,
    "tomita-4": None,
    "tomita-5": None,
    "tomita-6": None,
    "tomita-7": None,
    "d-2": None,
    "d-3": None,
    "d-4": None,
    "d-12": None,
    "aa-star": None,
    "aaaa-star": None,
    "abab-star": None,
    "aa-bb-cc": None,
    "aa-bb-cc-dd-ee": None,
    "ab-d-bc": None,
    "012-02": None,
    "contains-ab": None,
    "contains-ab-abc": None,
}

#: Budget of the second run, in the whole preset.
PRESET_MAX_R = 8.5


def baseline_cells(target: Target) -> tuple[str, str]:
    """2k − 2 and the n of RPNI as cells of a table; "-" where the target is not regular."""
    if not isinstance(target, RegularTarget):
        return "-", "-"
    found = measure_baseline(target)
    return str(settle_length(target)), f"> {found.tried}" if found.since is None else str(found.since)


def run(name: str, *options: str) -> dict:
    """One run of the command in a process of its own."""
    command = [sys.executable, str(ROOT / "cli.py"), "identify", name, "--json", "-q", *options]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    if answer.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(command)}\n{answer.stderr}")
    return json.loads(answer.stdout)


def bounds_of(space: SpaceBounds) -> dict[str, float]:
    """The bounds of a space that it has, by name."""
    return {key: value for key, value in space.to_dict().items() if value is not None}


def measured(name: str, jobs: int) -> dict:
    """The run in the spec's space, and in its preset where that is wider."""
    spec = load(name)
    report = run(name, "-j", str(jobs))
    preset = SpaceBounds.from_preset(spec.space.preset, max_r=spec.space.max_r)
    whole, contained = None, False
    if preset != spec.space:
        own, wide = bounds_of(spec.space), bounds_of(preset)
        contained = all(value <= wide[key] for key, value in own.items())
        budget = PRESET_MAX_R if ROWS[name] is None else ROWS[name]
        # Every bound by name: --space alone keeps the bounds of a spec that has this preset already.
        wide["max_r"] = budget
        options = [
            part for key, value in wide.items() for part in (f"--{key.replace('_', '-')}", f"{value:g}")
        ]
        whole = run(name, "-j", str(jobs), *options)
    return {"name": name, "report": report, "preset": whole, "contained": contained}


def space_of(report: dict) -> str:
    """The preset and the bounds that differ from it."""
    space = report["space"]
    preset = SpaceBounds.from_preset(space["preset"]).to_dict()
    short = {"layers": "L", "heads": "H", "units": "m", "precision": "p", "period": "Δ", "reach": "τ"}
    parts = [f"{short.get(k, k)}≤{space[k]}" for k in preset if k != "max_r" and space[k] != preset[k]]
    return " ".join([space["preset"], *parts])


def r_of(report: dict, narrow: dict | None = None) -> str:
    """R* at max_n, or its bracket; the upper end may come from a run in a narrower space."""
    last = report["stages"][-1]
    if last["r_star"] is not None:
        return f"{last['r_star']:.6f}"
    return f"({last['r_star_lower']:g}, {upper_of(report if narrow is None else narrow)}]"


def upper_of(report: dict) -> str:
    """The upper end at max_n, or at the n that its exact check reaches."""
    known = report["stages"][-1]["r_star"]
    if known is not None:
        return f"{known:.6f}"
    upper, length = report["bracket"]["r_upper"], report["bracket"]["upper_length"]
    if upper is None:
        return "∞"
    return f"{upper:.6f}" if length >= report["max_n"] else f"{upper:.6f} for n ≤ {length}"


def n0_of(report: dict) -> str:
    """n0, or its lower bound."""
    if report["outcome"].startswith("identified"):
        return str(report["n0"])
    if report["outcome"] in ("not-identified", "never"):
        return "none"
    return f"≥ {report['bracket']['n0_lower']}"


def table(rows: list[dict]) -> str:
    """Markdown."""
    lines = [
        "| target | space | outcome | R* at n = 64 | n0 | 2k - 2 | RPNI | R* in the whole preset | time "
        "| memory |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        report, whole = row["report"], row["preset"]
        cells = [
            row["name"],
            space_of(report),
            report["outcome"],
            r_of(report),
            n0_of(report),
            *baseline_cells(build_target(load(row["name"]))),
            "the same" if whole is None else r_of(whole, report if row["contained"] else None),
            f"{report['seconds']:.0f} s" if report["seconds"] >= 10 else f"{report['seconds']:.1f} s",
            f"{report['peak_bytes'] / 2**20:.0f} MB",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_between(begin: str, end: str, text: str, document: Path = DOCUMENT) -> None:
    """Write a text into the document, in place of what is between two marks."""
    before, _, rest = document.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    document.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def main() -> None:
    """Run the rows, write the JSON, and the table where the document has its marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*", help="only these rows; all if none is given")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", default="suite.json")
    parser.add_argument("--document", action="store_true", help=f"write the table into {DOCUMENT.name}")
    chosen = parser.parse_args()
    rows = []
    for name in chosen.targets or ROWS:
        row = measured(name, chosen.jobs)
        rows.append(row)
        print(table([row]).splitlines()[-1], flush=True)
    Path(chosen.output).write_text(json.dumps(rows, ensure_ascii=False) + "\n", encoding="utf-8")
    if chosen.document:
        write_between(BEGIN, END, table(rows))


if __name__ == "__main__":
    main()
