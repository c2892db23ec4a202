"""The frontier: R against fail length, with the windows that decide what is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from idinf.errors import PlotError
from idinf.numbers import format_above, format_number, typeset
from idinf.render.figures.canvas import (
    COLOURS,
    INK,
    PALE,
    USUAL,
    Look,
    Sheet,
    annotate,
    apply_style,
    draw_line,
    draw_points,
)
from idinf.render.sentences import describe_verdict, describe_worst, sentences
from idinf.report.value import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

#: Inches left of the panel, and of a number at its axis.
LEFT, LINE = 0.85, 0.16

#: Above this n rows of windows are thinner than their outline.
OUTLINED = 16

#: Lengths that may be written at the axis.
TICKS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)

_BARS = {
    True: ("n good: only right ones selected", COLOURS[5], ""),
    False: ("n bad: a wrong one is selected", COLOURS[4], "////"),
    None: ("n undetermined", "#DDDDDD", "...."),
}


@apply_style()
def draw_frontier(run: Report, look: Look = USUAL) -> Figure:
    """Draw R against the length at which a hypothesis of that R fails.

    Records are numbered, and written out below. Row n holds the window [R*_n, R*_n + 1/(2n)]: what lies in
    it, on its top edge or above, is selected at n. What fails nowhere up to 2 · max_n is on the top line.
    Raises PlotError if the report has no records.
    """
    if not run.records:
        raise PlotError("records = []; expected at least one record to draw; give the run more time")
    sheet = Sheet(7.0, look)
    sheet.heading(f"{run.target.name}: the frontier, {typeset(describe_verdict(run))}")
    sheet.gap(0.1)
    height = sheet.tall(3.9)
    axes = sheet.panel(height, LEFT)
    sheet.gap(0.55)
    _draw_windows(axes, run)
    _draw_records(axes, run)
    _set_axes(axes, run, sheet.width - LEFT, height)
    sheet.legend(axes, 2)
    sheet.gap(0.08)
    sheet.notes(_key(run))
    return sheet.finish()


def _top(run: Report) -> float:
    """Where "no fail up to 2 · max_n" is drawn."""
    return (run.horizon + 1) * 1.35


def _draw_windows(axes: Axes, run: Report) -> None:
    seen: set[bool | None] = set()
    for stage in run.stages:
        if stage.r_star is None:
            continue
        label, colour, hatch = _BARS[stage.good]
        edge = INK if hatch else "white" if stage.n <= OUTLINED else colour
        bar: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": edge, "linewidth": 0.5}
        bar |= {"align": "edge", "zorder": 1.5, "label": None if stage.good in seen else label}
        axes.barh(stage.n, run.regularizer.window(stage.n), 1.0, stage.r_star, **bar)
        seen.add(stage.good)


def _draw_records(axes: Axes, run: Report) -> None:
    xs = [record.r for record in run.records]
    ys = [_top(run) if record.fail is None else record.fail for record in run.records]
    end = max(run.complete_up_to_r, xs[-1])
    points = list(zip(xs, ys, strict=True))
    steps = {"drawstyle": "steps-post", "color": INK, "linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 2}
    label = "longest-lasting hypothesis with at most this R"
    draw_line(axes, [*points, (end, ys[-1])], **steps, label=label)
    on_top = {"zorder": 4, "clip_on": False}
    draw_points(axes, points, "o", 8, COLOURS[0], "white", label="record", **on_top)
    for number, point in enumerate(points, start=1):
        style = {"ha": "right", "va": "bottom", "fontsize": 10, "fontweight": "bold", "zorder": 5}
        annotate(axes, str(number), point, (-6, 5), **style)
    if run.upper_end is not None and run.upper_end[0] > end:
        point, label = (run.upper_end[0], _top(run)), "correct, not proved cheapest"
        draw_points(axes, [point], "*", 12, "white", INK, label=label, **on_top)


def _set_axes(axes: Axes, run: Report, width: float, height: float) -> None:
    top = _top(run)
    rights = [s.r_star + run.regularizer.window(s.n) for s in run.stages if s.r_star is not None]
    upper = 0.0 if run.upper_end is None else run.upper_end[0]
    end = max(run.complete_up_to_r, upper, run.records[-1].r, *rights)
    start = run.records[0].r
    room = max(0.25, 0.4 / width * (end - start))
    axes.set_xlim(start - room, end + 2 * room)
    crossed: dict[str, Any] = {"facecolor": "#F2F2F2", "edgecolor": PALE, "hatch": "xx", "linewidth": 0}
    label = f"not searched: {typeset(f'R {format_above(run.complete_up_to_r)}')}"
    axes.axvspan(run.complete_up_to_r, end + 2 * room, **crossed, zorder=0, label=label)
    axes.set_yscale("function", functions=(_squeeze, _stretch))
    axes.set_ylim(0, top * 1.08)
    numbers = [run.horizon]
    for k in reversed([k for k in TICKS if k <= run.horizon / 1.25]):
        if _squeeze(numbers[0]) - _squeeze(k) >= LINE / height * _squeeze(top):
            numbers.insert(0, k)
    axes.set_yticks([*numbers, top], [*map(str, numbers), f"> {run.horizon}"])
    axes.minorticks_off()
    axes.axhline((run.horizon + 1) * 1.16, color=PALE, linewidth=0.8, linestyle=(0, (1, 2)), zorder=1)
    axes.set_xlabel("$R$", parse_math=True)
    axes.set_ylabel("length of shortest wrong word")


def _squeeze(values: ArrayLike) -> Any:
    """log2(1 + y): short lengths, where everything happens, get the room."""
    import numpy as np

    return np.log2(1 + np.maximum(np.asarray(values, dtype=float), -0.5))


def _stretch(values: ArrayLike) -> Any:
    import numpy as np

    return np.exp2(np.asarray(values, dtype=float)) - 1


def _key(run: Report) -> list[str]:
    lines = [typeset(sentences(run)[0])]
    for number, record in enumerate(run.records, start=1):
        fate = f"no fail up to length {run.horizon}"
        if record.fail is not None:
            word = f"on {record.counterexample}" if record.counterexample else "on the empty word"
            fate = f"fails at length {record.fail}, {word}"
        lines.append(f"{number}   R = {format_number(record.r)}, {fate}: {record.formula}")
    lines += [typeset(worst)] if (worst := describe_worst(run)) else []
    if run.upper_end is not None and run.records[-1].fail is not None:
        r, length, _ = run.upper_end
        lines.append(f"A hypothesis with R = {format_number(r)} is right up to length {length}.")
    lines.append(
        f"The bar from n to n + 1 holds [R*ₙ, R*ₙ + {run.regularizer.window_text()}]; selected at n is what "
        f"lies in that window on the top edge of the bar or above it. n runs to {run.max_n}; fails are exact "
        f"up to {run.horizon}."
    )
    return lines
