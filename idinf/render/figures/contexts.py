"""R of the ordinary transformers of one hypothesis by context: what Lemma 47 of [HYB25] bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idinf.numbers import format_number
from idinf.ordinary.curve import CurvePoint
from idinf.render.figures.canvas import COLOURS, MARKERS, Sheet, apply_style, draw_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@apply_style()
def draw_contexts(points: Sequence[CurvePoint], bound: float) -> Figure:
    """Draw a marker for each context, and the bound for every one as a dashed line."""
    sheet = Sheet(7.0)
    sheet.heading("R of the ordinary transformers of a hypothesis by their context N")
    axes = sheet.panel(2.8, 0.7, 0.2, ruled=True)
    contexts = [point.context for point in points]
    values = [point.r for point in points]
    line = {"color": COLOURS[0], "marker": MARKERS[0], "label": "R"}
    draw_line(axes, zip(contexts, values, strict=True), **line, markersize=5, gid="R")
    ends = (min(contexts) / 1.2, max(contexts) * 1.2)
    dashed = {"color": COLOURS[1], "linestyle": "--", "label": f"R ≤ {format_number(bound)} for every N"}
    draw_line(axes, [(end, bound) for end in ends], **dashed, gid="bound")
    axes.set_xscale("log", base=2)
    axes.set_xlim(*ends)
    axes.set_xticks(contexts, [str(context) for context in contexts])
    axes.minorticks_off()
    room = max(0.5, 0.2 * (bound - min(values)))
    axes.set_ylim(min(values) - room, bound + room)
    axes.set_xlabel("$N$", parse_math=True)
    axes.set_ylabel("$R$", parse_math=True)
    sheet.gap(0.55)
    sheet.legend(axes, 2)
    return sheet.finish()
