"""Words that look alike to a last layer: no net that is right on its own words is ever called confused."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from idinf.search.patterned.ends import WordEnds
from idinf.search.short_words.prefix_trees import ShortWords
from tests.asked_for import few
from tests.search.patterned.planted import Draw, draw_net, run
from tests.search.tiny_targets import by_word

PLANS = (
    ((1, 1),),
    ((1, 1), (1, 1)),
    ((0, 2), (1, 1)),
    ((1, 2), (2, 1)),
    ((1, 1), (0, 1), (1, 1)),
    ((1, 1), (1, 1), (1, 1)),
    ((1, 1), (1, 1), (1, 1), (0, 2)),
)


def drawn(seed, **fixed):
    """A net, its draw, the ends of its words, and the features below each layer on the rows (N, prefix)."""
    rng = random.Random(seed)
    draw = Draw(
        rng.choice(PLANS),
        symbols=rng.choice((1, 2, 2)),
        precision=rng.choice((0, 1)),
        period=rng.choice((1, 1, 2)),
        reach=rng.choice((0, 1, 1, 2)),
        length=4,
        content=rng.choice((0, 0.5)),
        rich=True,
    )
    draw = replace(draw, **fixed)
    net = draw_net(rng, draw)
    labels, known = run(net, draw.length)
    ends = WordEnds(ShortWords.of(by_word(net.alphabet, labels.__getitem__), draw.length), draw.period)
    tree = ends.words.forest
    rows = [
        known[N, ends.words.word(word)]
        for N, word in zip(tree.total.tolist(), tree.word.tolist(), strict=True)
    ]
    features = [np.array([row[k] for row in rows]).T for k in range(len(net.layers) + 1)]
    return net, draw, ends, features


def confusions(seeds, **fixed):
    """How often a net is called confused on its own words, and how many nets have two labels."""
    wrong = number = 0
    for seed in seeds:
        net, draw, ends, features = drawn(seed, **fixed)
        number += len(set(ends.labels)) == 2
        with_heads = [k for k, layer in enumerate(net.layers) if layer.heads]
        top = with_heads[-1]
        size = len(features[top - 1]) if top else len(features[0])
        bits, below = features[top][size:].astype(bool), features[top][len(features[0]) : size]
        wrong += bool(ends.confused(bits[None], draw.reach, below)[0])
        if len(with_heads) == 1:
            wrong += bool(ends.confused(bits[None, :0], draw.reach)[0])
    return wrong, number


def test_no_net_is_confused_on_its_own_words():
    wrong, number = confusions(range(few(75, 150)))
    assert wrong == 0
    assert number > few(15, 30)


@pytest.mark.slow
def test_no_net_of_many_is_confused_on_its_own_words():
    assert confusions(range(150, 4000))[0] == 0


def test_units_of_all_lower_layers_tell_words_apart(monkeypatch):
    """A planted fault: the last of the lower layers alone is looked at."""
    whole = WordEnds.confused
    monkeypatch.setattr(WordEnds, "confused", lambda self, bits, reach, below=None: whole(self, bits, reach))
    narrow = {"content": 0, "reach": 1, "period": 1, "symbols": 2, "precision": 1, "rich": False}
    assert confusions((25, 131), plan=PLANS[5], **narrow)[0] == 2
    assert confusions((72,), plan=PLANS[4], **narrow)[0] == 1


def test_a_shorter_window_confuses_words(monkeypatch):
    """A planted fault: the window of a reach is one position too short."""
    whole = WordEnds._find_pairs
    monkeypatch.setattr(WordEnds, "_find_pairs", lambda self, reach: whole(self, max(0, reach - 1)))
    assert confusions(range(100), plan=PLANS[0], content=0, reach=2)[0] > 0
