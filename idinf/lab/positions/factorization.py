"""Lemma 56 and γ2: what ‖K^T Q‖ must be if products of positions are a given function of their distance.

Let G_ij = p_i^T A p_j, for the pairs (i, j) that are asked about, and ‖p_i‖ <= 1. Then ‖A‖ is at least

    γ2(G) = min over factorizations G_ij = ⟨x_i, y_j⟩ of max ‖x_i‖ · max ‖y_j‖,

because x_i = A^T p_i and y_j = p_j are one; with longer p_i it is ‖A‖ max ‖p_i‖² that is at least γ2. Of
pairs that make a rectangle, γ2 is at least (the sum of singular values) / √(rows · columns); for all pairs of
N positions this is Lemma 56.

A lower bound is proved by numbers u_i, v_j and W_ij, W being 0 at pairs that are not asked about, for which
[[diag u, −W], [−W^T, diag v]] is positive definite. Take a factorization with its norms balanced, and its
Gram matrix [[X, G], [G^T, Y]], which is positive semidefinite with X_ii, Y_jj <= γ2. The trace of the product
of both is not negative, so 2 ⟨G, W⟩ <= Σ u_i X_ii + Σ v_j Y_jj <= γ2 (Σ u_i + Σ v_j). A solver finds such
numbers up to its tolerance; they are rounded to rationals, u and v grow until integers say that the matrix
is positive definite, and what is left is the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from idinf.base.linear_algebra import is_positive_definite
from idinf.base.numbers import read_fraction
from idinf.base.quoting import quote
from idinf.errors import ArgumentError
from idinf.work.memory import make_room_for_a_library

FloatArray = NDArray[np.float64]

#: Products of a query i and a key j; None where nothing is asked.
Rows = tuple[tuple[Fraction | None, ...], ...]

#: Bits of the rationals of a proof.
BITS = 40

#: Positions up to which γ2 is asked for: some seconds.
MOST_FACTORED = 32

#: Numbers of a list, and the largest of them and of their denominators.
MOST_NUMBERS, LARGEST = 1000, 10**6


@dataclass(frozen=True, slots=True)
class Distances:
    """φ(0), φ(1), …: the numbers of ``head``, and then those of ``tail`` again and again."""

    name: str
    head: tuple[Fraction, ...] = ()
    tail: tuple[Fraction, ...] = ()
    rule: Callable[[int], bool] | None = None  #: where φ is 1 and not 0, in place of both

    def at(self, distance: int) -> Fraction:
        """φ at a distance of at least 0."""
        if self.rule is not None:
            return Fraction(self.rule(distance))
        if distance < len(self.head):
            return self.head[distance]
        return self.tail[(distance - len(self.head)) % len(self.tail)]

    def bound_for_all(self) -> float | None:
        """A number that γ2 of no context exceeds where pairs with the key behind are free; None if unknown.

        Shifts and characters of ℤ/Δ have γ2 = 1, since their entries are products of unit vectors. With c the
        periodic function that φ becomes, φ is Σ_k (φ(k) − c(k)) times the shift by k, over the head, and
        the sum of the characters times the Fourier coefficients of c (float).

        >>> [read_distances(text).bound_for_all() for text in ("ones", "0,1", "|1,0", "squares")]
        [1.0, 1.0, 1.0, None]
        """
        if self.rule is not None:
            return None
        period, size = len(self.tail), len(self.head)
        periodic = [self.tail[(k - size) % period] for k in range(max(size, period))]
        coefficients = np.fft.fft([float(value) for value in periodic[:period]]) / period
        differences = sum(abs(a - b) for a, b in zip(self.head, periodic, strict=False))
        return float(np.abs(coefficients).sum() + float(differences))


_RULES: dict[str, Callable[[int], bool]] = {
    "squares": lambda k: math.isqrt(k) ** 2 == k,
    "primes": lambda k: k > 1 and all(k % q for q in range(2, math.isqrt(k) + 1)),
    "thue-morse": lambda k: k.bit_count() % 2 == 1,
}

#: Names that `read_distances` knows.
NAMES = ("ones", *_RULES)


def read_distances(text: str) -> Distances:
    """Read φ: a name, or numbers between commas, of which those behind a bar repeat; without one 0 does.

    Raises ArgumentError if it is none of these.

    >>> [int(read_distances("primes").at(k)) for k in range(6)]
    [0, 0, 1, 1, 0, 1]
    >>> [str(read_distances("3|0,1/2").at(k)) for k in range(4)]
    ['3', '0', '1/2', '0']
    """
    if text in _RULES:
        return Distances(text, rule=_RULES[text])
    head, bar, tail = ("", "|", "1") if text == "ones" else text.partition("|")
    try:
        numbers = [tuple(map(read_fraction, part.split(","))) if part else () for part in (head, tail)]
        sizes = [max(abs(entry.numerator), entry.denominator) for part in numbers for entry in part]
        if bool(bar) != bool(numbers[1]) or not sizes or len(sizes) > MOST_NUMBERS or max(sizes) > LARGEST:
            raise ValueError(text)
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(
            f"phi = {quote(text)}; expected {', '.join(NAMES)} or numbers up to {LARGEST} as in 1,0|1/2,0, "
            "those behind the bar repeating; correct it"
        ) from None
    return Distances(text, numbers[0], numbers[1] or (Fraction(0),))


@dataclass(frozen=True, slots=True)
class FactorizationBound:
    """What positions of one context cost at least."""

    positions: int  #: N
    nuclear: float  #: (the sum of singular values) / √(rows · columns), float
    gamma2: float | None  #: what the solver says, a float; None beyond `MOST_FACTORED`
    proved: Fraction | None  #: a rational number that γ2 is proved to reach

    @property
    def least_of_r(self) -> float:
        """What norm_KQ + norm_p of R is at least: min over x = max ‖p_i‖ of γ2 / x² + x (float)."""
        at_least = self.nuclear if self.proved is None else float(self.proved)
        return 1.5 * float(np.cbrt(2 * max(at_least, 0.0)))


@dataclass(frozen=True, slots=True)
class Certificate:
    """Numbers that prove a lower bound of γ2, as integers in units of 2^-`BITS`."""

    u: tuple[int, ...]
    v: tuple[int, ...]
    W: tuple[tuple[int, ...], ...]

    def bound(self, asked: Rows) -> Fraction | None:
        """The bound that it proves of some products; None if it proves nothing."""
        pairs = [pair for rows in zip(asked, self.W, strict=True) for pair in zip(*rows, strict=True)]
        if any(weight for product, weight in pairs if product is None) or not self._is_definite():
            return None
        total = sum((product * weight for product, weight in pairs if product), Fraction(0))
        return 2 * total / (sum(self.u) + sum(self.v))

    def _is_definite(self) -> bool:
        size = len(self.u) + len(self.v)
        matrix = [[0] * size for _ in range(size)]
        for k, entry in enumerate((*self.u, *self.v)):
            matrix[k][k] = entry
        for i, row in enumerate(self.W):
            for j, entry in enumerate(row, len(self.u)):
                matrix[i][j] = matrix[j][i] = -entry
        return is_positive_definite(matrix)


def bound_positions(distances: Distances, positions: int, free: bool) -> FactorizationBound:
    """Bound what positions cost whose products are φ of their distance.

    ``free`` asks about pairs with the key not behind the query only, as causal attention does; else products
    are 0 at the others. Up to `MOST_FACTORED` positions γ2 is found and proved.

    Implements Lemma 56 of [HYB25], with its sharper form; Conjecture 55 is that for φ with values on a grid
    the bounds stay bounded only if φ becomes periodic.

    All ones: with 0 where the key is behind the bound grows, while it is 1 where these are free.

    >>> found = bound_positions(read_distances("ones"), 2, free=False)
    >>> round(found.nuclear, 9), round(found.gamma2, 6), f"{float(found.proved):.5f}"
    (1.118033989, 1.154701, '1.15470')
    >>> round(bound_positions(read_distances("ones"), 2, free=True).gamma2, 6)
    1.0
    """
    places = range(positions)
    asked: Rows = tuple(
        tuple(distances.at(i - j) if i >= j else None if free else Fraction(0) for j in places)
        for i in places
    )
    middle = (positions + 1) // 2
    block = [row[:middle] for row in asked[middle - 1 :]] if free else asked
    array = np.array([[float(entry or 0) for entry in row] for row in block])
    nuclear = float(np.linalg.norm(array, "nuc")) / float(np.sqrt(array.size))
    if positions > MOST_FACTORED:
        return FactorizationBound(positions, nuclear, None, None)
    gamma2, certificate = find_factorization_bound(asked)
    return FactorizationBound(positions, nuclear, gamma2, certificate.bound(asked))


def load_solver(positions: int) -> None:
    """Load the solver, and raise MemoryError if it has no room for so many positions: its code would abort.

    It maps 231 MiB of address space for 8 positions, and 383 MiB for 32.
    """
    with make_room_for_a_library():
        import cvxpy  # noqa: F401
    np.empty((200 + 6 * min(positions, MOST_FACTORED)) << 20, dtype=np.uint8)


def find_factorization_bound(asked: Rows) -> tuple[float, Certificate]:
    """Find γ2 of the products asked for, None being free, as a float, and a certificate of nearly that much.

    A semidefinite program of as many rows as there are positions and keys together.
    """
    import cvxpy

    known = np.array([[entry is not None for entry in row] for row in asked])
    products = np.array([[float(entry or 0) for entry in row] for row in asked])
    W = cvxpy.Variable(products.shape)
    u, v = (cvxpy.Variable(size) for size in products.shape)
    matrix = cvxpy.bmat([[cvxpy.diag(u), -W], [-W.T, cvxpy.diag(v)]])
    rules = [matrix >> 0, cvxpy.sum(u) + cvxpy.sum(v) == 1]
    if not known.all():
        rules.append(W[~known] == 0)
    problem = cvxpy.Problem(cvxpy.Maximize(2 * cvxpy.sum(cvxpy.multiply(products, W))), rules)
    gamma2 = float(problem.solve(solver="CLARABEL"))
    return gamma2, round_up(u.value, v.value, np.where(known, W.value, 0.0))


def round_up(u: FloatArray, v: FloatArray, W: FloatArray) -> Certificate:
    """Round to rationals, and let u and v grow until integers say that the matrix is positive definite."""
    one = 1 << BITS
    matrix = np.block([[np.diag(u), -W], [-W.T, np.diag(v)]])
    room = max(0.0, -float(np.linalg.eigvalsh(matrix).min())) + len(matrix) / one
    weights = tuple(tuple(round(float(entry) * one) for entry in row) for row in W)

    def grown(entries: FloatArray) -> tuple[int, ...]:
        return tuple(round((float(entry) + room) * one) for entry in entries)

    while not (found := Certificate(grown(u), grown(v), weights))._is_definite():
        room *= 2
    return found
