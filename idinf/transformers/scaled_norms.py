"""Terms of R of one matrix for some exponents of two, and what they are at least where not all are chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from idinf.transformers.dense import Matrix
from idinf.transformers.regularizer import FloatArray, compute_spectral_norm
from idinf.transformers.scaling import Part, count_halvings

#: The exponents of all groups; None where nothing has been chosen.
Exponents = tuple[int | None, ...]

#: Terms that are norms of the longest column, and spectral norms; the others are Frobenius norms.
_OF_COLUMNS, _SPECTRAL = ("norm_E", "norm_p"), ("norm_KQ", "norm_V", "norm_U")


class ScaledNorms:
    """The terms of R that one part makes, each computed once.

    ``at_least`` is a bound on its own exponent beside the grid.

    Examples
    --------
    A row with entries 1 and 4, read by groups 1 and 2 and multiplied by 2^x of group 3:

    >>> from fractions import Fraction
    >>> row = ((Fraction(1), Fraction(4)),)
    >>> norms = ScaledNorms(Part(("norm_U",), (row,), ((1, 2),), 3))
    >>> norms.find_least((0, 0, 2, None), p=1), norms.find((0, 0, 2, -1), p=1)
    (-1, (0.7071067811865476,))
    >>> norms.find((0, 0, None, None), p=1), norms.find((0, 0, 2, -2), p=1)
    ((0.7071067811865476,), (inf,))
    """

    def __init__(self, part: Part, at_least: int | None = None) -> None:
        self.part, self.at_least = part, at_least
        self.is_logits = part.terms == ("norm_KQ",)
        self.read = sorted({group for columns in part.columns for group in columns})
        pairs = zip(part.matrices, part.columns, strict=True)
        self._halvings = [_least_halvings(rows, columns) for rows, columns in pairs]
        self._arrays = [np.array(rows, dtype=np.float64) for rows in part.matrices]
        if self.is_logits:
            self._arrays = [self._arrays[0].T @ self._arrays[1]]
        pairs_of_terms = zip(part.terms, self._arrays, strict=True)
        self._of_support = [_norm_of_support(term, array) for term, array in pairs_of_terms]
        self._found: dict[tuple[int | None, ...], float] = {}

    def find_least(self, exponents: Exponents, p: int) -> int | None:
        """The least exponent with which known columns are on the grid, of K and Q that of K; None: any."""
        bounds = self._bounds(exponents, p)
        if self.is_logits:
            of_K, of_Q = bounds
            return of_K if of_K is not None or of_Q is None else -of_Q
        return max((bound for bound in (*bounds, self.at_least) if bound is not None), default=None)

    def find(self, exponents: Exponents, p: int) -> tuple[float, ...]:
        """The terms, or what they are at least where exponents are not known; infinite off the grid."""
        if self.is_logits:
            return (self._find_logits(exponents, p),)
        least, x = self.find_least(exponents, p), exponents[self.part.group]
        if x is not None and least is not None and x < least:
            return (math.inf,) * len(self.part.terms)
        x = least if x is None else x
        return tuple(
            max(math.ldexp(support, -p), 0.0 if x is None else self._norm(place, exponents, x))
            for place, support in enumerate(self._of_support)
        )

    def _find_logits(self, exponents: Exponents, p: int) -> float:
        """K has 2^κ and Q has 2^-κ, and both are on the grid of 2^-p; so K^T Q is on that of 4^-p."""
        if any(exponents[group] is None for group in self.read):
            return math.ldexp(float(self._of_support[0] > 0), -2 * p)
        of_K, of_Q = self._bounds(exponents, p)
        fits = of_K is None or of_Q is None or of_K + of_Q <= 0
        return self._norm(0, exponents, 0) if fits else math.inf

    def _norm(self, place: int, exponents: Exponents, x: int) -> float:
        """The norm of the known columns; it is computed once for all exponents with the same differences."""
        known = [exponents[group] for group in self.read]
        first = min((c for c in known if c is not None), default=0)
        key = (place, *(None if c is None else c - first for c in known))
        if key not in self._found:
            columns = [exponents[group] for group in self.part.columns[place]]
            factors = np.array([0.0 if c is None else math.ldexp(1.0, first - c) for c in columns])
            array = self._arrays[place] * factors
            self._found[key] = _norm(
                self.part.terms[place], factors[:, None] * array if self.is_logits else array
            )
        return math.ldexp(self._found[key], x - (2 * first if self.is_logits else first))

    def _bounds(self, exponents: Exponents, p: int) -> list[int | None]:
        """By matrix the least exponent with which its known columns are on the grid."""
        return [
            max(
                (c - halvings - p for group, halvings in of.items() if (c := exponents[group]) is not None),
                default=None,
            )
            for of in self._halvings
        ]


def _least_halvings(rows: Matrix, columns: Sequence[int]) -> dict[int, int]:
    """By the group of columns the least power of two among their entries."""
    found: dict[int, int] = {}
    for row in rows:
        for entry, group in zip(row, columns, strict=True):
            if entry:
                found[group] = min(count_halvings(entry), found.get(group, count_halvings(entry)))
    return found


def _norm(term: str, array: FloatArray) -> float:
    if term in _OF_COLUMNS:
        return float(np.sqrt(np.square(array).sum(axis=0).max()))
    if term in _SPECTRAL:
        return compute_spectral_norm(array)
    return float(np.sqrt(np.square(array).sum()))


def _norm_of_support(term: str, array: FloatArray) -> float:
    """What a norm is at least if every entry that is not 0 is at least 1."""
    of_rows, of_columns = ((array != 0).sum(axis=axis).max(initial=0) for axis in (1, 0))
    if term in _OF_COLUMNS:
        return math.sqrt(of_columns)
    return math.sqrt(max(of_rows, of_columns) if term in _SPECTRAL else np.count_nonzero(array))
