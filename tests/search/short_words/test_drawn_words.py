"""Longer words that are drawn from an automaton and screened: without effect on what is listed."""

from __future__ import annotations

import pytest

from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from tests.spaces import small_space


def listed(name, max_r, mode, consistent=7):
    """What three slices hold whose hypotheses are right on longer words than short ones, and the counts."""
    space = small_space(layers=2, units=1, precision=1, max_r=max_r)
    parameters = (("k", 3), ("j", 2)) if "-k-" in name else ()
    search = Search(build_target(load(name, parameters)), space, 16, screening=3)
    found = [
        (str(batch.structure), round(float(r), 9), int(fail), bits.tobytes())
        for low, high in ((4.0, 9.0), (9.0, 9.8), (9.8, max_r))
        for batch in search.slice(low, high, consistent, mode)
        for r, fail, bits in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found), search.counts


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "max_r"), [("d-4", 10.2), ("ge-k-j", 9.3), ("dyck-1", 9.9)])
def test_slices_hold_the_same_hypotheses_with_and_without(name, max_r):
    """Fewer last layers are decided exactly; nothing that counts is lost. Dyck-1 has no automaton."""
    found, counts = listed(name, max_r, Mode())
    want, without = listed(name, max_r, Mode(use_longer_words=False))
    assert found == want != []
    assert counts.exact < without.exact


def test_short_words_come_first_and_only_automata_have_words_to_draw():
    """What is known of a short word by its place stays known."""
    regular, counter = (build_target(load(name)) for name in ("d-4", "dyck-1"))
    short = Search(regular, small_space(), 16, screening=4).words
    longer = short.with_drawn(Search(regular, small_space(), 16, screening=4).target)
    number = len(short.labels)
    assert len(longer.labels) > number == longer.up_to(4)
    assert [longer.word(k) for k in range(number)] == [short.word(k) for k in range(number)]
    assert all(longer.labels[k] == accepts(regular, longer.word(k)) for k in range(len(longer.labels)))
    of_counter = Search(counter, small_space(), 16, screening=4)
    assert of_counter.words.with_drawn(of_counter.target) is of_counter.words


@pytest.mark.parametrize("fault", ["label", "length"])
def test_a_fault_in_longer_words_loses_hypotheses(monkeypatch, fault):
    """The comparison could fail: a wrong label is seen, and so is a word that is too long to count."""
    want, _ = listed("d-4", 10.2, Mode(use_longer_words=False))
    right = ShortWords.with_drawn

    def faulty(self, target):
        words = right(self, target)
        if fault == "label":
            words.labels[len(self.labels) :] ^= True
        else:
            words.ends[len(self.ends) :] = self.length + 1
        return words

    monkeypatch.setattr(ShortWords, "with_drawn", faulty)
    assert listed("d-4", 10.2, Mode())[0] != want
