"""What a run says by another price than its R, for people."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.inference.other_order import OtherOrder
from idinf.numbers import align, format_count, format_r
from idinf.report.value import Outcome


def render_other_order(order: OtherOrder) -> str:
    """Write the order of what a report holds as lines of text, with what is proved of R* and of n0."""
    rows = [(f"R, {order.title}", "R of the run", "fail", "formula")]
    for record in order.records:
        fail = f"> {record.checked}" if record.fail is None else format_count(record.fail)
        rows.append((format_r(record.r), format_r(record.usual_r), fail, record.formula or "the upper bound"))
    lines = [f"{order.title}: {order.outcome.value}, {_describe_n0(order)}.", *_describe_r(order)]
    return "".join(f"{line}\n" for line in (*lines, *(f"  {line}" for line in align(rows))))


def _describe_n0(order: OtherOrder) -> str:
    if order.n0 is not None:
        return f"n0 = {order.n0} (all selected)"
    if order.outcome is Outcome.NOT_IDENTIFIED:
        return f"n = {order.max_n} is bad, so there is no n0"
    if order.n0_upper is not None:
        return f"n0 is at least {order.n0_lower} and at most {order.n0_upper}"
    return f"n0 is not known; if there is one, it is at least {order.n0_lower}"


def _describe_r(order: OtherOrder) -> Iterator[str]:
    if order.r_star is not None:
        yield f"R* at n = {order.max_n} is {format_r(order.r_star)}; nothing right in the space costs less."
    else:
        upper = "" if order.r_upper is None else f" and at most {format_r(order.r_upper)}"
        yield f"R* at n = {order.max_n} is at least {format_r(order.r_lower)}{upper}."
    if order.is_shift:
        yield "Nothing in the space has a period, so every R is larger by 1, and the order stays."
    elif not order.outcome.is_identified:
        yield "Only what stands here was priced again; other hypotheses of the space may come between."
