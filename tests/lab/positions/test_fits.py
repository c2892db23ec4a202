"""Fitted products: the loss by windows one by one, gradients by differences, and that training helps."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.lab.positions import FUNCTIONS, VALUE, Training, compute_gradient, fit, tabulate, weigh_pairs

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


def test_what_functions_are() -> None:
    held = {name: [k for k in range(12) if holds(k)] for name, holds in FUNCTIONS.items()}
    assert held == {"local": [1], "periodic": [0, 5, 10], "combined": [0, 1, 5, 10], "neither": [0, 1, 4, 9]}
