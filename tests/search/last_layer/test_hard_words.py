"""Pairs of last units by a hard word, against all pairs and all units."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest

from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import hard_words
from idinf.search.last_layer.hard_words import HardWords, Literals, _unpack
from idinf.search.short_words.behaviours import unit_outputs
from idinf.search.short_words.features import Features
from idinf.space.structures import Cost
from idinf.space.units import ChannelReads, LayerBudget, iter_unit_chunks
from idinf.targets.regular import RegularTarget
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet
from tests.asked_for import few
from tests.spaces import small_space

PLAIN = {
    "use_certificates": False,
    "use_confusion": False,
}
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


def test_a_case_is_told_anew_by_words_that_some_of_it_miss(monkeypatch):
    """Where there are few words that tell apart; each literal is told right by the new ones."""
    anew, told_anew = [], HardWords._told_anew

    def noted(self, case):
        told = told_anew(self, case)
        outputs = unit_outputs(self._listing.functions(told.one.weights), self.features)
        serves = outputs != outputs[:, [int(self.alike.argmax())]]
        assert (_unpack(told.one.served)[:, : len(told.told)] == serves[:, told.told]).all()
        miss = ~serves[:, told.told].all(axis=0)
        assert miss.all() or serves[:, self.served].all()
        anew.append(len(told.told))
        return told

    monkeypatch.setattr(hard_words, "FEW", 2)
    monkeypatch.setattr(hard_words, "MOST_PAIRS", 0)
    monkeypatch.setattr(HardWords, "_told_anew", noted)
    _, numbers = numbers_met(monkeypatch, PAIRS)
    assert len(anew) > len(numbers)  # and not only of the whole


def test_words_that_somebody_serves_are_not_asked_of_the_other_unit(monkeypatch):
    """A planted fault: what one of the literals misses counts as missed by all of them."""
    missed = property(lambda self: ~np.bitwise_and.reduce(self.served, axis=1))
    monkeypatch.setattr(Literals, "missed", missed)
    assert [found_pairs(*pair, Mode(**PLAIN))[0] for pair in PAIRS] != wanted()


def test_literals_are_all_that_are_alike_and_serve_some_words(monkeypatch):
    """Against all units with a channel of their own, or none, word by word."""
    met, serving = [], HardWords._serving

    def compared(self, words, told, beside=()):
        literals = serving(self, words, told, beside)
        if beside:
            return literals
        structure, lower, features, wanted, most = self.right_units.args
        heads, aggregate = len(structure.layers[-1].heads), Aggregate.MAX
        least = Cost(*map(float, lower.lower_costs.min(axis=0)))
        room = wanted.high - structure.base(aggregate)
        within, want = LayerBudget(features.size, structure.precision, room, least, aggregate), set()
        for own in {False, heads > 0}:
            for units in iter_unit_chunks(within, ChannelReads((own,) * heads, (None,) * heads), most):
                outputs = unit_outputs(units, self.features)
                alike, served = outputs[:, self.alike], outputs[:, words]
                right = alike.all(axis=1) & ~served.any(axis=1) | ~alike.any(axis=1) & served.all(axis=1)
                if heads and not own:  # the other unit reads the head, as shortly as can be
                    _, _, norm_A, norm_b = units.costs(aggregate).T
                    right &= 1.0 + 0.5**structure.precision + np.hypot(norm_A, 1.0) + norm_b <= room
                want |= functions_of(units.take(np.flatnonzero(right)))
        found = self._listing.functions(literals.weights)
        assert want <= functions_of(found)
        outputs = unit_outputs(found, self.features)
        serve = outputs[:, told] != outputs[:, [int(self.alike.argmax())]]
        assert (_unpack(literals.served)[:, : len(told)] == serve).all()
        met.append(len(want))
        return literals

    monkeypatch.setattr(HardWords, "_serving", compared)
    for pair in PAIRS[:3]:
        found_pairs(*pair, Mode(**PLAIN))
    assert 0 in met
    assert max(met) > 0


def functions_of(units):
    return {tuple(row) for row in np.hstack([units.values, units.own, units.bias[:, None]]).tolist()}


def test_the_hardest_word_is_one_that_no_weights_serve():
    """Over values that tell nothing of one word but all of another one."""
    # Words 0 and 1 are alike; word 2 looks like them, word 3 has a sum of its own.
    features = Features(np.array([[0], [0], [0], [4]]), np.ones((4, 1), dtype=np.int64), np.ones(4, np.int64))

    @dataclass
    class Values:
        values: np.ndarray = field(default_factory=lambda: np.array([[1], [-1], [2]]))
        given: tuple = ()

    hard = HardWords(lambda found: Values(), features, np.array([True, True, False, False]), np.array([3, 2]))
    assert hard._hardest.tolist() == [2]
    assert hard._hardest_of(hard.served, 2).tolist() == [2, 3]
