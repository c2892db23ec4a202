"""The fast search gives the same table, selected sets and n0 as nested loops over tiny spaces."""

from dataclasses import replace
from functools import lru_cache

import pytest

from idinf.search.patterned import lower
from idinf.space import idle
from tests.search.brute_force import table
from tests.search.comparison import bounds_of, by_logits, compare, run_in
from tests.search.tiny_spaces import CASES


@lru_cache(maxsize=2)
def brute_table(name):
    case = CASES[name]
    return table(case.space, case.target.alphabet, case.target.label, 2 * case.max_n, case.aggregate)


#: Cases of more than a second; each has a cheaper one with the same features.
LONG = (
    *("content", "content-above", "dyck-half", "even-unary-sum", "local-below-head", "plurality-c"),
    *("two-heads-two-units-local", "two-outputs-headless", "content-and-local", "content-half-unary"),
    *("even-hidden-pair", "local-below", "local-in-both", "period-2-head", "symmetric-local"),
    *("two-outputs-local", "two-units-two-heads"),
)

#: These are long where every decision is left to the exact check.
LONG_UNSCREENED = ("symmetric-pair", "symmetric-three", "two-outputs-above")


def runs():
    """Every case with several tolerances and screening lengths; what takes longer is marked slow."""
    for name, case in CASES.items():
        for tolerance, screening in ((None, None), (0.0, None), (None, 1), (None, 2)):
            also = screening == 1 and (not case.uses or name in SCREENED)
            slow = case.slow or ((tolerance, screening) != (None, None) and not also) or name in LONG
            slow = slow or (screening == 1 and name in LONG_UNSCREENED)
            yield pytest.param(name, tolerance, screening, marks=pytest.mark.slow if slow else ())


#: New features that are also judged with every decision left to the exact check.
SCREENED = (
    "local",
    "local-half",
    "period-2-local",
    "one-unit-two-heads",
    "two-outputs-above",
    "content-above",
)


@pytest.mark.thinned(60)
@pytest.mark.parametrize(("name", "tolerance", "screening"), list(runs()))
def test_report_equals_brute_force(name, tolerance, screening):
    case = CASES[name]
    run = run_in(case.space, case.target, case.max_n, case.aggregate, tolerance, screening=screening)
    compare(run, brute_table(name), case.target, case.space.max_r, tolerance)


#: Cases with one and two units, φ, positions and next to no room.
AT_ZERO = (
    *("local", "local-half", "period-2-local", "one-unit-two-heads", "symmetric-pair"),
    *("majority-1-layer", "majority-pair-p2", "three-units-shared", "dyck-head-above"),
)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", AT_ZERO)
def test_threshold_zero_equals_brute_force(name):
    """Of all hypotheses those alone that compare with 0: fewer, and a complement costs more."""
    case = CASES[name]
    bounds = replace(bounds_of(case.space), threshold="zero")
    every = brute_table(name)
    entries = [entry for entry in every if not entry.hypothesis.threshold]
    assert 0 < len(entries) < len(every)
    run = run_in(case.space, case.target, case.max_n, case.aggregate, bounds=bounds)
    compare(run, entries, case.target, case.space.max_r)


@pytest.mark.parametrize(
    "name",
    [
        "majority-pair-p2",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("three-units-shared", "even-unary-shared-channel")
        ),
    ],
)
def test_match_logits_equals_brute_force(name):
    """Of all hypotheses those that compare with 0, by the numbers that the reference gives at every word."""
    case = CASES[name]
    bounds = replace(bounds_of(case.space), match="logits")
    assert bounds.threshold == "zero"
    at_zero = [entry for entry in brute_table(name) if not entry.hypothesis.threshold]
    entries = [by_logits(entry, case.target, 2 * case.max_n) for entry in at_zero]
    assert [entry.fail for entry in entries] != [entry.fail for entry in at_zero]
    run = run_in(case.space, case.target, case.max_n, case.aggregate, bounds=bounds)
    compare(run, entries, case.target, case.space.max_r)


def test_an_entry_that_counts_as_idle_is_noticed(monkeypatch):
    """A planted fault: units feel no more than every other entry of M."""
    whole = idle.find_felt

    def fewer(*units):
        felt = whole(*units)
        felt[:, ::2] = False
        return felt

    for module in (idle, lower):
        monkeypatch.setattr(module, "find_felt", fewer)
    with pytest.raises(AssertionError):
        test_report_equals_brute_force("content", None, None)
