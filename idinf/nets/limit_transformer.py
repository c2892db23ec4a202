"""Limit Transformers: dense values with periodic positions and local φ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from idinf.errors import HypothesisFormatError
from idinf.nets.dense import DenseTransformer, Head, Matrix, Vector


def find_least_period(rows: Sequence[object]) -> int:
    """The least number of rows that, repeated, are all of them.

    >>> find_least_period("abab"), find_least_period("aba")
    (2, 3)
    """
    size = len(rows)
    return next(d for d in range(1, size + 1) if size % d == 0 and rows[d:] == rows[: size - d])


@dataclass(frozen=True, slots=True, repr=False)
class LimitTransformer(DenseTransformer):
    """A Limit Transformer with its acceptance rule, or its way to name next symbols; every number is exact.

    Of ``positions`` row i mod Δ is p_i, from 0 at SOS, and Δ is the least period; one zero row is NoPE.
    Implements Definition 2 of [HYB25], restricted to the Periodic and Local functions p and φ that the
    inference procedure searches.
    """

    FORMAT = "limit-transformer/1"

    @property
    def period(self) -> int:
        """The least period Δ of the positional encoding; 1 if it is constant."""
        return len(self.positions)

    @property
    def reach(self) -> int:
        """The largest distance at which some φ is not 0; 0 without φ."""
        return max(
            (len(head.phi) - 1 for layer in self.layers for head in layer.heads if head.phi), default=0
        )

    def position_rows(self, length: int, offset: int) -> Matrix:
        """The rows p_{i+o}, periodic; see `DenseTransformer`."""
        return tuple(self.positions[(i + offset) % self.period] for i in range(length))

    def positional_logits(self, head: Head) -> Vector:
        """φ of the head."""
        return head.phi

    def _check_positions(self) -> None:
        least = find_least_period(self.positions)
        if least < self.period:
            raise HypothesisFormatError(
                f"positions has {self.period} rows that repeat after {least}; "
                f"expected the least period; keep the first {least}"
            )
