"""Longer words that are screened: chosen by how often they refuted, without effect on what is listed."""

from __future__ import annotations

from functools import cache

import pytest

from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.short_words.prefix_trees import ShortWords, Witnesses
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.spaces import small_space


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("name", "max_r", "more"),
    [
        ("dyck-1", 9.9, {}),
        ("ge-k-j", 9.3, {}),
        pytest.param("contains-ab", 10.2, {"precision": 0, "reach": 1}, marks=pytest.mark.slow),
    ],
)
def test_slices_hold_the_same_hypotheses_with_and_without(name, max_r, more):
    """Fewer last layers are checked exactly; nothing that counts is lost."""
    bounds = {"layers": 2, "units": 1, "precision": 1, "max_r": max_r, **more}
    space = small_space("local" if more else "nope", **bounds)
    consistent, screening = (5, 2) if more else (7, 3)
    listed, checked, words = [], [], []
    for use in (True, False):
        search = Search(
            build_target(load(name, (("k", 3), ("j", 2)) if "-k-" in name else ())),
            space,
            16,
            screening=screening,
        )
        found = []
        for low, high in ((4.0, 9.0), (9.0, 9.2), (9.2, max_r)):
            found += [
                (batch.structure, batch)
                for batch in search.slice(low, high, consistent, Mode(use_refutation=use))
            ]
        listed.append(
            sorted(
                (str(structure), round(r, 9), int(f), bits.tobytes())
                for structure, batch in found
                for r, f, bits in zip(batch.r, batch.fail, batch.outputs, strict=True)
            )
        )
        checked.append(search.counts.exact)
        words.append(len(search.witnesses.within(consistent)))
    assert listed[0] == listed[1]
    assert listed[0]
    assert checked[0] < checked[1]
    assert words[0]


@cache
def deep_dyck_by_short_words():
    """What nobody has changed anything about, and two tests compare with."""
    return deep_dyck(Mode(use_pumped_words=False))


def deep_dyck(mode):
    """What three slices of D_4 hold, how much was looked at, and how many words were drawn for each."""
    space = small_space(layers=2, units=1, precision=1, max_r=10.2)
    search = Search(build_target(load("d-4")), space, 16, screening=3)
    found = [
        (str(batch.structure), round(float(r), 9), int(fail), bits.tobytes())
        for low, high in ((4.0, 9.0), (9.0, 9.8), (9.8, 10.2))
        for batch in search.slice(low, high, 9, mode)
        for r, fail, bits in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found), search.counts


@pytest.mark.slow
def test_words_too_long_to_count_lose_hypotheses(monkeypatch):
    """A planted fault: hypotheses have to be right on short words only, whatever words are drawn."""
    want, _ = deep_dyck_by_short_words()
    monkeypatch.setattr(Witnesses, "_drawn", lambda self, length: ((0,) * 5 + (1,) * 5,))
    monkeypatch.setattr(ShortWords, "up_to", lambda self, length: len(self.ends))
    assert deep_dyck(Mode())[0] != want


def test_a_wrong_label_of_a_longer_word_loses_hypotheses(monkeypatch):
    """The comparison above could fail: a planted fault in the words that are screened is seen."""
    target = build_target(load("dyck-1"))
    space = small_space(layers=2, units=1, precision=1, max_r=10.0)
    right = Witnesses.screen

    def faulty(self, chosen):
        is_new = self._last[0] != chosen
        words = right(self, chosen)
        words.labels[len(self.words.labels) :] ^= is_new
        return words

    counts = []
    for screen in (right, faulty):
        monkeypatch.setattr(Witnesses, "screen", screen)
        search = Search(target, space, 16, screening=3)
        for low, high in ((4.0, 9.9), (9.9, 10.0)):
            number = sum(len(found) for found in search.slice(low, high, 7, Mode()))
        counts.append(number)
    assert counts[0] > counts[1]
