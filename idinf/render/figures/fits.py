"""Errors of fitted positional products by length: Figures 5 and 6 of [HYB25]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idinf.labs.positions.fits import MEANINGS, Fit
from idinf.render.figures.canvas import COLOURS, INK, LINES, MARKERS, Sheet, apply_style, draw_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    sheet.legend(axes, 2)
    return sheet.finish()
