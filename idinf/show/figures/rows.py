"""Figures of the rows of a batch: R* and n0 of every target, alone or beside accuracies, and by class."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from statistics import fmean
from typing import TYPE_CHECKING, Any

from idinf.base.files import show_path
from idinf.base.numbers import align, format_amount, format_number, typeset
from idinf.base.quoting import list_some
from idinf.errors import PlotError
from idinf.report.value import Outcome
from idinf.show.figures.canvas import (
    COLOURS,
    INK,
    LINES,
    MARKERS,
    NARROWEST,
    PALE,
    USUAL,
    Look,
    Sheet,
    Symbol,
    apply_style,
    draw_line,
    draw_points,
    fit_ticks,
    measure,
    set_octaves,
    shift_right,
    shorten_to,
)
from idinf.show.sentences import describe_verdict
from idinf.tables.accuracies import EVERY, Accuracies, list_rivals, parse_accuracies
from idinf.tables.row import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The verdicts on a language by the class that is shown, from the smallest on.
CLASSES = ("C-RASP[]", "C-RASP[periodic,local]", "outside both", "not known")

#: Characters of a name beside a panel.
LABEL = 17


def shorten(name: str, most: int = LABEL) -> str:
    """Cut a long name.

    >>> shorten("majority-interleave-next")
    'majority-interle…'
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


def describe_class(row: Row) -> str:
    """Say which of `CLASSES` a language is in.

    >>> describe_class(Row("x", crasp="no", crasp_periodic_local="yes")), describe_class(Row("x"))
    ('C-RASP[periodic,local]', 'not known')
    """
    if row.crasp == "yes":
        return CLASSES[0]
    if row.crasp_periodic_local == "yes":
        return CLASSES[1]
    return CLASSES[2] if row.crasp_periodic_local == "no" else CLASSES[3]


def describe_r(row: Row) -> str:
    """Write R* with three decimals, or its lower bound.

    >>> describe_r(Row("x", r_star=8.414213562)), describe_r(Row("x", r_lower=9.75)), describe_r(Row("x"))
    ('R* = 8.414', 'R* > 9.75', 'R* not known')
    """
    if row.r_star is not None:
        return f"R* = {format_number(round(row.r_star, 3))}"
    # Rounded down: still a proved bound.
    return "R* not known" if row.r_lower is None else f"R* > {format_number(int(row.r_lower * 1000) / 1000)}"


#: Inches: the sheet, a row, and the space between the panels.
WIDTH, ROW, GUTTER = 7.0, 0.19, 0.25

#: Inches around a name, and those that it may take; its size in points.
AROUND, NAME, SMALL = 0.2, 1.3, 8.0

#: Inches between a mark and the edge of a panel.
EDGE = 0.12

#: Panels of fewer inches have no room for a sentence below them.
TELLING = 2.0

#: Inches of a column of accuracies, at least, and where the title of a class may be broken.
NARROW_GROUP, BREAKS = 0.35, re.compile(r"(?<=,)|(?=\[p)|(?<=-)(?=f)")

#: As many targets as one sheet shows.
MOST_ROWS = 200


@apply_style()
def draw_batch(labelled: Sequence[tuple[str, Row]], look: Look = USUAL) -> Figure:
    """Draw a line for each target with R* in one panel and n0 in another.

    A full mark is an exact value, of n0 one that is proved for every n; a hollow one holds for n up to the
    largest examined. Where R* is not known, a line reaches from its lower bound to its upper one, or to an
    arrowhead; an arrowhead at n0 is a lower bound of it. Raises PlotError if there is no target with an
    answer, or more than `MOST_ROWS`.
    """
    shown = [(label, row) for label, row in labelled if row.r_lower is not None]
    if not shown or len(shown) > MOST_ROWS:
        raise PlotError(
            f"{len(shown)} targets with an answer; expected from 1 to {MOST_ROWS} in a figure; "
            f"{'leave out some' if shown else 'run more targets'}"
        )
    sheet = Sheet(WIDTH, look)
    sheet.heading("R* and n₀ of each target")
    sheet.gap(0.06)
    names = [shorten_to(shorten(label), NAME, SMALL) for label, _ in shown]
    left = AROUND + max(0.28, *(measure(name, SMALL) for name in names))
    height, wide = ROW * len(shown) + 0.1, (sheet.width - left - GUTTER - 0.2) / 2
    levels = sheet.panel(height, left, sheet.width - left - wide)
    sheet.gap(-height)
    lengths = sheet.panel(height, left + wide + GUTTER, 0.2)
    sheet.gap(0.56)
    symbols: dict[str, list[Symbol]] = {}
    for place in range(len(CLASSES)):
        _draw_class(levels, lengths, shown, place, symbols)
    _set_batch_axes(levels, lengths, shown, wide)
    levels.set_yticks(range(len(shown)), names, fontsize=SMALL)
    lengths.set_yticks(range(len(shown)), [""] * len(shown))
    order = (*CLASSES, *_STATES)
    entries = [(symbols[text], text) for text in order if text in symbols]
    return sheet.close(levels, 2, list(_batch_notes(labelled, shown)), extra=entries)


#: Meanings of marks beside the class, in the order of the legend.
_STATES = ("n₀ up to max n, not for every n", "at least this", "R* between two bounds")


def _draw_class(
    levels: Axes,
    lengths: Axes,
    shown: Sequence[tuple[str, Row]],
    place: int,
    symbols: dict[str, list[Symbol]],
) -> None:
    """Draw R* and n0 of the targets of a class, and note the drawn symbols by their text in the legend."""
    colour, marker = COLOURS[place], MARKERS[place]
    mine = [(y, row) for y, (_, row) in enumerate(shown) if describe_class(row) == CLASSES[place]]
    known = [(row.r_star, float(y)) for y, row in mine if row.r_star is not None]
    style: dict[str, Any] = {"zorder": 3}
    found: dict[str, Symbol] = {}
    if known:
        found[CLASSES[place]] = (
            draw_points(levels, known, marker, 5.5, colour, colour, gid=f"levels {place}", **style),
        )
    for y, row in mine:
        if row.r_star is None and row.r_lower is not None:
            end = row.r_lower if row.r_upper is None else row.r_upper
            line = {"color": colour, "linewidth": 1.4, "gid": f"bracket {y}", "zorder": 2.5}
            bracket = draw_line(levels, [(row.r_lower, y), (end, y)], **line)
            arrow = draw_points(levels, [(row.r_lower, y)], 9, 6, colour, colour, **style)
            found[_STATES[1]] = (arrow,)
            if row.r_upper is not None:
                bar = draw_points(levels, [(end, y)], "|", 7, colour, colour, **style)
                found[_STATES[2]] = (bracket, bar)
        if row.n0 is not None:
            whole = row.outcome == Outcome.IDENTIFIED_FOR_ALL_N.value
            fill = colour if whole else "white"
            mark = draw_points(lengths, [(row.n0, y)], marker, 5.5, fill, colour, **style, gid=f"n0 {y}")
            found.setdefault(CLASSES[place] if whole else _STATES[0], (mark,))
        elif row.n0_lower is not None:
            gid = f"least n0 {y}"
            arrow = draw_points(lengths, [(row.n0_lower, y)], 9, 6, colour, colour, **style, gid=gid)
            found[_STATES[1]] = (arrow,)
    if mine:  # a class of which no value is known is drawn as its bounds
        found.setdefault(CLASSES[place], found.get(_STATES[1], ()))
    for text, symbol in found.items():
        symbols.setdefault(text, []).append(symbol)


def _set_batch_axes(levels: Axes, lengths: Axes, shown: Sequence[tuple[str, Row]], wide: float) -> None:
    top = max(row.n0 or row.n0_lower or 1 for _, row in shown)
    octaves = math.log2(max(top, 2))
    room = max(0.25, EDGE / wide * octaves)
    set_octaves(lengths, [], 2**-room, 2 ** (octaves + room))
    drawn = sorted({row.n0 or row.n0_lower or 1 for _, row in shown})
    others = [1 << k for k in range(top.bit_length() + 1)] if len(drawn) == 1 else []
    ticks = fit_ticks(lengths, [drawn[-1], *drawn, *others])
    lengths.set_xticks(ticks, [str(n0) for n0 in ticks])
    levels.margins(x=max(0.05, EDGE / wide))
    for axes in (levels, lengths):
        axes.set_ylim(len(shown) - 0.25, -0.75)
        axes.grid(axis="both", color="#EEEEEE", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
    levels.set_xlabel("R*, the least R that is right" if wide >= TELLING else "R*")
    lengths.set_xlabel("n₀")


def _batch_notes(labelled: Sequence[tuple[str, Row]], shown: Sequence[tuple[str, Row]]) -> Iterator[str]:
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


#: Inches: the height of a panel of accuracies and the space between two.
PANEL, BETWEEN = 0.55, 0.14

#: Inches left of a panel: of the text about its target, or of the numbers at its axis where that is above.
BESIDE, BELOW = 2.75, 0.45

#: As many targets as there may be panels on one sheet.
MOST_TARGETS = 60

#: With more bins the axis is one of lengths, else it has a place for each bin.
MOST_PLACES = 6

#: Points between two series, so that marks of equal accuracies stand beside each other.
APART = 4.5


@apply_style()
def draw_accuracies(labelled: Sequence[tuple[str, Row]], data: Accuracies, look: Look = USUAL) -> Figure:
    """Draw a panel of accuracy against length for each target that has both a row and accuracies.

    Marks are means over seeds, bars reach from the least to the largest of them. Raises PlotError if no
    target has both, there are more than `MOST_TARGETS`, or more encodings than colours.
    """
    known = [(label, row) for label, row in labelled if row.target in data.targets]
    _check_data(known, data)
    around = 0.3 + _label_room(data)
    sheet = Sheet(max(WIDTH, BESIDE + around), look, max(NARROWEST, BELOW + around))
    sheet.heading("Predicted against observed")
    sheet.gap(0.1)
    is_beside = sheet.width >= BESIDE + max(around, 2.0)
    for place, (label, row) in enumerate(known):
        rival = "" if row.r_trivial in (None, "unknown") else f"; LTL[P]: {row.r_trivial}"
        said = (
            label,
            f"{describe_class(row)}{rival}",
            f"{describe_r(row)}, {typeset(describe_verdict(row))}",
        )
        height = sheet.beside(said, (BESIDE if is_beside else sheet.width) - 0.25)
        if not is_beside:
            sheet.gap(height + 0.08)
            height = PANEL
        axes = sheet.panel(PANEL, BESIDE if is_beside else BELOW, 0.2, ruled=True)
        sheet.gap(BETWEEN + max(0.0, height - PANEL))
        _draw_series(axes, row.target, data)
        _set_data_axes(axes, data, is_last=place == len(known) - 1)
    sheet.gap(0.5)
    if data.encodings != ("",):
        sheet.legend(axes, len(data.encodings))
    sheet.gap(0.06)
    sheet.notes(list(_data_notes(labelled, data)))
    return sheet.finish()


def _check_data(known: Sequence[tuple[str, Row]], data: Accuracies) -> None:
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
    """Places of bins: one after the other, or, where they are many, at their middle."""
    bins = data.bins
    if len(bins) <= MOST_PLACES:
        return {lengths: float(place) for place, lengths in enumerate(bins)}
    return {lengths: lengths.middle for lengths in bins}


def _label_room(data: Accuracies) -> float:
    """Inches that the labels of bins take side by side."""
    if len(data.bins) > MOST_PLACES:
        return 1.0
    lines = (line for label in _label_bins(data) for line in label.split("\n"))
    return len(data.bins) * (0.1 + max(measure(line, SMALL) for line in lines))


def _label_bins(data: Accuracies) -> list[str]:
    """The names of bins, with the largest length in a line of its own where they are many."""
    if data.bins == (EVERY,):
        return ["all lengths"]
    return [str(lengths).replace("–", "–\n" if len(data.bins) > 3 else "–") for lengths in data.bins]


def _set_data_axes(axes: Axes, data: Accuracies, is_last: bool) -> None:
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


def _data_notes(labelled: Sequence[tuple[str, Row]], data: Accuracies) -> Iterator[str]:
    if data.about:
        yield from data.about
    else:
        yield _data_note(data, "; bars reach from the least to the largest")
    yield (
        "Predicted: n₀ and R* of the idealized procedure in the searched space; open is no prediction of "
        f"failure. Class: the smaller of {CLASSES[0]} and {CLASSES[1]} that is proved to have the language."
    )
    yield from list_rivals([row for _, row in labelled], data)
    drawn = {row.target for _, row in labelled}
    if unknown := [target for target in data.targets if target not in drawn]:
        yield f"With accuracies, but not among the reports: {list_some(unknown, ', ')}."
    if silent := [row.target for _, row in labelled if row.target not in data.targets]:
        yield f"Without accuracies, so not drawn: {list_some(silent, ', ')}."


def _data_note(data: Accuracies, bars: str = "") -> str:
    """Note on the origin of accuracies, and on the marks of several runs."""
    counts = sorted({len(values) for values in data.values.values()})
    runs = "one run" if counts == [1] else f"{counts[0]} to {counts[-1]} runs"
    if len(counts) == 1 and counts != [1]:
        runs = f"{counts[0]} runs"
    bars = "" if counts == [1] else bars
    return f"Observed: accuracies (0 to 1) in {show_path(data.origin)}. Marks are means of {runs}{bars}."


#: Notes beside all published accuracies.
CAVEATS = (
    "Observed: accuracies of trained transformers by length, from the data behind Figure 1 of arXiv "
    "2410.02140 (NoPE, APE) and single runs of later models of the same group (arXiv 2602.08857).",
    "Figure 1 averages only runs that reached 100 % on the shortest bin. Where NoPE or APE is below 1 in "
    "that bin (PARITY, Tomita 3, 5, 6, {0,1,2}*02*), this cannot hold; the data do not say what was "
    "averaged there.",
    "The bins of the formal languages differ from the nominal 0–50, 51–100, 101–150 in the stored data: "
    "Tomita languages were trained to 100 with both test bins 101–150, (aaaa)* and (abab)* to 500.",
    "The later models contradict two points: {0,1,2}*02* has 1.0 everywhere, Tomita 3 has .9995, .9755, "
    ".8825. The figure is no clean ground truth.",
)


def read_published() -> Accuracies:
    """Read the published accuracies of transformers that were trained on shipped targets.

    ``observed.csv`` has three bins of lengths and up to three encodings: ``NoPE`` and ``APE`` are the numbers
    behind Figure 1 of arXiv 2410.02140 as stored with its public experiments (standard deviations with ddof
    1; plotted values of the formal languages come without), ``later`` are single runs of the models of arXiv
    2602.08857, of the first variant listed for the task.
    """
    text = files(__package__).joinpath("observed.csv").read_text(encoding="utf-8")
    return replace(parse_accuracies(text, "observed.csv"), about=CAVEATS)


#: Columns of rows that are compared: classes that [HYB25] rejects, then those that it proposes.
_COMPARED = {
    "star_free": "star-free",
    "dot_depth": "dot-depth",
    "ac0": "in AC0",
    "r_trivial": "LTL[P]",
    "crasp": CLASSES[0],
    "crasp_periodic_local": CLASSES[1],
}


@dataclass(frozen=True, slots=True)
class Group:
    """The languages of which a class says the same, with the accuracies that were observed."""

    title: str
    value: str  #: the verdict, or the dot-depth
    targets: tuple[str, ...]
    accuracies: Mapping[str, tuple[float, ...]]  #: by encoding, in the order of the targets

    def describe(self, encoding: str) -> str:
        """Mean, least and largest accuracy of an encoding."""
        found = self.accuracies[encoding]
        return f"{fmean(found):.3f}  ({min(found):g} to {max(found):g})" if found else "–"


def group_accuracies(rows: Sequence[Row], data: Accuracies) -> tuple[Group, ...]:
    """Group targets by the verdict of each class, with their mean accuracies on the longest words.

    A target of which a class says nothing (``unknown``) is in no group of that class; ``none`` as a dot-depth
    is left out as well. Members come first, small dot-depths first.

    >>> rows = [Row("parity", crasp="no"), Row("tomita-1", crasp="yes")]
    >>> groups = group_accuracies(rows, read_published())
    >>> [(group.value, group.targets, group.accuracies["APE"]) for group in groups]
    [('yes', ('tomita-1',), (1.0,)), ('no', ('parity',), (0.6206,))]
    """
    means = {encoding: data.means(encoding, data.bins[-1]) for encoding in data.encodings}
    known = {row.target: row for row in rows if row.target in data.targets}
    found = []
    for column, title in _COMPARED.items():
        said = {target: getattr(row, column) for target, row in known.items()}
        values = set(said.values()) - {None, "unknown", "none"}
        for value in sorted(values, key=lambda text: (text == "no", int(text) if text.isdigit() else 0)):
            targets = tuple(target for target, its in said.items() if its == value)
            accuracies = {
                encoding: tuple(of[target] for target in targets if target in of)
                for encoding, of in means.items()
            }
            found.append(Group(title, value, targets, accuracies))
    return tuple(found)


def describe_groups(rows: Sequence[Row], data: Accuracies) -> str:
    """Write the groups as a table."""
    table = [("class", "", "languages", *data.encodings)]
    table += [
        (group.title, group.value, str(len(group.targets)), *map(group.describe, data.encodings))
        for group in group_accuracies(rows, data)
    ]
    bounds = f"mean, least and largest accuracy, lengths {data.bins[-1]}"
    notes = (*list_rivals(rows, data), *data.about)
    return "\n".join([bounds, "", *align(table, "<<>"), *(("", *notes) if notes else ())])


@apply_style()
def draw_classes(rows: Sequence[Row], data: Accuracies, look: Look = USUAL) -> Figure:
    """Draw a column of points for each group: its accuracies on the longest words, and their mean as a line.

    A good class has all points of its members at 1 and all others far below: Figures 2 and 4 of [HYB25], with
    C-RASP beside them. Raises PlotError if no class says anything of a target with accuracies.
    """
    groups = group_accuracies(rows, data)
    if not groups:
        raise PlotError("no class of a target with accuracies is known; expected one; add targets")
    _check_data([("", row) for row in rows if row.target in data.targets], data)
    sheet = Sheet(9.8, look)
    sheet.heading(f"Classes of languages against accuracies at lengths {data.bins[-1]}")
    for lined in _break_groups(groups, sheet.width - 0.85):
        wide = (sheet.width - 0.85) / len(lined)
        counts = Counter(group.title for group in lined)
        titles = [(_fit_title(title, wide * count), count) for title, count in counts.items()]
        sheet.gap(0.22 + 0.13 * max(title.count("\n") for title, _ in titles))
        axes = sheet.panel(sheet.tall(3.2), 0.7, 0.15, ruled=True)
        sheet.gap(0.46)
        _draw_groups(axes, lined, data)
        start = -0.5
        for title, count in titles:
            axes.text(start + count / 2, 1.09, title, ha="center", va="bottom", fontsize=SMALL, color=INK)
            if start > 0:
                draw_line(axes, [(start, -0.05), (start, 1.05)], color=PALE, linewidth=0.8)
            start += count
    notes = [
        "Below each verdict: how many languages have it. Lines are means.",
        *list_rivals(rows, data),
        *(data.about or (_data_note(data),)),
    ]
    return sheet.close(sheet.figure.axes[0], len(data.encodings), notes)


def _draw_groups(axes: Axes, groups: Sequence[Group], data: Accuracies) -> None:
    spread = 0.84 / len(data.encodings)
    for place, encoding in enumerate(data.encodings):
        marks, means = [], []
        for column, group in enumerate(groups):
            middle = column + (place - (len(data.encodings) - 1) / 2) * 1.12 * spread
            values = sorted(group.accuracies[encoding])
            step = spread / max(1, len(values))
            marks += [(middle + (k - (len(values) - 1) / 2) * step, value) for k, value in enumerate(values)]
            if values:
                ends = (middle - spread / 2, middle + spread / 2)
                means.append([(end, fmean(values)) for end in ends])
        style = {"gid": f"accuracies {encoding}", "label": encoding or None, "zorder": 3}
        draw_points(axes, marks, MARKERS[place], 4.2, COLOURS[place], "white", **style, markeredgewidth=0.4)
        for mean in means:
            draw_line(axes, mean, color=COLOURS[place], linewidth=1.2, zorder=2)
    axes.set_xticks(range(len(groups)), [f"{group.value}\n{len(group.targets)}" for group in groups])
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_ylim(-0.05, 1.05)
    axes.set_ylabel("accuracy")


def _break_groups(groups: Sequence[Group], room: float) -> list[list[Group]]:
    """Panels below each other, each with as many classes as have room for their columns and titles."""
    panels: list[list[Group]] = [[]]
    for _, of_title in itertools.groupby(groups, lambda group: group.title):
        more = [*panels[-1], *of_title]
        counts = Counter(group.title for group in more)
        columns = (max(NARROW_GROUP, _least_room(title) / count) for title, count in counts.items())
        if panels[-1] and max(columns) * len(more) > room:
            panels.append([group for group in more if group not in panels[-1]])
        else:
            panels[-1] = more
    return panels


def _fit_title(title: str, room: float) -> str:
    """A title in as many lines as so many inches need."""
    return title if measure(title, SMALL) + 0.06 < room else BREAKS.sub("\n", title)


def _least_room(title: str) -> float:
    return max(measure(line, SMALL) for line in BREAKS.sub("\n", title).split("\n")) + 0.06
