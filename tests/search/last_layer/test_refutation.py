"""Words that refute: exactly the wrong hypotheses are wrong on them, and a pool learns the least word."""

from __future__ import annotations

import pytest

from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.spaces import small_space


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("dyck-1", {"layers": 2, "units": 1, "precision": 0, "max_r": 9.9}),
        pytest.param(
            "contains-ab",
            {"preset": "local", "layers": 2, "units": 1, "precision": 0, "reach": 1, "max_r": 10.2},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_nothing_that_counts_is_refuted(name, bounds):
    """Slices with and without it hold the same hypotheses; fewer are checked exactly."""
    bounds = dict(bounds)
    space = small_space(bounds.pop("preset", "nope"), **bounds)
    listed, checked = [], []
    for use in (True, False):
        search = Search(build_target(load(name)), space, 12, screening=2)
        search.structures.up_to(space.max_r)
        found = list(search.slice(8.0, space.max_r, 5, Mode(use_refutation=use)))
        listed.append(
            sorted((round(r, 9), int(f)) for batch in found for r, f in zip(batch.r, batch.fail, strict=True))
        )
        checked.append(search.counts.exact)
    assert listed[0] == listed[1]
    assert listed[0]
    assert checked[0] < checked[1]
