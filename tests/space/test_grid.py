"""Balls of the integer grid: complete, in order, and refused before they grow too large."""

from __future__ import annotations

import itertools
import math

import pytest
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


@pytest.mark.parametrize(("low", "high"), [(0, 2), (-1, 1), (0, None), (None, 0), (0, 0)])
def test_bounded_coordinates_are_part_of_the_ball(low, high):
    for dimension in range(4):
        whole = list_grid_ball(dimension, 7)
        inside = (whole >= (-9 if low is None else low)) & (whole <= (9 if high is None else high))
        assert list_grid_ball(dimension, 7, low, high).tolist() == whole[inside.all(axis=1)].tolist()
