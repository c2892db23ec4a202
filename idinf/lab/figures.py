"""Figures of the laboratories: bits across the middle of a word, and positional products that were fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idinf.lab.communication.study import Study
from idinf.lab.positions import MEANINGS, Fit
from idinf.lab.text import PROVED, round_down
from idinf.show.figures.canvas import (
    COLOURS,
    INK,
    LINES,
    MARKERS,
    Sheet,
    apply_style,
    draw_line,
    set_octaves,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Bits at which the axis of bits becomes linear: below, 0 and 1 must both show.
LINEAR_UP_TO = 4


@apply_style()
def draw_communication(studies: Sequence[Study]) -> Figure:
    """Draw bits against n, both on logarithmic axes of base 2.

    Full markers are log2 of the exact number of behaviours, which every protocol needs; hollow ones are bits
    that the protocol of Theorem 12 sent. There are at most as many targets as colours.
    """
    sheet = Sheet(7.0)
    sheet.heading(f"Bits across the middle: {', '.join(study.subject.name for study in studies)}")
    axes = sheet.panel(3.8, 0.7, 0.2, ruled=True)
    sheet.gap(0.55)
    for place, study in enumerate(studies):
        _draw_study(axes, study, place)
    _set_study_axes(axes, studies)
    return sheet.close(axes, 2, [_study_note(study) for study in studies])


def _draw_study(axes: Axes, study: Study, place: int) -> None:
    look = {"color": COLOURS[place], "marker": MARKERS[place]}
    needed = {"markersize": 5.5, "linestyle": LINES[place], "gid": f"behaviours {place}"}
    sent = {"markersize": 6.5, "markerfacecolor": "white", "linestyle": ":", "gid": f"protocol {place}"}
    for rows, style, said in (
        (study.lower, needed, "must be told apart"),
        (study.upper, sent, "the protocol sends"),
    ):
        if rows:
            points = ((row.n, row.bits) for row in rows)
            draw_line(axes, points, **look, **style, label=f"{study.subject.name}: {said}")


def _set_study_axes(axes: Axes, studies: Sequence[Study]) -> None:
    lengths = [n for study in studies for n, _, _ in study.rows()]
    bits = [row.bits for study in studies for row in study.lower]
    bits += [float(row.bits) for study in studies for row in study.upper]
    last, top = max(lengths, default=2), max(bits, default=1)
    axes.set_yscale("symlog", base=2, linthresh=LINEAR_UP_TO)
    end = max(top, LINEAR_UP_TO) * 1.25
    powers = [1 << k for k in range(11)]
    set_octaves(axes, [n for n in powers if n <= last], 0.88 * max(1, min(lengths, default=1)), last * 1.14)
    up = [0, *(n for n in powers if n <= end)]
    axes.set_yticks(up, [str(n) for n in up])
    axes.minorticks_off()
    axes.set_ylim(-0.25, end)
    axes.set_xlabel("$n$", parse_math=True)
    axes.set_ylabel("bits", color=INK)


def _study_note(study: Study) -> str:
    parts = []
    if study.growth is not None and study.growth.kind != "unknown":
        parts.append(f"log2 of its behaviours is {PROVED[study.growth.kind]}")
    if study.refuted and not study.is_refuted_by_two:
        parts.append(f"C·log2(n) bits are too few at some n shown for C < {round_down(study.refuted)}")
    if study.upper and study.bound is not None:
        parts.append("what the protocol sends is proved to be logarithmic")
    return f"{study.subject.name}: {'; '.join(parts) or 'nothing is proved'}."


@apply_style()
def draw_fits(fits: Sequence[Fit]) -> Figure:
    """Draw a panel for each width: errors by length, dotted those of 0, linear up to 1, logarithmic above."""
    sheet = Sheet(7.0)
    sheet.heading("Positional products fitted at length 50, asked on longer windows")
    top = max(loss for found in fits for _, loss in (*found.losses, *found.zero_losses))
    functions = list(dict.fromkeys(found.function for found in fits))
    for width in dict.fromkeys(found.width for found in fits):
        sheet.gap(0.3)
        axes = sheet.panel(1.9, 0.7, 0.2, ruled=True)
        for found in fits:
            if found.width == width:
                place = functions.index(found.function)
                look = {"color": COLOURS[place], "marker": MARKERS[place], "linestyle": LINES[place]}
                draw_line(axes, found.losses, **look, markersize=5, gid=f"{width} {found.function}")
                flat = {"color": COLOURS[place], "linestyle": (0, (1, 2)), "linewidth": 1}
                draw_line(axes, found.zero_losses, **flat, gid=f"{width} {found.function} of 0")
        axes.set_yscale("symlog", linthresh=1)
        end = max(1.2, 1.5 * top)
        ticks = [0.0, 0.5, *(10.0**k for k in range(7) if 10**k <= end)]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_ylim(-0.05, end)
        axes.set_xticks([n for n, _ in fits[0].losses])
        axes.set_ylabel("mean square error")
        axes.set_title(f"width {width}", fontsize=9, loc="left")
        sheet.gap(0.3)
    for place, function in enumerate(functions):
        look = {"color": COLOURS[place], "marker": MARKERS[place], "linestyle": LINES[place]}
        draw_line(axes, [], **look, label=f"{function}: {MEANINGS[function]}")
    axes.set_xlabel("length of the windows")
    draw_line(axes, [], color=INK, linestyle=(0, (1, 2)), linewidth=1, label="of a product that is 0")
    sheet.gap(0.2)
    return sheet.close(axes, 2, (), below=0)
