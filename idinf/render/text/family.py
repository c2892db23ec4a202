"""The table of a family as text: one row per member, the largest n0 per size T, and the law behind it."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.numbers import MISSING, format_above, format_count, format_r, format_range
from idinf.render.text.answer import align_columns
from idinf.report.family import FamilyFit, FamilyMember, FamilyReport
from idinf.report.value import Outcome


def render_family(table: FamilyReport) -> str:
    """Write the table of a family as lines of text."""
    header = ("member", "T", "outcome", "R*", "n0", "max n", "seconds")
    sizes = [(str(m.size), _n0(m.n0, m.n0_lower), ", ".join(m.members)) for m in table.maxima]
    blocks = [
        _heading(table),
        align_columns([header, *map(_row, table.members)]),
        [f"{member.name}: {member.stop_reason}" for member in table.members if _is_limited(member, table)],
        align_columns([("T", "max n0", "reached by"), *sizes]),
        [*_laws(table), *_ranges(table)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _heading(table: FamilyReport) -> list[str]:
    family, rule = table.family, table.regularizer
    ranges = ", ".join(f"{name} in {low}..{high}" for name, (low, high) in family.parameters.items())
    condition = "" if family.gcd is None else f", gcd {family.gcd}"
    limits = table.space.limits
    budgets = "".join(f"{key} {limits[key]:g}, " for key in ("max_r", "work") if key in limits)
    return [
        f"family  {family.name} over {' '.join(family.alphabet)}: {ranges}{condition}; {family.size_text}",
        f"space   {table.space.name}; {budgets}aggregate {rule.aggregate.value}, "
        f"tolerance {rule.window_text()}",
    ]


def _row(member: FamilyMember) -> tuple[str, ...]:
    star = MISSING
    if member.r_star is not None:
        star = format_r(member.r_star)
    elif member.max_n is not None:
        star = format_above(member.complete_up_to_r)
    n0 = "none" if member.outcome is Outcome.NEVER else _n0(member.n0, member.n0_lower)
    seconds = f"{member.seconds:.2f}"
    return member.name, str(member.size), member.outcome.value, star, n0, format_count(member.max_n), seconds


def _n0(n0: int | None, lower: int) -> str:
    return f">= {lower}" if n0 is None else str(n0)


def _is_limited(member: FamilyMember, table: FamilyReport) -> bool:
    """Whether a member is not settled, or not looked at as far as was planned."""
    if member.outcome is Outcome.OPEN or member.max_n is None:
        return True
    is_well_inside = member.n0 is not None and 2 * member.n0 <= member.max_n
    return member.max_n < table.max_n_cap and not is_well_inside


def _laws(table: FamilyReport) -> Iterator[str]:
    points = [(m.size, m.n0) for m in table.maxima if m.n0 is not None]
    if not table.fits:
        yield f"no fit: {len(points)} of {len(table.maxima)} sizes settled, at least 3 are needed"
    for fit in table.fits:
        yield describe_law(fit)
        outside = [f"T = {size} has {n0}" for size, n0 in points if size not in fit.sizes]
        if outside:
            yield f"outside of it: {', '.join(outside)}"
    unsettled = [str(m.size) for m in table.maxima if m.n0 is None]
    if table.fits and unsettled:
        yield f"not settled, so not part of it: T = {', '.join(unsettled)}"


def describe_law(fit: FamilyFit, value: str = "n0", size: str = "T") -> str:
    """Say what a law is: exact, or how far off; ``value`` and ``size`` are the names of its quantities.

    Examples
    --------
    >>> from idinf.sweeps.family_table import fits_of
    >>> describe_law(fits_of([(2, 2), (3, 4), (4, 6)], "k")[0], size="k")
    'n0 = 2(k - 1) for all k in 2..4'
    """
    where = format_range(fit.sizes)
    if fit.exact:
        return f"{value} = {fit.formula} for all {size} in {where}"
    name = {1: "linear", 2: "quadratic"}[len(fit.coefficients) - 1]
    return (
        f"{name} least squares over {size} in {where}: {value} ~ {fit.formula}, "
        f"residual {fit.residual:.3f} (root mean square), at most {float(fit.largest):.3f}"
    )


def _ranges(table: FamilyReport) -> Iterator[str]:
    """What the n0 of the table are proved for."""
    proved = {m.outcome is Outcome.IDENTIFIED_FOR_ALL_N for m in table.members if m.n0 is not None}
    if proved == {True}:
        yield "every n0 is exact for every n"
    elif proved:
        beyond = "beyond it only where the outcome says so" if True in proved else "nothing is claimed beyond"
        yield f"every n0 is exact for n from 1 to the max n of its row; {beyond}"
    if table.max_n_cap > table.max_n:
        yield f"max n: doubled from {table.max_n} until n0 <= max n / 2, at most {table.max_n_cap}"
