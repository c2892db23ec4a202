"""The walk through a space: what ends it, and the whole family."""

import math

import pytest

from idinf.base.words import Alphabet
from idinf.inference.required_predicates import OUTSIDE
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.proofs.check.report_check import check_report
from idinf.report.value import Outcome
from idinf.search.enumeration import Search
from idinf.search.slice_types import WorkDone
from idinf.spec.bounds import MOST_R, SpaceBounds
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.work.limits import Limits, StopReason
from tests.small_runs import prepare
from tests.spaces import small_space

TWO = Alphabet(("a", "b"))


def asked(target, max_n, jobs=1, journal=None, **bounds):
    space = SpaceBounds(**bounds)
    return prepare(target, space, max_n, jobs=jobs, journal=journal)


@pytest.mark.parametrize("max_r", [9.0, 9.1])
def test_ties_with_max_r_belong_to_the_last_slice(max_r, monkeypatch):
    """Whether slices end at it by themselves or not: no slice is made for them alone."""
    slices, slice_ = [], Search.slice

    def noted(self, low, high, *rest, **named):
        slices.append((low, high))
        return slice_(self, low, high, *rest, **named)

    monkeypatch.setattr(Search, "slice", noted)
    parity = RegularTarget.from_regex("b*(ab*ab*)*", TWO)
    space = small_space(layers=1, precision=1, max_r=max_r)
    prepare(parity, space, 8).run()
    assert max(high for _, high in slices) >= max_r
    # Below are the slices of records that are looked at once more.
    assert min(high - low for low, high in slices if high > 8.5) > 0.05


def test_a_walk_through_a_space_with_nothing_right_ends():
    """Nothing there asks for work, or for the time, and bounds without a limit leave out what costs more."""
    found = run(
        Settings(max_n=3, space="nope", bounds={"heads": 0}).about(load("majority"), "majority"), Limits()
    )
    report = found.report
    assert (report.outcome, report.stop, report.n0_lower) == (Outcome.OPEN, StopReason.SIZE, 2)
    assert MOST_R <= report.complete_up_to_r < MOST_R + 1
    assert report.stop_reason.startswith("R = 64 is reached, and this version searches no further")
    assert check_report(report, 4).right
    narrow = Settings(max_n=3, space="nope", bounds={"heads": 0, "work": 40}).about(load("majority"), "x")
    assert run(narrow, Limits()).report.stop is StopReason.WORK


def test_slices_go_up_and_skip_an_n_that_is_settled(monkeypatch):
    """At R*_2 of majority something fails at 3, so only what is right up to 3 is looked for above it.

    Nor is anything looked for where the window of 2 alone is left.
    """
    slices = []
    slice_ = Search.slice

    def noted(self, low, high, consistent, *rest, **named):
        slices.append((low, high, consistent))
        return slice_(self, low, high, consistent, *rest, **named)

    monkeypatch.setattr(Search, "slice", noted)
    asked(build_target(load("majority")), 8).run()
    assert all(low < high for low, high, _ in slices)
    walked = [item for item in slices if item[1] - item[0] > 1e-6]  # without those of records alone
    ends = [low for low, _, _ in walked]
    assert ends == sorted(ends)
    assert all(n > 2 for low, _, n in walked if low > 8.42)
    assert max(high for _, high, _ in walked) == pytest.approx(8.414213562 + 1 / 6)


@pytest.mark.parametrize("name", ["majority", "tomita-1", "contains-ab"])
def test_what_was_right_in_a_slice_that_a_limit_ends_is_kept(name, monkeypatch):
    """Wherever a limit ends the search, R* is at most R of anything right that was listed before."""
    whole, listed, last = Search.slice, list[float](), [math.inf]

    def slice_(search, *rest):
        is_walk = not rest[3].raw  # of slices, not of what a report looks at again
        for found in whole(search, *rest):
            if is_walk:
                if len(listed) >= last[0]:
                    raise WorkDone
                listed.append(float(found.r[found.fail < 0].min(initial=math.inf)))
            yield found

    monkeypatch.setattr(Search, "slice", slice_)
    bounds = small_space("local", layers=2, units=1, precision=1, max_r=11.0, reach=1)

    def report():
        listed.clear()
        return prepare(build_target(load(name)), bounds, 4, needs=lambda: OUTSIDE).run()

    assert report().outcome is not Outcome.OPEN
    right = [number for number, r in enumerate(listed, 1) if r < math.inf]
    assert right
    for last[0] in range(right[0] - 1, min(len(listed), right[0] + 6)):
        found = report()
        assert found.outcome is Outcome.OPEN
        assert (found.upper_end or (math.inf,))[0] == pytest.approx(min(listed, default=math.inf), abs=1e-9)
