"""What positions must cost: closed forms, proofs that can fail, and nets that meet the bounds."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.linear_algebra import is_positive_definite
from idinf.lab.positions import BITS, bound_positions, find_factorization_bound, read_distances, round_up


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


def test_bad_numbers_of_a_solver_give_a_weak_bound_and_no_wrong_one() -> None:
    rng = np.random.default_rng(0)
    asked = tuple(tuple(Fraction(int(i == j)) for j in range(3)) for i in range(3))
    for _ in range(5):
        found = round_up(rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3)))
        proved = found.bound(asked)
        assert proved is not None
        assert proved <= 1  # γ2 of the identity


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
