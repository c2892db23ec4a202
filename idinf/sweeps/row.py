"""One row of ``idinf batch`` per target: what a report says, beside what its spec expects.

Names and errors come from outside, and a spreadsheet runs what begins with ``=`` or the like, so such a text
has an apostrophe before it in the CSV.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Spec, Verdict
from idinf.quoting import visible
from idinf.report.value import Outcome

__all__ = [
    "COLUMNS",
    "Row",
    "agreement",
    "csv_targets",
    "csv_text",
    "error_row",
    "expected_verdict",
    "report_row",
]

#: Columns in their order, which readers outside the project rely on.
COLUMNS = (
    "target",
    "alphabet",
    "space",
    "outcome",
    "n0",
    "n0_canonical",
    "max_n",
    "r_star",
    "fail_frontier",
    "layers",
    "heads",
    "precision",
    "period",
    "reach",
    "formula",
    "complete_up_to_r",
    "hypotheses",
    "seconds",
    "expected",
    "agrees",
    "error",
)

#: Cells by column; an absent one, and None, is an empty cell.
Row = Mapping[str, str | int | float | None]

#: What gets an apostrophe more, so that taking one away gives every text back; numbers stay numbers.
_FORMULA = re.compile(r"'*[=+\-@\t\n]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")

_IDENTIFIED = (Outcome.IDENTIFIED.value, Outcome.IDENTIFIED_FOR_ALL_N.value)


def report_row(spec: Spec, bounds: SpaceBounds, report: Mapping[str, Any]) -> Row:
    """Give the row of a run.

    Parameters
    ----------
    spec : Spec
    bounds : SpaceBounds
        The space that was searched.
    report : mapping
        ``idinf-report/1``; numbers are taken as they stand there.

    Returns
    -------
    dict
        ``r_star`` and what describes the hypothesis (``layers`` to ``formula``) are those of the procedure's
        pick at max_n; empty where R* is unknown there.
    """
    last = report["stages"][-1]
    expected = expected_verdict(spec, bounds)
    return {
        **_target(spec, bounds),
        "outcome": report["outcome"],
        "n0": report["n0"],
        "n0_canonical": report["n0_canonical"],
        "max_n": report["max_n"],
        "r_star": last["r_star"],
        "fail_frontier": ";".join(
            f"{record['r']}:{'inf' if record['fail'] is None else record['fail']}"
            for record in report["records"]
        ),
        **({} if last["r_star"] is None else _hypothesis(_selected(report))),
        "complete_up_to_r": report["complete_up_to_r"],
        "hypotheses": report["counts"]["enumerated"],
        "seconds": report["seconds"],
        "agrees": None if expected is None else agreement(expected, report["outcome"]),
    }


def error_row(name: str, error: str, spec: Spec | None = None, bounds: SpaceBounds | None = None) -> Row:
    """Give the row of a target that failed, as far as spec and space are known.

    Examples
    --------
    >>> error_row("x", "x.toml: no such file\\n")
    {'target': 'x', 'error': 'x.toml: no such file'}
    """
    known: Row = {"target": name} if spec is None else _target(spec, bounds)
    decided: Row = {"agrees": "open"} if known.get("expected") else {}
    return {**known, **decided, "error": " ".join(error.split())}


def expected_verdict(spec: Spec, bounds: SpaceBounds) -> Verdict | None:
    """Look up what the spec expects in the class of a space; None if it does not say.

    The class of the preset ``nope`` is C-RASP[], that of the others C-RASP[periodic, local]; bounds that let
    positions or logits in lead out of the former.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> spec = load("aa-star")
    >>> [str(expected_verdict(spec, SpaceBounds.from_preset(name))) for name in ("nope", "periodic")]
    ['no', 'yes']
    >>> str(expected_verdict(spec, SpaceBounds.from_preset("nope", period=2)))
    'yes'
    """
    inside = bounds.preset == "nope" and bounds.period == 1 and bounds.logit_max == 0
    return dict(spec.expected).get("crasp" if inside else "crasp_periodic_local")


def agreement(expected: Verdict, outcome: str) -> str:
    """Compare an outcome with an expected verdict: ``yes``, ``no``, or ``open`` where it decides nothing.

    To be identified up to max_n speaks for a language in the class and against one outside it. Not to be
    identified agrees with the latter, and says nothing against the former: max_n or the space may be small.

    Examples
    --------
    >>> [agreement(Verdict.NO, outcome) for outcome in ("identified", "not-identified", "open")]
    ['no', 'yes', 'open']
    >>> [agreement(Verdict.YES, outcome) for outcome in ("identified", "not-identified", "open")]
    ['yes', 'open', 'open']
    """
    if expected is Verdict.UNKNOWN or outcome == Outcome.OPEN.value:
        return "open"
    if outcome in _IDENTIFIED:
        return "yes" if expected is Verdict.YES else "no"
    return "open" if expected is Verdict.YES else "yes"


def csv_text(rows: Iterable[Row]) -> str:
    """Write rows below a header, in the order given.

    A text that begins with ``=``, ``+``, ``-``, ``@``, a tabulator or an end of line, and is no number, gets
    an apostrophe before it, so that a spreadsheet shows it and does not run it; one that begins so after
    apostrophes gets one more. Control characters, a carriage return among them, are written as in JSON.

    Examples
    --------
    >>> csv_text([{"target": "x", "n0": 3, "formula": "a, b"}]).splitlines()[1]
    'x,,,,3,,,,,,,,,,"a, b",,,,,,'
    >>> csv_text([{"target": "=1+1", "n0": -3, "r_star": "-3"}]).splitlines()[1]
    "'=1+1,,,,-3,,,-3,,,,,,,,,,,,,"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    # csv writes None as an empty cell, and floats so that they read back as they were.
    writer.writerows([_cell(row.get(column)) for column in COLUMNS] for row in rows)
    return text.getvalue()


def csv_targets(text: str) -> Counter[str] | None:
    """Count the rows of every target in a CSV of these columns; None if it is something else.

    Examples
    --------
    >>> csv_targets(csv_text([{"target": "x"}, {"target": "y"}, {"target": "x"}]))
    Counter({'x': 2, 'y': 1})
    >>> csv_targets("target,n0\\nx,3\\n"), csv_targets("")
    (None, Counter())
    """
    found: Counter[str] = Counter()
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        if next(rows, list(COLUMNS)) != list(COLUMNS):
            return None
        for row in rows:
            if len(row) != len(COLUMNS):
                return None
            found[row[0]] += 1
    except csv.Error:
        return None
    return found


def _cell(value: str | int | float | None) -> str | int | float | None:
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _target(spec: Spec, bounds: SpaceBounds | None) -> Row:
    named = {"target": spec.name, "alphabet": " ".join(spec.alphabet.symbols)}
    if bounds is None:
        return named
    expected = expected_verdict(spec, bounds)
    return {**named, "space": _space(bounds), "expected": None if expected is None else str(expected)}


def _space(bounds: SpaceBounds) -> str:
    """The preset, and the bounds that differ from its."""
    usual = SpaceBounds.from_preset(bounds.preset).to_dict()
    changed = [f"{key}={value:g}" for key, value in bounds.to_dict().items() if value != usual[key]]
    return " ".join([bounds.preset, *changed])


def _selected(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record that the procedure selects at max_n, where R* is known."""
    return next(r for r in report["records"] if r["fail"] is None or r["fail"] > report["max_n"])


def _hypothesis(record: Mapping[str, Any]) -> Row:
    """What a dense hypothesis is made of; its reach is the largest distance with a bias φ."""
    hypothesis = record["hypothesis"]
    heads: Sequence[Sequence[Mapping[str, Any]]] = [layer["heads"] for layer in hypothesis["layers"]]
    return {
        "layers": len(heads),
        "heads": max(map(len, heads)),
        "precision": hypothesis["precision"],
        "period": len(hypothesis.get("positions", [None])),
        "reach": max((len(head.get("phi", [0])) - 1 for layer in heads for head in layer), default=0),
        "formula": record["formula"],
    }
