"""Conditions: every simplification against brute force over small counts."""

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.base.words import words_up_to
from idinf.translate.formulas.condition import (
    FALSE,
    TRUE,
    UNWEIGHTED,
    Average,
    BackIn,
    Cases,
    ConstantCondition,
    LengthIn,
    UnitHolds,
    Weighting,
    all_of,
    any_of,
    at_least,
    evaluate_on_empty,
    list_terms,
    negated,
    read_average,
    reduce_inequality,
)
from idinf.translate.formulas.formula import exceeds, find_weighting, read_near
from tests.asked_for import few
from tests.translate.formulas.on_words import Prefix, holds, weights_of

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


# Simplified weightings attend alike, and settled sums are the same sums


#: Two symbols at places 0 and 1, residues mod 2 at 2 and 3, one unit at 4.
SYMBOLS, PERIOD = 2, 2


def prefixes(rng):
    """Prefixes of random words, the unit being random too."""
    for length in range(5):
        codes = [rng.randrange(2) for _ in range(length)]
        columns = tuple(
            (int(c == 0), int(c == 1), int(i % 2 == 0), int(i % 2), rng.randrange(2))
            for i, c in enumerate(codes, start=1)
        )
        counts = tuple(map(sum, zip(*columns, strict=True))) or (0,) * 5
        yield Prefix(
            codes[-1] if codes else None, counts, (rng.random() < 0.5,), columns, rng.randint(length + 1, 9)
        )


def attention(weighting, prefix):
    weights = weights_of(weighting, prefix)
    return [Fraction(weight, sum(weights)) for weight in weights]


def test_a_simpler_weighting_attends_alike() -> None:
    rng, simpler = random.Random(5), 0
    for _ in range(few(133, 400)):
        precision = rng.randint(0, 2)
        logits = [0, 1 << precision, 1, 2]
        keys = list_terms({place: rng.choice(logits) for place in range(5)})
        asked = ((0, True, rng.choice(logits), ((1, rng.choice(logits)),)),) if rng.random() < 0.3 else ()
        phi = (rng.choice(logits), 1 << precision) if rng.random() < 0.5 else ()
        given = Weighting(rng.choice(logits), keys, phi, asked, precision)
        told = find_weighting(given, SYMBOLS, PERIOD)
        simpler += told != given
        for prefix in prefixes(rng):
            assert attention(told, prefix) == attention(given, prefix), given
    assert simpler > few(33, 100)


def test_a_comparison_keeps_its_meaning() -> None:
    rng = random.Random(7)
    for _ in range(few(100, 300)):
        sums = [{place: rng.randint(-3, 3) for place in range(5)} for _ in range(2)]
        local = Weighting(phi=(rng.randint(0, 1), 1))
        parts = {UNWEIGHTED: sums[0]} | ({local: sums[1]} if rng.random() < 0.5 else {})
        bound, own = rng.randint(-3, 3), {0: rng.choice([0, 0, 1, -2])}
        for prefix in prefixes(rng):
            if prefix.last is None:
                continue
            condition = exceeds(parts, bound, SYMBOLS, PERIOD, prefix.last, own)
            total = Fraction(own[0] * prefix.units[0])
            for weighting, weights in parts.items():
                for share, column in zip(attention(weighting, prefix)[1:], prefix.columns, strict=True):
                    total += share * sum(weights[place] * x for place, x in enumerate(column))
            assert holds(condition, prefix) is (total > bound)


# Windows: a reading equals the average it replaces, for prefixes of inputs of any length


def prefix(word, size, N):
    columns = tuple(tuple(int(code == k) for k in range(size)) for code in word)
    counts = tuple(map(sum, zip(*columns, strict=True)))
    return Prefix(word[-1], counts, (), columns, N)


def disagreements(phi, values, bound, code, reading, length=6):
    """Words that end in the symbol, with the N of an input they begin, where reading and average differ."""
    average = Average(((Weighting(phi=phi), list_terms(dict(enumerate(values)))),), Fraction(bound))
    for word in words_up_to(len(values), length):
        if word and word[-1] == code:
            for N in (len(word) + 1, len(word) + 2, len(word) + 7, 40):
                seen = prefix(word, len(values), N)
                if holds(reading, seen) is not holds(average, seen):
                    yield word, N


@pytest.mark.slow
def test_readings_are_true() -> None:
    rng, read = random.Random(3), 0
    for _ in range(500):
        size, reach = rng.randint(1, 3), rng.randint(0, 2)
        phi = (*(rng.randint(0, 2) for _ in range(reach)), rng.randint(1, 2))
        values, bound = tuple(rng.randint(-3, 3) for _ in range(size)), rng.randint(-3, 3)
        if not any(values):
            continue
        reading = read_near(phi, values, bound, code=0)
        if reading is not None:
            read += not isinstance(reading, ConstantCondition)
            assert list(disagreements(phi, values, bound, 0, reading, 4)) == [], (phi, values, bound)
    assert read >= 30


def test_a_reading_that_is_a_little_wrong_is_caught() -> None:
    """The bound 1 of "2 for an a" is the largest that one look back decides."""
    assert list(disagreements((0, 1), (2, 0), 1, 1, BackIn(1, (0,)))) == []
    first = next(disagreements((0, 1), (3, 0), 1, 1, BackIn(1, (0,)), length=9))
    assert first == ((0, 0, 0, 0, 0, 0, 1, 1), 9)  # 3 · 6 of 9 + 8
