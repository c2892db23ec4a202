"""What one symbol moves as far in prompts of any length, beside answers that it moves less and less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from idinf.continuity.contrast import ContrastRow
from idinf.render.figures.canvas import COLOURS, MARKERS, Sheet, apply_style, draw_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@apply_style()
def draw_contrast(rows: Sequence[ContrastRow], hypothesis: str, predictor: str) -> Figure:
    """Draw the two gaps by k, and the proved bound of the one that vanishes as a dashed line."""
    sheet = Sheet(7.0)
    sheet.heading("How far one symbol moves the answer, by the place k + 1 where it stands")
    axes = sheet.panel(2.8, 0.7, 0.2, ruled=True)
    ks = [row.k for row in rows]
    gaps = {
        f"U y of {hypothesis}": [float(row.jump) for row in rows],
        f"probabilities of {predictor}": [float(row.gap.high) for row in rows],
    }
    for place, (label, values) in enumerate(gaps.items()):
        style = {"color": COLOURS[place], "marker": MARKERS[place], "label": label}
        draw_line(axes, zip(ks, values, strict=True), **style, markersize=5, gid=("jump", "gap")[place])
    bounds = zip(ks, (float(row.bound) for row in rows), strict=True)
    label = f"proved bound for {predictor}"
    draw_line(axes, bounds, color=COLOURS[1], linestyle="--", label=label, gid="bound")
    axes.set_xscale("log", base=2)
    axes.set_xticks(ks, [str(k) for k in ks])
    axes.minorticks_off()
    axes.set_ylim(-0.05, 1.1 * max(1.0, *(float(row.jump) for row in rows)))
    axes.set_xlabel("$k$", parse_math=True)
    axes.set_ylabel("gap of answers")
    sheet.gap(0.55)
    sheet.legend(axes, 2)
    sheet.notes(
        [
            f"{hypothesis}: Heaviside units are not continuous, and logits grow with log N, so one symbol "
            "may move U y, of which the verdict is a threshold, by as much in a prompt of any length.",
            f"{predictor}: continuous parts and bounded logits give no symbol more than a constant times "
            "1/n, so the answers to two prompts, one place apart, approach each other as prompts grow.",
        ]
    )
    return sheet.finish()
