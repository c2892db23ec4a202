"""The table of readings: `docs/results/readings.csv`, of `make readings`, as Markdown in a document.

`python -m tools.readings` writes it anew from the CSV.
"""

from __future__ import annotations

from collections.abc import Sequence

from idinf.report.value import Outcome
from idinf.tables.row import Row, read_rows
from tools.suite import ROOT, write_between

RESULTS = ROOT / "docs" / "results"
TABLE, DOCUMENT = RESULTS / "readings.csv", RESULTS / "readings.md"

BEGIN, END = "<!-- readings: written by `make readings` -->", "<!-- end of readings -->"


def render_markdown(rows: Sequence[Row]) -> str:
    """Write a line for each target and a column for each reading.

    Examples
    --------
    >>> print(render_markdown([Row("x", reading="sum", outcome="identified", r_star=8.0, n0=3)]))
    | target | sum |
    |---|---|
    | x | 8; n0 = 3 |
    """
    names = list(dict.fromkeys(str(row.reading) for row in rows))
    cells = {(row.target, str(row.reading)): render_cell(row) for row in rows}
    targets = dict.fromkeys(row.target for row in rows)
    lines = [[each, *(cells.get((each, name), "") for name in names)] for each in targets]
    table = [f"| {' | '.join(line)} |" for line in (["target", *names], *lines)]
    return "\n".join([table[0], "|" + "---|" * (1 + len(names)), *table[1:]])


def render_cell(row: Row) -> str:
    """Write what is known of R* and n0 as one cell, in parentheses n0 of the canonical pick if it is another.

    Examples
    --------
    >>> render_cell(Row("x", outcome="open", r_lower=8.5, r_upper=9.25, n0_lower=3))
    '(8.5, 9.25]; n0 ≥ 3'
    """
    if row.error is not None:
        return row.error
    if row.r_star is not None:
        star = _short(row.r_star)
    else:
        end = _short(row.r_lower or 0.0)
        star = f"> {end}" if row.r_upper is None else f"({end}, {_short(row.r_upper)}]"
    if row.outcome == Outcome.NEVER.value:
        return f"{star}; no n0"
    number = f"n0 = {row.n0}" if row.n0 is not None else f"n0 ≥ {row.n0_lower}"
    pick = f" ({row.n0_canonical})" if row.n0 is not None and row.n0_canonical not in (None, row.n0) else ""
    return f"{star}; {number}{pick}"


def _short(r: float) -> str:
    return f"{r:.6f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    write_between(BEGIN, END, render_markdown(read_rows(str(TABLE))), DOCUMENT)
