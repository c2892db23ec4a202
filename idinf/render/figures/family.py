"""n0 against the size T of the members of a family, with the law behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from idinf.errors import PlotError
from idinf.numbers import format_range
from idinf.render.figures.canvas import (
    COLOURS,
    INK,
    LINES,
    USUAL,
    Look,
    Sheet,
    annotate,
    apply_style,
    draw_line,
    draw_points,
)
from idinf.report.value import Outcome
from idinf.sweeps.law import Law, find_laws, list_maxima
from idinf.sweeps.row import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Points from which a law is drawn between its ends.
STEPS = 60


@apply_style()
def draw_family(rows: Sequence[Row], look: Look = USUAL) -> Figure:
    """Draw n0 of every member of a family, the largest of every size, and the law of the largest.

    What is not settled is an arrowhead at its lower bound. Raises PlotError if no row is that of a member.
    """
    rows = [row for row in rows if row.size is not None]
    if len({row.family for row in rows}) != 1:
        raise PlotError("no rows of one family; expected its members; write them with 'idinf batch FAMILY'")
    laws, maxima = find_laws(rows), list_maxima(rows)
    sheet = Sheet(6.4, look)
    sheet.heading(f"{rows[0].family}: n₀ against T")
    axes = sheet.panel(sheet.tall(3.6), 0.7, ruled=True)
    sheet.gap(0.55)
    _draw_members(axes, rows, [(size, n0) for size, (n0, is_settled) in maxima.items() if is_settled])
    for place, law in enumerate(laws):
        _draw_fit(axes, law, place)
    _set_axes(axes, rows)
    sheet.legend(axes, 1)
    sheet.gap(0.06)
    open_sizes = [str(size) for size, (_, is_settled) in maxima.items() if not is_settled]
    sheet.notes(list(_notes(rows, open_sizes, bool(laws))))
    return sheet.finish()


def _draw_members(axes: Axes, rows: Sequence[Row], tops: Sequence[tuple[int, int]]) -> None:
    settled = ((row.size, row.n0) for row in rows)
    counts = Counter((size, n0) for size, n0 in settled if size is not None and n0 is not None)
    label = "n₀ of members (×2: two of them)"
    draw_points(axes, counts, "o", 6, "white", "#777777", zorder=2.5, gid="members", label=label)
    for point, count in counts.items():
        if count > 1:
            far = 8 if point in tops else 6
            annotate(axes, f"×{count}", point, (far, 0), va="center", fontsize=8, color=INK)
    unsettled = [(row.size or 0, row.n0_lower or 1) for row in rows if row.n0 is None]
    if unsettled:
        label = "not settled: n₀ is at least this"
        draw_points(axes, unsettled, 10, 9, "white", COLOURS[1], zorder=4, gid="unsettled", label=label)
    label = "largest n₀ of each T"
    draw_points(axes, tops, "D", 8, COLOURS[0], "white", zorder=3, gid="maxima", label=label)


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


def _set_axes(axes: Axes, rows: Sequence[Row]) -> None:
    sizes = sorted({row.size or 0 for row in rows})
    axes.set_xlim(sizes[0] - 0.5, sizes[-1] + 0.6)
    if len(sizes) <= 16:
        axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_ylim(0, max(4, max(row.n0_lower or 1 for row in rows) * 1.12))
    axes.locator_params(axis="y", integer=True)
    axes.set_xlabel("T")
    axes.set_ylabel("n₀")


def _notes(rows: Sequence[Row], open_sizes: Sequence[str], has_law: bool) -> Iterator[str]:
    settled = {row.outcome for row in rows if row.n0 is not None}
    span = "for every n" if settled == {Outcome.IDENTIFIED_FOR_ALL_N.value} else "up to the max n of its run"
    largest = max(row.size or 0 for row in rows)
    yield f"{len(rows)} members with T ≤ {largest}. Every n₀ is exact {span}."
    if open_sizes:
        yield f"Not settled, so not part of a law: T = {', '.join(open_sizes)}."
    if not has_law:
        yield "No law: too few sizes are settled."
