"""The table of readings as text."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.numbers import MISSING, align, format_above, format_r
from idinf.sweeps.readings import ReadingRow


def render_readings(rows: Sequence[ReadingRow]) -> str:
    """Write the table, one row for each target and reading.

    Examples
    --------
    >>> row = ReadingRow("x", "sum", "open", r_above=8.0, r_upper=9.5, n0_lower=3)
    >>> print(render_readings([row]), end="")
    target  reading  R*                n0    canonical
    x       sum      (8, 9.500000000]  >= 3  -
    """
    header = ("target", "reading", "R*", "n0", "canonical")
    return "".join(f"{line}\n" for line in align([header, *map(_cells, rows)]))


def _cells(row: ReadingRow) -> tuple[str, ...]:
    if row.error is not None:
        return row.target, row.reading, row.error, MISSING, MISSING
    canonical = MISSING if row.n0_canonical is None else str(row.n0_canonical)
    return row.target, row.reading, _star(row), _n0(row), canonical


def _star(row: ReadingRow) -> str:
    if row.r_star is not None:
        return format_r(row.r_star)
    if row.r_above is None:
        return MISSING
    least = format_above(row.r_above)
    if row.r_upper is None:
        return least
    sign, _, end = least.partition(" ")
    return f"{'(' if sign == '>' else '['}{end}, {format_r(row.r_upper)}]"


def _n0(row: ReadingRow) -> str:
    if row.n0 is not None:
        return str(row.n0)
    return "none" if row.n0_lower is None else f">= {row.n0_lower}"


def render_markdown(rows: Sequence[ReadingRow]) -> str:
    """Write a line for each target and a column for each reading, as a table of Markdown.

    n0 is that of everything selected, and behind it in parentheses that of the canonical pick where it is
    another one.

    Examples
    --------
    >>> row = ReadingRow("x", "sum", "identified", 8.0, n0=3, n0_canonical=2)
    >>> print(render_markdown([row]), end="")
    | target | sum |
    |---|---|
    | x | 8; n0 = 3 (2) |
    """
    names = list(dict.fromkeys(row.reading for row in rows))
    cells = {(row.target, row.reading): render_cell(row) for row in rows}
    targets = dict.fromkeys(row.target for row in rows)
    lines = [[each, *(cells.get((each, name), "") for name in names)] for each in targets]
    table = [f"| {' | '.join(line)} |\n" for line in (["target", *names], *lines)]
    return "".join([table[0], "|" + "---|" * (1 + len(names)) + "\n", *table[1:]])


def render_cell(row: ReadingRow) -> str:
    """Write what is known of R* and n0 as one cell of a table of Markdown.

    Examples
    --------
    >>> render_cell(ReadingRow("x", "sum", "open", r_above=8.5, r_upper=9.25, n0_lower=3))
    '(8.5, 9.25]; n0 ≥ 3'
    """
    if row.error is not None:
        return row.error
    if row.r_star is not None:
        star = _short(row.r_star)
    else:
        end = _short(row.r_above or 0.0)
        star = f"> {end}" if row.r_upper is None else f"({end}, {_short(row.r_upper)}]"
    number = f"n0 = {row.n0}" if row.n0 is not None else f"n0 ≥ {row.n0_lower}" if row.n0_lower else "no n0"
    pick = f" ({row.n0_canonical})" if row.n0 is not None and row.n0_canonical not in (None, row.n0) else ""
    return f"{star}; {number}{pick}"


def _short(r: float) -> str:
    return f"{r:.6f}".rstrip("0").rstrip(".")
