"""Whether a report counts all shapes with heads of its space, up to the R to which it is complete."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.base.numbers import format_up_to
from idinf.proofs.check.floors import ShapeBounds, digest_shapes
from idinf.report.value import Report
from idinf.spec.bounds import SpaceBounds
from idinf.spec.spec import Spec


def find_shape_faults(report: Report, spec: Spec) -> Iterator[str]:
    """What differs between the shapes that a report names and those that are listed again.

    That all of a shape was searched is not asked here.
    """
    space, given = report.space, report.shapes
    if not isinstance(space, SpaceBounds):
        yield from [] if given is None else ["shapes of a whole class; expected null"]
        return
    sizes = ShapeBounds(space.layers, space.heads, space.units, space.precision, space.period)
    high, aggregate = report.complete_up_to_r, report.regularizer.aggregate
    found = list(sizes.shapes(high, spec.answer, len(spec.alphabet), aggregate))
    if given is None:
        yield from [f"null; expected {len(found)} with floors of at most {high}"] if found else []
    elif given.number != len(found):
        yield f"number = {given.number}; expected {len(found)} with floors of at most {high}"
    elif given.digest != digest_shapes(found):
        yield f"digest = {given.digest}; expected that of the {len(found)} shapes"


def tell_shapes(report: Report) -> str:
    """Say what a report claims of shapes."""
    if report.shapes is None:
        return "null, as of a whole class"
    level = format_up_to(report.complete_up_to_r)
    return f"these {report.shapes.number} are all shapes of the space with heads and floors {level}"
