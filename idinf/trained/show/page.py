"""The page of a judgement: the verdict, the shortest wrong word, and a chart by length; it has no script."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from idinf.base.quoting import shorten
from idinf.show.html.templates import render_template
from idinf.trained.judgement import CONFIDENCE, Judgement
from idinf.trained.show.text import (
    MOST_FORMULA,
    describe_following,
    describe_mistake,
    name_offsets,
    summarize,
)
from idinf.trained.tree import Count

#: Where columns of the chart begin and how wide all are, in percent, and how many lengths are named at most.
LEFT, WIDTH, MOST_NAMED = 13, 86, 12

#: The number of words at the foot of a bar, so that one word is seen, too.
FLOOR = 0.5
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def render_page(found: Judgement) -> str:
    """Write the page of a judgement: a whole HTML document with its style inside, which loads nothing."""
    first, best = found.first, found.follows
    split = str.split if any(len(symbol) > 1 for symbol in found.alphabet) else list[str]
    room = (found.model.positions or 0) - (4 if found.answer == "accept" else 2)
    every = found.offsets == (*range(room + 1),) and room > 0
    offsets = "all" if every else ",".join(map(str, found.offsets))
    command = ["idinf", "judge", found.model.name, "--target", found.target, "--answer", found.answer]
    command += ["--answers", ",".join(found.answers)] if found.answers else []
    command += ["--offset", offsets, *(["--length", str(found.exhaustive_to)] if found.counts else [])]
    return render_template(
        "judgement.html",
        found=found,
        lead=summarize(found),
        mistake="" if first is None else describe_mistake(found, first),
        letters=() if first is None else split(first.word),
        place=0 if first is None else len(split(first.prefix)),
        following=(describe_following(found) or "").partition("`" if best is None else f"`{best.formula}`"),
        chart=draw_chart([count for count in found.counts if count.words]),
        name_offsets=name_offsets,
        confidence=f"{CONFIDENCE:.0%}",
        command=shlex.join(command),
        brief=lambda word: shorten(word or "ε", MOST_FORMULA),
    )


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the chart: its axis goes from bottom to top, of a logarithmic one in powers of ten."""

    top: int
    bottom: int
    low: float
    high: float

    def y(self, value: float) -> float:
        """Height of a value, in pixels from the top."""
        return round(self.bottom - (self.bottom - self.top) * (value - self.low) / (self.high - self.low), 2)

    def decades(self) -> list[tuple[float, str]]:
        """Ticks at powers of ten, five or fewer."""
        first, last = math.ceil(self.low), math.floor(self.high)
        exponents = range(first, last + 1, max(1, -(-(last - first) // 4)))
        names = (f"{10.0**d:g}" if -3 < d < 4 else "10" + str(d).translate(_RAISED) for d in exponents)
        return list(zip(map(self.y, exponents), names, strict=True))


def draw_chart(counts: Sequence[Count]) -> dict[str, object] | None:
    """Places of bars, points and ticks, x in percent; lines join points of neighbouring lengths."""
    if not counts:
        return None
    longest, share = counts[-1].length, max(each.wrong / each.words for each in counts) or 1
    margins = {each.length: each.margin for each in counts if each.margin is not None}
    known = [math.log10(margin) for margin in margins.values() if margin > 0]
    low, high = math.floor(min(known, default=0)), math.ceil(max(known, default=1))
    words = Panel(26, 106, math.log10(FLOOR), max(math.log10(each.words) for each in counts))
    shares, least = Panel(150, 210, 0, share), Panel(254, 354, low, max(high, low + 1))
    x = [round(LEFT + WIDTH * (n + 0.5) / (longest + 1), 3) for n in range(longest + 1)]
    y = {n: least.y(math.log10(margin) if margin > 0 else low) for n, margin in margins.items()}
    every = next(k * 10**d for d in range(9) for k in (1, 2, 5) if longest < k * 10**d * MOST_NAMED)
    return {
        "bars": [(x[n.length], words.y(math.log10(n.words)), shares.y(n.wrong / n.words), n) for n in counts],
        "width": round(0.7 * WIDTH / (longest + 1), 3),
        "points": [(x[n], y[n]) for n in y],
        "lines": [(x[n], y[n], x[n + 1], y[n + 1]) for n in y if n + 1 in y],
        "panels": (words, shares, least),
        "ticks": (words.decades(), [(shares.y(0), "0"), (shares.y(share), f"{share:.3g}")], least.decades()),
        "names": [(x[n], n) for n in range(0, longest + 1, every)],
        "left": LEFT,
    }
