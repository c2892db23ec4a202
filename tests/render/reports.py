"""Reports to render: the golden ones as values, and changed ones."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from idinf.experiments.bounds import SpaceBounds
from idinf.inference.settings import MAX_RULE
from idinf.report.family import FamilyDescription, FamilyFit, FamilyMaximum, FamilyMember, FamilyReport
from idinf.report.files import report_from_dict
from idinf.report.value import Outcome, Report, Stage

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


def family_report() -> FamilyReport:
    """Members of sizes 1 to 4; one of size 4 is not settled."""
    rows = [("a", 1, 3), ("b", 2, 4), ("c", 3, 8), ("d", 3, 5), ("e", 3, 5), ("f", 4, None)]
    return FamilyReport(
        idinf_version="1",
        family=FamilyDescription("ge", ("0", "1"), {"k": (1, 4), "j": (1, 4)}, None, "max"),
        space=SpaceBounds(),
        regularizer=MAX_RULE,
        max_n=64,
        max_n_cap=64,
        members=tuple(_member(*row) for row in rows),
        maxima=(
            FamilyMaximum(1, 3, 3, ("a",)),
            FamilyMaximum(2, 4, 4, ("b",)),
            FamilyMaximum(3, 8, 8, ("c",)),
            FamilyMaximum(4, None, 9, ("f",)),
        ),
        fits=(
            FamilyFit(
                "2.500(T - 1) + 2.500", (Fraction(5, 2), Fraction(5, 2)), (1, 2, 3), False, 0.7, Fraction(1)
            ),
        ),
    )


def _member(name: str, size: int, n0: int | None) -> FamilyMember:
    settled = n0 is not None
    return FamilyMember(
        name=name,
        parameters={"k": size, "j": size},
        size=size,
        digest="0",
        outcome=Outcome.IDENTIFIED if settled else Outcome.OPEN,
        max_n=64,
        n0=n0,
        n0_canonical=n0,
        n0_lower=9 if n0 is None else n0,
        r_star=10.0 if settled else None,
        complete_up_to_r=10.0,
        formula="" if settled else None,
        stop_reason="",
        seconds=1.0,
    )
