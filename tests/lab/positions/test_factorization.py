"""What positions must cost: closed forms, proofs that can fail, and nets that meet the bounds."""

import itertools
import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.linear_algebra import is_positive_definite
from idinf.lab.positions import (
    BITS,
    FUNCTIONS,
    VALUE,
    Training,
    bound_positions,
    compute_expected_causal_penalty,
    compute_expected_penalty,
    compute_gradient,
    find_factorization_bound,
    fit,
    read_distances,
    sample_penalty,
    tabulate,
    weigh_pairs,
)


def below(name: str, positions: int):
    return bound_positions(read_distances(name), positions, free=False)


@pytest.mark.parametrize("positions", [2, 3, 7, 16, 33, 64])
def test_singular_values_of_all_ones_below_the_diagonal(positions: int) -> None:
    sines = [math.sin((2 * k - 1) * math.pi / (4 * positions + 2)) for k in range(1, positions + 1)]
    assert below("ones", positions).nuclear == pytest.approx(sum(1 / (2 * s) for s in sines) / positions)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("phi", ["ones", "squares", "primes", "thue-morse", "2,-1|0,1/2,1"])
@pytest.mark.parametrize("free", [False, True])
def test_bounds_are_in_order(phi: str, free: bool) -> None:
    """Singular values <= γ2; what is proved is just below; more positions cost no less."""
    found = [bound_positions(read_distances(phi), positions, free) for positions in (3, 6, 9)]
    for point in found:
        assert point.gamma2 is not None
        assert point.proved is not None
        assert point.nuclear <= point.gamma2 + 1e-6
        assert point.gamma2 - 1e-5 <= float(point.proved) <= point.gamma2 + 1e-6
    assert found[0].gamma2 <= found[1].gamma2 + 1e-6 <= found[2].gamma2 + 2e-6


@pytest.mark.parametrize("seed", range(8))
def test_no_factorization_is_below_what_is_proved(seed: int) -> None:
    """Random positions and matrices: ‖A‖ max ‖p_i‖² is at least the bound of their products."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 5))
    p, A = rng.integers(-4, 5, (n, d)), rng.integers(-3, 4, (d, d))
    products = p @ A @ p.T
    asked = tuple(
        tuple(Fraction(int(products[i, j])) if i >= j or seed % 2 else None for j in range(n))
        for i in range(n)
    )
    _, certificate = find_factorization_bound(asked)
    proved = certificate.bound(asked)
    assert proved is not None
    norms = np.linalg.norm(A, 2) * np.square(p).sum(axis=1).max()
    assert float(proved) <= norms + 1e-9


def test_planted_faults_of_a_certificate_are_caught() -> None:
    asked = tuple(tuple(Fraction(1) if i >= j else None for j in range(3)) for i in range(3))
    _, certificate = find_factorization_bound(asked)
    assert certificate.bound(asked) is not None
    half = tuple(entry // 2 for entry in certificate.u)
    assert replace(certificate, u=half).bound(asked) is None
    first, *rest = certificate.W
    behind = ((first[0], 1 << (BITS - 20), *first[2:]), *rest)
    assert replace(certificate, W=behind).bound(asked) is None


def test_positive_definite_by_eigenvalues() -> None:
    rng = random.Random(4)
    seen = set()
    for _ in range(200):
        size = rng.randint(1, 4)
        rows = [[0] * size for _ in range(size)]
        for i in range(size):
            for j in range(i + 1):
                rows[i][j] = rows[j][i] = rng.randint(-2, 2) + (4 if i == j else 0)
        least = np.linalg.eigvalsh(np.array(rows)).min()
        if abs(least) > 1e-9:
            seen.add(is_positive_definite(rows))
            assert is_positive_definite(rows) == (least > 0)
    assert seen == {True, False}


SMALL = Training(steps=400, positions=24, length=8, asked=(8, 16), batch=8, rate=1e-2)


def loss_by_windows(weights, function: str, length: int, offsets, decay: float) -> float:
    """The loss as the paper has it: the mean over windows and causal pairs, product by product."""
    rows, keys, queries = weights
    errors = []
    for offset in offsets:
        for i in range(offset, offset + length):
            for j in range(offset, i + 1):
                wanted = VALUE * FUNCTIONS[function](i - j)
                errors.append((rows[i] @ queries.T @ keys @ rows[j] - wanted) ** 2)
    return float(np.mean(errors)) + decay * sum(float(np.mean(weight**2)) for weight in weights)


def test_the_gradient_is_that_of_the_loss_over_windows() -> None:
    rng = np.random.default_rng(3)
    weights = [rng.normal(size=(size, 3)) for size in (9, 3, 3)]
    offsets, decay, wanted = [0, 2, 2, 5], 0.3, tabulate("combined", 9)
    found = compute_gradient(weights, wanted, weigh_pairs(9, 4, offsets), decay)
    for weight, slope in zip(weights, found, strict=True):
        for place in [(0, 0), (2, 1), (weight.shape[0] - 1, 2)]:
            kept, ends = weight[place], []
            for step in (1e-5, -1e-5):
                weight[place] = kept + step
                ends.append(loss_by_windows(weights, "combined", 4, offsets, decay))
            weight[place] = kept
            assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-7)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_training_learns_short_windows(function: str) -> None:
    found = fit(function, 12, 1, SMALL)
    assert found == fit(function, 12, 1, SMALL)
    assert dict(found.losses)[8] < 0.5 * dict(found.zero_losses)[8]


def moment(factors: list[tuple[object, ...]], width: int) -> Fraction:
    """E of a product of independent normal entries of variance 1/width: 1, 3 for squares, fourth powers."""
    found = Fraction(1)
    for power in Counter(factors).values():
        if power % 2:
            return Fraction(0)
        for odd in range(1, power, 2):
            found *= Fraction(odd, width)
    return found


def square_by_moments(query: int, key: int, width: int) -> Fraction:
    """E (p_i^T K^T Q p_j)², the square written out as a double sum over entries."""
    terms = [
        [("p", query, a), ("K", c, a), ("Q", c, b), ("p", key, b)]
        for a, b, c in itertools.product(range(width), repeat=3)
    ]
    return sum((moment(one + other, width) for one in terms for other in terms), Fraction(0))


@pytest.mark.parametrize(("positions", "width"), [(1, 1), (3, 1), (2, 2), (3, 3)])
def test_expectations_by_moments(positions: int, width: int) -> None:
    apart, same = square_by_moments(0, 1, width), square_by_moments(0, 0, width)
    assert compute_expected_penalty(positions, width) == (positions - 1) * apart + same
    pairs = positions * (positions - 1) // 2
    assert compute_expected_causal_penalty(positions, width) == (pairs * apart + positions * same) / positions


def test_the_expectation_is_bounded_where_the_width_grows_with_positions() -> None:
    assert all(compute_expected_penalty(n, n) <= 3 for n in range(1, 200))


@pytest.mark.parametrize(("positions", "width"), [(6, 3), (12, 12)])
def test_draws_agree(positions: int, width: int) -> None:
    for causal, expected in enumerate((compute_expected_penalty, compute_expected_causal_penalty)):
        found = sample_penalty(positions, width, 4000, 7, bool(causal))
        assert abs(found.mean - float(expected(positions, width))) < 4 * found.error
    assert abs(found.mean - float(expected(positions + 2, width))) > 4 * found.error
