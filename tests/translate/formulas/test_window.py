"""Windows: a reading equals the average it replaces, for prefixes of inputs of any length."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from idinf.base.words import words_up_to
from idinf.translate.formulas.condition import Average, BackIn, ConstantCondition, Weighting, list_terms
from idinf.translate.formulas.formula import read_near
from tests.translate.formulas.on_words import Prefix, holds


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


@pytest.mark.parametrize(
    ("phi", "values", "bound", "reading"),
    [
        ((0, 1), (2, 0), 1, BackIn(1, (0,))),
        ((0, 1), (-2, 0), -1, BackIn(1, (0,), positive=False)),
        # The last symbol itself is the second of the alphabet, and outweighs everything
        ((1,), (2, 0), 1, ConstantCondition(False)),
        ((2,), (0, 1), 0, ConstantCondition(True)),
        # Before there are two symbols, one of three equal weights can be more than a third
        ((0, 0, 1), (3, 0), 1, None),
        ((0, 0, 2), (2, 0), 1, BackIn(2, (0,))),
        # N^(1/2) is not there: only whole logits are read; N^1 does not outweigh three times its bound
        ((0, 1), (3, 0), 1, None),
    ],
)
def test_by_hand(phi, values, bound, reading) -> None:
    assert read_near(phi, values, bound, code=1) == reading
