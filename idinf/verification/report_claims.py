"""The hypotheses of a report with what it says of each, and whether they are of the space it names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer, Spec
from idinf.report.proof import Invariant
from idinf.report.value import Report
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import RTerms

__all__ = ["Claim", "claims_of", "space_faults"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A hypothesis with what a report says of it.

    It is right on all words up to length ``right_to`` (None: on all words), and wrong on ``counterexample``
    next if ``fails``.
    """

    place: str
    net: LimitTransformer
    r: float
    right_to: int | None
    fails: bool = False
    counterexample: str | None = None
    r_terms: RTerms | None = None
    proof: Invariant | None = None

    def tried_to(self, length: int) -> int:
        """Up to where words are tried if there is time for a length: what is claimed is no more than that."""
        return length if self.right_to is None else min(length, self.right_to + self.fails)


def claims_of(report: Report) -> Iterator[Claim]:
    """All hypotheses of a report."""
    for number, record in enumerate(report.records):
        fails, word = record.fail is not None, record.counterexample
        right_to = report.horizon if record.fail is None else record.fail - 1
        place = f"records[{number}]"
        yield Claim(place, record.hypothesis, record.r, right_to, fails, word, record.r_terms)
    for number, proof in enumerate(report.proofs):
        yield Claim(f"proofs[{number}]", proof.hypothesis, proof.r, None, proof=proof.invariant)
    if report.upper_end is not None:
        r, length, net = report.upper_end
        yield Claim("bracket", net, r, length)


def space_faults(net: LimitTransformer, spec: Spec, bounds: SpaceBounds) -> Iterator[str]:
    """Whether a hypothesis is in the family, within the bounds of the space, and answers what is asked."""
    answer = Answer.ACCEPT if net.output is None else net.output.kind
    if answer is not spec.answer:
        yield f"answers {answer.value}; expected {spec.answer.value}"
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
    over = {key: value for key, value in needs.items() if value > getattr(bounds, key)}
    if not over:  # so it is small enough to be read
        patterns = [head.pattern for layer in to_one_hot(net).layers for head in layer.heads]
        content = max((value for p in patterns for row in p.logits for value in row), default=0)
        largest = Fraction(content, 1 << net.precision)
        over = {"content_max": largest} if largest > bounds.content_max else {}
    for key, value in over.items():
        yield f"{key} = {value}; expected at most {getattr(bounds, key)}"
