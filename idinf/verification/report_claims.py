"""The hypotheses of a report with what it says of each, and whether they are of the space it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Answer, Spec
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.json_format import from_json_object
from idinf.transformers.limit_transformer import LimitTransformer

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
    r_terms: Mapping[str, Any] | None = None
    proof: Mapping[str, Any] | None = None

    def tried_to(self, length: int) -> int:
        """Up to where words are tried if there is time for a length: what is claimed is no more than that."""
        return length if self.right_to is None else min(length, self.right_to + self.fails)


def claims_of(report: Mapping[str, Any]) -> Iterator[Claim]:
    """All hypotheses of a report.

    Raises
    ------
    HypothesisFormatError
        If one of them is none.
    """
    most, bracket = 2 * report["max_n"], report["bracket"]
    for number, record in enumerate(report["records"]):
        place, fail = f"records[{number}]", record["fail"]
        net = from_json_object(record["hypothesis"], f"{place}.hypothesis")
        word, right_to = record["counterexample"], most if fail is None else fail - 1
        yield Claim(place, net, record["r"], right_to, fail is not None, word, record["r_terms"])
    for number, proof in enumerate(report["proofs"]):
        net = from_json_object(proof["hypothesis"], f"proofs[{number}].hypothesis")
        yield Claim(f"proofs[{number}]", net, proof["r"], None, proof=proof)
    upper: list[Any] = [
        None if bracket is None else bracket[key] for key in ("hypothesis", "r_upper", "upper_length")
    ]
    if None not in upper:
        yield Claim("bracket", from_json_object(upper[0], "bracket.hypothesis"), upper[1], upper[2])


def space_faults(net: LimitTransformer, spec: Spec, bounds: SpaceBounds) -> Iterator[str]:
    """Whether a hypothesis is in the family, within the bounds of the space, and answers what is asked."""
    if net.alphabet.symbols != spec.alphabet.symbols:
        yield f"alphabet {list(net.alphabet.symbols)}; expected {list(spec.alphabet.symbols)}"
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
