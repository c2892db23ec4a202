"""Pairs of last units by a hard word, against all pairs and all units."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import hard_words
from idinf.search.last_layer.hard_words import HardWords, Literals
from idinf.targets.regular import RegularTarget
from tests.asked_for import few
from tests.spaces import small_space

PLAIN = {"use_certificates": False, "use_confusion": False}
#: Languages, words up to which length they are right on, precision, R.
PAIRS = [
    ("(ab)*", 3, 1, 9.5),
    ("(ab)*", 2, 1, 9.5),
    ("a*ba*", 3, 0, 9.5),
    ("b*(ab*ab*)*", 2, 1, 9.3),
    ("(a|b)*aa(a|b)*", 2, 1, 9.4),
    ("a*b*", 2, 0, 9.8),
]


def found_pairs(regex: str, consistent: int, precision: int, high: float, mode: Mode):
    """Right pairs of last units with R and their functions, and how many units were looked at."""
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    bounds = small_space(layers=1, units=2, precision=precision, max_r=high)
    search = Search(target, bounds, 6)
    reached = [s for s in search.structures.up_to(high) if s.layers[-1].units == 2]
    found = [
        (batch.structure, round(float(r), 9), int(fail), outputs.tobytes())
        for batch in search.slice(0.0, high, consistent, mode, reached)
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr), search.counts.enumerated


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("pair", [*PAIRS[: few(3, 6)]])
def test_no_pair_is_lost(pair, raw):
    want, looked_at = found_pairs(*pair, Mode(use_hard_words=False, raw=raw, **PLAIN))
    found, less = found_pairs(*pair, Mode(raw=raw, **PLAIN))
    assert found == want
    assert less <= looked_at


@cache
def wanted():
    """The right pairs of all languages, without hard words."""
    return [found_pairs(*pair, Mode(use_hard_words=False, **PLAIN))[0] for pair in PAIRS]


def numbers_met(monkeypatch, pairs):
    """How many units of right pairs there may be, list by list; −1 where they are too many to be listed."""
    numbers, listed = [], HardWords.pairs

    def counted(self):
        found = listed(self)
        numbers.append(-1 if found is None else len(found))
        return found

    monkeypatch.setattr(HardWords, "pairs", counted)
    return [found_pairs(*pair, Mode(**PLAIN))[0] for pair in pairs], numbers


def test_some_pairs_are_met_and_others_ruled_out(monkeypatch):
    """What the comparison rests on: there are right pairs, and lists without any."""
    found, numbers = numbers_met(monkeypatch, PAIRS)
    assert sum(map(bool, found)) >= 2
    assert 0 in numbers
    assert max(numbers) > 0


@pytest.mark.thinned(6)
@pytest.mark.parametrize(
    ("bounds", "some_are_too_many"),
    [
        ({"MOST_PAIRS": 0}, False),
        ({"MOST_PAIRS": 1}, False),
        ({"MOST_PAIRS": 0, "FEW": 2}, False),
        ({"MOST_PAIRS": 1, "FEW": 2, "MOST_CELLS": 1}, False),
        ({"MOST_PAIRS": 0, "MOST_CASES": 3}, False),
        ({"MOST_PAIRS": 0, "MOST_LITERALS": 16}, True),
        ({"MOST_PAIRS": 0, "MOST_LITERALS": 30, "MOST_TOO_LONG": 1}, True),
        ({"MOST_PAIRS": 1, "MOST_CASES": 0}, True),
    ],
)
def test_no_pair_is_lost_however_the_cases_are_split(monkeypatch, bounds, some_are_too_many):
    for name, value in bounds.items():
        monkeypatch.setattr(hard_words, name, value)
    found, numbers = numbers_met(monkeypatch, PAIRS)
    assert found == wanted()
    assert (min(numbers) < 0) == some_are_too_many


def test_words_that_somebody_serves_are_not_asked_of_the_other_unit(monkeypatch):
    """A planted fault: what one of the literals misses counts as missed by all of them."""
    missed = property(lambda self: ~np.bitwise_and.reduce(self.served, axis=1))
    monkeypatch.setattr(Literals, "missed", missed)
    assert [found_pairs(*pair, Mode(**PLAIN))[0] for pair in PAIRS] != wanted()
