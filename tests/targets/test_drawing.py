"""Uniform words against lists of all words, closed forms, and themselves with larger integers."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.errors import BudgetError
from idinf.spec.catalogue import load
from idinf.targets import drawing
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.drawing import UniformWords, make_near_miss
from idinf.targets.machine import Target, accepts
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import supervise
from tests.targets.random_programs import random_program


def some_regular(seed: int) -> RegularTarget:
    rng = np.random.default_rng(seed)
    states, size = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    table = rng.integers(states, size=(states, size))
    return RegularTarget(Alphabet(tuple("abc"[:size])), table, rng.random(states) < 0.4)


def some_counting(seed: int) -> CountingTarget:
    rng = np.random.default_rng(seed)
    sigma = Alphabet(tuple("abc"[: int(rng.integers(2, 4))]))
    return CountingTarget(read_program(random_program(rng, sigma.symbols), sigma), sigma)


def words_by_definition(target: Target, length: int) -> list[tuple[int, ...]]:
    """In lexicographic order."""
    every = product(range(len(target.alphabet)), repeat=length)
    return [word for word in every if accepts(target, word)]


@pytest.mark.thinned(7)
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("some", [some_regular, some_counting])
@pytest.mark.parametrize("small", [drawing.SMALL, 40, 0])
def test_every_rank_is_its_word(some, seed: int, small: int, monkeypatch) -> None:
    """Also where few, or none, of the numbers are int64; lengths in any order."""
    monkeypatch.setattr(drawing, "SMALL", small)
    target = some(seed)
    words = UniformWords(target, target.labels, 6)
    for length in (2, 0, 5, 3, 6, 1, 4):
        expected = words_by_definition(target, length)
        assert words.count(length) == len(expected)
        assert [words.word_at(length, rank) for rank in range(len(expected))] == expected
        if expected:
            drawn = words.draw(length, 9, np.random.default_rng(seed))
            assert (drawn.shape, drawn.dtype) == ((9, length), np.int64)
            assert {tuple(row) for row in drawn.tolist()} <= set(expected)


def test_what_is_wanted_is_any_question() -> None:
    """Of a target with a domain, words of it that are rejected."""
    sigma = Alphabet(("0", "1"))
    even = RegularTarget.from_regex("((0|1)(0|1))*", sigma)
    target = build_target(load("majority"))
    both = supervise(target).__class__(target, domain=even)
    words = UniformWords(both, lambda states: (both.distance(states) == 0) & ~both.labels(states), 7)
    assert [words.count(length) for length in range(7)] == [0, 0, 1, 0, 5, 0, 22]


def test_a_sparse_language_beside_a_dense_one() -> None:
    """One word of a length, in front of states with more words ahead than int64 holds."""
    sigma = Alphabet(("a", "b"))
    target = RegularTarget.from_regex("a*|bbb(a|b)*b(a|b)*", sigma)
    words = UniformWords(target, target.labels, 90)
    assert words.count(90) == 1 + 2**87 - 1
    assert words.count(3) == 1
    words = UniformWords(target, lambda states: states[:, 0] == target.step(target.start(), 0)[0, 0], 90)
    assert words.draw(90, 2, np.random.default_rng(0)).tolist() == [[0] * 90] * 2


@pytest.mark.parametrize("small", [drawing.SMALL, 0])
def test_words_are_equally_frequent(small: int, monkeypatch) -> None:
    monkeypatch.setattr(drawing, "SMALL", small)
    target = build_target(load("tomita-4"))
    words = UniformWords(target, target.labels, 4)
    drawn = words.draw(4, 13_000, np.random.default_rng(5)).tolist()
    counts = Counter(map(tuple, drawn))
    assert len(counts) == words.count(4) == 13
    assert all(abs(count - 1000) < 160 for count in counts.values())  # five standard deviations


def test_what_is_refused(monkeypatch) -> None:
    target = build_target(load("tomita-5"))
    words = UniformWords(target, target.labels, 9)
    for length in (-1, 10):
        with pytest.raises(ValueError, match="expected 0 to 9"):
            words.count(length)
    for rank in (-1, words.count(4)):
        with pytest.raises(ValueError, match="expected at least 0 and below 8"):
            words.word_at(4, rank)
    with pytest.raises(ValueError, match="expected one that has words"):
        words.draw(3, 1, np.random.default_rng(0))
    assert words.draw(4, 0, np.random.default_rng(0)).shape == (0, 4)
    monkeypatch.setattr(drawing, "MOST_COUNTS", 100)
    target = build_target(load("majority"))
    words = UniformWords(target, target.labels, 50)
    for _ in range(2):
        with pytest.raises(BudgetError, match="ask for shorter words"):
            words.count(50)
    assert words.count(4) == 11


def test_near_misses_are_near() -> None:
    """Over the same symbols, often another word, at most twice as long and two more."""
    rng, word = np.random.default_rng(0), (0, 1, 1, 0, 1)
    found = [make_near_miss(word, 2, rng) for _ in range(300)]
    assert {code for each in found for code in each} == {0, 1}
    assert max(map(len, found)) <= 10
    assert len(set(found)) > 30
    assert make_near_miss((), 3, rng) in {(0,), (1,), (2,)}
