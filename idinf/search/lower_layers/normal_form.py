"""Exact normal forms of units: equal forms are proved equal functions of (N, prefix), for any length.

A class g of the last position (token, residue, values of the lower units) turns a unit into
Σ_h ⟨v_h, Σ_j α_h(i,j) features_j⟩ + y_g > 0 with a number y_g.

*One uniform head, or several.* With the counts c of symbols and lower units this is
Σ_σ (v_σ + y_g) c_σ + Σ_u v_u c_u + (v_$ + y_g) > 0, because n + 1 = 1 + Σ c_σ; the count of a residue is
(n + a constant)/Δ in each class. Dividing by the greatest common divisor of the coefficients and rounding
the constant changes no answer; a form that is constant on all admissible counts is replaced by that constant.

*Any other attention.* Σ_j α_ij = 1, so v_h + c on every token is c more in y, and residues likewise. At $
there is one key, and a class where every average leaves the same sign is replaced by that sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from idinf.nets.attention import AttentionPattern
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.structures import FeatureSpace
from idinf.space.units import Units

MOST_UNITS = 12  #: lower units up to which all their values are listed
MOST_CELLS = 1 << 20  #: numbers of one array, classes of a last position × units × features


def normal_forms(units: Units, heads: Sequence[AttentionPattern], tokens: int, period: int) -> IntArray:
    """Normal form of each of the N units of a layer, (N, K).

    They read |Σ| + 1 tokens ($ first), Δ residues if Δ > 1, and lower units. Units with equal rows agree on
    every word; units with different rows may still agree. Over more than `MOST_UNITS` lower units the
    parameters themselves are the row.

    >>> def unit(values, own, bias):
    ...     return Units(0, np.array([values]), np.array([[1]]), np.array([own]), np.array([bias]))
    >>> more_zeros = unit([0, 1, -1], [0, 0, 0], 0)     # #0 - #1 > 0
    >>> shifted = unit([1, 3, -1], [0, 0, 0], -1)       # the same, doubled and one more on every token
    >>> for head in (AttentionPattern(), AttentionPattern(phi=(0, 1))):
    ...     one, other = (normal_forms(units, [head], 3, 1) for units in (more_zeros, shifted))
    ...     print(bool((one == other).all()))
    True
    True
    """
    scale = 2**units.precision
    own, bias = scale * units.own, scale * units.bias
    space = FeatureSpace(tokens - 1, period, 0)
    space = replace(space, units=own.shape[1] - space.size)
    if space.units > MOST_UNITS:
        return np.concatenate([units.values, own, bias[:, None]], axis=1)
    by_head = units.values.reshape(units.channels.shape)
    values: dict[AttentionPattern, IntArray] = {}
    for h, pattern in enumerate(heads):  # equal patterns attend alike, so their values add up
        values[pattern] = values.get(pattern, np.zeros_like(own)) + by_head[:, h]
    if all(pattern.uniform for pattern in values):
        return _uniform_forms(space, next(iter(values.values()), np.zeros_like(own)), own, bias)
    return _attention_forms(space, list(values.values()), own, bias)


def exact_numbers(units: Units, heads: Sequence[AttentionPattern], tokens: int, period: int) -> IntArray:
    """Number the units so that equal numbers are proved to agree on every word, (N,)."""
    return group_rows(normal_forms(units, heads, tokens, period))[1]


def _classes(space: FeatureSpace, number: int) -> Iterator[tuple[int, int, IntArray]]:
    """Token, residue and 0/1 features, (C, F), of all classes of a last position; $ stands at residue 0.

    As many at a time as fit beside ``number`` units.
    """
    outputs, most = space.unit_outputs(), max(1, MOST_CELLS // max(1, number * space.size))
    for start in range(0, len(outputs), most):
        for token in range(space.tokens):
            for residue in range(space.period if token else 1):
                yield token, residue, space.rows(token, residue, outputs[start : start + most])


def _uniform_forms(space: FeatureSpace, values: IntArray, own: IntArray, bias: IntArray) -> IntArray:
    """One uniform head: half spaces of the counts, times Δ."""
    tokens, period = space.tokens, space.period
    by_residue = values[:, tokens : space.first_unit]
    columns = []
    rest = period * values[:, space.first_unit :]
    for token, residue, rows in _classes(space, len(own)):
        y = rows @ own.T + bias  # (C, N), over the features
        if not token:
            columns.append((rows @ values.T + y > 0).astype(np.int64).T)
            continue
        # Positions 0..n hold the residue r (n + late_r) / Δ times, where n ≡ residue.
        r = np.arange(by_residue.shape[1])
        late = period - r - (residue - r) % period
        each = period * (values[:, 1:tokens] + y[:, :, None]) + by_residue.sum(axis=1)[:, None]  # (C, N, |Σ|)
        coefficients = np.concatenate([each, np.broadcast_to(rest, (len(rows), *rest.shape))], axis=2)
        constant = period * (values[:, 0] + y) + by_residue @ late
        fixed = rows[:, space.first_unit :] @ rest.T
        least = coefficients[:, :, token - 1] + fixed  # the form at the smallest admissible counts
        width = coefficients.shape[2]
        forms = _half_space(coefficients.reshape(-1, width), constant.reshape(-1), least.reshape(-1))
        forms = forms.reshape(len(rows), len(own), width + 1)
        columns.append(np.moveaxis(forms, 0, 1).reshape(len(own), len(rows) * (width + 1)))
    return np.concatenate(columns, axis=1)


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


def _attention_forms(space: FeatureSpace, values: list[IntArray], own: IntArray, bias: IntArray) -> IntArray:
    """Any attention: the values modulo constants, and for each class y, or the sign where it is decided.

    Columns: the values of each pattern; then for each class a verdict (1 always, −1 never, 0 open) and y.
    """
    tokens, first_unit = space.tokens, space.first_unit
    shift = np.zeros_like(bias)
    lows, highs, shifted = np.zeros_like(bias), np.zeros_like(bias), []
    for each in values:
        moved = each.copy()
        for part in (slice(0, tokens), slice(tokens, first_unit)):
            if part.stop > part.start:
                shift = shift + moved[:, part.start]
                moved[:, part] -= moved[:, [part.start]]
                lows = lows + moved[:, part].min(axis=1)
                highs = highs + moved[:, part].max(axis=1)
        lows = lows + np.minimum(moved[:, first_unit:], 0).sum(axis=1)
        highs = highs + np.maximum(moved[:, first_unit:], 0).sum(axis=1)
        shifted.append(moved)
    verdicts, offsets = [], []
    for token, _, rows in _classes(space, len(own)):
        y = (rows @ own.T + bias + shift).T  # (N, C), over the features
        read = sum(((rows @ moved.T).T for moved in shifted), np.zeros_like(y))
        # At $ the only key is $ itself; elsewhere an average lies between the extremes of the values.
        low, high = (read, read) if not token else (lows[:, None], highs[:, None])
        verdict = np.where(low + y > 0, 1, np.where(high + y <= 0, -1, 0))
        verdicts.append(verdict)
        offsets.append(np.where(verdict == 0, y, 0))
    verdict, offset = np.concatenate(verdicts, axis=1), np.concatenate(offsets, axis=1)
    joint = np.concatenate([*shifted, offset], axis=1)
    joint[(verdict != 0).all(axis=1)] = 0
    divisor = np.gcd.reduce(joint, axis=1)
    return np.concatenate([joint // np.where(divisor == 0, 1, divisor)[:, None], verdict], axis=1)
