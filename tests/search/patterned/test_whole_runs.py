"""Runs in the family are the same whether attention patterns are judged together or listed one by one."""

from functools import cache, cached_property

import pytest

from idinf.base.words import Alphabet
from idinf.search.patterned.top import TopPatterns
from idinf.search.slice_types import Mode
from idinf.spec.bounds import SpaceBounds
from idinf.targets.regular import RegularTarget
from tests.small_runs import prepare

FEW = ("(ab)*", "a(a|b)*b", "b*ab*ab*", "(a|ba)*", "((a|b)(a|b))*")


def told(regex, max_r, together):
    """What a run says of each n, and its records."""
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    run = prepare(
        target, SpaceBounds(max_r=max_r, work=None), 6, mode=Mode(use_patterns_as_costs=together)
    ).run()
    stages = [(stage.n, stage.r_star, stage.good, stage.counterexample) for stage in run.stages]
    records = [(record.r, record.fail, record.formula) for record in run.records]
    return run.complete_up_to_r, stages, records, [(worst.r, worst.formula) for worst in run.worst]


@cache
def one_by_one(regex, max_r):
    """What several tests compare with."""
    return told(regex, max_r, False)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("regex", FEW)
def test_runs_are_the_same(regex):
    assert told(regex, 9.2, True) == one_by_one(regex, 9.2)


def test_a_pattern_that_is_forgotten_is_noticed(monkeypatch):
    """A planted fault: φ that reach beyond the last position are left out."""
    whole = TopPatterns._phis.func
    short = cached_property(lambda top: {reach: phis for reach, phis in whole(top).items() if not reach})
    short.__set_name__(TopPatterns, "_phis")
    monkeypatch.setattr(TopPatterns, "_phis", short)
    assert told("(ab)*", 9.2, True) != one_by_one("(ab)*", 9.2)
