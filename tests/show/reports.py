"""Reports to render: the golden ones as values, and changed ones."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from idinf.report.files import report_from_dict
from idinf.report.value import Outcome, Report, Stage
from idinf.tables.row import Row

GOLDEN = Path(__file__).resolve().parents[1] / "golden"

#: What golden files leave out, since it may change while no answer does.
LEFT_OUT = {
    "idinf_version": "1",
    "counts": {"enumerated": 0, "distinct": 0, "exact": 0, "dp": 0},
    "seconds": 0.0,
    "peak_bytes": 0,
}


def golden_dict(name: str) -> dict[str, Any]:
    """A golden report as a file of `idinf identify` has it; a fresh one for each call."""
    content = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")) | LEFT_OUT
    content.setdefault("stop", "max-r" if content["outcome"] in ("open", "never") else "stop-bound")
    content["target"].setdefault("digest", "0")
    return content


def golden(name: str) -> Report:
    """A golden report."""
    return report_from_dict(golden_dict(name), f"{name}.json")


def opened() -> Report:
    """The golden report of parity as if no theorem were known: an open one."""
    return replace(golden("parity"), outcome=Outcome.OPEN, beyond=None)


def renamed(report: Report, name: str) -> Report:
    """The same about a target of another name."""
    return replace(report, target=replace(report.target, name=name))


def with_stages(report: Report, *stages: Stage) -> Report:
    """The same with other stages."""
    return replace(report, stages=stages, max_n=len(stages))


def of_every_outcome() -> dict[Outcome, Report]:
    """One report for each outcome, three of them made up from golden ones."""
    whole = golden("majority")
    return {
        Outcome.IDENTIFIED_FOR_ALL_N: whole,
        Outcome.IDENTIFIED: replace(whole, outcome=Outcome.IDENTIFIED, beyond="the proof was not looked for"),
        Outcome.NOT_IDENTIFIED: replace(
            with_stages(whole, *whole.stages[:2]),
            outcome=Outcome.NOT_IDENTIFIED,
            n0=None,
            n0_canonical=None,
            beyond=None,
        ),
        Outcome.OPEN: opened(),
        Outcome.NEVER: golden("parity"),
    }


def family_rows() -> tuple[Row, ...]:
    """Members of sizes 1 to 4; one of size 4 is not settled."""
    sizes = [("a", 1, 3), ("b", 2, 4), ("c", 3, 8), ("d", 3, 5), ("e", 3, 5), ("f", 4, None)]
    return tuple(
        Row(
            name,
            family="ge",
            size=size,
            outcome=(Outcome.OPEN if n0 is None else Outcome.IDENTIFIED).value,
            n0=n0,
            n0_lower=9 if n0 is None else n0,
        )
        for name, size, n0 in sizes
    )
