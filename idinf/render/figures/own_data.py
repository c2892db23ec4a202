"""Accuracies that somebody measured, by length, beside what runs predict of each target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from idinf.errors import PlotError
from idinf.files import show_path
from idinf.numbers import typeset
from idinf.quoting import list_some
from idinf.render.figures.canvas import (
    COLOURS,
    LINES,
    MARKERS,
    NARROWEST,
    USUAL,
    Look,
    Sheet,
    apply_style,
    draw_line,
    shift_right,
)
from idinf.render.figures.table_cells import CLASSES, describe_class, describe_r, describe_row
from idinf.sweeps.accuracies import EVERY, Accuracies
from idinf.sweeps.row import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches: the sheet, the height of a panel and what is between two.
WIDTH, PANEL, BETWEEN = 7.0, 0.55, 0.14

#: Inches left of a panel: of what is said of its target, or of the numbers at its axis where that is above.
BESIDE, BELOW = 2.75, 0.45

#: As many targets as there may be panels on one sheet.
MOST_TARGETS = 60

#: With more bins the axis is one of lengths, else it has a place for each bin.
MOST_PLACES = 6

#: Points between two series, so that marks of equal accuracies stand beside each other.
APART = 4.5


@apply_style()
def draw_own_data(labelled: Sequence[tuple[str, Row]], data: Accuracies, look: Look = USUAL) -> Figure:
    """Draw a panel of accuracy against length for each target that has both a row and accuracies.

    Marks are means over seeds, bars reach from the least to the largest of them. Raises PlotError if no
    target has both, there are more than `MOST_TARGETS`, or more encodings than colours.
    """
    known = [(label, row) for label, row in labelled if row.target in data.targets]
    _check(known, data)
    around = 0.3 + _label_room(data)
    sheet = Sheet(max(WIDTH, BESIDE + around), look, max(NARROWEST, BELOW + around))
    sheet.heading("Predicted against observed")
    sheet.gap(0.1)
    is_beside = sheet.width >= BESIDE + max(around, 2.0)
    for place, (label, row) in enumerate(known):
        said = (label, describe_class(row), f"{describe_r(row)}, {typeset(describe_row(row))}")
        height = sheet.beside(said, (BESIDE if is_beside else sheet.width) - 0.25)
        if not is_beside:
            sheet.gap(height + 0.08)
            height = PANEL
        axes = sheet.panel(PANEL, BESIDE if is_beside else BELOW, 0.2, ruled=True)
        sheet.gap(BETWEEN + max(0.0, height - PANEL))
        _draw_series(axes, row.target, data)
        _set_axes(axes, data, is_last=place == len(known) - 1)
    sheet.gap(0.5)
    if data.encodings != ("",):
        sheet.legend(axes, len(data.encodings))
    sheet.gap(0.06)
    sheet.notes(list(_notes(labelled, data)))
    return sheet.finish()


def _check(known: Sequence[tuple[str, Row]], data: Accuracies) -> None:
    origin = show_path(data.origin)
    if not known:
        names = list_some(data.targets, ", ")
        raise PlotError(
            f"{origin} has accuracies of {names}; expected some of the drawn targets; rename them"
        )
    if len(known) > MOST_TARGETS:
        raise PlotError(
            f"{len(known)} targets have accuracies; expected at most {MOST_TARGETS}; leave out some"
        )
    if len(data.encodings) > len(COLOURS):
        raise PlotError(
            f"{origin}: {len(data.encodings)} encodings; expected at most {len(COLOURS)}; leave out some"
        )


def _draw_series(axes: Axes, target: str, data: Accuracies) -> None:
    places = _places(data)
    for place, encoding in enumerate(data.encodings):
        series = data.series(target, encoding)
        shift = APART * (place - (len(data.encodings) - 1) / 2)
        moved = shift_right(axes, shift)
        colour = COLOURS[place]
        look: dict[str, Any] = {"color": colour, "marker": MARKERS[place], "linestyle": LINES[place]}
        look |= {"markersize": 4.5, "markeredgecolor": "white", "markeredgewidth": 0.5, "linewidth": 1.0}
        look |= {"clip_on": False, "zorder": 3, "gid": f"means {target} {encoding}", "label": encoding}
        points = [(places[lengths], fmean(values)) for lengths, values in series]
        draw_line(axes, points, transform=moved, **look)
        for lengths, values in series:
            if len(values) > 1:
                ends = [(places[lengths], min(values)), (places[lengths], max(values))]
                bar = {"color": colour, "linewidth": 1.0, "marker": "_", "markersize": 8, "clip_on": False}
                draw_line(axes, ends, transform=moved, **bar, zorder=2.5, gid=f"range {target} {encoding}")


def _places(data: Accuracies) -> dict[object, float]:
    """Where bins stand: one after the other, or, where they are many, at their middle."""
    bins = data.bins
    if len(bins) <= MOST_PLACES:
        return {lengths: float(place) for place, lengths in enumerate(bins)}
    return {lengths: lengths.middle for lengths in bins}


def _label_room(data: Accuracies) -> float:
    """Inches that the labels of bins take side by side."""
    if len(data.bins) > MOST_PLACES:
        return 1.0
    lines = (line for label in _label_bins(data) for line in label.split("\n"))
    return len(data.bins) * (0.1 + 0.068 * max(map(len, lines)))


def _label_bins(data: Accuracies) -> list[str]:
    """The names of bins, with the largest length in a line of its own where they are many."""
    if data.bins == (EVERY,):
        return ["all lengths"]
    return [str(lengths).replace("–", "–\n" if len(data.bins) > 3 else "–") for lengths in data.bins]


def _set_axes(axes: Axes, data: Accuracies, is_last: bool) -> None:
    places = list(_places(data).values())
    axes.set_ylim(-0.05, 1.05)
    axes.set_yticks([0.0, 0.5, 1.0], ["0", ".5", "1"], fontsize=8)
    room = 0.5 if len(places) <= MOST_PLACES else 0.03 * (places[-1] - places[0])
    axes.set_xlim(places[0] - room, places[-1] + room)
    if len(places) <= MOST_PLACES:
        axes.set_xticks(places, _label_bins(data), fontsize=8)
    if not is_last:
        axes.xaxis.set_major_formatter("")
    elif data.bins != (EVERY,):
        axes.set_xlabel("length of words")


def _notes(labelled: Sequence[tuple[str, Row]], data: Accuracies) -> Iterator[str]:
    counts = sorted({len(values) for values in data.values.values()})
    runs = "one run" if counts == [1] else f"{counts[0]} to {counts[-1]} runs"
    if len(counts) == 1 and counts != [1]:
        runs = f"{counts[0]} runs"
    bars = "" if counts == [1] else "; bars reach from the least to the largest"
    yield f"Observed: accuracies (0 to 1) in {show_path(data.origin)}. Marks are means of {runs}{bars}."
    yield (
        "Predicted: n₀ and R* of the idealized procedure in the searched space; open is no prediction of "
        f"failure. Class: the smaller of {CLASSES[0]} and {CLASSES[1]} that is proved to have the language."
    )
    drawn = {row.target for _, row in labelled}
    if unknown := [target for target in data.targets if target not in drawn]:
        yield f"With accuracies, but not among the reports: {list_some(unknown, ', ')}."
    if silent := [row.target for _, row in labelled if row.target not in data.targets]:
        yield f"Without accuracies, so not drawn: {list_some(silent, ', ')}."
