"""The cost of positions before, in and after training.

*Before* (Proposition 54). Positions p_1..p_N and the d × d matrices K and Q of one head have independent
normal entries of mean 0 and variance 1/d. Equation (8) adds up the squares of p_1^T K^T Q p_j over all j; the
variant takes all queries i, each with its keys j ≤ i, and here their mean over i, as a sum over all pairs
grows with N.

*In* (Appendix G.2). Positions and matrices are trained by Adam on the mean square error over causal pairs
inside of windows of 50 positions at random offsets, plus a little of the mean squares of the weights. Then
windows of 100 and 150 are asked. These are floats, and an experiment.

*After* (Lemma 56 and γ2): bounds of ‖K^T Q‖ if products of positions are a function of their distance.

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
is positive definite, and the rest is the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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

#: Positions up to which γ2 is computed: some seconds.
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
    """Lower bounds of the cost of positions in one context."""

    positions: int  #: N
    nuclear: float  #: (the sum of singular values) / √(rows · columns), float
    gamma2: float | None  #: result of the solver, a float; None beyond `MOST_FACTORED`
    proved: Fraction | None  #: a rational number that γ2 is proved to reach

    @property
    def least_of_r(self) -> float:
        """Lower bound of norm_KQ + norm_p of R: min over x = max ‖p_i‖ of γ2 / x² + x (float)."""
        at_least = self.nuclear if self.proved is None else float(self.proved)
        return 1.5 * float(np.cbrt(2 * max(at_least, 0.0)))


@dataclass(frozen=True, slots=True)
class FactorizationCertificate:
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
    """Bound the cost of positions whose products are φ of their distance.

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


def find_factorization_bound(asked: Rows) -> tuple[float, FactorizationCertificate]:
    """Find γ2 of given products, None being free, as a float, and a certificate of nearly that much.

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


def round_up(u: FloatArray, v: FloatArray, W: FloatArray) -> FactorizationCertificate:
    """Round to rationals, and let u and v grow until integers say that the matrix is positive definite."""
    one = 1 << BITS
    matrix = np.block([[np.diag(u), -W], [-W.T, np.diag(v)]])
    room = max(0.0, -float(np.linalg.eigvalsh(matrix).min())) + len(matrix) / one
    weights = tuple(tuple(round(float(entry) * one) for entry in row) for row in W)

    def grown(entries: FloatArray) -> tuple[int, ...]:
        return tuple(round((float(entry) + room) * one) for entry in entries)

    while not (found := FactorizationCertificate(grown(u), grown(v), weights))._is_definite():
        room *= 2
    return found


#: Functions of the distance by name, where they are true; see `tabulate`.
FUNCTIONS: dict[str, Callable[[int], int]] = {
    "local": lambda k: k == 1,
    "periodic": lambda k: k % 5 == 0,
    "combined": lambda k: (k == 1) + (k % 5 == 0),
    "neither": lambda k: math.isqrt(k) ** 2 == k,
}

#: Meanings of the conditions, in words.
MEANINGS = {
    "local": "i - j = 1",
    "periodic": "i - j divisible by 5",
    "combined": "the sum of both",
    "neither": "i - j is a square",
}

#: Value of a function where its condition is true. The source does not say which constant it took.
VALUE = 5.0


@dataclass(frozen=True, slots=True)
class Training:
    """Settings of the fit of products; the numbers are those of the paper."""

    steps: int
    positions: int = 200
    length: int = 50  #: of the windows that are trained on
    asked: tuple[int, ...] = (50, 100, 150)  #: lengths of windows that are tested
    batch: int = 64
    rate: float = 1e-3
    decay: float = 0.01  #: factor of the mean squares of the weights


@dataclass(frozen=True, slots=True)
class Fit:
    """One fitted product: its mean square errors, by length of the windows."""

    function: str
    width: int
    seed: int
    losses: tuple[tuple[int, float], ...]
    zero_losses: tuple[tuple[int, float], ...]  #: those of the product that is 0 everywhere


def fit(function: str, width: int, seed: int, training: Training) -> Fit:
    """Fit a product of some width to one of `FUNCTIONS`, from entries of variance 1/width.

    A step takes time O(N² d + N d²) for N positions, not for each window of the batch: windows overlap, and
    the loss adds up squares of one N × N matrix, weighted by how many windows hold a pair.

    >>> found = fit("local", 8, 0, Training(steps=20, positions=20, length=10, asked=(10, 20)))
    >>> [length for length, _ in found.losses]
    [10, 20]
    """
    rng = np.random.default_rng(seed)
    wanted = tabulate(function, training.positions)
    sizes = (training.positions, width, width)
    weights = [rng.normal(scale=1 / math.sqrt(width), size=(size, width)) for size in sizes]
    means, squares = ([np.zeros_like(weight) for weight in weights] for _ in range(2))
    for step in range(1, training.steps + 1):
        offsets = rng.integers(0, training.positions - training.length + 1, size=training.batch)
        pairs = weigh_pairs(training.positions, training.length, offsets)
        gradient = compute_gradient(weights, wanted, pairs, training.decay)
        size = training.rate * math.sqrt(1 - 0.999**step) / (1 - 0.9**step)  # Adam with its usual constants
        for weight, own, mean, square in zip(weights, gradient, means, squares, strict=True):
            mean += 0.1 * (own - mean)
            square += 0.001 * (own * own - square)
            weight -= size * mean / (np.sqrt(square) + 1e-8)
    errors, zero = (
        tuple((n, _mean_over_windows((product - wanted) ** 2, n)) for n in training.asked)
        for product in (multiply(weights), np.zeros_like(wanted))
    )
    return Fit(function, width, seed, errors, zero)


def _mean_over_windows(squares: FloatArray, length: int) -> float:
    """The mean over causal pairs inside of all windows of a length."""
    return float((weigh_pairs(len(squares), length, range(len(squares) - length + 1)) * squares).sum())


def tabulate(function: str, positions: int) -> FloatArray:
    """One of `FUNCTIONS` on all pairs j ≤ i, times `VALUE`; 0 where j > i."""
    by_distance = VALUE * np.array([FUNCTIONS[function](k) for k in range(positions)], dtype=np.float64)
    distances = np.subtract.outer(np.arange(positions), np.arange(positions))
    return np.asarray(np.where(distances >= 0, by_distance[np.abs(distances)], 0.0))


def weigh_pairs(positions: int, length: int, offsets: Sequence[int] | NDArray[Any]) -> FloatArray:
    """Weights of pairs (i, j) that sum to 1: how many windows hold both, where j ≤ i.

    >>> (6 * weigh_pairs(3, 2, [0, 1])).tolist()
    [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]
    """
    begun = np.cumsum(
        np.bincount(np.asarray(offsets), minlength=positions)
    )  # windows that begin at or before
    ended = np.concatenate([np.zeros(length), begun])[:positions]  # and that end before
    held = np.tril(np.maximum(begun[None, :] - ended[:, None], 0))
    return np.asarray(held / held.sum())


def multiply(weights: Sequence[FloatArray]) -> FloatArray:
    """All products p_i^T Q^T K p_j of positions, keys and queries."""
    rows, keys, queries = weights
    return (rows @ queries.T) @ (rows @ keys.T).T


def compute_gradient(
    weights: Sequence[FloatArray], wanted: FloatArray, pairs: FloatArray, decay: float
) -> list[FloatArray]:
    """The gradient of the weighted square error, plus that of ``decay`` times the mean squares of weights."""
    rows, keys, queries = weights
    asked, given = rows @ queries.T, rows @ keys.T
    slope = 2 * pairs * (asked @ given.T - wanted)
    by_query, by_key = slope @ given, slope.T @ asked
    found = [by_query @ queries + by_key @ keys, by_key.T @ rows, by_query.T @ rows]
    return [own + 2 * decay / weight.size * weight for own, weight in zip(found, weights, strict=True)]


@dataclass(frozen=True, slots=True)
class SampleMean:
    """The mean over some draws, and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class InitialPenalty:
    """Term of φ in R for one head that has just been initialized."""

    positions: int
    width: int
    expected: Fraction  #: of equation (8): the squares of p_1^T K^T Q p_j, summed over all j
    drawn: SampleMean
    expected_of_all: Fraction  #: over keys j ≤ i, as the mean over all queries i
    drawn_of_all: SampleMean


def initial_penalty(
    positions: int, width: int | None = None, *, draws: int = 200, seed: int = 0
) -> InitialPenalty:
    """Compute the expected term of φ exactly, and draw it; the width is as many as positions by default.

    Raises
    ------
    ArgumentError
        If a number is not positive, or there are fewer than 2 draws.

    Examples
    --------
    >>> initial_penalty(100, 50, draws=2).expected
    Fraction(2501, 1250)
    """
    wide = positions if width is None else width
    if min(positions, wide, draws - 1) < 1 or seed < 0:
        raise ArgumentError(
            f"positions = {positions}, width = {wide}, draws = {draws}, seed = {seed}; expected positive "
            "numbers and at least 2 draws; choose larger ones"
        )
    return InitialPenalty(
        positions,
        wide,
        compute_expected_penalty(positions, wide),
        sample_penalty(positions, wide, draws, seed),
        compute_expected_causal_penalty(positions, wide),
        sample_penalty(positions, wide, draws, seed, causal=True),
    )


def compute_expected_penalty(positions: int, width: int) -> Fraction:
    """E Σ_j (p_1^T K^T Q p_j)² of one head, which is N/d + 2/d².

    The entries of M = K^T Q are uncorrelated and have variance d/d² = 1/d. So each j ≠ 1 has the sum of
    (1/d) (1/d) (1/d) over d² entries, 1/d, and j = 1 has (1/d) E‖p_1‖⁴ = (1/d) (1 + 2/d), as d‖p_1‖² is χ²
    with d degrees of freedom. Proposition 54 of [HYB25]_ bounds this by O(1) for d that grows like N.
    """
    return Fraction(positions, width) + Fraction(2, width**2)


def compute_expected_causal_penalty(positions: int, width: int) -> Fraction:
    """E (1/N) Σ_{j ≤ i} (p_i^T K^T Q p_j)² of one head: N(N − 1)/2 pairs that differ, and N that do not."""
    return Fraction(positions + 1, 2 * width) + Fraction(2, width**2)


def sample_penalty(positions: int, width: int, draws: int, seed: int, causal: bool = False) -> SampleMean:
    """Draw parameters again and again, and take the mean of either sum; a seed gives the same draws."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        rows, keys, queries = (
            rng.normal(scale=1 / math.sqrt(width), size=(size, width)) for size in (positions, width, width)
        )
        products = (rows @ queries.T) @ (rows @ keys.T).T
        penalty = (np.tril(products) ** 2).sum() / positions if causal else (products[0] ** 2).sum()
        found.append(float(penalty))
    return SampleMean(float(np.mean(found)), float(np.std(found, ddof=1) / math.sqrt(draws)))
