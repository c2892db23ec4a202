"""Bits against n: what protocols send, and log2 of the behaviours that must be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idinf.labs.communication.study import Study
from idinf.render.figures.canvas import COLOURS, INK, LINES, MARKERS, Sheet, apply_style, draw_line
from idinf.render.text.communication import PROVED, round_down

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Bits at which the axis of bits becomes linear: below, 0 and 1 must both show.
LINEAR_UP_TO = 4


@apply_style()
def draw_communication(studies: Sequence[Study]) -> Figure:
    """Draw bits against n, both on logarithmic axes of base 2.

    Full markers are log2 of the exact number of behaviours, which every protocol needs; hollow ones are what
    that of Theorem 12 sent. There are at most as many targets as colours.
    """
    sheet = Sheet(7.0)
    sheet.heading(f"Bits across the middle: {', '.join(study.name for study in studies)}")
    axes = sheet.panel(3.8, 0.7, 0.2, ruled=True)
    sheet.gap(0.55)
    for place, study in enumerate(studies):
        _draw(axes, study, place)
    _set_axes(axes, studies)
    sheet.legend(axes, 2)
    sheet.gap(0.06)
    sheet.notes([_note(study) for study in studies])
    return sheet.finish()


def _draw(axes: Axes, study: Study, place: int) -> None:
    look = {"color": COLOURS[place], "marker": MARKERS[place]}
    needed = {"markersize": 5.5, "linestyle": LINES[place], "gid": f"behaviours {place}"}
    sent = {"markersize": 6.5, "markerfacecolor": "white", "linestyle": ":", "gid": f"protocol {place}"}
    for rows, style, said in (
        (study.lower, needed, "must be told apart"),
        (study.upper, sent, "the protocol sends"),
    ):
        if rows:
            points = ((row.n, row.bits) for row in rows)
            draw_line(axes, points, **look, **style, label=f"{study.name}: {said}")


def _set_axes(axes: Axes, studies: Sequence[Study]) -> None:
    lengths = [n for study in studies for n, _, _ in study.rows()]
    bits = [row.bits for study in studies for row in study.lower]
    bits += [float(row.bits) for study in studies for row in study.upper]
    last, top = max(lengths, default=2), max(bits, default=1)
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.88 * max(1, min(lengths, default=1)), last * 1.14)
    axes.set_yscale("symlog", base=2, linthresh=LINEAR_UP_TO)
    end = max(top, LINEAR_UP_TO) * 1.25
    powers = [1 << k for k in range(11)]
    across = [n for n in powers if n <= last]
    up = [0, *(n for n in powers if n <= end)]
    axes.set_xticks(across, [str(n) for n in across])
    axes.set_yticks(up, [str(n) for n in up])
    axes.minorticks_off()
    axes.set_ylim(-0.25, end)
    axes.set_xlabel("$n$", parse_math=True)
    axes.set_ylabel("bits", color=INK)


def _note(study: Study) -> str:
    parts = []
    if study.growth is not None and study.growth.kind != "unknown":
        parts.append(f"log2 of its behaviours is {PROVED[study.growth.kind]}")
    if study.refuted and not study.is_refuted_by_two:
        parts.append(f"C·log2(n) bits are too few at some n shown for C < {round_down(study.refuted)}")
    if study.upper and study.bound is not None:
        parts.append("what the protocol sends is proved to be logarithmic")
    return f"{study.name}: {'; '.join(parts) or 'nothing is proved'}."
