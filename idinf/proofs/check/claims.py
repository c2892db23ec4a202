"""The hypotheses of a report, each with what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import RTerms
from idinf.report.proof import Invariant
from idinf.report.value import Report


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

    @property
    def end(self) -> int:
        """The greatest length of words of which something is claimed, where it is not all of them."""
        return 0 if self.right_to is None else self.right_to + self.fails

    def tried_to(self, length: int) -> int:
        """Up to where words are tried if there is time for a length: what is claimed is no more than that."""
        return length if self.right_to is None else min(length, self.end)


def list_claims(report: Report) -> Iterator[Claim]:
    """All hypotheses of a report."""
    placed = [(f"records[{number}]", record) for number, record in enumerate(report.records)]
    placed += [(f"worst[{number}]", record) for number, record in enumerate(report.worst)]
    for place, record in placed:
        fails, word = record.fail is not None, record.counterexample
        right_to = report.horizon if record.fail is None else record.fail - 1
        yield Claim(place, record.hypothesis, record.r, right_to, fails, word, record.r_terms)
    for number, proof in enumerate(report.proofs):
        yield Claim(f"proofs[{number}]", proof.hypothesis, proof.r, None, proof=proof.invariant)
    if report.upper_end is not None:
        r, length, net = report.upper_end
        yield Claim("bracket", net, r, length)
