"""One HTML page about a learned sequence and its changes: move k, and see which of the two is learned."""

from __future__ import annotations

from idinf.continuity.intervals import Interval
from idinf.continuity.isolation import ChangedRow, Isolation
from idinf.numbers import format_down
from idinf.render.html.markup import Markup, fill_template, render_heads, render_tag
from idinf.version import __version__


def dilemma_page(name: str, a: str, found: Isolation) -> str:
    """Write the page of a predictor and a sequence, with a row for each k.

    It is a whole HTML document that needs no network; without its script the table has everything.

    Examples
    --------
    >>> from idinf.continuity.isolation import isolate
    >>> from idinf.continuity.predictors import laplace
    >>> from idinf.continuity.sequences import parse_sequence
    >>> from idinf.words import Alphabet
    >>> found = isolate(laplace(Alphabet(("0", "1"))), parse_sequence("(0)"), (2, 3))
    >>> "a is learned, b_3 is not learned" in dilemma_page("laplace", "(0)", found)
    True
    """
    radius = "Nothing is proved about what lies near a, since a is not proved to be learned."
    if found.radius is not None:
        ball = f"Within d_H < {format_down(found.radius)} of a"
        radius = f"{ball} nothing is learned but what is equal to a in the end."
    learned, confidence = _say(found.confidence), format_down(found.confidence.low)
    return fill_template(
        "dilemma.html",
        ("dilemma.js",),
        name=name,
        a=a,
        lead=f"{name}: a is {learned}, with confidence {confidence}",
        most=str(max(row.every for row in found.rows)),
        radius=radius,
        table=_table(found),
        version=__version__,
    )


def _say(confidence: Interval) -> str:
    """What a limit inferior proves; an interval around 0 proves nothing."""
    return "learned" if confidence.low > 0 else "not learned" if confidence.high <= 0 else "not decided"


def _table(found: Isolation) -> Markup:
    heads = ("k", "distance", "within the radius", "gap", "confidence on a", "on b_k", "b_k is")
    rows = [_row(found, row) for row in found.rows]
    return render_tag("table", render_heads(*heads), render_tag("tbody", *rows))


def _row(found: Isolation, row: ChangedRow) -> Markup:
    a, b = _say(found.confidence), _say(row.confidence)
    cells = (
        str(row.every),
        str(row.distance),
        "yes" if row.inside else "no",
        "-" if row.gap is None else format_down(row.gap.low),
        format_down(found.confidence.low),
        format_down(row.confidence.low),
        b,
    )
    tags = [render_tag("td", cell) for cell in cells]
    return render_tag("tr", *tags, data_k=str(row.every), data_said=f"a is {a}, b_{row.every} is {b}.")
