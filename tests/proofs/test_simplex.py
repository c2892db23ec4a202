"""The simplex method against scipy, and its prices against the theorem of Farkas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from idinf.proofs import simplex
from idinf.proofs.simplex import solve


def random_problem(rng):
    rows, columns = int(rng.integers(1, 8)), int(rng.integers(1, 80))
    A = rng.integers(-3, 4, (rows, columns)).astype(np.float64)
    if rows > 1 and rng.random() < 0.3:
        A[-1] = A[0]  # a redundant or contradictory equation
    x = rng.integers(0, 2, columns) * (rng.random(columns) < 0.2)
    b = A @ x if rng.random() < 0.6 else rng.integers(-3, 4, rows).astype(np.float64)
    return A, b, rng.integers(0, 9, columns).astype(np.float64)


@pytest.mark.thinned(7)
@pytest.mark.parametrize("patience", [400, 0])
@pytest.mark.parametrize("seed", range(30))
def test_random_problems(seed, patience, monkeypatch):
    """With the usual rule and with the one that cannot cycle."""
    if not patience:
        monkeypatch.setattr(simplex, "STEEPEST", 0)
    A, b, costs = random_problem(np.random.default_rng([7, seed]))
    found, expected = solve(A, b, costs), linprog(costs, A_eq=A, b_eq=b)
    assert (found.basis is None) == (expected.status == 2)
    if found.basis is None:
        assert (found.prices @ A).max() < 1e-7
        assert found.prices @ b > 1e-9
    else:
        columns = A[:, found.basis]
        x = np.linalg.lstsq(columns, b, rcond=None)[0]
        assert x.min(initial=0) > -1e-7
        assert columns @ x == pytest.approx(b, abs=1e-6)
        assert costs[list(found.basis)] @ x == pytest.approx(expected.fun, abs=1e-6)


def test_no_unknowns():
    empty = np.zeros((2, 0))
    assert solve(empty, np.zeros(2), np.zeros(0)).basis == ()
    assert solve(empty, np.array([0.0, 1.0]), np.zeros(0)).basis is None
