"""A second look at one last unit: the least own weights that serve all classes are those of nested loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from idinf.search.patterned import top
from idinf.search.patterned.last import FAR, least_squares
from tests.search.nested_loops import ball
from tests.search.patterned.test_planted_nets import DRAWS, draw_within, is_left_out, random


def by_loops(low, high, query, square, b):
    """Least ‖s‖² of the s within a ball that serve with one b."""
    found = [
        sum(x * x for x in s)
        for s in ball(query.shape[1], square)
        if all(
            below <= b + sum(x * q for x, q in zip(s, end, strict=True)) <= above
            for below, above, end in zip(low, high, query.tolist(), strict=True)
        )
    ]
    return min(found, default=np.inf)


def random_classes(rng, tokens, units):
    """Some classes of a last position with bounds of y, some of them open."""
    every = [
        (*(int(k == token) for k in range(tokens)), *bits)
        for token in range(tokens)
        for bits in itertools.product((0, 1), repeat=units)
    ]
    query = np.array([end for end in every if rng.random() < 0.8])
    low = rng.integers(-3, 3, (len(query), 3)).astype(float)
    high = low + rng.integers(-1, 4, low.shape)
    low[rng.random(low.shape) < 0.4] = -FAR
    high[rng.random(low.shape) < 0.4] = FAR
    return low, high, query


@pytest.mark.parametrize(("tokens", "units"), [(3, 0), (2, 1), (2, 2)])
def test_least_own_weights_are_those_of_nested_loops(tokens, units):
    rng, biases, open_ = np.random.default_rng(tokens + units), np.arange(-2, 3), 0
    for _ in range(12):
        low, high, query = random_classes(rng, tokens, units)
        have = least_squares(low, high, query, tokens, 9, biases)
        for k, b in itertools.product(range(3), range(5)):
            want = by_loops(low[:, k], high[:, k], query, 9, int(biases[b]))
            assert have[k, b] == want or (have[k, b] > 9 and want == np.inf)
            open_ += want < np.inf
    assert open_ > 20


def test_bounds_that_are_too_narrow_lose_a_net(monkeypatch):
    """A planted fault: y has to be one more than words ask for."""
    whole = top.least_squares
    monkeypatch.setattr(top, "least_squares", lambda low, *rest: whole(low + 1, *rest))
    assert any(is_left_out(draw_within(random.Random(seed), DRAWS[0]), DRAWS[0]) for seed in range(8))
