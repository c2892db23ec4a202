"""Conditions: every simplification against brute force over small counts."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.translate.formulas.condition import (
    FALSE,
    TRUE,
    AtLeastOf,
    BackIn,
    Cases,
    CountInequality,
    LengthIn,
    UnitHolds,
    Weighting,
    all_of,
    any_of,
    at_least,
    evaluate_on_empty,
    negated,
    read_average,
    reduce_inequality,
)
from tests.translate.formulas.on_words import Prefix, holds

#: The word a b b of a longer input; the unit holds at the a.
COLUMNS = ((1, 0, 1), (0, 1, 0), (0, 1, 0))

#: Prefixes over two symbols with one unit, ε first.
PREFIXES = [
    Prefix(last, counts, (unit,), COLUMNS[:length], 7)
    for counts in itertools.product(range(3), repeat=3)
    for last in (None, 0, 1)
    for unit in (False, True)
    for length in (0, 3)
]

weights = st.dictionaries(st.integers(0, 2), st.integers(-9, 9))
atoms = st.one_of(
    st.sampled_from([TRUE, FALSE, UnitHolds(0), UnitHolds(0, False)]),
    st.sampled_from([BackIn(0, (0,)), BackIn(0, (0, 1), False)]),
    st.builds(reduce_inequality, weights, st.integers(-9, 9)),
    st.sampled_from([BackIn(1, (0,)), BackIn(1, (1,)), BackIn(2, (0,), False), LengthIn(2, (1,))]),
    st.builds(
        lambda sums, bound: read_average({Weighting(phi=(0, 1)): sums}, bound, {0: 1}),
        weights,
        st.integers(-3, 3),
    ),
)
conditions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(all_of),
        st.lists(inner, max_size=3).map(any_of),
        st.lists(inner, min_size=3, max_size=4).map(lambda parts: at_least(2, parts)),
        st.builds(lambda one, other: Cases(((BackIn(0, (0,)), one),), other), inner, inner),
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(weights, st.integers(-20, 20))
def test_an_inequality_in_least_terms_says_the_same(given_weights, constant) -> None:
    condition = reduce_inequality(given_weights, constant)
    for prefix in PREFIXES:
        value = sum(factor * prefix.counts[place] for place, factor in given_weights.items()) + constant
        assert holds(condition, prefix) is (value > 0)


def test_an_inequality_has_one_form() -> None:
    assert (
        reduce_inequality({0: 2, 1: -2}, 1)
        == reduce_inequality({1: -1, 0: 1, 2: 0}, 1)
        == CountInequality(((0, 1), (1, -1)), 0)
    )
    assert reduce_inequality({0: 7}, -2) == reduce_inequality({0: 3}, 0) == CountInequality(((0, 1),), 1)
    assert reduce_inequality({0: 1}, 1) == TRUE
    assert reduce_inequality({0: -1, 1: -4}, 0) == FALSE


@settings(deadline=None)
@given(conditions)
def test_a_negation_holds_exactly_where_the_condition_does_not(condition) -> None:
    opposite = negated(condition)
    assert all(holds(opposite, prefix) is not holds(condition, prefix) for prefix in PREFIXES)


@settings(deadline=None)
@given(conditions, st.booleans())
def test_the_empty_word_is_a_prefix_like_any_other(condition, unit) -> None:
    assert evaluate_on_empty(condition, (unit,)) is holds(condition, Prefix(None, (0, 0, 0), (unit,)))


@settings(deadline=None)
@given(st.lists(conditions, max_size=4))
def test_conjunctions_and_disjunctions_keep_their_meaning(parts) -> None:
    both, either = all_of(parts), any_of(parts)
    for prefix in PREFIXES:
        assert holds(both, prefix) is all(holds(part, prefix) for part in parts)
        assert holds(either, prefix) is any(holds(part, prefix) for part in parts)


@settings(deadline=None)
@given(st.lists(conditions, max_size=4), st.integers(-1, 5))
def test_so_many_of_the_parts(parts, number) -> None:
    condition = at_least(number, parts)
    for prefix in PREFIXES:
        assert holds(condition, prefix) is (sum(holds(part, prefix) for part in parts) >= number)


def test_so_many_as_and_or_and_neither() -> None:
    parts = (UnitHolds(0), BackIn(0, (0,)), LengthIn(2, (0,)))
    assert at_least(3, parts) == AtLeastOf(3, parts)
    assert at_least(1, parts) == AtLeastOf(1, parts)
    assert at_least(2, parts) == AtLeastOf(2, parts)
    assert negated(AtLeastOf(2, parts)) == AtLeastOf(2, tuple(map(negated, parts)))
    assert at_least(2, (TRUE, *parts[:2], FALSE)) == AtLeastOf(1, parts[:2])
    assert at_least(2, (parts[0], negated(parts[0]), parts[1])) == parts[1]
    assert (at_least(0, ()), at_least(1, ())) == (TRUE, FALSE)


def test_groups_are_simplified() -> None:
    low, high = CountInequality(((0, 1),), 2), CountInequality(((0, 1),), 3)
    unit = UnitHolds(0)
    assert all_of([low, high]) == high
    assert any_of([high, low]) == low
    assert all_of([high, negated(low)]) == FALSE
    assert any_of([low, negated(high)]) == TRUE
    assert all_of([]) == TRUE
    assert any_of([]) == FALSE
    assert any_of([AtLeastOf(2, (unit, low)), negated(unit)]) == AtLeastOf(1, (low, negated(unit)))
    assert all_of([AtLeastOf(2, (unit, low)), BackIn(0, (1,))]) == AtLeastOf(3, (unit, low, BackIn(0, (1,))))
