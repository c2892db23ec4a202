"""Which targets of a gallery stand side by side: one that is learned, and one that theory puts out of reach.

For example majority beside parity: neither is in AC0, and what tells them apart is C-RASP.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from idinf.render.html.theory import KnownClasses
from idinf.report.value import Report

#: A few tell the story, and any other two are one command away.
MOST_PAIRS = 6


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """A report of a gallery."""

    report: Report
    known: KnownClasses | None
    name: str  #: the name of the target, told apart from others of that name
    address: str  #: where its page is, seen from the gallery


@dataclass(frozen=True, slots=True)
class GalleryPair:
    """Two entries, and where their common page is."""

    learned: GalleryEntry
    outside: GalleryEntry
    address: str


def choose_pairs(entries: Sequence[GalleryEntry], folder: str) -> tuple[GalleryPair, ...]:
    """Give each of the first targets outside C-RASP[periodic, local] a partner that is inside and learned.

    The partner has the same alphabet, if one has; then it is beside as few others as possible, agrees on the
    most other classes, and has the least R*. Of next symbols and domains theory says nothing.
    """
    plain = [entry for entry in entries if entry.report.target.mode == "accept" and not _has_domain(entry)]
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


def _has_domain(entry: GalleryEntry) -> bool:
    return entry.report.target.domain is not None


def _inside(entry: GalleryEntry) -> str:
    return "unknown" if entry.known is None else entry.known.inside


def _distance(entry: GalleryEntry, outside: GalleryEntry, used: Counter[str]) -> tuple[float, ...]:
    differs = entry.report.target.alphabet != outside.report.target.alphabet
    apart = sum(mine != its for mine, its in zip(_verdicts(entry), _verdicts(outside), strict=False))
    r_star = entry.report.stages[-1].r_star
    return differs, used[entry.address], apart, float("inf") if r_star is None else r_star


def _verdicts(entry: GalleryEntry) -> list[str]:
    return [] if entry.known is None else [verdict for _, verdict, _ in entry.known.rows]
