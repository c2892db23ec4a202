"""Values of tokens in a net with one head, of any width: finite sets, by the R that they cost.

One layer, one head of rank one and no unit: in units of 2^-p, U, E_x, x and y are integer vectors and V = x
y^T / 2^p. At the last position of N tokens

    8^p N U y = 2^p s(last) N + Σ_j t(x_j),    s(σ) = ⟨U, E_σ⟩,    t(σ) = ⟨U, x⟩ ⟨y, E_σ⟩,

and R = 3 + p + 2^-p (‖U‖ + ‖x‖ ‖y‖ + max ‖E_σ‖). The embeddings of different tokens share nothing but U and
y, so a net is a choice of one pair (s, t) for each token out of those that some E with ‖E‖ ≤ e gives: a
*token set*. Coordinates where U and y are both 0 only cost, and neither the order of coordinates nor their
signs matter, so the columns (U_k, y_k) are a multiset of pairs up to their sign: finitely many for every
bound on R, and with them all widths are covered.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np

from idinf.base.words import Alphabet
from idinf.nets.dense import Activation, Head, Layer, Mlp, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import EPSILON
from idinf.space.grid import IntArray
from idinf.whole.floors import least_of_units

#: An integer vector in units of 2^-p.
Integers = tuple[int, ...]


class AnswerRule(enum.Enum):
    """Rules by which the questions of a net become its answer."""

    ALONE = "alone"  #: one question, which is the answer
    OR = "or"  #: of [low, gate, high]: low, or gate and high
    AND = "and"  #: of [low, gate, high]: low, and high unless not gate


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: its rows of A and of B^T, its bias, and ψ."""

    a: Integers
    bias: int
    b: Integers
    activation: Activation


@dataclass(frozen=True, eq=False)
class TokenSet:
    """Nets that share everything but the embeddings of their tokens, each of which is one of K vectors.

    Question u is asked as own[last, u] · N + Σ_j sums[x_j, u] > 0; with a φ that weighs position j by w_j, as
    own[last, u] · W + Σ_j w_j sums[x_j, u] > 0 with W = Σ_j w_j.
    """

    precision: int
    r: float  #: of the nets in which some token has the longest vector, and of no others less
    own: IntArray  #: (K, Q)
    sums: IntArray  #: (K, Q)
    joined: AnswerRule
    vectors: tuple[Integers, ...]  #: K embeddings, (d,) each
    U: Integers
    x: Integers | None  #: None: there is no head
    y: Integers = ()
    unit: Unit | None = None
    positions: tuple[Integers, ...] = ()  #: p_0 … p_(Δ−1), (d,) each; none where they are all 0
    #: (Δ, Q): the term of i mod Δ in own at position i.
    by_residue: IntArray = field(default_factory=lambda: np.zeros((1, 1), dtype=np.int64))

    @property
    def period(self) -> int:
        """Δ."""
        return max(1, len(self.positions))

    @property
    def pairs(self) -> frozenset[tuple[int, ...]]:
        """The values of tokens, as a set."""
        return frozenset(map(tuple, np.concatenate([self.own, self.sums], axis=1).tolist()))

    def write(self, alphabet: Alphabet, choice: Sequence[int], phi: Sequence[int] = ()) -> LimitTransformer:
        """Write the net whose tokens, $ first, have the chosen vectors; φ in units of 2^-p; exact."""
        grid, zero = 1 << self.precision, (0,) * len(self.U)
        units = () if self.unit is None else (self.unit,)

        def on_grid(row: Sequence[int]) -> Vector:
            return tuple(Fraction(entry, grid) for entry in row)

        heads: tuple[Head, ...] = ()
        if self.x is not None:
            V = tuple(on_grid([x * y for y in self.y]) for x in self.x)
            heads = (Head((on_grid(zero),), (on_grid(zero),), V, on_grid(phi)),)
        mlp = Mlp(
            tuple(on_grid(unit.a) for unit in units),
            on_grid([unit.bias for unit in units]),
            tuple(on_grid([unit.b[k] for unit in units]) for k in range(len(zero))),
            tuple(unit.activation for unit in units),
        )
        embedding = tuple(on_grid(self.vectors[place]) for place in choice)
        return LimitTransformer(
            alphabet,
            self.precision,
            embedding,
            tuple(map(on_grid, self.positions)) or (on_grid(zero),),
            (Layer(heads, mlp),),
            (on_grid(self.U),),
        )


def list_token_sets(floor: float) -> tuple[TokenSet, ...]:
    """All token sets of nets without units and R below ``floor``, by R; none within a cheaper or equal one.

    The first two have no head: the constant net, which has U = 0, and nets that read their last token.

    At R = 5.5 all four norms are 1/2. Tokens read by U are read by y as well, or by the opposite, or apart.

    >>> [(found.r, len(found.vectors)) for found in list_token_sets(5.6)]
    [(1.0, 1), (3.0, 3), (5.5, 5), (5.5, 3), (5.5, 3)]
    """
    return (*_without_heads(), *_with_a_head(floor))


def _without_heads() -> Iterator[TokenSet]:
    zero, one = np.zeros((3, 1), dtype=np.int64), np.array([[0], [1], [-1]])
    yield TokenSet(0, 1.0, zero[:1], zero[:1], AnswerRule.ALONE, ((0,),), (0,), None)
    yield TokenSet(0, 3.0, one, zero, AnswerRule.ALONE, ((0,), (1,), (-1,)), (1,), None)


@cache
def _with_a_head(floor: float) -> tuple[TokenSet, ...]:
    found: list[tuple[TokenSet, frozenset[tuple[int, ...]]]] = []
    listed = [
        (made, made.pairs) for p in range(max(0, math.ceil(floor) - 3)) for made in _of_precision(p, floor)
    ]
    for made, pairs in sorted(listed, key=lambda item: (round(item[0].r, 9), -len(item[1]), len(item[0].U))):
        if not any(pairs <= others for _, others in found):
            found.append((made, pairs))
    return tuple(made for made, _ in found)


def _of_precision(p: int, floor: float) -> Iterator[TokenSet]:
    """Token sets of one p: the sum of the three norms, in units of 2^-p, is below 2^p (floor − 3 − p)."""
    most = 2**p * (floor - 3 - p) - EPSILON
    squares = range(1, max(1, int((most - 2) ** 2) + 1) if most > 2 else 1)
    for of_U in squares:
        for of_y in squares:
            if math.sqrt(of_U) + math.sqrt(of_y) + 1 >= most:
                continue
            for columns in list_columns(of_U, of_y):
                yield from _of_columns(columns, p, most)


def _of_columns(columns: tuple[tuple[int, int], ...], p: int, most: float) -> Iterator[TokenSet]:
    """Token sets of one U and y: every ⟨U, x⟩ > 0 with the shortest x, and every length of embeddings.

    ⟨U, x⟩ < 0 is the same with −x and −y.
    """
    U, y = (tuple(column[k] for column in columns) for k in range(2))
    norm_U, norm_y = math.hypot(*U), math.hypot(*y)
    shortest = list_shortest([(u,) for u in U], int(((most - 1 - norm_U) / norm_y) ** 2 + EPSILON))
    for (product,), x in shortest.items():
        left = most - norm_U - math.hypot(*x) * norm_y
        if product <= 0 or left <= 1:
            continue
        vectors = list_shortest(columns, int(left**2 + EPSILON))
        for square in sorted({_square(E) for E in vectors.values()} - {0}):
            if math.sqrt(square) >= left:
                break
            reached = {pair: E for pair, E in vectors.items() if _square(E) <= square}
            s, t = np.array([*reached], dtype=np.int64).T
            r = 3 + p + (norm_U + math.hypot(*x) * norm_y + math.sqrt(square)) / 2**p
            own, sums = (2**p * s)[:, None], (product * t)[:, None]
            yield TokenSet(p, r, own, sums, AnswerRule.ALONE, tuple(reached.values()), U, x, y)


def list_columns(of_U: int, of_y: int) -> list[tuple[tuple[int, int], ...]]:
    """All multisets of pairs (U_k, y_k) ≠ (0, 0) up to sign with given ‖U‖² and ‖y‖², each in one order.

    >>> list_columns(1, 1)
    [((1, 1),), ((1, 0), (0, 1)), ((1, -1),)]
    """
    largest = math.isqrt(of_y)
    pairs = [(u, y) for u in range(math.isqrt(of_U) + 1) for y in range(-largest, largest + 1)]
    pairs = sorted((pair for pair in pairs if pair > (0, 0)), reverse=True)

    def extended(first: int, of_U: int, of_y: int) -> Iterator[tuple[tuple[int, int], ...]]:
        if not of_U and not of_y:
            yield ()
        for place in range(first, len(pairs)):
            u, y = pairs[place]
            if u * u <= of_U and y * y <= of_y:
                for rest in extended(place, of_U - u * u, of_y - y * y):
                    yield (pairs[place], *rest)

    return [*extended(0, of_U, of_y)]


def list_shortest(rows: Sequence[Integers], square: int) -> dict[Integers, Integers]:
    """All Σ_k e_k · rows[k] with ‖e‖² ≤ ``square``, each with a shortest e; by how they are met.

    >>> list_shortest([(1, 1), (1, 0)], 1)
    {(0, 0): (0, 0), (1, 0): (0, 1), (-1, 0): (0, -1), (1, 1): (1, 0), (-1, -1): (-1, 0)}
    """
    known: dict[Integers, Integers] = {(0,) * len(rows[0]): ()}
    for row in rows:
        more: dict[Integers, Integers] = {}
        for total, e in known.items():
            most = math.isqrt(square - _square(e))
            for entry in sorted(range(-most, most + 1), key=lambda entry: (abs(entry), -entry)):
                reached = tuple(a + entry * b for a, b in zip(total, row, strict=True))
                longer = (*e, entry)
                if reached not in more or _square(longer) < _square(more[reached]):
                    more[reached] = longer
        known = more
    return known


def _square(e: Integers) -> int:
    return sum(entry * entry for entry in e)


@cache
def list_periodic_sets() -> tuple[TokenSet, ...]:
    """Token sets of Limit Transformers with positions of a period: these need no head to read residues.

    Without a head a net reads the token and the residue i mod Δ of its last position, and Δ ≥ 2 costs Δ: R =
    1 + p + Δ + ‖U‖ + max ‖E‖ + max ‖p_i‖ and the cost of a unit. With a head R is at least 7.5
    (`idinf.whole.floors`). With integers s = ⟨U, E⟩ and q = ⟨U, p_i⟩ in units of 4^-p it accepts iff
    s + q > 0.

    *Residues alone*, E = 0: every set of residues has U = 1 and entries 0 and 1, R = 2 + Δ + 1 for p = 0: 5
    and 6 for Δ = 2, 3.

    *Token and residue*, Δ = 2: the residues at which a token is accepted grow with s, so they are none, one
    and the same for all tokens, or both. All of these have q = 1 and 0 and s = −1, 0, 1, at R = 5.5 for p =
    1. Nothing else has less, and larger norms give nothing new. Δ = 3 costs 6.5.

    *With a unit*, Δ = 2, p = 2 and all five norms 1/4: R = 6.25, and 6.5 for p = 1. A bias alone moves s, so
    A ≠ 0 and b = 0. Beside U one more coordinate that A reads is enough.

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
    units: tuple[Integers, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1))
    vectors = ((0, 0), *units)
    for a, beta, kind in itertools.product(((1, 0), (-1, 0), (0, 1)), (1, -1), Activation):
        for positions in itertools.permutations(vectors, 2):
            yield _with_unit(vectors, Unit(a, 0, (beta, 0), kind), positions=positions)


#: The precision of the cheapest nets with a unit.
PRECISION = 2

#: Number of distinct coordinates: that of U, one of A, and one of y alone.
WIDTH = 3


@cache
def list_unit_sets() -> tuple[TokenSet, ...]:
    """Token sets of nets with one unit whose norms are all 1/4: everything with a unit up to R = 6.25.

    p = 2, one layer, one head of rank one, and U, E, x, y, A, B of norm 1 in units of 1/4, so signed
    coordinates; with A = 0 the same holds of b (`idinf.whole.floors`). The signs of U and x can be
    taken into the others, so U is the first coordinate and so is B up to its sign β, as ⟨U, B⟩ ≠ 0 or the
    unit has no effect. With s = ⟨U, E⟩, α = ⟨A, E⟩, r = ⟨U, x⟩, ρ = ⟨A, x⟩ and m = ⟨y, E⟩ a position of N
    tokens with M = Σ_j m(x_j) has

        16 · U Y = s + r M / 4N,    16 · (A Y + b) = α + ρ M / 4N + 16b,    U y = U Y + β ψ(A Y + b) / 16,

    with 16b = 4 for the unit that has A = 0 and b = 1/4. For the Heaviside function ψ is 0 or 1, for ReLU it
    is A Y + b where that is positive. Three questions decide the sign: *low*, U Y > 0; *gate*, A Y + b > 0;
    *high*, U y behind an open gate, > 0. For β > 0 high follows from low behind an open gate, and
    the answer is low or (gate and high); for β < 0 low follows from high there, and it is low and (high or
    not gate).

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
        if x[0] or np.dot(a, x):  # else nothing depends on another token
            unit = Unit(a, bias, tuple(beta * entry for entry in axes[0]), activation)
            yield _with_unit((zero, *signed), unit, x, y)


def _with_unit(
    vectors: tuple[Integers, ...],
    unit: Unit,
    x: Integers | None = None,
    y: Integers = (),
    positions: tuple[Integers, ...] = (),
) -> TokenSet:
    """The questions low, gate and high, where U is the first coordinate; each in units of its own."""
    E, a, beta = np.array(vectors, dtype=np.int64), np.array(unit.a), unit.b[0]

    def asked(low: IntArray, gate: IntArray) -> IntArray:
        high = low if unit.activation is Activation.HEAVISIDE else 16 * low + beta * gate
        return np.stack([low, gate, high], axis=1)

    own, sums = asked(4 * E[:, 0], 4 * (E @ a + 4 * unit.bias)), np.zeros((len(E), 3), dtype=np.int64)
    if unit.activation is Activation.HEAVISIDE:
        own[:, 2] += 4 * beta  # the term of an open gate, once
    if x is not None:
        sums = asked(x[0] * (E @ np.array(y)), np.array(x) @ a * (E @ np.array(y)))
    at = np.array(positions, dtype=np.int64)
    by_residue = asked(4 * at[:, 0], 4 * (at @ a)) if positions else np.zeros((1, 1), dtype=np.int64)
    joined, U = AnswerRule.OR if beta > 0 else AnswerRule.AND, tuple(int(k == 0) for k in range(E.shape[1]))
    cost = least_of_units(PRECISION)
    return TokenSet(PRECISION, cost, own, sums, joined, vectors, U, x, y, unit, positions, by_residue)
