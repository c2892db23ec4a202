"""Exact normal forms of units: equal forms are proved equal on all words, of any length.

In one class g of the last position (token σ, values of the lower units) a unit compares a linear form of
the counts with a constant: Σ_τ (v_τ + y_g) c_τ + Σ_u v_u c_u + (v_$ + y_g) > 0, because n + 1 = 1 + Σ c_τ.
Dividing by the greatest common divisor of the coefficients and rounding the constant changes no answer;
a form that is constant on all admissible counts is replaced by that constant.
"""

from __future__ import annotations

import numpy as np

from idinf.search.reachability import ScaledUnits
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.units import Units

__all__ = ["exact_numbers", "normal_forms"]


def normal_forms(units: ScaledUnits, tokens: int) -> IntArray:
    """Normal form of every unit.

    Parameters
    ----------
    units : ScaledUnits
        N units over ``tokens`` tokens ($ first) and m lower units.
    tokens : int
        |Σ| + 1.

    Returns
    -------
    (N, K) ndarray of int64
        Units with equal rows agree on every word. Units with different rows may still agree.

    Examples
    --------
    >>> def unit(values, own, bias):
    ...     return ScaledUnits(np.array([values]), np.array([own]), np.array([bias]))
    >>> a = normal_forms(unit([0, 1, -1], [0, 0, 0], 0), 3)      # #0 - #1 > 0
    >>> b = normal_forms(unit([1, 3, -1], [0, 0, 0], -1), 3)     # the same, shifted by one and doubled
    >>> bool((a == b).all())
    True
    """
    lower = units.values.shape[1] - tokens
    patterns = (np.arange(2**lower)[:, None] >> np.arange(lower)) & 1
    columns = []
    for pattern in patterns:
        seen = units.own[:, tokens:] @ pattern
        fixed = units.values[:, tokens:] @ pattern
        start = units.values[:, 0] + fixed + units.own[:, 0] + seen + units.bias
        columns.append((start > 0).astype(np.int64)[:, None])
        for token in range(1, tokens):
            y = units.own[:, token] + seen + units.bias
            coefficients = np.concatenate(
                [units.values[:, 1:tokens] + y[:, None], units.values[:, tokens:]], axis=1
            )
            constant = units.values[:, 0] + y
            least = coefficients[:, token - 1] + fixed  # the form at the smallest admissible counts
            columns.append(_half_space(coefficients, constant, least))
    return np.concatenate(columns, axis=1)


def exact_numbers(units: Units, tokens: int) -> IntArray:
    """Number the units so that equal numbers are proved to agree on every word, (N,)."""
    return group_rows(normal_forms(ScaledUnits.of(units), tokens))[1]


def _half_space(coefficients: IntArray, constant: IntArray, least: IntArray) -> IntArray:
    """Normal form of ⟨coefficients, c⟩ + constant > 0 as (coefficients, bound): ⟨coefficients, c⟩ ≥ bound."""
    divisor = np.gcd.reduce(coefficients, axis=1)
    divisor = np.where(divisor == 0, 1, divisor)
    reduced = coefficients // divisor[:, None]
    bound = (-constant) // divisor + 1
    least = least // divisor
    always = (reduced >= 0).all(axis=1) & (least >= bound)
    never = (reduced <= 0).all(axis=1) & (least < bound)
    reduced[always | never] = 0
    bound = np.where(always, 0, np.where(never, 1, bound))
    return np.concatenate([reduced, bound[:, None]], axis=1)
