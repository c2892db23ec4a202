"""Ordinary transformers: dense values with a context and one position vector for each place in it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from idinf.base.linear_algebra import dot, multiply
from idinf.errors import HypothesisFormatError
from idinf.nets.dense import DenseTransformer, Head, Matrix, Vector, refuse


@dataclass(frozen=True, slots=True, repr=False)
class CausalTransformer(DenseTransformer):
    """An ordinary transformer of context N; every number is exact.

    Of ``positions`` row i − 1 is p_i, i from 1 to N. An input of |x| symbols, SOS first, may stand at any
    offset o with o + |x| <= N and then meets p_{1+o}, …, p_{|x|+o}. No head has a φ.

    Raises
    ------
    HypothesisFormatError, PrecisionError
        As of `DenseTransformer`; also if a head has a φ.

    Notes
    -----
    Implements Section 2 of [HYB25], equations (1) to (4); `ordinary.membership` says whether
    it is a member of Θ_N, Definition 4 of [HYB25].

    Examples
    --------
    One unit without heads that fires on ``a``, in a context of 3: words up to length 2 fit.

    >>> from idinf.nets.dense import Activation, Layer, Mlp, matrix, vector
    >>> from idinf.base.words import Alphabet
    >>> mlp = Mlp(matrix([[0, 1, 0]]), vector([0]), matrix([[0], [0], [1]]), (Activation.HEAVISIDE,))
    >>> last_is_a = CausalTransformer(
    ...     Alphabet(("a",)), 0, matrix([[1, 0, 0], [0, 1, 0]]), matrix([[0] * 3] * 3), (Layer((), mlp),),
    ...     matrix([[0, 0, 1]])
    ... )
    >>> last_is_a.context, len(last_is_a.position_rows(2, 1))
    (3, 2)
    """

    FORMAT = "causal-transformer/1"

    @property
    def context(self) -> int:
        """N, the length of the longest input, SOS counted."""
        return len(self.positions)

    def position_rows(self, length: int, offset: int) -> Matrix:
        """The rows p_{1+o}, …, p_{|x|+o}.

        Raises
        ------
        HypothesisFormatError
            If the context ends before them.
        """
        if not 0 <= offset <= self.context - length:
            at = f" at offset {offset}" if offset else ""
            raise HypothesisFormatError(
                f"a word of length {length - 1}{at} needs context {length + offset}, $ counted; expected "
                f"at most {self.context}, the rows of positions; give a shorter word or translate for more"
            )
        return self.positions[offset : offset + length]

    def positional_logits(self, head: Head) -> Vector:
        """p_1^T K^T Q p_j for j = 1..N, of key p_1; exact, O(r d + N d) Fraction operations."""
        key = multiply(head.K, self.positions[0])
        asked = multiply(tuple(zip(*head.Q, strict=True)), key)
        return tuple(dot(asked, row) for row in self.positions)

    def _check_positions(self) -> None:
        for number, layer in enumerate(self.layers):
            for place, head in enumerate(layer.heads):
                if head.phi:
                    where = f"layers[{number}].heads[{place}].phi"
                    refuse(where, _shown(head.phi), "none", "only a Limit Transformer has a φ; leave it out")


def _shown(row: Vector) -> list[str]:
    return [str(Fraction(entry)) for entry in row]
