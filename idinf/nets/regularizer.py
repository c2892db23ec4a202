"""The regularizer R of a transformer, Limit or ordinary, term by term, read off its matrices."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from idinf.base.linear_algebra import find_pivot_columns
from idinf.errors import PrecisionError
from idinf.nets.dense import DenseTransformer, Head, Matrix, Vector
from idinf.nets.limit_transformer import LimitTransformer

FloatArray = NDArray[np.float64]

#: Two values of R closer than this are equal. Norms are float64 sums of few square roots of small
#: numbers, good to about 1e-14, and reports print 9 decimals. This is a convention and no theorem: with p = 3
#: there are the sums (√1 + √40 + √60)/8 and (√12 + √17 + √56)/8, which differ by 1.9e-10. It decides ties and
#: ends of windows that are closer, and need not be transitive.
EPSILON = 1e-9

_OF_DEFINITION_50 = ("layers_plus_heads", "precision", "largest_norm", "phi", "period")

#: Largest number that is turned into a float: the entries of a product K^T Q of such numbers, and its
#: norm, stay inside float64, so nothing overflows.
MAX_VALUE = 1 << 256


class Aggregate(enum.StrEnum):
    """Rule by which the rows of R about one layer or head become one number."""

    MAX = "max"
    SUM = "sum"

    def combine(self, values: Iterable[float]) -> float:
        """Combine the values of all layers or heads; without any it is 0."""
        return max(values, default=0.0) if self is Aggregate.MAX else math.fsum(values)


@dataclass(frozen=True, slots=True)
class RTerms:
    """The terms of R by name.

    All are float64. Counts, ranks and the sums of squares under each root are computed exactly and then
    converted; spectral norms come from a float64 singular value decomposition.
    """

    layers_plus_heads: float
    precision: float
    rank_V: float
    norm_KQ: float
    norm_V: float
    norm_A: float
    norm_B: float
    norm_U: float
    norm_p: float
    norm_E: float
    norm_b: float
    phi: float
    period: float

    @property
    def total(self) -> float:
        """R, the sum of all terms (float)."""
        return math.fsum(self.as_dict().values())

    @property
    def largest_norm(self) -> float:
        """The largest of the norms (float)."""
        return max(value for name, value in self.as_dict().items() if name.startswith("norm_"))

    def by_definition_50(self) -> dict[str, float]:
        """Give the terms of R in Definition 50 of [HYB25]_: one largest norm, and no rank.

        They add up to that R, if these terms are aggregated by their maximum.
        """
        terms = {**self.as_dict(), "largest_norm": self.largest_norm}
        return {name: terms[name] for name in _OF_DEFINITION_50}

    def rounded(self) -> RTerms:
        """Every term with 9 decimals, as reports write them."""
        return RTerms(**{name: round(value, 9) for name, value in self.as_dict().items()})

    def as_dict(self) -> dict[str, float]:
        """The terms by name, in their fixed order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def compute_r_terms(transformer: DenseTransformer, aggregate: Aggregate = Aggregate.MAX) -> RTerms:
    """The terms of R, from the matrices alone.

    The rank and the norms of V, K^T Q, A, B and b are aggregated over layers and heads by their maximum or
    their sum; the other terms do not depend on it. Without heads rank_V = norm_V = norm_KQ = 0. A Limit
    Transformer with Δ = 1, so without positions, pays nothing for that.

    Raises `PrecisionError` if an entry, or the sum of squares under a root, is larger than `MAX_VALUE`.

    Implements Definition 5 of [HYB25], of Limit Transformers with the last two rows as in Definition 50; of
    ordinary ones ``phi`` is the sum over j of (p_1^T K^T Q p_j)², equation (8), and ``period`` is 0. Width
    does not enter. One unit without heads, firing on ``a``: L + H = 1, ‖A‖ = ‖B‖ = ‖U‖ = max ‖E‖ = 1.

    >>> from idinf.base.words import Alphabet
    >>> from idinf.nets.one_hot import OneHotLayer, OneHotTransformer, OneHotUnit
    >>> layer = OneHotLayer((), (OneHotUnit((), s=(0, 1), b=0),))
    >>> compute_r_terms(OneHotTransformer(Alphabet(("a",)), 0, (layer,), (1,), 0).to_dense()).total
    5.0
    """
    combine, largest = aggregate.combine, Aggregate.MAX.combine
    heads = [head for layer in transformer.layers for head in layer.heads]
    mlps = [layer.mlp for layer in transformer.layers]
    period = transformer.period if isinstance(transformer, LimitTransformer) else 1
    return RTerms(
        layers_plus_heads=float(transformer.depth + transformer.num_heads),
        precision=_to_float(Fraction(transformer.precision)),
        rank_V=combine([float(len(find_pivot_columns(head.V))) for head in heads]),
        norm_KQ=combine([compute_logit_norm(head) for head in heads]),
        norm_V=combine([compute_spectral_norm(_to_array(head.V)) for head in heads]),
        norm_A=combine([_norm(mlp.A) for mlp in mlps]),
        norm_B=combine([_norm(mlp.B) for mlp in mlps]),
        norm_U=compute_spectral_norm(_to_array(transformer.unembedding)),
        norm_p=largest([_norm((row,)) for row in transformer.positions]),
        norm_E=largest([_norm((row,)) for row in transformer.embedding]),
        norm_b=combine([_norm((mlp.b,)) for mlp in mlps]),
        phi=_to_float(_sum_of_squares(map(transformer.positional_logits, heads))),
        period=0.0 if period == 1 else float(period),
    )


def compute_logit_norm(head: Head) -> float:
    """‖K^T Q‖ of a head, the spectral norm."""
    return compute_spectral_norm(_to_array(head.K).T @ _to_array(head.Q))


def _sum_of_squares(rows: Iterable[Vector]) -> Fraction:
    return sum((entry * entry for row in rows for entry in row if entry), Fraction(0))


def _norm(rows: Matrix) -> float:
    """The Frobenius norm, for one row the Euclidean norm; the sum of squares is exact."""
    return math.sqrt(_to_float(_sum_of_squares(rows)))


def compute_spectral_norm(array: FloatArray) -> float:
    """The spectral norm, from a float64 singular value decomposition."""
    # Zero rows and columns carry no singular value: dropping them keeps the decomposition tiny.
    core = array[array.any(axis=1)][:, array.any(axis=0)]
    return float(np.linalg.norm(core, 2)) if core.size else 0.0


def _to_array(rows: Matrix) -> FloatArray:
    return np.array([[_to_float(entry) if entry else 0.0 for entry in row] for row in rows], dtype=np.float64)


def _to_float(value: Fraction) -> float:
    if abs(value) > MAX_VALUE:
        raise PrecisionError(
            f"R has a term from a number of {int(abs(value)).bit_length()} bits; "
            f"expected at most {MAX_VALUE.bit_length() - 1}, where floats are safe; use smaller entries"
        )
    return float(value)


@dataclass(frozen=True, slots=True)
class Cut:
    """A hypothesis with φ = 0 beyond a distance τ.

    Its answers are those of the whole one on all words up to length τ, where no two positions, SOS counted,
    are further apart.
    """

    reach: int
    penalty: Fraction  #: D(τ), the cost of its φ
    saved: Fraction  #: by how much its R is less
    transformer: LimitTransformer

    def __repr__(self) -> str:
        return f"<Cut at {self.reach}: D = {self.penalty}, saves {self.saved}>"


def list_cuts(transformer: LimitTransformer) -> tuple[Cut, ...]:
    """Cut a hypothesis off at every distance up to its own reach, which leaves it whole.

    Implements D_n(τ) of Lemma 17 of [HYB25]_, which adds up φ(k)² over all heads and distances k ≤ τ of the
    n-th hypothesis that is selected. As φ is on a grid of 2^-p, it grows in steps of at least 4^-p, so as
    long as R is bounded it can grow at finitely many τ. Beyond them a cheaper hypothesis does without the
    attention: with φ(k) ≠ 0 for some k > τ it saves at least 4^-p. So a hypothesis that is selected at n from
    a space that holds its cut at τ = n has φ(k) = 0 for all k > n, as soon as the tolerance 1/(2n) is below
    4^-p.
    """
    heads = [head for layer in transformer.layers for head in layer.heads]
    distances = range(max(1, *(len(head.phi) for head in heads)) if heads else 1)
    squares = [sum((head.phi[k] ** 2 for head in heads if head.phi[k:]), Fraction(0)) for k in distances]
    total = sum(squares, Fraction(0))
    return tuple(
        Cut(reach, penalty, total - penalty, cut_off(transformer, reach))
        for reach, penalty in enumerate(accumulate(squares))
    )


def cut_off(transformer: LimitTransformer, reach: int) -> LimitTransformer:
    """The same hypothesis with φ = 0 beyond a distance."""
    layers = tuple(
        replace(layer, heads=tuple(replace(head, phi=head.phi[: reach + 1]) for head in layer.heads))
        for layer in transformer.layers
    )
    return replace(transformer, layers=layers)
