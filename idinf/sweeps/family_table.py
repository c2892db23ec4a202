"""The table of a family: one row per member, the largest n0 per size T, and the law behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from idinf.version import __version__
from idinf.experiments.family import Family
from idinf.formulas.formula import formula_of
from idinf.report.value import Outcome
from idinf.report.writer import DECIMALS, JsonObject
from idinf.sweeps.fit import Fit, fits_of
from idinf.sweeps.members import MemberRun, Plan

__all__ = ["FORMAT", "Maximum", "family_object", "family_text", "maxima_of"]

#: The tag of the only version this module writes.
FORMAT = "idinf-family/1"

_NONE = "-"


@dataclass(frozen=True, slots=True)
class Maximum:
    """The largest n0 among the members of one size.

    Attributes
    ----------
    size : int
        T.
    n0 : int or None
        None if some member is not settled.
    n0_lower : int
        What is proved of it: the largest n0, or lower bound of one, of any member.
    members : tuple of str
        Those that have it.
    """

    size: int
    n0: int | None
    n0_lower: int
    members: tuple[str, ...]


def maxima_of(family: Family, runs: Sequence[MemberRun]) -> tuple[Maximum, ...]:
    """Take the largest n0 for every size T.

    Parameters
    ----------
    family : Family
    runs : sequence of MemberRun
        By size.
    """
    by_size: dict[int, list[MemberRun]] = {}
    for run in runs:
        by_size.setdefault(family.size_of(run.spec), []).append(run)
    return tuple(_maximum(size, of_size) for size, of_size in by_size.items())


def _maximum(size: int, runs: Sequence[MemberRun]) -> Maximum:
    largest = max(run.n0_lower for run in runs)
    settled = all(run.n0 is not None for run in runs)
    names = tuple(run.spec.name for run in runs if run.n0_lower == largest)
    return Maximum(size, largest if settled else None, largest, names)


def family_text(family: Family, plan: Plan, runs: Sequence[MemberRun]) -> str:
    """Write the runs as text.

    Parameters
    ----------
    family : Family
    plan : Plan
        What the runs had in common.
    runs : sequence of MemberRun
        By size.

    Returns
    -------
    str
        Lines with a newline at the end.
    """
    maxima = maxima_of(family, runs)
    rows = [
        ("member", "T", "outcome", "R*", "n0", "max n", "seconds"),
        *(_row(family, run) for run in runs),
    ]
    sizes = [
        ("T", "max n0", "reached by"),
        *((str(m.size), _n0(m.n0, m.n0_lower), ", ".join(m.members)) for m in maxima),
    ]
    blocks = [
        _heading(family, plan),
        _aligned(rows),
        list(_limits(runs)),
        _aligned(sizes),
        [*_laws(maxima), *_ranges(plan, runs)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def family_object(family: Family, plan: Plan, runs: Sequence[MemberRun]) -> JsonObject:
    """Write the runs as a JSON object, ``idinf-family/1``.

    Everything but ``seconds`` is the same for the same spec. The parameters are those of `family_text`.
    """
    parameters, maxima = family.parameters, maxima_of(family, runs)
    return {
        "format": FORMAT,
        "idinf_version": __version__,
        "family": {
            "name": family.name,
            "alphabet": list(family.first.alphabet.symbols),
            "parameters": {name: [low, high] for name, low, high in parameters.ranges},
            "gcd": parameters.gcd,
            "size": str(parameters.size),
        },
        "space": {"preset": plan.bounds.preset, **plan.bounds.to_dict(), "realisation": "one-hot"},
        "regularizer": {
            "aggregate": plan.aggregate.value,
            "tolerance": "1/(2n)" if plan.tolerance is None else plan.tolerance,
        },
        "max_n": plan.max_n,
        "max_n_cap": plan.max_n_cap,
        "members": [_member_object(family, run) for run in runs],
        "maxima": [
            {"size": m.size, "n0": m.n0, "n0_lower": m.n0_lower, "members": list(m.members)} for m in maxima
        ],
        "fits": [_fit_object(fit) for fit in fits_of(_points(maxima))],
    }


def _member_object(family: Family, run: MemberRun) -> JsonObject:
    inference = run.inference
    selected = None if inference is None else inference.selected
    return {
        "name": run.spec.name,
        "parameters": dict(run.spec.parameters),
        "size": family.size_of(run.spec),
        "digest": run.spec.digest,
        "outcome": Outcome.OPEN.value if inference is None else inference.outcome.value,
        "max_n": None if inference is None else inference.max_n,
        "n0": run.n0,
        "n0_canonical": None if inference is None else inference.n0_canonical,
        "n0_lower": run.n0_lower,
        "r_star": None if selected is None else round(selected.r, DECIMALS),
        "complete_up_to_r": 0.0 if inference is None else round(inference.complete_up_to_r, DECIMALS),
        "formula": None if selected is None else str(formula_of(selected.hypothesis)),
        "stop_reason": run.limit or ("" if inference is None else inference.stop_reason),
        "seconds": round(run.seconds, 3),
    }


def _fit_object(fit: Fit) -> JsonObject:
    return {
        "formula": fit.formula(),
        "coefficients": [str(coefficient) for coefficient in fit.coefficients],
        "sizes": list(fit.sizes),
        "exact": fit.exact,
        "residual": round(fit.residual, DECIMALS),
        "largest": str(fit.largest),
    }


def _heading(family: Family, plan: Plan) -> list[str]:
    parameters = family.parameters
    ranges = ", ".join(f"{name} in {low}..{high}" for name, low, high in parameters.ranges)
    condition = "" if parameters.gcd is None else f", gcd {parameters.gcd}"
    size = f"T = {parameters.size}({', '.join(parameters.names)})"
    limits = ", ".join(f"{key} {value:g}" for key, value in plan.bounds.to_dict().items())
    tolerance = "1/(2n)" if plan.tolerance is None else f"{plan.tolerance:g}"
    return [
        f"family  {family.name} over {' '.join(family.first.alphabet.symbols)}: {ranges}{condition}; {size}",
        f"space   {plan.bounds.preset}: at most {limits}; aggregate {plan.aggregate.value}, "
        f"tolerance {tolerance}",
    ]


def _row(family: Family, run: MemberRun) -> tuple[str, ...]:
    inference = run.inference
    selected = None if inference is None else inference.selected
    star = _NONE
    if selected is not None:
        star = f"{selected.r:.9f}"
    elif inference is not None:
        star = f"> {inference.stages[-1].r_star_lower:.9f}"
    return (
        run.spec.name,
        str(family.size_of(run.spec)),
        Outcome.OPEN.value if inference is None else inference.outcome.value,
        star,
        _n0(run.n0, run.n0_lower),
        _NONE if inference is None else str(inference.max_n),
        f"{run.seconds:.2f}",
    )


def _n0(n0: int | None, lower: int) -> str:
    return f">= {lower}" if n0 is None else str(n0)


def _limits(runs: Sequence[MemberRun]) -> Iterator[str]:
    """Why a member is not settled, or not looked at as far as was planned."""
    for run in runs:
        if run.limit is not None:
            yield f"{run.spec.name}: {run.limit}"
        elif run.inference is not None and run.inference.outcome is Outcome.OPEN:
            yield f"{run.spec.name}: {run.inference.stop_reason}"


def _points(maxima: Sequence[Maximum]) -> list[tuple[int, int]]:
    return [(m.size, m.n0) for m in maxima if m.n0 is not None]


def _laws(maxima: Sequence[Maximum]) -> Iterator[str]:
    points = _points(maxima)
    fits = fits_of(points)
    if not fits:
        yield f"no fit: {len(points)} of {len(maxima)} sizes settled, at least 3 are needed"
    for fit in fits:
        yield fit.text()
        outside = [f"T = {size} has {n0}" for size, n0 in points if size not in fit.sizes]
        if outside:
            yield f"outside of it: {', '.join(outside)}"
    unsettled = [str(m.size) for m in maxima if m.n0 is None]
    if fits and unsettled:
        yield f"not settled, so not part of it: T = {', '.join(unsettled)}"


def _ranges(plan: Plan, runs: Sequence[MemberRun]) -> Iterator[str]:
    """What the n0 of the table are proved for."""
    if any(run.n0 is not None for run in runs):
        yield "every n0 is exact for n from 1 to the max n of its row; nothing is claimed beyond"
    if plan.max_n_cap > plan.max_n:
        yield f"max n: doubled from {plan.max_n} until n0 <= max n / 2, at most {plan.max_n_cap}"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
