"""The first page of a site: a gallery of frontiers, a few pairs, and the benchmark as a sorted table."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from idinf.base.numbers import MISSING, format_amount, typeset
from idinf.report.value import Outcome, Report
from idinf.show.html.page import KnownClasses
from idinf.show.html.templates import render_template
from idinf.show.report_facts import format_level, is_selected
from idinf.show.sentences import describe_verdict
from idinf.version import __version__

#: Outcomes in the order in which they are counted, and how.
_OUTCOMES = {
    Outcome.IDENTIFIED_FOR_ALL_N: "identified for every n",
    Outcome.IDENTIFIED: "identified up to the largest n examined",
    Outcome.NOT_IDENTIFIED: "not identified",
    Outcome.NEVER: "without n₀",
    Outcome.OPEN: "open",
}

#: A few pairs show the point; any other two take one command.
MOST_PAIRS = 6

#: Sizes of a picture: of the whole, of the verdicts below, and how far marks reach around a point.
WIDTH, HEIGHT, STRIP, MARK = 240, 112, 10, 4


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A report of a gallery."""

    report: Report
    known: KnownClasses | None
    name: str  #: the name of the target, made different from equal ones
    address: str  #: where its page is, seen from the gallery


@dataclass(frozen=True, slots=True)
class GalleryPair:
    """Two entries, and where their common page is."""

    learned: GalleryEntry
    outside: GalleryEntry
    address: str


def render_gallery(entries: Sequence[GalleryEntry], pairs: Sequence[GalleryPair] = ()) -> str:
    """Write the first page of a site, a whole HTML document that loads nothing."""
    counts = Counter(entry.report.outcome for entry in entries)
    told = [f"{counts[outcome]} {text}" for outcome, text in _OUTCOMES.items() if counts[outcome]]
    shown = {entry.address: _describe(entry) for entry in entries}
    return render_template(
        "gallery.html",
        ("sorted.js", "gallery.js"),
        count=f"{format_amount(len(entries), 'target')}: {', '.join(told)}.",
        entries=list(shown.values()),
        pairs=[(shown[pair.learned.address], shown[pair.outside.address], pair.address) for pair in pairs],
        version=__version__,
    )


def choose_pairs(entries: Sequence[GalleryEntry], folder: str) -> tuple[GalleryPair, ...]:
    """Give each of the first targets outside C-RASP[periodic, local] a partner that is inside and learned.

    For example majority beside parity: neither is in AC0, but only majority is in C-RASP. The partner has
    the same alphabet, if one has; then it is beside as few others as possible, agrees on the most other
    classes, and has the least R*. Theory says nothing about next symbols and domains.
    """
    plain = [e for e in entries if e.report.target.mode == "accept" and e.report.target.domain is None]
    learned = [e for e in plain if _inside(e) == "yes" and e.report.outcome.is_identified]
    used: Counter[str] = Counter()
    pairs = []
    for outside in [entry for entry in plain if _inside(entry) == "no"][:MOST_PAIRS]:
        if not learned:
            break
        partner = min(learned, key=lambda entry: (*_distance(entry, outside, used), learned.index(entry)))
        used[partner.address] += 1
        names = (entry.address.rpartition("/")[2].removesuffix(".html") for entry in (partner, outside))
        pairs.append(GalleryPair(partner, outside, f"{folder}/{'+'.join(names)}.html"))
    return tuple(pairs)


def _inside(entry: GalleryEntry) -> str:
    return "unknown" if entry.known is None else entry.known.inside


def _distance(entry: GalleryEntry, outside: GalleryEntry, used: Counter[str]) -> tuple[float, ...]:
    differs = entry.report.target.alphabet != outside.report.target.alphabet
    apart = sum(mine != its for mine, its in zip(_verdicts(entry), _verdicts(outside), strict=False))
    r_star = entry.report.stages[-1].r_star
    return differs, used[entry.address], apart, float("inf") if r_star is None else r_star


def _verdicts(entry: GalleryEntry) -> list[str]:
    return [] if entry.known is None else [verdict for _, verdict, _ in entry.known.rows]


def _describe(entry: GalleryEntry) -> dict[str, object]:
    """Values of a report for the gallery."""
    report, selected, last = entry.report, entry.report.selected, entry.report.stages[-1]
    lower = None if report.bracket is None or report.outcome is Outcome.NEVER else report.bracket.n0_lower
    n0 = str(report.n0) if report.n0 is not None else MISSING if lower is None else f"≥ {lower}"
    numbers = (  # one without a number is sorted behind all others
        (n0, lower if report.n0 is None else report.n0),
        (typeset(format_level(last)), last.r_star_lower),
        (str(report.max_n), report.max_n),
        (str(len(report.records)), len(report.records)),
    )
    is_learned = selected is not None and report.outcome.is_identified
    return {
        "entry": entry,
        "verdict": describe_verdict(report),
        "formula": selected.formula if selected is not None and is_learned else None,
        "numbers": [(text, "" if key is None else repr(key)) for text, key in numbers],
        "picture": _draw(report),
    }


def _draw(report: Report) -> dict[str, object]:
    """The frontier of a report as its page draws it at max_n: a line for each record, the verdicts below."""
    levels = [record.r for record in report.records] + [stage.r_star_lower for stage in report.stages]
    low, high = min(levels) - 0.5, max(levels) + 0.9
    floor = HEIGHT - STRIP - 6

    def level(r: float) -> float:
        return MARK + (floor - MARK) * (1 - (r - low) / (high - low))

    def place(length: float) -> float:
        return MARK + (WIDTH - 3 * MARK) * math.log2(length + 1) / math.log2(report.horizon + 1)

    def lines() -> Iterator[tuple[str, ...]]:
        stage = report.stages[-1]
        for record in report.records:
            fits, chosen = record.fits(stage.n), is_selected(report, record, stage)
            fate = " out" if not fits else " selected" if chosen else ""
            mark = "open-end" if record.fail is None else "circle" if fits else "cross"
            end, y = place(report.horizon if record.fail is None else record.fail), level(record.r)
            yield f"point{fate}", mark, *_texts(place(0), end, y, end - MARK, end + MARK, y - MARK, y + MARK)

    verdicts = []
    for verdict, stages in itertools.groupby(report.stages, lambda stage: stage.verdict):
        first, *_, last = (*stages,) * 2
        left, right = place(first.n - 0.5), place(last.n + 0.5)
        verdicts.append((verdict, _texts(left, HEIGHT - STRIP, right - left, STRIP)))
    top = level(high)
    unknown = _texts(0, top, WIDTH, level(report.stages[-1].r_star_lower) - top)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "mark": MARK,
        "floor": floor,
        "unknown": None if report.is_complete else unknown,
        "lines": list(lines()),
        "verdicts": verdicts,
    }


def _texts(*values: float) -> tuple[str, ...]:
    return tuple(f"{max(0, value):.1f}" for value in values)
