"""Words that refute: exactly the wrong hypotheses are wrong on them, and a pool learns the least word."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.experiments.catalogue import load
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.targets.build import build_target
from idinf.words import words_up_to
from tests.search.random_nets import random_target
from tests.spaces import small_space


@pytest.mark.parametrize("size", [1, 2, 3])
def test_words_and_prefixes_are_a_part_of_all_words(size):
    rng = np.random.default_rng(size)
    target = random_target(rng, size)
    every = list(words_up_to(size, 5))
    labels = ShortWords.of(target, 5).labels
    chosen = [every[k] for k in rng.choice(len(every), 4, replace=False)]
    some = ShortWords.and_prefixes(target, chosen)
    listed = [some.word(k) for k in range(len(some.labels))]
    assert listed == [w for w in every if any(w == word[: len(w)] for word in chosen)]
    assert [labels[every.index(word)] for word in listed] == some.labels.tolist()
    assert [some.up_to(n) for n in range(6)] == [sum(len(w) <= n for w in listed) for n in range(6)]
    # The same rows for every N as the tree of all words has.
    whole, part = ShortWords.of(target, some.length), some.forest
    rows = {(n, whole.word(w)) for n, w in zip(whole.forest.total, whole.forest.word, strict=True)}
    have = [(int(n), some.word(int(w))) for n, w in zip(part.total, part.word, strict=True)]
    assert len(have) == len(set(have))
    assert set(have) == {(n, word) for n, word in rows if word in set(listed)}
    for k, (n, word) in enumerate(have):
        assert not word or have[part.parent[k]] == (n, word[:-1])
    assert [have[k] for k in part.final] == [(len(w) + 1, w) for w in listed]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("dyck-1", {"layers": 2, "units": 1, "precision": 0, "max_r": 9.9}),
        pytest.param(
            "contains-ab",
            {"preset": "local", "layers": 2, "units": 1, "precision": 0, "reach": 1, "max_r": 10.2},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_nothing_that_counts_is_refuted(name, bounds):
    """Slices with and without it hold the same hypotheses; fewer are checked exactly."""
    bounds = dict(bounds)
    space = small_space(bounds.pop("preset", "nope"), **bounds)
    listed, checked = [], []
    for use in (True, False):
        search = Search(build_target(load(name)), space, 12, screening=2)
        search.structures.up_to(space.max_r)
        found = list(search.slice(8.0, space.max_r, 5, Mode(use_refutation=use)))
        listed.append(
            sorted((round(r, 9), int(f)) for batch in found for r, f in zip(batch.r, batch.fail, strict=True))
        )
        checked.append(search.counts.exact)
    assert listed[0] == listed[1]
    assert listed[0]
    assert checked[0] < checked[1]
