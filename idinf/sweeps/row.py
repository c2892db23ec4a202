"""One row of ``idinf batch`` per target: what a report says, beside what its spec expects.

Names and errors come from outside, and a spreadsheet runs what begins with ``=`` or the like, so such a text
has an apostrophe before it in the CSV.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from idinf.experiments.bounds import Space, SpaceBounds
from idinf.experiments.spec import Spec, Verdict
from idinf.quoting import escape_controls
from idinf.report.value import Outcome, Report


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a target, in the order on which readers outside the project rely; None is an empty one.

    R* and what describes a hypothesis are those of the procedure's pick at max_n, the frontier has pairs
    R:fail of the records, ``hypotheses`` counts enumerated vectors, and ``agrees`` is `agreement`. Where the
    tool chose what to search, ``needs`` is what is known of the language, and ``holds_for`` the largest sizes
    of the structures that the answer holds for, or ``whole family``.
    """

    target: str
    alphabet: str | None = None
    space: str | None = None
    outcome: str | None = None
    n0: int | None = None
    n0_canonical: int | None = None
    max_n: int | None = None
    r_star: float | None = None
    fail_frontier: str | None = None
    layers: int | None = None
    heads: int | None = None
    precision: int | None = None
    period: int | None = None
    reach: int | None = None
    formula: str | None = None
    complete_up_to_r: float | None = None
    hypotheses: int | None = None
    seconds: float | None = None
    expected: str | None = None
    agrees: str | None = None
    error: str | None = None
    needs: str | None = None
    holds_for: str | None = None

    @classmethod
    def of_report(cls, spec: Spec, report: Report) -> Row:
        """Give the row of a run; numbers are taken as they stand in the report."""
        r_star, expected = report.stages[-1].r_star, look_up_verdict(spec, report.space)
        row = replace(
            cls._of_target(spec, report.space),
            outcome=report.outcome.value,
            n0=report.n0,
            n0_canonical=report.n0_canonical,
            max_n=report.max_n,
            r_star=r_star,
            fail_frontier=";".join(
                f"{record.r}:{'inf' if record.fail is None else record.fail}" for record in report.records
            ),
            complete_up_to_r=report.complete_up_to_r,
            hypotheses=report.counts.enumerated,
            seconds=report.seconds,
            agrees=None if expected is None else compare_with_verdict(expected, report.outcome),
        )
        if (coverage := report.coverage) is not None:
            sizes = "whole family" if coverage.whole else "; ".join(map(str, coverage.cells))
            row = replace(row, needs=coverage.needs, holds_for=sizes)
        if r_star is None or report.selected is None:
            return row
        hypothesis = report.selected.hypothesis
        return replace(
            row,
            layers=len(hypothesis.layers),
            heads=max(len(layer.heads) for layer in hypothesis.layers),
            precision=hypothesis.precision,
            period=len(hypothesis.positions),
            # The largest distance with a bias φ.
            reach=max([0, *(len(head.phi) - 1 for layer in hypothesis.layers for head in layer.heads)]),
            formula=report.selected.formula,
        )

    @classmethod
    def of_error(cls, name: str, error: object, spec: Spec | None = None, space: Space | None = None) -> Row:
        """Give the row of a target that failed, as far as spec and space are known.

        Examples
        --------
        >>> row = Row.of_error("x", "x.toml: no such file\\n")
        >>> row.target, row.error
        ('x', 'x.toml: no such file')
        """
        known = cls(name) if spec is None else cls._of_target(spec, space)
        return replace(known, agrees="open" if known.expected else None, error=" ".join(str(error).split()))

    @classmethod
    def _of_target(cls, spec: Spec, space: Space | None) -> Row:
        named = cls(spec.name, " ".join(spec.alphabet.symbols))
        if space is None:
            return named
        expected = look_up_verdict(spec, space)
        return replace(named, space=_bounds(space), expected=None if expected is None else str(expected))


#: Columns in their order.
COLUMNS = tuple(field.name for field in fields(Row))

#: What gets an apostrophe more, so that taking one away gives every text back; numbers stay numbers.
_FORMULA = re.compile(r"'*[=+\-@\t\n]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def look_up_verdict(spec: Spec, bounds: Space) -> Verdict | None:
    """Look up what the spec expects in the class of a space; None if it does not say.

    The class of the preset ``nope`` is C-RASP[], that of the others C-RASP[periodic, local]; bounds that let
    positions or logits in lead out of the former.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> spec = load("aa-star")
    >>> [str(look_up_verdict(spec, SpaceBounds.from_preset(name))) for name in ("nope", "periodic")]
    ['no', 'yes']
    >>> str(look_up_verdict(spec, SpaceBounds.from_preset("nope", period=2)))
    'yes'
    """
    uniform = isinstance(bounds, SpaceBounds) and bounds.period == 1 and bounds.logit_max == 0
    inside = uniform and bounds.preset == "nope"
    return dict(spec.expected).get("crasp" if inside else "crasp_periodic_local")


def compare_with_verdict(expected: Verdict, outcome: Outcome) -> str:
    """Compare an outcome with an expected verdict: ``yes``, ``no``, or ``open`` where it decides nothing.

    To be identified up to max_n speaks for a language in the class and against one outside it. Not to be
    identified agrees with the latter, and says nothing against the former: max_n or the space may be small.

    Examples
    --------
    >>> outcomes = (Outcome.IDENTIFIED, Outcome.NOT_IDENTIFIED, Outcome.OPEN)
    >>> [compare_with_verdict(Verdict.NO, outcome) for outcome in outcomes]
    ['no', 'yes', 'open']
    >>> [compare_with_verdict(Verdict.YES, outcome) for outcome in outcomes]
    ['yes', 'open', 'open']
    """
    if expected is Verdict.UNKNOWN or outcome is Outcome.OPEN:
        return "open"
    if outcome.is_identified:
        return "yes" if expected is Verdict.YES else "no"
    return "open" if expected is Verdict.YES else "yes"


def format_csv(rows: Iterable[Row]) -> str:
    """Write rows below a header, in the order given.

    A text that begins with ``=``, ``+``, ``-``, ``@``, a tabulator or an end of line, and is no number, gets
    an apostrophe before it, so that a spreadsheet shows it and does not run it; one that begins so after
    apostrophes gets one more. Control characters, a carriage return among them, are written as in JSON.

    Examples
    --------
    >>> format_csv([Row("x", n0=3, formula="a, b")]).splitlines()[1]
    'x,,,,3,,,,,,,,,,"a, b",,,,,,,,'
    >>> format_csv([Row("=1+1", n0=-3, r_star=-3.0)]).splitlines()[1]
    "'=1+1,,,,-3,,,-3.0,,,,,,,,,,,,,,,"
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    # csv writes None as an empty cell, and floats so that they read back as they were.
    writer.writerows([_cell(getattr(row, column)) for column in COLUMNS] for row in rows)
    return text.getvalue()


def count_csv_targets(text: str) -> Counter[str] | None:
    """Count the rows of every target in a CSV of these columns; None if it is something else.

    Examples
    --------
    >>> count_csv_targets(format_csv(map(Row, "xyx")))
    Counter({'x': 2, 'y': 1})
    >>> count_csv_targets("target,n0\\nx,3\\n"), count_csv_targets("")
    (None, Counter())
    """
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None
    if rows and (rows[0] != list(COLUMNS) or any(len(row) != len(COLUMNS) for row in rows)):
        return None
    return Counter(row[0] for row in rows[1:])


def _cell(value: str | int | float | None) -> str | int | float | None:
    if not isinstance(value, str):
        return value
    text = escape_controls(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _bounds(space: Space) -> str:
    """The preset or the class, and the bounds that differ from its."""
    usual = SpaceBounds.from_preset(space.preset).limits if isinstance(space, SpaceBounds) else {}
    changed = [f"{key}={value:g}" for key, value in space.limits.items() if value != usual.get(key)]
    return " ".join([space.preset, *changed])
