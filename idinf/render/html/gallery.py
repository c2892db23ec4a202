"""The first page of a site: a gallery of frontiers, and the benchmark as a table that can be sorted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from idinf.numbers import MISSING, format_amount, typeset
from idinf.render.html.markup import Markup, fill_template, render_heads, render_tag, shorten_numbers
from idinf.render.html.pairs import GalleryEntry, GalleryPair
from idinf.render.html.theory import render_verdict
from idinf.render.html.thumbnail import render_thumbnail
from idinf.render.readings import format_level
from idinf.render.sentences import describe_verdict
from idinf.report.value import Outcome
from idinf.version import __version__

_BESIDE = (
    "A target outside C-RASP[periodic, local], for which theory expects no n₀, beside one inside that is "
    "learned and has much in common with it. One n moves both."
)

_HEADS = ("target", "C-RASP[periodic,local]", "outcome", "n₀", "R* at max n", "max n", "records", "space")

#: Outcomes in the order in which they are counted, and how.
_OUTCOMES = {
    Outcome.IDENTIFIED_FOR_ALL_N: "identified for every n",
    Outcome.IDENTIFIED: "identified up to the largest n examined",
    Outcome.NOT_IDENTIFIED: "not identified",
    Outcome.NEVER: "without n₀",
    Outcome.OPEN: "open",
}


def render_gallery(entries: Sequence[GalleryEntry], pairs: Sequence[GalleryPair] = ()) -> str:
    """Write the first page of a site, a whole HTML document that loads nothing."""
    counts = Counter(entry.report.outcome for entry in entries)
    told = [f"{counts[outcome]} {text}" for outcome, text in _OUTCOMES.items() if counts[outcome]]
    rows = render_tag("tbody", *map(_row, entries))
    caption = render_tag("caption", "What the reports say")
    return fill_template(
        "gallery.html",
        ("gallery.js",),
        count=f"{format_amount(len(entries), 'target')}: {', '.join(told)}.",
        cards=render_tag("ul", *map(_card, entries), class_="cards"),
        pairs=render_tag("ul", *map(_pair, pairs), class_="cards pairs") if pairs else Markup(""),
        beside=render_tag("p", _BESIDE) if pairs else Markup(""),
        table=render_tag("table", caption, render_heads(*_HEADS), rows, id="benchmark-table"),
        version=__version__,
    )


def _card(entry: GalleryEntry) -> Markup:
    report = entry.report
    selected = report.selected
    formula = (
        render_tag("code", selected.formula) if selected is not None and report.outcome.is_identified else ""
    )
    link = render_tag("a", render_thumbnail(report), render_tag("b", entry.name), href=entry.address)
    return render_tag("li", link, _verdict(entry), Markup(formula))


def _pair(pair: GalleryPair) -> Markup:
    both = pair.learned, pair.outside
    pictures = render_tag("span", *(render_thumbnail(entry.report) for entry in both), class_="both")
    title = render_tag("b", f"{both[0].name} beside {both[1].name}")
    verdicts = (_verdict(entry, f"{entry.name}: ") for entry in both)
    return render_tag("li", render_tag("a", pictures, title, href=pair.address), *verdicts)


def _verdict(entry: GalleryEntry, before: str = "") -> Markup:
    text = shorten_numbers(typeset(describe_verdict(entry.report)))
    return render_tag("span", before, text, class_="outcome")


def _row(entry: GalleryEntry) -> Markup:
    report, known = entry.report, entry.known
    last, lower = report.stages[-1], None if report.bracket is None else report.bracket.n0_lower
    if report.outcome is Outcome.NEVER:
        lower = None
    n0 = str(report.n0) if report.n0 is not None else MISSING if lower is None else f"≥ {lower}"
    n0_key = report.n0 if report.n0 is not None else lower
    inside = None if known is None else known.inside
    return render_tag(
        "tr",
        render_tag("th", render_tag("a", entry.name, href=entry.address), scope="row"),
        render_tag("td", MISSING) if inside is None else render_verdict("td", inside),
        render_tag("td", report.outcome.value),
        _number(n0, n0_key),
        _number(typeset(format_level(last)), last.r_star_lower),
        _number(str(report.max_n), report.max_n),
        _number(str(len(report.records)), len(report.records)),
        render_tag("td", report.space.name),
    )


def _number(text: str, value: float | None) -> Markup:
    """A cell that is sorted by its number; one without a number comes last."""
    cell = shorten_numbers(text, trim=False)
    return render_tag("td", cell, class_="number", data_key="" if value is None else repr(value))
