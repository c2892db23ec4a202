"""What a ceiling leaves out has more R than it says, and nothing else is missing."""

import math
from functools import cache

import pytest

from idinf.search.enumeration import Search
from idinf.search.slice_types import Mode, UsefulR
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.asked_for import few
from tests.spaces import small_space

#: Above the least right hypothesis.
WINDOW = 0.5


def rows_of(batches, high):
    return {
        (round(float(r), 9), int(fail), outputs.tobytes())
        for found in batches
        for r, fail, outputs in zip(found.r, found.fail, found.outputs, strict=True)
        if r <= high
    }


def listed(jobs, ends):
    bounds = small_space(layers=2, units=1, precision=1, max_r=9.5)
    search = Search(build_target(load("majority")), bounds, 24, screening=4, jobs=jobs)
    return list(search.slice(8.0, 9.5, 4, Mode(), None, ends))


@cache
def everything():
    return listed(1, None)


def check_ceiling(jobs=1):
    every = everything()
    least = min(float(found.r[found.fail < 0].min()) for found in every if (found.fail < 0).any())
    below = listed(jobs, UsefulR(9.5, -math.inf, WINDOW))
    assert rows_of(below, least + WINDOW) == rows_of(every, least + WINDOW)
    assert len(rows_of(below, 99.0)) < len(rows_of(every, 99.0))
    return below


def test_nothing_below_is_missing_and_much_above_is():
    want = [found.r.tolist() for found in check_ceiling()]
    for jobs in range(2, few(2, 3)):
        assert [found.r.tolist() for found in check_ceiling(jobs)] == want


def test_a_ceiling_that_is_too_low_is_noticed(monkeypatch):
    """A planted fault: the window above a right hypothesis is forgotten."""
    right = UsefulR.meet

    def wrong(ceiling, r, fail):
        right(ceiling, r, fail)
        if ceiling.falls and (fail < 0).any():
            ceiling.high = min(ceiling.high, float(r[fail < 0].min()))

    monkeypatch.setattr(UsefulR, "meet", wrong)
    with pytest.raises(AssertionError):
        check_ceiling()
