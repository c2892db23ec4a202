"""What a row of a batch says, as short cells beside its panels."""

from __future__ import annotations

from idinf.numbers import format_number
from idinf.report.value import Outcome
from idinf.sweeps.row import Row

#: The verdicts on a language by the class that is shown, from the smallest on.
CLASSES = ("C-RASP[]", "C-RASP[periodic,local]", "outside both", "not known")

#: Characters of a name beside a panel.
LABEL = 17


def shorten(name: str, most: int = LABEL) -> str:
    """Cut a long name.

    Examples
    --------
    >>> shorten("majority-interleave-next")
    'majority-interle…'
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


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
        case Outcome.NEVER.value:
            return "never, no n0"
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
    ('R* = 8.414', 'R* > 9.75', 'R* not known')
    """
    if row.r_star is not None:
        return f"R* = {format_number(round(row.r_star, 3))}"
    # Rounded down: what is proved.
    return "R* not known" if row.r_lower is None else f"R* > {format_number(int(row.r_lower * 1000) / 1000)}"
