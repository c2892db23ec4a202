"""What people read about the size of a space: exact numbers, or lower bounds that say so, for any budget."""

from __future__ import annotations

import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.catalogue import load
from idinf.render.text.forecast import forecast_text, warn_of_size
from idinf.transformers.regularizer import Aggregate


def bounds(preset="nope", **given):
    return SpaceBounds.from_preset(preset, **given)


def test_a_small_space_is_counted_exactly():
    text = forecast_text(load("majority"), bounds(layers=1, units=1, max_r=9.0), Aggregate.MAX, 2**32)
    assert "structures  5 with a floor of at most R = 9 (5 of 1 layer)" in text
    assert "units       at most" in text
    assert ">" not in text


@pytest.mark.thinned(8)
@pytest.mark.parametrize("max_r", [100.0, 1e6, 1e160, 1e308])
@pytest.mark.parametrize("preset", ["nope", "full"])
def test_a_vast_space_has_lower_bounds_that_are_named(preset, max_r):
    text = forecast_text(load("majority"), bounds(preset, max_r=max_r), Aggregate.MAX, 2**32)
    assert "units       more than" in text
    assert "memory      more than" in text
    assert "lower bounds" in text
    assert "inf" not in text.split()
    assert text == forecast_text(load("majority"), bounds(preset, max_r=max_r), Aggregate.MAX, 2**32)
    warning = warn_of_size(load("majority"), bounds(preset, max_r=max_r), Aggregate.MAX, 2**32)
    assert "a layer of more than" in warning


def test_a_run_is_not_warned_of_what_fits():
    assert warn_of_size(load("majority"), bounds(), Aggregate.MAX, 2**32) is None
