"""The table of readings as text."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.numbers import MISSING, align, format_above, format_r
from idinf.sweeps.readings import ReadingRow


def render_readings(rows: Sequence[ReadingRow]) -> str:
    """Write the table, one row for each target and reading.

    Examples
    --------
    >>> print(render_readings([ReadingRow("x", "sum", "open", None, 8.0, 9.5, None, None, 3)]), end="")
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
    if row.r_star is not None or row.r_above is None:
        return MISSING if row.r_star is None else format_r(row.r_star)
    if row.r_upper is None:
        return format_above(row.r_above)
    return f"({format_above(row.r_above).removeprefix('> ').removeprefix('>= ')}, {format_r(row.r_upper)}]"


def _n0(row: ReadingRow) -> str:
    if row.n0 is not None:
        return str(row.n0)
    return "none" if row.n0_lower is None else f">= {row.n0_lower}"
