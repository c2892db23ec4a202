"""Random nets label their own words: what judges attention patterns must leave the structure of each."""

import random
from dataclasses import replace

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.search.patterned import shapes
from idinf.search.patterned.ends import WordEnds
from idinf.search.short_words.prefix_trees import ShortWords
from tests.asked_for import few
from tests.search.patterned.planted import Draw, answers, draw_net, draw_within, is_left_out, run
from tests.search.tiny_targets import by_word

#: One layer with one, two and three units, headless layers above, and two layers.
DRAWS = [
    Draw(((1, 1),), spare=1.2, precision=1),
    Draw(((1, 2),), spare=0.8, precision=1),
    Draw(((1, 3),), spare=0.9, precision=1),
    Draw(((1, 2), (0, 1)), spare=1.0, precision=1),
    Draw(((1, 1), (1, 1)), spare=1.2, precision=0),
]


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: str(draw.plan))
def test_no_planted_net_is_left_out(draw):
    """A net that is not judged here says None."""
    for seed in range(few(3, 8)):
        assert not is_left_out(draw_within(random.Random(seed), draw), draw)


@pytest.mark.parametrize("seed", [2045, 5964])
def test_layers_above_may_do_without_a_unit(seed):
    """After an a these nets accept whatever their first unit says; to make it constant there is dear."""
    draw = Draw(((1, 1), (0, 1)), length=4, reach=1, content=0, precision=1, rich=True)
    assert is_left_out(draw_net(random.Random(seed), draw), draw) is False


def above_a_pair(*layers):
    """Two counts that lead to "two a or two b, not both", which is no pair of literals after a last b."""
    heads = (OneHotHead(((-1, 1, 0), (-1, 0, 1))),)
    pair = OneHotLayer(
        heads, (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0), OneHotUnit(((0, 1, 1),), (0, 0, 0), 0))
    )
    above = (OneHotLayer((), tuple(OneHotUnit((), (0, 0, 0, *s), b) for s, b in layer)) for layer in layers)
    signs = (1,) * len(layers[-1])
    return OneHotTransformer(Alphabet(("a", "b")), 0, (pair, *above), signs, 0)


@pytest.mark.parametrize(
    "layers", [[[((1, -1), 0), ((-1, 1), 0)]], [[((1, 1), -1)], [((1, 1, -2), 0)]]], ids=["wide", "deep"]
)
def test_layers_above_may_tell_units_apart(layers):
    net = above_a_pair(*layers)
    plan = tuple((len(layer.heads), len(layer.units)) for layer in net.layers)
    assert answers(net, 4)[0, 0, 1]
    assert not answers(net, 4)[0, 0, 1, 1]
    assert is_left_out(net, Draw(plan, length=6, reach=0, content=0)) is False


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
        number += len(set(ends.words.labels)) == 2
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


def test_a_lower_unit_that_is_not_handed_on_is_noticed(monkeypatch):
    """A planted fault: what the units of some set say is turned round before it is handed on."""
    whole = shapes._list_said

    def other(*asked):
        said = whole(*asked)
        return replace(said, layers=tuple(~rows for rows in said.layers))

    monkeypatch.setattr(shapes, "_list_said", other)
    assert any(is_left_out(draw_within(random.Random(seed), DRAWS[-1]), DRAWS[-1]) for seed in range(4))
