"""Figures of runs: the frontier of one, R against fail length, and the curves n -> R*_n of several."""

from __future__ import annotations

import itertools
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
    USUAL,
    Look,
    Sheet,
    Symbol,
    annotate,
    apply_style,
    draw_line,
    draw_points,
    fit_ticks,
    label_points,
    locate,
    measure,
    set_octaves,
    shorten_to,
)
from idinf.show.sentences import describe_verdict, describe_worst, sentences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

#: Inches left of the panel, and points above its highest mark.
BESIDE, ABOVE = 0.85, 21

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

    Records are numbered, and written out below. Row n holds the window [R*_n, R*_n + 1/(2n)]: records in its
    range of R, on its top edge or above, are selected at n. Records without a fail are on the top line.
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
    _number_records(axes, run)
    return sheet.close(axes, 2, _key(run), below=0.08)


def _top(run: Report) -> float:
    """Height at which "no fail up to 2 · max_n" is drawn."""
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
    points = _points(run)
    end = max(run.complete_up_to_r, points[-1][0])
    steps = {"drawstyle": "steps-post", "color": INK, "linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 2}
    label = "longest-lasting hypothesis with at most this R"
    draw_line(axes, [*points, (end, points[-1][1])], **steps, label=label)
    on_top = {"zorder": 4, "clip_on": False}
    draw_points(axes, points, "o", 8, COLOURS[0], "white", label="record", **on_top)
    if run.upper_end is not None and run.upper_end[0] > end:
        point, label = (run.upper_end[0], _top(run)), "correct, not proved cheapest"
        draw_points(axes, [point], "*", 12, "white", INK, label=label, **on_top)


def _points(run: Report) -> list[tuple[float, float]]:
    """Points of the records."""
    return [(record.r, _top(run) if record.fail is None else record.fail) for record in run.records]


def _number_records(axes: Axes, run: Report) -> None:
    numbered = [(str(number), point) for number, point in enumerate(_points(run), start=1)]
    marks = [point for _, point in numbered]
    marks += [] if run.upper_end is None else [(run.upper_end[0], _top(run))]
    label_points(axes, numbered, marks, 5, reach=20, fontsize=10, fontweight="bold", zorder=5)


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
    above = 1 - ABOVE / (72 * height)  # of the height, so that a number has room above the highest record
    axes.set_ylim(0, float(_stretch(_squeeze(top) / above)))
    fails = [record.fail for record in run.records if record.fail is not None]
    lengths = [k for k in (*fails, *reversed(FAILS)) if k <= run.horizon / 1.25]
    numbers = fit_ticks(axes, (run.horizon, *lengths), "y")
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

#: From this max_n on, n is on a logarithmic axis: most changes are early.
LOGARITHMIC = 17

#: Inches beside the panel.
LEFT, RIGHT = 0.7, 0.2

#: Good n, and lower bounds, get a marker when n has grown by this factor since the last one; bad n all do. It
#: is larger on a sheet whose panel has fewer than so many inches.
SPACING, SPACIOUS = 1.09, 6.1

#: Lengths that may be written at a logarithmic axis.
TICKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)

#: Points between the labels of n0.
N0_LINE = 14

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
    _set_axes(axes, runs, (N0_LINE * marked + 10) / (72 * height))
    entries: list[tuple[list[Symbol], str]] = []
    states: dict[bool | None, list[Symbol]] = {True: [], False: [], None: []}
    for place, (label, run) in enumerate(labelled):
        entries += _draw_run(axes, run, label, place, len(runs), states)
    _draw_n0s(axes, runs, labels)
    entries += [(symbols, _STATES[good]) for good, symbols in states.items() if symbols]
    return sheet.close(axes, 2, [_note(run, label) for label, run in labelled], extra=entries)


def _set_axes(axes: Axes, runs: Sequence[Report], foot: float) -> None:
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
    wanted = [1, last, *(run.n0 for run in runs if run.n0 is not None), *_jumps(runs)]
    if last >= LOGARITHMIC:
        set_octaves(axes, [], 0.88, last * 1.14)
        wanted += [*(1 << k for k in range(last.bit_length())), *TICKS]
    else:
        axes.set_xlim(0.5, last + 0.5)
        wanted += [*range(1, last, 2), *range(2, last, 2)]
    axes.set_xticks(ticks := fit_ticks(axes, wanted), [str(n) for n in ticks])
    axes.set_xlabel("$n$", parse_math=True)
    axes.set_ylabel("$R^*_n$", parse_math=True)


def _jumps(runs: Sequence[Report]) -> Iterator[int]:
    """The n at which R*_n is another than before."""
    for run in runs:
        yield from (b.n for a, b in itertools.pairwise(run.stages) if a.r_star != b.r_star is not None)


def _draw_run(
    axes: Axes, run: Report, name: str, place: int, runs: int, states: dict[bool | None, list[Symbol]]
) -> Iterator[tuple[list[Symbol], str]]:
    """Draw a run, give its entries of the legend, and add the symbols of its n to those of their states."""
    colour = COLOURS[place]
    series = {"color": colour, "marker": MARKERS[place]}
    known = [(s.n, s.r_star, s.good) for s in run.stages if s.r_star is not None]
    steps = {"drawstyle": "steps-post", "linestyle": LINES[place], "linewidth": 1.4, "markersize": 0}
    line = {"color": colour, **steps, "zorder": 2 + 0.1 * place, "gid": f"line {place}"}
    symbol: Symbol = (draw_line(axes, [(n, r) for n, r, _ in known], **line),) if known else ()
    for good in (True, False, None):
        points = [(n, r) for n, r, state in known if state is good]
        if not points:
            continue
        markers = {"linestyle": "none", "gid": f"points {place} {good}", **_filling(good, colour)}
        if good:
            markers["markevery"] = _thinned(axes, [n for n, _ in points], place, runs)
        order = (4 if good is False else 3) + 0.1 * place
        drawn: Symbol = (draw_line(axes, points, **series, **markers, zorder=order),)
        if good is False:
            drawn += (draw_line(axes, points, linestyle="none", zorder=order + 0.05, **_CROSS),)
        states[good].append(drawn)
        symbol = symbol if len(symbol) > 1 else (*symbol, *drawn)
    bounds = list(_draw_bounds(axes, run, name, place, runs))
    # Where no R*_n is known, only the bounds of the run are drawn.
    yield [symbol or bounds[0][0][0]], f"{name}: {typeset(describe_verdict(run))}"
    yield from bounds


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


def _draw_bounds(
    axes: Axes, run: Report, name: str, place: int, runs: int
) -> Iterator[tuple[list[Symbol], str]]:
    colour = COLOURS[place]
    bounded = [(s.n, s.r_star_lower) for s in run.stages if s.r_star is None]
    if not bounded:
        return
    dotted = {"drawstyle": "steps-post", "color": colour, "linestyle": ":", "linewidth": 1.2}
    arrows = {"marker": 10, "markersize": 8, "markerfacecolor": "white", "markeredgecolor": colour}
    arrows["markevery"] = _thinned(axes, [n for n, _ in bounded], place, runs)
    label = f"{name}: {typeset(f'R*_n {format_above(min(level for _, level in bounded))}')} proved"
    order = 3 + 0.1 * place
    yield [(draw_line(axes, bounded, **dotted, **arrows, zorder=order, gid=f"lower {place}"),)], label
    between = _upper_rows(run)
    if run.upper_end is not None and between:
        rows, upper = dict(bounded), run.upper_end[0]
        lower, level = [rows[n] for n in between], [upper] * len(between)
        hatching: dict[str, Any] = {"facecolor": "none", "hatch": "\\\\\\", "linewidth": 0, "alpha": 0.6}
        axes.fill_between(between, lower, level, **hatching, edgecolor=colour, zorder=1)
        line = {"color": colour, "linewidth": 1.2, "zorder": 3, "gid": f"upper {place}"}
        marks = {"marker": 7, "markersize": 6, "markevery": [0, len(between) - 1]}
        drawn = draw_line(axes, zip(between, level, strict=True), **line, **marks)
        yield [(drawn,)], f"{name}: R*ₙ ≤ {format_number(upper)}"


def _draw_n0s(axes: Axes, runs: Sequence[Report], names: Sequence[str]) -> None:
    """Draw a line down to the axis at each n0, with a label inside the axes; the largest n0 is the lowest."""
    bottom, width = axes.get_ylim()[0], 72 * axes.bbox.width / axes.figure.dpi
    marks = [
        (run.n0, place) for place, run in enumerate(runs) if run.n0 is not None and 1 <= run.n0 <= run.max_n
    ]
    for row, (n0, place) in enumerate(sorted(marks, key=lambda mark: (-mark[0], mark[1]))):
        level = runs[place].stages[n0 - 1].r_star
        line = {"color": COLOURS[place], "linestyle": LINES[place], "linewidth": 1.0, "zorder": 1.5}
        ends = ((n0, bottom), (n0, bottom if level is None else level))
        draw_line(axes, ends, **line, gid=f"n0 {place}")
        said = f": n₀ = {n0}"
        text = shorten_to(names[place], width / 72 - measure(said) - 0.1) + said
        at, room = locate(axes, (n0, bottom))[0], 72 * measure(text)
        start = at - room - 5 if at > 0.7 * width else at + 5
        away = min(max(start, 2.0), width - room - 2) - at
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        style = {"ha": "left", "va": "bottom", "fontsize": 9, "zorder": 5, "bbox": box}
        annotate(axes, text, (n0, bottom), (away, 4 + N0_LINE * row), **style)


#: Meanings of filled and empty marks.
_STATES = {True: "n good", False: "n bad: a selected hypothesis is wrong", None: "n undetermined"}


def _note(run: Report, label: str) -> str:
    worst = f" {typeset(text)}" if (text := describe_worst(run)) else ""
    return f"{label}: {typeset(sentences(run)[0])}{worst} Complete {format_complete(run.complete_up_to_r)}."
