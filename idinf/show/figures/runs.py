"""Figures of runs: the frontier of one, R against fail length, and the curves n -> R*_n of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from idinf.base.numbers import format_above, format_complete, format_number, typeset
from idinf.errors import PlotError
from idinf.report.value import Report
from idinf.show.figures.canvas import (
    COLOURS,
    INK,
    LINES,
    MARKERS,
    PALE,
    TWO_COLUMNS,
    USUAL,
    Look,
    Sheet,
    annotate,
    apply_style,
    draw_line,
    draw_points,
    set_octaves,
)
from idinf.show.sentences import describe_verdict, describe_worst, sentences

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

#: Inches left of the panel, and of a number at its axis.
BESIDE, LINE = 0.85, 0.16

#: Above this n rows of windows are thinner than their outline.
OUTLINED = 16

#: Lengths that may be written at the axis.
FAILS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)

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
    axes = sheet.panel(height, BESIDE)
    sheet.gap(0.55)
    _draw_windows(axes, run)
    _draw_records(axes, run)
    _set_frontier_axes(axes, run, sheet.width - BESIDE, height)
    return sheet.close(axes, 2, _key(run), below=0.08)


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


def _set_frontier_axes(axes: Axes, run: Report, width: float, height: float) -> None:
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
    for k in reversed([k for k in FAILS if k <= run.horizon / 1.25]):
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


#: As many as there are colours and markers.
MAX_RUNS = len(COLOURS)

#: From this max_n on, n is on a logarithmic axis: what happens, happens early.
LOGARITHMIC = 17

#: Inches beside the panel.
LEFT, RIGHT = 0.7, 0.2

#: Good n, and lower bounds, get a marker when n has grown by this factor since the last one; bad n all do. It
#: is larger on a sheet whose panel has fewer than so many inches.
SPACING, SPACIOUS = 1.09, 6.1

#: Lengths that may be written at a logarithmic axis.
TICKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)

#: Points between the labels of n0, and of one of their letters.
N0_LINE, N0_LETTER = 14, 5.0

_CROSS: dict[str, Any] = {"marker": "x", "markersize": 4.5, "markeredgecolor": INK}


@apply_style()
def draw_curve(labelled: Sequence[tuple[str, Report]], look: Look = USUAL) -> Figure:
    """Draw n -> R*_n.

    Good n are filled markers, bad ones hollow with a cross, undetermined ones half filled; n0 is a vertical
    line. Where R*_n is unknown, the proved lower bound is drawn with arrowheads, and a hatched band reaches
    up to the known upper bound, if there is one. There are from 1 to `MAX_RUNS` runs, each with its name in
    the legend.
    """
    labels, runs = [label for label, _ in labelled], [run for _, run in labelled]
    sheet = Sheet(7.0, look)
    sheet.heading(f"R*ₙ, the least R that is right up to length n: {', '.join(labels)}")
    marked = sum(run.n0 is not None for run in runs)
    height = sheet.tall(3.6) + 0.15 * marked
    axes = sheet.panel(height, LEFT, RIGHT, ruled=True)
    sheet.gap(0.55)
    _set_axes(axes, runs, (N0_LINE * marked + 10) / (72 * height), sheet.width)
    for place, (label, run) in enumerate(labelled):
        _draw_run(axes, run, label, place, len(runs))
    _draw_n0s(axes, runs, labels, 72 * (sheet.width - LEFT - RIGHT))
    sheet.legend(axes, 2, list(_states(axes, runs)))
    sheet.gap(0.06)
    sheet.notes([_note(run, label) for label, run in labelled])
    return sheet.finish()


def _set_axes(axes: Axes, runs: Sequence[Report], foot: float, width: float) -> None:
    """Set the axes; ``foot`` is the part of the height below the curves, for the labels of n0."""
    last = max(run.max_n for run in runs)
    levels = [
        level for run in runs for s in run.stages for level in (s.r_star, s.r_star_lower) if level is not None
    ]
    levels += [run.upper_end[0] for run in runs if _upper_rows(run) and run.upper_end is not None]
    low, high = min(levels), max(levels)
    top = high + max(0.5, 0.12 * (high - low))
    foot += 0.06
    axes.set_ylim((low - foot * top) / (1 - foot), top)
    if last >= LOGARITHMIC:
        ticks = [n for n in TICKS if n < last / 1.2 and (width >= TWO_COLUMNS or n & (n - 1) == 0)]
        set_octaves(axes, [*ticks, last], 0.88, last * 1.14)
    else:
        step = 1 if last <= 12 else 2
        axes.set_xticks([*range(1, last - step + 1, step), last])
        axes.set_xlim(0.5, last + 0.5)
    axes.set_xlabel("$n$", parse_math=True)
    axes.set_ylabel("$R^*_n$", parse_math=True)


def _draw_run(axes: Axes, run: Report, name: str, place: int, runs: int) -> None:
    colour = COLOURS[place]
    series = {"color": colour, "marker": MARKERS[place]}
    known = [(s.n, s.r_star, s.good) for s in run.stages if s.r_star is not None]
    steps = {"drawstyle": "steps-post", "linestyle": LINES[place], "linewidth": 1.4, "markersize": 0}
    every = [(n, r) for n, r, _ in known]
    draw_line(axes, every, **series, **steps, zorder=2 + 0.1 * place, gid=f"line {place}")
    label: str | None = f"{name}: {typeset(describe_verdict(run))}"
    for good in (True, False, None):
        points = [(n, r) for n, r, state in known if state is good]
        if not points:
            continue
        markers = {"linestyle": "none", "gid": f"points {place} {good}", **_filling(good, colour)}
        if good:
            markers["markevery"] = _thinned(axes, [n for n, _ in points], place, runs)
        order = (4 if good is False else 3) + 0.1 * place
        draw_line(axes, points, **series, **markers, zorder=order, label=label)
        if good is False:
            draw_line(axes, points, linestyle="none", zorder=order + 0.05, **_CROSS)
        label = None
    if label is not None:  # no R*_n is known: the name stands for itself
        draw_line(axes, [], linestyle="none", **series, label=label)
    _draw_bounds(axes, run, name, place, runs)


def _filling(good: bool | None, colour: str) -> dict[str, Any]:
    """Full: good; hollow: bad, so that curves that begin alike both show; half: undetermined."""
    return {
        "markersize": 6.5,
        "markeredgecolor": colour,
        "markeredgewidth": 1.3,
        "markerfacecolor": "none" if good is False else colour,
        "fillstyle": "bottom" if good is None else "full",
        "markerfacecoloralt": "white",
    }


def _thinned(axes: Axes, numbers: Sequence[int], place: int, runs: int) -> list[int]:
    """Places of the markers to draw on a logarithmic axis: the first, the last, and some between.

    Each of several runs has its turn, so that marks of equal values do not hide each other.
    """
    kept = [0]
    spacing = SPACING ** max(1.0, SPACIOUS / (axes.figure.bbox.width / axes.figure.dpi - LEFT - RIGHT))
    for index, n in enumerate(numbers):
        if n >= numbers[kept[-1]] * spacing:
            kept.append(index)
    if place == 0 and kept[-1] != len(numbers) - 1:
        kept[max(1, len(kept) - 1) :] = [len(numbers) - 1]  # the one before it would touch it
    if runs == 1:
        return kept
    turns = [index for index in kept if numbers[index] % runs == place]
    return sorted({kept[0], *turns})


def _upper_rows(run: Report) -> list[int]:
    """The n whose R*_n is only known to lie between two bounds."""
    length = -1 if run.upper_end is None else run.upper_end[1]
    return [s.n for s in run.stages if s.r_star is None and s.n <= length]


def _draw_bounds(axes: Axes, run: Report, name: str, place: int, runs: int) -> None:
    colour = COLOURS[place]
    bounded = [(s.n, s.r_star_lower) for s in run.stages if s.r_star is None]
    if not bounded:
        return
    dotted = {"drawstyle": "steps-post", "color": colour, "linestyle": ":", "linewidth": 1.2}
    arrows = {"marker": 10, "markersize": 8, "markerfacecolor": "white", "markeredgecolor": colour}
    arrows["markevery"] = _thinned(axes, [n for n, _ in bounded], place, runs)
    label = f"{name}: {typeset(f'R*_n {format_above(min(level for _, level in bounded))}')} proved"
    order = 3 + 0.1 * place
    draw_line(axes, bounded, **dotted, **arrows, zorder=order, gid=f"lower {place}", label=label)
    between = _upper_rows(run)
    if run.upper_end is not None and between:
        rows, upper = dict(bounded), run.upper_end[0]
        lower, level = [rows[n] for n in between], [upper] * len(between)
        hatching: dict[str, Any] = {"facecolor": "none", "hatch": "\\\\\\", "linewidth": 0, "alpha": 0.6}
        axes.fill_between(between, lower, level, **hatching, edgecolor=colour, zorder=1)
        points, label = zip(between, level, strict=True), f"{name}: R*ₙ ≤ {format_number(upper)}"
        line = {"color": colour, "linewidth": 1.2, "zorder": 3, "gid": f"upper {place}", "label": label}
        draw_line(axes, points, **line, marker=7, markersize=6, markevery=[0, len(between) - 1])


def _draw_n0s(axes: Axes, runs: Sequence[Report], names: Sequence[str], width: float) -> None:
    """Draw a line down to the axis at each n0, with its label; the largest n0 is the lowest label.

    A label stays inside the axes, which are ``width`` points wide.
    """
    bottom = axes.get_ylim()[0]
    marks = [
        (run.n0, place) for place, run in enumerate(runs) if run.n0 is not None and 1 <= run.n0 <= run.max_n
    ]
    for row, (n0, place) in enumerate(sorted(marks, key=lambda mark: (-mark[0], mark[1]))):
        level = runs[place].stages[n0 - 1].r_star
        line = {"color": COLOURS[place], "linestyle": LINES[place], "linewidth": 1.0, "zorder": 1.5}
        ends = ((n0, bottom), (n0, bottom if level is None else level))
        draw_line(axes, ends, **line, gid=f"n0 {place}")
        text = f"{names[place]}: n₀ = {n0}"
        at = width * axes.transAxes.inverted().transform(axes.transData.transform((n0, bottom)))[0]
        is_late, room = at > 0.7 * width, 5 + N0_LETTER * len(text)
        if is_late and at < room:
            side, shift = "left", -at
        elif not is_late and at + room > width:
            side, shift = "right", width - at
        else:
            side, shift = ("right", -5.0) if is_late else ("left", 5.0)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        style = {"ha": side, "va": "bottom", "fontsize": 9, "zorder": 5, "bbox": box}
        annotate(axes, text, (n0, bottom), (shift, 4 + N0_LINE * row), **style)


def _states(axes: Axes, runs: Sequence[Report]) -> Iterator[tuple[tuple[Artist, ...], str]]:
    """Legend entries of what filling means."""
    drawn = {s.good for run in runs for s in run.stages if s.r_star is not None}
    texts = {True: "n good", False: "n bad: a selected hypothesis is wrong", None: "n undetermined"}
    for good in (state for state in texts if state in drawn):
        artists = axes.plot([], [], linestyle="none", marker="o", color=INK, **_filling(good, INK))
        if good is False:
            artists += axes.plot([], [], linestyle="none", **_CROSS)
        yield tuple(artists), texts[good]


def _note(run: Report, label: str) -> str:
    worst = f" {typeset(text)}" if (text := describe_worst(run)) else ""
    return f"{label}: {typeset(sentences(run)[0])}{worst} Complete {format_complete(run.complete_up_to_r)}."
