"""Derivations against all small integer points: what is derived holds, what is not has a point against it."""

from itertools import product

import numpy as np
import pytest

from idinf.languages.equivalence.conditions import Inequality
from idinf.proofs.check.invariant import follows
from idinf.proofs.find.multipliers import Budget, derive
from idinf.report.proof import Split

NEVER = Inequality((0, 0), 1)


def against(goal, premises, largest):
    """A point in a box that meets the premises and not the goal, or None."""
    points = product(range(largest + 1), repeat=len(goal.coefficients))
    return next((p for p in points if all(one.holds(p) for one in premises) and not goal.holds(p)), None)


def both(coefficients, value):
    """An equation."""
    return [Inequality(coefficients, value), Inequality(tuple(-k for k in coefficients), -value)]


def random_premises(rng, size):
    """Counters, some inequalities and now and then an equation."""
    counters = [Inequality(tuple(int(j == k) for j in range(size)), 0) for k in range(size)]

    def coefficients():
        return tuple(int(k) for k in rng.integers(-3, 4, size))

    rows = [Inequality(coefficients(), int(rng.integers(-3, 4))) for _ in range(rng.integers(1, 5))]
    equations = both(coefficients(), int(rng.integers(-2, 3))) if rng.random() < 0.5 else []
    return [*counters, *rows, *equations]


@pytest.mark.thinned(15)
@pytest.mark.parametrize("seed", range(60))
def test_derived_or_refuted(seed):
    """One of the two, within the budget: small systems are decided."""
    rng = np.random.default_rng([31, seed])
    premises = random_premises(rng, 2)
    goal = Inequality((int(rng.integers(-2, 3)), int(rng.integers(1, 3))), int(rng.integers(-2, 4)))
    goal = goal if rng.random() < 0.6 else NEVER
    budget = Budget()
    found = derive(goal, premises, [1.0] * len(premises), budget)
    point = against(goal, premises, 60)
    assert not budget.spent
    assert (found is None) == (point is not None), point
    assert found is None or follows(goal, premises, found)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(40))
def test_three_unknowns(seed):
    rng = np.random.default_rng([32, seed])
    premises = random_premises(rng, 3)
    goal = Inequality((0, 0, 0), 1)
    found = derive(goal, premises, [1.0] * len(premises))
    assert found is None or (follows(goal, premises, found) and against(goal, premises, 15) is None)
    assert found is not None or against(goal, premises, 15) is not None


@pytest.mark.parametrize(
    "premises",
    [
        [*both((2, 2, -2), 1)],
        [*both((1, 1, -2), 0), *both((1, -1, 0), 1)],
        [*both((1, 1, -4), 1), *both((1, -1, 0), 0)],
        [*both((3, -6, 0), 1)],
        [Inequality((3, -3, 0), 1), Inequality((-3, 3, 0), -2)],
        [
            Inequality((4, 3, 0), 5),
            Inequality((-4, -3, 0), -5),
            Inequality((1, 0, 0), 0),
            Inequality((0, 1, 0), 0),
        ],
    ],
)
def test_integers_without_bounds_on_any_counter(premises):
    """Branching on counters would not end."""
    goal = Inequality((0, 0, 0), 1)
    budget = Budget()
    found = derive(goal, premises, [1.0] * len(premises), budget)
    assert isinstance(found, Split)
    assert follows(goal, premises, found)
