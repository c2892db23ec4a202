"""Pairs of last units by a hard word, against all pairs and all units."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import hard_words
from idinf.search.last_layer.hard_words import HardWords, Servers, _least_sets, find_served
from idinf.search.short_words.behaviours import unit_outputs
from idinf.search.short_words.features import Features
from idinf.space.structures import Cost, Structure
from idinf.space.units import ChannelReads, LayerBudget, iter_unit_chunks
from idinf.targets.regular import RegularTarget
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet
from tests.asked_for import few

PLAIN = {
    "use_certificates": False,
    "use_headless_bound": False,
    "use_confusion": False,
    "use_alternation": False,
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
    bounds = SpaceBounds.from_preset("nope", layers=1, units=2, precision=precision, max_r=high)
    search = Search(target, bounds, 6)
    reached: list[Structure] = [s for s in search.reached(high, mode) if s.layers[-1].units == 2]
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


def test_some_pairs_are_met_and_others_ruled_out(monkeypatch):
    """What the comparison rests on: there are right pairs, and lists without any server."""
    numbers, servers = [], HardWords.servers

    def counted(self):
        found = servers(self)
        numbers.append(len(found.units))
        return found

    monkeypatch.setattr(HardWords, "servers", counted)
    found = [found_pairs(*pair, Mode(**PLAIN))[0] for pair in PAIRS[:3]]
    assert sum(map(bool, found)) >= 2
    assert 0 in numbers
    assert max(numbers) > 0


def test_servers_are_all_units_that_are_alike_and_serve_the_word(monkeypatch):
    """Against all units with a channel of their own, or none, word by word."""
    met, servers = [], HardWords.servers

    def compared(self):
        structure, lower, features, wanted, most = self.right_units.args
        heads, aggregate = len(structure.layers[-1].heads), Aggregate.MAX
        least = Cost(*map(float, lower.lower_costs.min(axis=0)))
        room = wanted.high - structure.base(aggregate)
        within = LayerBudget(features.size, structure.precision, room, least, aggregate)
        word, want = self._hardest()[0], set()
        for own in {False, heads > 0}:
            for units in iter_unit_chunks(within, ChannelReads((own,) * heads, (None,) * heads), most):
                outputs = unit_outputs(units, self.features)
                alike, serving = outputs[:, self.alike], outputs[:, word]
                right = (alike.all(axis=1) & ~serving) | (~alike.any(axis=1) & serving)
                want |= rows_of(units.take(np.flatnonzero(right)))
        found = servers(self)
        assert want <= rows_of(found.units)
        met.append(len(want))
        return found

    monkeypatch.setattr(hard_words, "TRIED", 1)
    monkeypatch.setattr(HardWords, "servers", compared)
    for pair in PAIRS[:3]:
        found_pairs(*pair, Mode(**PLAIN))
    assert 0 in met
    assert max(met) > 0


def rows_of(units):
    return {
        tuple(row) for row in np.hstack([units.channel, units.entry, units.own, units.bias[:, None]]).tolist()
    }


def test_a_partner_serves_what_some_server_misses(monkeypatch):
    """Or is a server itself; compared word by word, and no pair is lost."""
    refused, possible = [], Servers.possible

    def judged(self, units):
        found = possible(self, units)
        read = find_served(units, self.read)
        by_hand = [
            bool(row[0])
            or any(all(s for s, m in zip(row, missed, strict=True) if m) for missed in self.missed)
            for row in read
        ]
        assert found.tolist() == by_hand
        refused.append(int((~found).sum()))
        return found

    monkeypatch.setattr(Servers, "possible", judged)
    for pair in PAIRS:
        want, _ = found_pairs(*pair, Mode(use_hard_words=False, **PLAIN))
        assert found_pairs(*pair, Mode(**PLAIN))[0] == want
    assert max(refused) > 0


@pytest.mark.parametrize("seed", range(few(4, 20)))
def test_least_sets_are_in_every_set(seed):
    """Each given set contains one of them, and each of them is a given one or what all have in common."""
    rng = np.random.default_rng(seed)
    rows = rng.random((rng.integers(1, 40), 6)) < 0.5
    least = _least_sets(rows)
    for row in rows:
        assert any((row | ~one).all() for one in least)
    assert all((one == rows).all(axis=1).any() for one in least)
    assert len(least) == len({one.tobytes() for one in least})


def test_the_hardest_word_is_one_that_no_weights_serve():
    """Over values that tell nothing of one word but all of another one."""
    # Words 0 and 1 are alike; word 2 looks like them, word 3 has a sum of its own.
    features = Features(np.array([[0], [0], [0], [4]]), np.ones((4, 1), dtype=np.int64), np.ones(4, np.int64))

    class Values:
        values = np.array([[1], [-1], [2]])

    hard = HardWords(lambda found: Values(), features, np.array([True, True, False, False]), np.array([3, 2]))
    assert hard._hardest().tolist() == [2, 3]
