"""A batch at a glance: R* and n0 of every target, with brackets where they are not known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from idinf.errors import PlotError
from idinf.numbers import format_amount
from idinf.render.figures.canvas import (
    COLOURS,
    MARKERS,
    USUAL,
    Look,
    Sheet,
    apply_style,
    draw_line,
    draw_points,
)
from idinf.render.figures.table_cells import CLASSES, describe_class, shorten
from idinf.report.value import Outcome
from idinf.sweeps.row import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches: the sheet, a row, and what stands between the panels.
WIDTH, ROW, BETWEEN = 7.0, 0.19, 0.25

#: Inches of a letter of a name, of a digit, and what stands around them.
LETTER, DIGIT, AROUND = 0.07, 0.075, 0.2

#: Inches between a mark and the edge of a panel.
EDGE = 0.12

#: Panels of fewer inches have no room for a sentence below them.
TELLING = 2.0

#: As many targets as one sheet shows.
MOST_TARGETS = 200

#: Lengths that may be written at the axis of n0.
TICKS = tuple(1 << k for k in range(11))


@apply_style()
def draw_batch(labelled: Sequence[tuple[str, Row]], look: Look = USUAL) -> Figure:
    """Draw a line for each target with R* in one panel and n0 in another.

    A full mark is an exact value, of n0 one that is proved for every n; a hollow one holds for n up to the
    largest examined. Where R* is not known, a line reaches from its lower bound to its upper one, or to an
    arrowhead; an arrowhead at n0 is a lower bound of it. Raises PlotError if there is no target with an
    answer, or more than `MOST_TARGETS`.
    """
    shown = [(label, row) for label, row in labelled if row.r_lower is not None]
    if not shown or len(shown) > MOST_TARGETS:
        raise PlotError(
            f"{len(shown)} targets with an answer; expected from 1 to {MOST_TARGETS} in a figure; "
            f"{'leave out some' if shown else 'run more targets'}"
        )
    sheet = Sheet(WIDTH, look)
    sheet.heading("R* and n₀ of each target")
    sheet.gap(0.06)
    names = [shorten(label) for label, _ in shown]
    left = AROUND + LETTER * max(4, *map(len, names))
    height, wide = ROW * len(shown) + 0.1, (sheet.width - left - BETWEEN - 0.2) / 2
    levels = sheet.panel(height, left, sheet.width - left - wide)
    sheet.gap(-height)
    lengths = sheet.panel(height, left + wide + BETWEEN, 0.2)
    sheet.gap(0.56)
    _draw_levels(levels, shown)
    _draw_lengths(lengths, shown)
    _set_axes(levels, lengths, shown, wide)
    levels.set_yticks(range(len(shown)), names, fontsize=8)
    lengths.set_yticks(range(len(shown)), [""] * len(shown))
    sheet.legend(levels, 2)
    sheet.gap(0.06)
    sheet.notes(list(_notes(labelled, shown)))
    return sheet.finish()


def _draw_levels(axes: Axes, shown: Sequence[tuple[str, Row]]) -> None:
    for place, title in enumerate(CLASSES):
        colour, marker = COLOURS[place], MARKERS[place]
        mine = [(y, row) for y, (_, row) in enumerate(shown) if describe_class(row) == title]
        if not mine:
            continue
        known = [(row.r_star, float(y)) for y, row in mine if row.r_star is not None]
        look = {"label": title, "gid": f"levels {place}", "zorder": 3}
        draw_points(axes, known, marker, 5.5, colour, colour, **look)
        for y, row in mine:
            if row.r_star is None and row.r_lower is not None:
                end = row.r_lower if row.r_upper is None else row.r_upper
                line = {"color": colour, "linewidth": 1.4, "gid": f"bracket {y}", "zorder": 2.5}
                draw_line(axes, [(row.r_lower, y), (end, y)], **line)
                draw_points(axes, [(row.r_lower, y)], 9, 6, colour, colour, zorder=3)
                if row.r_upper is not None:
                    draw_points(axes, [(end, y)], "|", 7, colour, colour, zorder=3)


def _draw_lengths(axes: Axes, shown: Sequence[tuple[str, Row]]) -> None:
    for y, (_, row) in enumerate(shown):
        place = CLASSES.index(describe_class(row))
        colour, marker = COLOURS[place], MARKERS[place]
        if row.n0 is not None:
            whole = row.outcome == Outcome.IDENTIFIED_FOR_ALL_N.value
            fill = colour if whole else "white"
            draw_points(axes, [(row.n0, y)], marker, 5.5, fill, colour, zorder=3, gid=f"n0 {y}")
        elif row.n0_lower is not None:
            draw_points(axes, [(row.n0_lower, y)], 9, 6, colour, colour, zorder=3, gid=f"least n0 {y}")


def _set_axes(levels: Axes, lengths: Axes, shown: Sequence[tuple[str, Row]], wide: float) -> None:
    top = max(row.n0 or row.n0_lower or 1 for _, row in shown)
    lengths.set_xscale("log", base=2)
    octaves = math.log2(max(top, 2))
    room = max(0.25, EDGE / wide * octaves)
    step = math.ceil((0.1 + DIGIT * len(str(top))) * (octaves + 2 * room) / wide)
    ticks = [n for n in TICKS[::step] if n <= 2 * top]
    lengths.set_xticks(ticks, [str(n) for n in ticks])
    lengths.minorticks_off()
    lengths.set_xlim(2**-room, 2 ** (octaves + room))
    levels.margins(x=max(0.05, EDGE / wide))
    for axes in (levels, lengths):
        axes.set_ylim(len(shown) - 0.25, -0.75)
        axes.grid(axis="both", color="#EEEEEE", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
    levels.set_xlabel("R*, the least R that is right" if wide >= TELLING else "R*")
    lengths.set_xlabel("n₀")


def _notes(labelled: Sequence[tuple[str, Row]], shown: Sequence[tuple[str, Row]]) -> Iterator[str]:
    yield (
        f"Marks by class of the language, the smaller of {CLASSES[0]} and {CLASSES[1]}. "
        "R* is that of max n; where it is not known, a line begins at a "
        "proved lower bound and ends at the R of a known hypothesis, if there is one. n₀: full for every n, "
        "hollow up to max n; an arrowhead is a lower bound of n₀, if there is one."
    )
    solved = sum(row.n0 is not None for _, row in shown)
    yield f"{solved} of {len(labelled)} targets are identified; open is no prediction of failure."
    if len(shown) < len(labelled):
        yield f"Not drawn: {format_amount(len(labelled) - len(shown), 'target')} that failed."
