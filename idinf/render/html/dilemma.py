"""One HTML page about a learned sequence and its changes: move k, and see which of the two is learned."""

from __future__ import annotations

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
    >>> "a is learned, b_3 is not" in dilemma_page("laplace", "(0)", found)
    True
    """
    radius = "Nothing is proved about what lies near a, since a is not learned."
    if found.radius is not None:
        radius = f"Within d_H < {format_down(found.radius)} of a nothing else is learned, whatever it is."
    learned, confidence = _say(found.confidence.low > 0), format_down(found.confidence.low)
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


def _say(learned: bool) -> str:
    return "learned" if learned else "not learned"


def _table(found: Isolation) -> Markup:
    heads = ("k", "distance", "within the radius", "gap", "confidence on a", "on b_k", "learned")
    rows = [_row(found, row) for row in found.rows]
    return render_tag("table", render_heads(*heads), render_tag("tbody", *rows))


def _row(found: Isolation, row: ChangedRow) -> Markup:
    a, b = found.confidence.low > 0, row.confidence.low > 0
    which = "a" if a and not b else f"b_{row.every}" if b and not a else "both" if a else "none"
    pairs = {
        (True, True): f"both a and b_{row.every} are learned",
        (True, False): f"a is learned, b_{row.every} is not",
        (False, True): f"a is not learned, b_{row.every} is",
        (False, False): f"neither a nor b_{row.every} is learned",
    }
    cells = (
        str(row.every),
        str(row.distance),
        "yes" if row.inside else "no",
        format_down(row.gap.low),
        format_down(found.confidence.low),
        format_down(row.confidence.low),
        which,
    )
    tags = [render_tag("td", cell) for cell in cells]
    return render_tag("tr", *tags, data_k=str(row.every), data_said=f"{pairs[a, b]}.")
