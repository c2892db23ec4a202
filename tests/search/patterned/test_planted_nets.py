"""Random nets label their own words: what judges attention patterns must leave the structure of each."""

from __future__ import annotations

import random

import pytest

from tests.search.patterned.planted import Draw, draw_net, draw_within, is_left_out

#: One layer with one, two and three units, headless layers above, and two layers.
DRAWS = [
    Draw(((1, 1),), spare=1.2, precision=1),
    Draw(((1, 2),), spare=0.8, precision=1),
    Draw(((1, 3),), spare=0.9, precision=1),
    Draw(((1, 2), (0, 1)), spare=1.0, precision=1),
    Draw(((1, 1), (1, 1)), spare=1.2, precision=0),
]


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: str(draw.plan))
def test_no_planted_net_is_left_out(draw):
    """A net that is not judged here says None."""
    for seed in range(8):
        assert not is_left_out(draw_within(random.Random(seed), draw), draw)


@pytest.mark.parametrize("seed", [2045, 5964])
def test_layers_above_may_do_without_a_unit(seed):
    """After an a these nets accept whatever their first unit says, which takes a number that is dear there."""
    draw = Draw(((1, 1), (0, 1)), length=4, reach=1, content=0, precision=1, rich=True)
    assert is_left_out(draw_net(random.Random(seed), draw), draw) is False
