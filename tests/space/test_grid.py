"""Balls of the integer grid: complete, and in order."""

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from idinf.space.grid import find_largest_square, list_grid_ball


@given(st.integers(0, 3), st.integers(-1, 12))
def test_ball_is_the_box_by_norm_then_lexicographic(dimension, square):
    reach = math.isqrt(max(square, 0))
    box = itertools.product(range(-reach, reach + 1), repeat=dimension)
    norms = ((sum(x * x for x in vector), vector) for vector in box)
    want = [vector for norm, vector in sorted(norms) if norm <= square]
    assert [tuple(row) for row in list_grid_ball(dimension, square).tolist()] == want


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_no_boundary_vector_is_lost(square, scale):
    """√m as a float, scaled up and down, still contains the vectors of squared norm m."""
    assert find_largest_square(math.sqrt(square)) == square
    assert find_largest_square(math.sqrt(square) / scale * scale) == square
    assert find_largest_square(math.sqrt(square + 1) - 1e-6) == square
