"""The frontier of a report as a small picture, as its page draws it at max_n."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from idinf.render.html.markup import Markup, render_tag
from idinf.render.text.walkthrough import is_selected
from idinf.report.value import Record, Report

WIDTH, HEIGHT = 240, 112

#: Height of the verdicts below, and how far marks reach around a point.
STRIP, MARK = 10, 4


def render_thumbnail(report: Report) -> Markup:
    """Draw every record as a line at its R to the length from which it is wrong, and the verdicts below.

    It says nothing that the text beside it does not say, so it is hidden from those who listen.
    """
    return render_tag(
        "svg",
        *_parts(report),
        class_="thumb",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        aria_hidden="true",
        focusable="false",
    )


def _parts(report: Report) -> Iterator[Markup]:
    levels = [record.r for record in report.records] + [stage.r_star_lower for stage in report.stages]
    low, high = min(levels) - 0.5, max(levels) + 0.9
    floor = HEIGHT - STRIP - 6

    def level(r: float) -> float:
        return MARK + (floor - MARK) * (1 - (r - low) / (high - low))

    def place(length: float) -> float:
        return MARK + (WIDTH - 3 * MARK) * math.log2(length + 1) / math.log2(report.horizon + 1)

    if not report.is_complete:
        top = level(high)
        yield _rect("unknown", 0, top, WIDTH, level(report.stages[-1].r_star_lower) - top)
    for record in report.records:
        end = place(report.horizon if record.fail is None else record.fail)
        yield _line(report, record, place(0), end, level(record.r))
    yield render_tag("path", d=f"M0 {floor}H{WIDTH}", class_="axis")
    for verdict, stages in itertools.groupby(report.stages, lambda stage: stage.verdict):
        first, *_, last = (*stages,) * 2
        left, right = place(first.n - 0.5), place(last.n + 0.5)
        yield _rect(f"verdict {verdict}", left, HEIGHT - STRIP, right - left, STRIP)


def _line(report: Report, record: Record, left: float, right: float, y: float) -> Markup:
    stage = report.stages[-1]
    fate = "out" if not record.fits(stage.n) else "selected" if is_selected(report, record, stage) else ""
    line = render_tag("path", d=f"M{left:.1f} {y:.1f}H{right:.1f}", class_="life")
    x0, x1, y0, y1 = (f"{value:.1f}" for value in (right - MARK, right + MARK, y - MARK, y + MARK))
    if record.fail is None:
        mark = render_tag("path", d=f"M{x0} {y0}L{right:.1f} {y:.1f}L{x0} {y1}", class_="open-end")
    elif fate == "out":
        mark = render_tag("path", d=f"M{x0} {y0}L{x1} {y1}M{x0} {y1}L{x1} {y0}", class_="cross")
    else:
        mark = render_tag("circle", cx=f"{right:.1f}", cy=f"{y:.1f}", r=str(MARK), class_="end")
    return render_tag("g", line, mark, class_=f"point {fate}".strip())


def _rect(name: str, x: float, y: float, width: float, height: float) -> Markup:
    sizes = {"x": x, "y": y, "width": width, "height": height}
    return render_tag("rect", class_=name, **{key: f"{max(0, value):.1f}" for key, value in sizes.items()})
