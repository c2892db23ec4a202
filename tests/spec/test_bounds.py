"""Bounds of the space: defaults, both ends of every range, one bad value at a time."""

import math
from dataclasses import replace

import pytest

from idinf.errors import UnsupportedBoundError
from idinf.spec.bounds import DEFAULT_WORK, RANGES, SpaceBounds


def test_the_family_has_no_bounds_of_its_own() -> None:
    bounds = SpaceBounds()
    assert {key: getattr(bounds, key) for key in RANGES} == {key: high for key, (_, high) in RANGES.items()}
    assert (bounds.max_r, bounds.work, bounds.is_family) == (math.inf, DEFAULT_WORK, True)
    assert bounds == SpaceBounds.from_preset("family")
    assert not SpaceBounds(layers=1).is_family


@pytest.mark.parametrize("key", RANGES)
def test_ends_of_ranges_are_accepted_and_beyond_refused(key: str) -> None:
    low, high = RANGES[key]
    for value in (low, high):
        # Entries of M are logits too.
        logits = {"logit_max": max(value, 0)} if key == "content_max" else {}
        logits |= {"logit_max": 1} if key == "reach" else {}
        assert getattr(SpaceBounds.from_preset("nope", **{key: value, **logits}), key) == value
    with pytest.raises(UnsupportedBoundError, match=rf"^{key} = {high + 1}; .*lower it to {high}"):
        SpaceBounds.from_preset("nope", **{key: high + 1})
    with pytest.raises(UnsupportedBoundError, match=rf"^{key} = {low - 1}; .*raise it to at least"):
        SpaceBounds.from_preset("nope", **{key: low - 1})


@pytest.mark.parametrize(
    ("preset", "periodic", "local", "content"),
    [
        ("nope", False, False, False),
        ("local", False, True, False),
        ("periodic", True, False, False),
        ("family", True, True, True),
    ],
)
def test_what_each_preset_has(preset: str, periodic: bool, local: bool, content: bool) -> None:
    bounds = SpaceBounds.from_preset(preset)
    assert (bounds.period > 1) == periodic
    assert (bounds.reach > 0 and bounds.logit_max > 0) == local
    assert (bounds.content_max > 0) == content
    assert (bounds.preset, bounds.restrictions) == (preset, {})
    for key in ("layers", "heads", "units", "precision"):
        assert getattr(bounds, key) == RANGES[key][1]
    assert (bounds.max_r, bounds.work) == (math.inf, DEFAULT_WORK)


@pytest.mark.parametrize(
    ("preset", "given", "name"),
    [
        ("family", {}, "one-hot family"),
        ("family", {"layers": RANGES["layers"][1]}, "one-hot family"),
        ("family", {"content_max": 0}, "one-hot family, without M"),
        ("family", {"logit_max": 0}, "periodic"),
        ("family", {"logit_max": 0, "period": 1, "units": 1}, "nope, units <= 1"),
        ("nope", {"reach": 2}, "nope"),
        ("local", {"reach": 1}, "local, reach <= 1"),
        ("nope", {"match": "logits"}, "nope, match logits"),
    ],
)
def test_one_space_has_one_name(preset: str, given: dict[str, object], name: str) -> None:
    bounds = SpaceBounds.from_preset(preset, **given)
    assert bounds.name == name
    again = SpaceBounds.from_preset(bounds.preset, **bounds.restrictions)
    assert again == replace(bounds, max_r=math.inf, work=DEFAULT_WORK, threshold="free", match="verdict")


def test_unknown_preset_and_unknown_bound_are_suggested() -> None:
    with pytest.raises(UnsupportedBoundError, match="did you mean 'nope'"):
        SpaceBounds.from_preset("nop")
    with pytest.raises(UnsupportedBoundError, match="unknown bound 'layer'; did you mean 'layers'"):
        SpaceBounds.from_preset("nope", layer=1)


def test_overriding_keeps_the_rest_and_none_means_not_given() -> None:
    bounds = SpaceBounds(layers=1, max_r=9.0)
    assert bounds.overridden(layers=None, units=1) == SpaceBounds(layers=1, units=1, max_r=9.0)
    with pytest.raises(UnsupportedBoundError, match="precision = 99"):
        bounds.overridden(precision=99)
