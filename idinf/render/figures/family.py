"""n0 against the size T of the members of a family, with the law behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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
from idinf.report.family import FamilyFit, FamilyReport
from idinf.report.value import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Points from which a law is drawn between its ends.
STEPS = 60


@apply_style()
def draw_family(family: FamilyReport, look: Look = USUAL) -> Figure:
    """Draw n0 of every member, the largest of every size, and the law of the largest.

    What is not settled is an arrowhead at its lower bound. Raises PlotError if the family has no members.
    """
    if not family.members:
        raise PlotError("members is empty; expected at least one; run more of the family")
    sheet = Sheet(6.4, look)
    sheet.heading(f"{family.family.name}: n₀ against T")
    axes = sheet.panel(sheet.tall(3.6), 0.7, ruled=True)
    sheet.gap(0.55)
    _draw_members(axes, family)
    for place, fit in enumerate(family.fits):
        _draw_fit(axes, fit, place)
    _set_axes(axes, family)
    sheet.legend(axes, 1)
    sheet.gap(0.06)
    sheet.notes(list(_notes(family)))
    return sheet.finish()


def _draw_members(axes: Axes, family: FamilyReport) -> None:
    tops = [(m.size, m.n0) for m in family.maxima if m.n0 is not None]
    counts = Counter((m.size, m.n0) for m in family.members if m.n0 is not None)
    label = "n₀ of members (×2: two of them)"
    draw_points(axes, counts, "o", 6, "white", "#777777", zorder=2.5, gid="members", label=label)
    for point, count in counts.items():
        if count > 1:
            far = 8 if point in tops else 6
            annotate(axes, f"×{count}", point, (far, 0), va="center", fontsize=8, color=INK)
    unsettled = [(m.size, m.n0_lower) for m in family.members if m.n0 is None]
    if unsettled:
        label = "not settled: n₀ is at least this"
        draw_points(axes, unsettled, 10, 9, "white", COLOURS[1], zorder=4, gid="unsettled", label=label)
    label = "largest n₀ of each T"
    draw_points(axes, tops, "D", 8, COLOURS[0], "white", zorder=3, gid="maxima", label=label)


def _draw_fit(axes: Axes, fit: FamilyFit, place: int) -> None:
    low, high = fit.sizes[0], fit.sizes[-1]
    xs = [low + (high - low) * k / STEPS for k in range(STEPS + 1)]
    colour = INK if fit.exact else COLOURS[(place + 1) % len(COLOURS)]
    line = {"color": colour, "linewidth": 1.3, "linestyle": LINES[(place + (not fit.exact)) % len(LINES)]}
    points = ((x, fit.at(x)) for x in xs)
    draw_line(axes, points, **line, zorder=2, gid=f"fit {place}", label=_law(fit))


def _law(fit: FamilyFit) -> str:
    where = f"T in {format_range(fit.sizes)}"
    if fit.exact:
        return f"n₀ = {fit.formula}, exact for {where}"
    return f"n₀ ≈ {fit.formula}, least squares, root mean square {fit.residual:.3f}"


def _set_axes(axes: Axes, family: FamilyReport) -> None:
    sizes = sorted({m.size for m in family.members})
    axes.set_xlim(sizes[0] - 0.5, sizes[-1] + 0.6)
    if len(sizes) <= 16:
        axes.set_xticks(sizes, [str(size) for size in sizes])
    top = max(m.n0_lower if m.n0 is None else m.n0 for m in family.members)
    axes.set_ylim(0, max(4, top * 1.12))
    axes.locator_params(axis="y", integer=True)
    axes.set_xlabel(family.family.size_text)
    axes.set_ylabel("n₀")


def _notes(family: FamilyReport) -> Iterator[str]:
    ranges = ", ".join(f"{name} in {low}..{high}" for name, (low, high) in family.family.parameters.items())
    largest = max(m.size for m in family.members)
    settled = {member.outcome for member in family.members if member.n0 is not None}
    span = "for every n" if settled == {Outcome.IDENTIFIED_FOR_ALL_N} else "up to the max n of its run"
    yield f"{len(family.members)} members with T ≤ {largest}, {ranges}. Every n₀ is exact {span}."
    open_sizes = [str(m.size) for m in family.maxima if m.n0 is None]
    if open_sizes:
        yield f"Not settled, so not part of a law: T = {', '.join(open_sizes)}."
    if not family.fits:
        yield "No law: too few sizes are settled."
