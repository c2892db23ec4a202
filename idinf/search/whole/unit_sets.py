"""Token sets of nets with one unit whose norms are all 1/4: everything with a unit up to R = 6.25.

p = 2, one layer, one head of rank one, and U, E, x, y, A, B of norm 1 in units of 1/4, so signed
coordinates; with A = 0 the same holds of b (`idinf.search.whole.floors`). The signs of U and x can be taken
into the others, so U is the first coordinate and so is B up to its sign β, as ⟨U, B⟩ ≠ 0 or the unit has no
effect. With s = ⟨U, E⟩, α = ⟨A, E⟩, r = ⟨U, x⟩, ρ = ⟨A, x⟩ and m = ⟨y, E⟩ a position of N tokens with M =
Σ_j m(x_j) has

    16 · U Y = s + r M / 4N,    16 · (A Y + b) = α + ρ M / 4N + 16b,    U y = U Y + β ψ(A Y + b) / 16,

with 16b = 4 for the unit that has A = 0 and b = 1/4. For the Heaviside function ψ is 0 or 1, for ReLU it is
A Y + b where that is positive. Three questions decide the sign: *low*, U Y > 0; *gate*, A Y + b > 0;
*high*, what U y is behind an open gate, > 0. For β > 0 high follows from low behind an open gate, and the
answer is low or (gate and high); for β < 0 low follows from high there, and it is low and (high or not
gate).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np

from idinf.nets.dense import Activation
from idinf.search.whole.floors import least_of_units
from idinf.search.whole.token_sets import AnswerRule, Integers, TokenSet, Unit

#: The precision of the cheapest nets with a unit.
PRECISION = 2

#: Coordinates that are told apart: that of U, one of A, and one of y alone.
WIDTH = 3


@cache
def list_unit_sets() -> tuple[TokenSet, ...]:
    """Token sets of all nets with an effective unit and R = 6.25, and of none with less.

    >>> {found.r for found in list_unit_sets()}, len(list_unit_sets())
    ({6.25}, 76)
    """
    found: dict[tuple[AnswerRule, frozenset[tuple[int, ...]]], TokenSet] = {}
    for made in _made():
        found.setdefault((made.joined, made.pairs), made)
    return tuple(found.values())


def _made() -> Iterator[TokenSet]:
    axes: list[Integers] = [tuple(int(k == axis) for k in range(WIDTH)) for axis in range(WIDTH)]
    zero = (0,) * WIDTH
    signed = [tuple(sign * entry for entry in axis) for axis in axes for sign in (1, -1)]
    rows: list[tuple[Integers, int]] = [(axes[0], 0), (signed[1], 0), (axes[1], 0), (zero, 1)]
    for (a, bias), x, y, activation, beta in itertools.product(rows, axes[:2], signed, Activation, (1, -1)):
        r, rho = x[0], _dot(a, x)
        if not r and not rho:  # then nothing depends on another token
            continue
        b = tuple(beta * entry for entry in axes[0])
        yield _of_unit((zero, *signed), x, y, Unit(a, bias, b, activation), r, rho)


def _of_unit(
    vectors: tuple[Integers, ...], x: Integers, y: Integers, unit: Unit, r: int, rho: int
) -> TokenSet:
    s = np.array([E[0] for E in vectors])
    alpha = np.array([_dot(unit.a, E) for E in vectors]) + 4 * unit.bias
    m = np.array([_dot(y, E) for E in vectors])
    beta = unit.b[0]
    low, gate = (4 * s, r * m), (4 * alpha, rho * m)
    if unit.activation is Activation.HEAVISIDE:
        high = 4 * (s + beta), r * m
    else:
        high = 16 * low[0] + beta * gate[0], 16 * low[1] + beta * gate[1]
    own, sums = (np.stack(parts, axis=1).astype(np.int64) for parts in zip(low, gate, high, strict=True))
    joined = AnswerRule.OR if beta > 0 else AnswerRule.AND
    U = tuple(int(k == 0) for k in range(WIDTH))
    cost = least_of_units(PRECISION)
    return TokenSet(PRECISION, cost, own, sums, joined, vectors, U, x, y, unit)


def _dot(one: Integers, other: Integers) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))
