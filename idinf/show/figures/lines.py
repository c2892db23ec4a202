"""Figures of lines: n0 of a family, bits of protocols, R by context, errors of positions by length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from idinf.base.numbers import format_number, format_range
from idinf.errors import PlotError
from idinf.nets.ordinary.translation import CurvePoint
from idinf.report.value import Outcome
from idinf.show.figures.canvas import (
    COLOURS,
    INK,
    LINES,
    MARKERS,
    USUAL,
    Look,
    Sheet,
    apply_style,
    draw_line,
    draw_points,
    fit_ticks,
    label_points,
    set_octaves,
)
from idinf.tables.law import Law, find_laws, list_maxima
from idinf.tables.row import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The edge of a member, which is full where several have the same n0.
GREY = "#777777"

#: Points from which a law is drawn between its ends.
STEPS = 60


@apply_style()
def draw_family(rows: Sequence[Row], look: Look = USUAL) -> Figure:
    """Draw n0 of every member of a family, the largest of every size, and the law of the largest.

    An n0 that is not settled is an arrowhead at its lower bound. Raises PlotError if no row is of a member.
    """
    rows = [row for row in rows if row.size is not None]
    if len({row.family for row in rows}) != 1:
        raise PlotError("no rows of one family; expected its members; write them with 'idinf batch FAMILY'")
    laws, maxima = find_laws(rows), list_maxima(rows)
    sheet = Sheet(6.4, look)
    sheet.heading(f"{rows[0].family}: n₀ against T")
    axes = sheet.panel(sheet.tall(3.6), 0.7, ruled=True)
    sheet.gap(0.55)
    _set_family_axes(axes, rows)
    _draw_members(axes, rows, [(size, n0) for size, (n0, is_settled) in maxima.items() if is_settled])
    for place, law in enumerate(laws):
        _draw_fit(axes, law, place)
    open_sizes = [str(size) for size, (_, is_settled) in maxima.items() if not is_settled]
    return sheet.close(axes, 1, list(_family_notes(rows, open_sizes, bool(laws))))


def _draw_members(axes: Axes, rows: Sequence[Row], tops: Sequence[tuple[int, int]]) -> None:
    settled = ((row.size, row.n0) for row in rows)
    counts = Counter((size, n0) for size, n0 in settled if size is not None and n0 is not None)
    several = {point: count for point, count in counts.items() if count > 1}
    below = [point for point in several if point not in tops]
    plain = [point for point in counts if point not in several and point not in tops]
    unsettled = [(row.size or 0, row.n0_lower or 1) for row in rows if row.n0 is None]
    style: dict[str, Any] = {"zorder": 2.5, "label": "n₀ of a member" if plain else None}
    draw_points(axes, [*counts], "o", 6, "white", GREY, gid="members", **style)
    if below:
        label = "n₀ of several members (×2: of two)"
        draw_points(axes, below, "o", 6, GREY, GREY, zorder=2.6, gid="several", label=label)
    if unsettled:
        label = "not settled: n₀ is at least this"
        draw_points(axes, unsettled, 10, 9, "white", COLOURS[1], zorder=4, gid="unsettled", label=label)
    if tops:
        label = "largest n₀ of each T" + (" (×2: of two members)" if several and not below else "")
        draw_points(axes, tops, "D", 8, COLOURS[0], "white", zorder=3, gid="maxima", label=label)
    labels = [(f"×{count}", point) for point, count in several.items()]
    marks = [*counts, *unsettled]
    label_points(axes, labels, marks, 5.5, fontsize=8, color=INK, sides=((1, 0), (1, -1), (0, -1)))


def _draw_fit(axes: Axes, fit: Law, place: int) -> None:
    low, high = fit.sizes[0], fit.sizes[-1]
    xs = [low + (high - low) * k / STEPS for k in range(STEPS + 1)]
    colour = INK if fit.exact else COLOURS[(place + 1) % len(COLOURS)]
    line = {"color": colour, "linewidth": 1.3, "linestyle": LINES[(place + (not fit.exact)) % len(LINES)]}
    points = ((x, fit.at(x)) for x in xs)
    draw_line(axes, points, **line, zorder=2, gid=f"fit {place}", label=_law(fit))


def _law(fit: Law) -> str:
    where = f"T in {format_range(fit.sizes)}"
    if fit.exact:
        return f"n₀ = {fit.formula}, exact for {where}"
    return f"n₀ ≈ {fit.formula}, least squares, root mean square {fit.residual:.3f}"


def _set_family_axes(axes: Axes, rows: Sequence[Row]) -> None:
    sizes = sorted({row.size or 0 for row in rows})
    axes.set_xlim(sizes[0] - 0.5, sizes[-1] + 0.6)
    axes.set_xticks(ticks := fit_ticks(axes, sizes), [str(size) for size in ticks])
    axes.set_ylim(0, max(4, max(row.n0_lower or 1 for row in rows) * 1.12))
    axes.locator_params(axis="y", integer=True)
    drawn = {row.n0 or row.n0_lower or 1 for row in rows}
    if len(ticks := fit_ticks(axes, drawn, "y")) == len(drawn):
        axes.set_yticks(ticks, [str(n0) for n0 in ticks])
    axes.set_xlabel("T, the size of a member")
    axes.set_ylabel("n₀")


def _family_notes(rows: Sequence[Row], open_sizes: Sequence[str], has_law: bool) -> Iterator[str]:
    settled = {row.outcome for row in rows if row.n0 is not None}
    span = "for every n" if settled == {Outcome.IDENTIFIED_FOR_ALL_N.value} else "up to the max n of its run"
    largest = max(row.size or 0 for row in rows)
    yield f"{len(rows)} members with T ≤ {largest}. Every n₀ is exact {span}."
    if open_sizes:
        yield f"Not settled, so not part of a law: T = {', '.join(open_sizes)}."
    if not has_law:
        yield "No law: too few sizes are settled."


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
    set_octaves(axes, contexts, *ends)
    room = max(0.5, 0.2 * (bound - min(values)))
    axes.set_ylim(min(values) - room, bound + room)
    axes.set_xlabel("$N$", parse_math=True)
    axes.set_ylabel("$R$", parse_math=True)
    sheet.gap(0.55)
    return sheet.close(axes, 2, (), below=0)
