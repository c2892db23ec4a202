"""Whether a hypothesis of a report is in the space that the report names."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import to_one_hot
from idinf.report.value import Report
from idinf.spec.bounds import ZERO, HypothesisClass, WholeClass
from idinf.spec.spec import Answer, Spec


def find_space_faults(net: LimitTransformer, spec: Spec, report: Report) -> Iterator[str]:
    """Whether a hypothesis is in the family, within the bounds of the space, and answers what is asked."""
    bounds = report.space
    if isinstance(bounds, WholeClass):
        yield from _class_faults(net, bounds)
        return
    answer = Answer.ACCEPT if net.output is None else net.output.kind
    if answer is not spec.answer:
        yield f"answers {answer.value}; expected {spec.answer.value}"
    if net.threshold and bounds.threshold == ZERO:
        yield f"threshold = {net.threshold}; expected 0"
    heads = [head for layer in net.layers for head in layer.heads]
    needs = {
        "layers": net.depth,
        "heads": net.num_heads,
        "units": max(len(layer.mlp.b) for layer in net.layers),
        "precision": net.precision,
        "period": net.period,
        "reach": net.reach,
        "logit_max": max((value for head in heads for value in head.phi), default=0),
    }
    over = {key: value for key, value in needs.items() if not bounds.allows(key, float(value))}
    if not over:  # so it is small enough to be read
        patterns = [head.pattern for layer in to_one_hot(net).layers for head in layer.heads]
        content = max((value for p in patterns for row in p.logits for value in row), default=0)
        largest = Fraction(content, 1 << net.precision)
        over = {} if bounds.allows("content_max", float(largest)) else {"content_max": largest}
    for key, value in over.items():
        yield f"{key} = {value}; expected at most {getattr(bounds, key)}"


def _class_faults(net: LimitTransformer, space: WholeClass) -> Iterator[str]:
    """Whether a net is in a class by what it has: without positions it is in every Θ_N."""
    if net.output is not None or net.threshold:
        yield "has next symbols or a threshold; expected acceptance by U y > 0"
    if space.kind is HypothesisClass.THETA and (net.period > 1 or any(map(any, net.positions)) or net.reach):
        yield "has φ or positions; expected neither, so that it is a transformer of every Θ_N"
