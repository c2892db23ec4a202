"""Longer words that are drawn and screened, or refuted others: without effect on what is listed."""

import numpy as np
import pytest

from idinf.search.enumeration import Search
from idinf.search.fail_lengths import Decider
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from tests.spaces import small_space


def listed(name, max_r, mode, consistent=7, **bounds):
    """What three slices hold whose hypotheses are right on longer words than short ones, and the counts."""
    space = small_space(**{"layers": 2, "units": 1, "precision": 1, "max_r": max_r, **bounds})
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
@pytest.mark.parametrize(
    ("name", "max_r", "bounds"),
    [
        ("d-4", 10.2, {}),
        ("ge-k-j", 9.3, {}),
        ("dyck-1", 9.9, {}),
        ("ge-k-j", 9.8, {"layers": 1, "units": 3, "heads": 3}),
        ("ge-k-j", 10.2, {"units": 2, "heads": 3, "precision": 0}),
    ],
)
def test_slices_hold_the_same_hypotheses_with_and_without(name, max_r, bounds):
    """Fewer last layers are decided exactly; nothing that counts is lost. Dyck-1 has no word to draw."""
    found, counts = listed(name, max_r, Mode(), **bounds)
    want, without = listed(name, max_r, Mode(use_longer_words=False), **bounds)
    assert found == want != []
    assert counts.exact < without.exact


@pytest.mark.parametrize(("fault", "name"), [("label", "d-4"), ("length", "d-4"), ("refuting", "dyck-1")])
def test_a_fault_in_longer_words_loses_hypotheses(monkeypatch, fault, name):
    """The comparison could fail: a wrong label, a word too long to count, a word that says the opposite."""
    want, _ = listed(name, 9.9, Mode(use_longer_words=False))
    drawn, wrong = ShortWords.with_drawn, Decider.wrong

    def faulty(self, target):
        words = drawn(self, target)
        if fault == "label":
            words.labels[len(self.labels) :] ^= True
        else:
            words.ends[len(self.ends) :] = self.length + 1
        return words

    if fault == "refuting":
        monkeypatch.setattr(Decider, "wrong", lambda self, batch: np.where(wrong(self, batch) < 0, 7, -1))
    else:
        monkeypatch.setattr(ShortWords, "with_drawn", faulty)
    assert listed(name, 9.9, Mode())[0] != want
