"""A Limit Transformer as steps over counters, beside the reference on all short words."""

from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import NextReads, OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.reference import name_next_symbols, trace
from idinf.proofs.check.net_steps import NetSide
from idinf.proofs.check.target_steps import Unprovable
from idinf.spec.spec import END, Answer
from tests.proofs.check.followed import WordComparison, random_hypothesis

AB = Alphabet(("a", "b"))


def lower_counts(net, word):
    """How often each unit below the last layer is 1, positions 0..n, by the reference."""
    layers = trace(net, word).layers[:-1]
    return tuple(int(sum(column)) for layer in layers for column in zip(*layer.activations, strict=True))


def agrees(net, length):
    """Whether it is followed, and then rightly: answers as acceptance of every prefix, and counters."""
    try:
        side = WordComparison(NetSide(net), len(net.alphabet))
        for word in words_up_to(len(net.alphabet), length):
            *_, (counters, answers) = side.run(word)
            assert answers == (trace(net, word).accepted,), word
            turns = (len(word) // net.period,) if net.period > 1 else ()
            assert counters == (*lower_counts(net, word), *turns), word
    except Unprovable:
        return False
    return True


def kinds(net):
    """Which constructs a hypothesis has."""
    heads = [(place, head) for place, layer in enumerate(net.layers) for head in layer.heads]
    yield "period" if net.period > 1 else "no period"
    yield "two layers" if len(net.layers) > 1 else "one layer"
    for place, head in heads:
        if any(head.phi):
            yield "φ below" if place < len(net.layers) - 1 else "φ on top"
        if head.phi and max(head.phi) > 1:
            yield "a large φ"
        if len(head.phi) > 2:
            yield "a far φ"


def check_seeds(seeds, length):
    done = {}
    for seed in seeds:
        net = random_hypothesis(seed).to_dense()
        if agrees(net, length):
            for kind in set(kinds(net)):
                done[kind] = done.get(kind, 0) + 1
    return done


def test_random_hypotheses_do_what_the_reference_does():
    done = check_seeds(range(40), 2)
    assert min(done[kind] for kind in ("period", "no period", "two layers", "one layer", "φ on top")) >= 3
    assert done["φ below"] >= 2


def test_bounds_settle_a_unit_with_a_large_weight_for_every_length():
    """A lower unit by φ(1) = 2: N² of the last but one, against at most N − 1 of all others."""
    lower = OneHotLayer(
        (OneHotHead(((0, 1, -1),), AttentionPattern(phi=(0, 2))),), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),)
    )
    upper = OneHotLayer((OneHotHead(((0, 0, 0, 1),)),), (OneHotUnit(((0, 0, 1),), (0,) * 4, 0),))
    net = OneHotTransformer(AB, 0, (lower, upper), (1,), 0).to_dense()
    assert agrees(net, 6)


def test_a_unit_that_depends_on_the_length_is_refused_below():
    """Value −1 of the last but one by N, +1 of every other by 1: the sign depends on how long the word is."""
    lower = OneHotLayer(
        (OneHotHead(((0, 1, -2),), AttentionPattern(phi=(0, 1))),), (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0),)
    )
    upper = OneHotLayer((OneHotHead(((0, 0, 0, 1),)),), (OneHotUnit(((0, 0, 1),), (0,) * 4, 0),))
    net = OneHotTransformer(AB, 0, (lower, upper), (1,), 0).to_dense()
    with pytest.raises(Unprovable, match=r"layers\[0\]\.mlp unit 0: with φ its sign depends on N"):
        [list(WordComparison(NetSide(net), 2).run(word)) for word in words_up_to(2, 5)]


def test_next_symbols_are_read_at_every_position():
    heads = (OneHotHead(((0, 1, -1),)),)
    units = (OneHotUnit(((0, 0, 1),), (0, 0, 0), 0), OneHotUnit((), (0, 1, 0), 0))
    reads = NextReads(Answer.SET, (0, -1, 1))
    net = OneHotTransformer(AB, 0, (OneHotLayer(heads, units),), (1, 1), 0, reads=reads).to_dense()
    for word in words_up_to(2, 5):
        steps = [answers for _, answers in WordComparison(NetSide(net), 2).run(word)]
        named = [tuple(symbol in here for symbol in ("a", "b", END)) for here in name_next_symbols(net, word)]
        assert steps == named


def test_next_symbols_that_read_an_average_with_phi_depend_on_the_length():
    """Judged at every position with N of the whole word; N = i + 1 would be right at the last one alone."""
    reads = NextReads(Answer.SET, (0, 0, 0))
    head = OneHotHead(((0, -1, 2),), AttentionPattern(phi=(0, 1)))
    layer = OneHotLayer((head,), (OneHotUnit(((0, 0, 1),), (0, 1, 0), 0),))
    net = OneHotTransformer(AB, 0, (layer,), (1,), 0, reads=reads).to_dense()
    [average] = [row for row, entries in enumerate(net.layers[0].heads[0].V) if any(entries)]
    reading = tuple(Fraction(int(place == average)) for place in range(net.width))
    mlp = replace(net.layers[0].mlp, A=((Fraction(0),) * net.width,))
    net = replace(net, unembedding=(reading,) * 3, layers=(replace(net.layers[0], mlp=mlp),))
    assert len({name_next_symbols(net, (1, 1, 0, 1, *(1,) * more))[4] for more in range(3)}) == 2
    with pytest.raises(Unprovable, match="the output: with φ its sign depends on N"):
        [list(WordComparison(NetSide(net), 2).run(word)) for word in words_up_to(2, 5)]
