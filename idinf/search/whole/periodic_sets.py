"""Token sets of Limit Transformers with positions of a period: they need no head to tell positions apart.

Without a head a net reads the token and the residue i mod Δ of its last position, and Δ ≥ 2 costs Δ: R = 1
+ p + Δ + ‖U‖ + max ‖E‖ + max ‖p_i‖ and what a unit costs. With a head R is at least 7.5
(`idinf.search.whole.floors`). With integers s = ⟨U, E⟩ and q = ⟨U, p_i⟩ in units of 4^-p it accepts iff s +
q > 0.

*Residues alone*, E = 0: every set of residues has U = 1 and entries 0 and 1, R = 2 + Δ + 1 for p = 0: 5 and
6 for Δ = 2, 3.

*Token and residue*, Δ = 2: the residues at which a token is accepted grow with s, so they are none, one and
the same for all tokens, or both. All of these have q = 1 and 0 and s = −1, 0, 1, at R = 5.5 for p = 1.
Nothing else has less, and larger norms give nothing new. Δ = 3 costs 6.5.

*With a unit*, Δ = 2, p = 2 and all five norms 1/4: R = 6.25, and 6.5 for p = 1. A bias alone moves s, so A
≠ 0 and b = 0. Beside U one more coordinate that A reads is enough.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np

from idinf.nets.dense import Activation
from idinf.search.whole.token_sets import AnswerRule, Integers, TokenSet, Unit


@cache
def list_periodic_sets() -> tuple[TokenSet, ...]:
    """All of them, by R.

    >>> sorted({(found.r, len(found.positions)) for found in list_periodic_sets()})
    [(5.0, 2), (5.5, 2), (6.0, 3), (6.25, 2)]
    """
    found: dict[tuple[object, ...], TokenSet] = {}
    for made in (*_of_residues(), *_of_tokens(), *_of_units()):
        key = made.joined, made.pairs, made.by_residue.tobytes(), made.by_residue.shape
        found.setdefault(key, made)
    return tuple(found.values())


def _of_residues() -> Iterator[TokenSet]:
    for period in (2, 3):
        for q in itertools.product((0, 1), repeat=period):
            if len(set(q)) > 1:
                yield _alone(0, 3.0 + period, ((0,),), tuple((entry,) for entry in q))


def _of_tokens() -> Iterator[TokenSet]:
    for q in ((1, 0), (0, 1)):
        yield _alone(1, 5.5, ((0,), (1,), (-1,)), tuple((entry,) for entry in q))


def _alone(p: int, r: float, vectors: tuple[Integers, ...], positions: tuple[Integers, ...]) -> TokenSet:
    own, by_residue = np.array(vectors, dtype=np.int64), np.array(positions, dtype=np.int64)
    none = np.zeros_like(own)
    return TokenSet(p, r, own, none, AnswerRule.ALONE, vectors, (1,), None, (), None, positions, by_residue)


def _of_units() -> Iterator[TokenSet]:
    zero: Integers = (0, 0)
    units: tuple[Integers, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1))
    vectors = (zero, *units)
    for a, beta, kind in itertools.product(((1, 0), (-1, 0), (0, 1)), (1, -1), Activation):
        unit = Unit(a, 0, (beta, 0), kind)
        for positions in itertools.permutations(vectors, 2):
            own = np.array([_questions(unit, E) for E in vectors], dtype=np.int64)
            by_residue = np.array([_questions(unit, p) for p in positions], dtype=np.int64)
            if kind is Activation.HEAVISIDE:
                own[:, 2] += beta  # what an open gate adds, once
            joined, none = AnswerRule.OR if beta > 0 else AnswerRule.AND, np.zeros_like(own)
            yield TokenSet(2, 6.25, own, none, joined, vectors, (1, 0), None, (), unit, positions, by_residue)


def _questions(unit: Unit, vector: Integers) -> tuple[int, int, int]:
    """The terms of a vector in low, gate and high, in units of 1/16 and, for high with ReLU, of 1/256."""
    low, gate = vector[0], unit.a[0] * vector[0] + unit.a[1] * vector[1]
    return low, gate, low if unit.activation is Activation.HEAVISIDE else 16 * low + unit.b[0] * gate
