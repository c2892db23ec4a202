"""What a row of a batch says, as short cells beside its panels."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.numbers import format_number
from idinf.render.figures.canvas import MARGIN, Sheet
from idinf.report.value import Outcome
from idinf.sweeps.row import Row

#: The verdicts on a language by the class that is shown, from the smallest on.
CLASSES = ("C-RASP[]", "C-RASP[periodic,local]", "outside both", "not known")

#: Characters of a name beside a panel.
LABEL = 17


def describe_row(row: Row) -> str:
    """Say the outcome of a row of a batch as `idinf.render.sentences.describe_verdict` does of its report.

    Examples
    --------
    >>> describe_row(Row("x", outcome="open", n0_lower=3)), describe_row(Row("x", error="no such file"))
    ('open, n0 >= 3', 'failed')
    """
    match row.outcome:
        case Outcome.IDENTIFIED.value:
            return f"n0 = {row.n0} for n <= {row.max_n}"
        case Outcome.IDENTIFIED_FOR_ALL_N.value:
            return f"n0 = {row.n0} for every n"
        case Outcome.NOT_IDENTIFIED.value:
            return f"not identified for n <= {row.max_n}"
        case Outcome.OPEN.value:
            return f"open, n0 >= {row.n0_lower}"
    return "failed"


def describe_class(row: Row) -> str:
    """Say which of `CLASSES` a language is in.

    Examples
    --------
    >>> describe_class(Row("x", crasp="no", crasp_periodic_local="yes")), describe_class(Row("x"))
    ('C-RASP[periodic,local]', 'not known')
    """
    if row.crasp == "yes":
        return CLASSES[0]
    if row.crasp_periodic_local == "yes":
        return CLASSES[1]
    return CLASSES[2] if row.crasp_periodic_local == "no" else CLASSES[3]


def describe_r(row: Row) -> str:
    """Write R* with three decimals, or what it is above.

    Examples
    --------
    >>> describe_r(Row("x", r_star=8.414213562)), describe_r(Row("x", r_lower=9.75)), describe_r(Row("x"))
    ('8.414', '> 9.75', '–')
    """
    if row.r_star is not None:
        return format_number(round(row.r_star, 3))
    # Rounded down: what is proved.
    return "–" if row.r_lower is None else f"> {format_number(int(row.r_lower * 1000) / 1000)}"


def write_cells(sheet: Sheet, height: float, cells: Sequence[tuple[str, float]], bold: bool = False) -> None:
    """Write texts side by side in a strip of a height, each from its left edge in inches on."""
    axes = sheet.panel(height, MARGIN, MARGIN)
    axes.set_axis_off()
    axes.set_xlim(MARGIN, sheet.width - MARGIN)
    axes.set_ylim(0, 1)
    weight = "bold" if bold else "normal"
    for text, left in cells:
        shown = text if len(text) <= LABEL or left > MARGIN else f"{text[: LABEL - 1]}…"
        axes.text(left, 0.5, shown, ha="left", va="center", fontsize=8.5, fontweight=weight)
