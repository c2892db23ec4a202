"""What a run says about scaled realisations, for people."""

from __future__ import annotations

from idinf.inference.scaled_order import ScaledOrder
from idinf.numbers import align, format_count, format_r


def render_scaled_order(order: ScaledOrder) -> str:
    """Write the order of what a report holds as lines of text, with what is proved of R* and of n0."""
    upper = "" if order.r_upper is None else f" and at most {format_r(order.r_upper)}"
    rows = [("R scaled", "R one-hot", "fail", "formula")]
    for record in order.records:
        fail = f"> {record.checked}" if record.fail is None else format_count(record.fail)
        rows.append(
            (format_r(record.r), format_r(record.one_hot_r), fail, record.formula or "the upper bound")
        )
    return "\n".join(
        [
            f"realisation scaled: open, n0 is not known; if there is one, it is at least {order.n0_lower}.",
            f"R* at n = {order.max_n} is at least {format_r(order.r_lower)}{upper}.",
            "Only what stands here was scaled; another hypothesis of the space may cost less than these.",
            *(f"  {line}" for line in align(rows)),
            "",
        ]
    )
