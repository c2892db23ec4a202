"""The shapes that a run went through, as its report names them."""

from __future__ import annotations

from idinf.nets.regularizer import Aggregate
from idinf.proofs.check.floors import NetShape, digest_shapes
from idinf.report.value import Shapes, round_r
from idinf.space.structures import StructureSpace
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise


def list_shapes(bounds: SpaceBounds, aggregate: Aggregate, target: Target, complete: float) -> Shapes:
    """Count those that have heads, with floors of at most R.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> majority = build_target(load("majority"))
    >>> list_shapes(SpaceBounds.from_preset("nope"), Aggregate.MAX, majority, 8.5).number
    2
    """
    asked = supervise(target)
    space = StructureSpace(bounds, aggregate, len(asked.alphabet), asked.answer)
    found = [
        NetShape(
            tuple((len(layer.heads), layer.units) for layer in structure.layers),
            structure.precision,
            structure.period,
            structure.readers,
        )
        for _, structure in space.shapes(round_r(complete))
    ]
    return Shapes(len(found), digest_shapes(found))
