"""Cutting φ off: the same answers on short words, and an R that is less by what is cut."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from idinf import crasp
from idinf.base.words import words_up_to
from idinf.nets import reference
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import compute_r_terms, cut_off, list_cuts


def with_far_attention(seed: int, precision: int) -> LimitTransformer:
    """A compiled program with φ at random distances up to 5."""
    rng = random.Random(seed)
    net = crasp.compile(rng.choice(["dyck-1", "tomita-4", "contains-ab"]), precision=precision).transformer
    step = Fraction(1, 2**precision)
    layers = tuple(
        replace(
            layer,
            heads=tuple(
                replace(head, phi=tuple(step * rng.choice([0, 0, 1, 2, -1]) for _ in range(6)))
                for head in layer.heads
            ),
        )
        for layer in net.layers
    )
    return replace(net, layers=layers)


def attending(net: LimitTransformer, distance: int) -> LimitTransformer:
    """The same with φ = 1 at one further distance in its first head."""
    first, *others = net.layers
    head, *rest = first.heads
    far = tuple(Fraction(0) for _ in range(distance - len(head.phi)))
    heads = (replace(head, phi=(*head.phi, *far, Fraction(1))), *rest)
    return replace(net, layers=(replace(first, heads=heads), *others))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_cut_saves_its_price_and_changes_no_short_word(seed: int) -> None:
    precision = seed % 2
    net = with_far_attention(seed, precision)
    whole = compute_r_terms(net)
    cuts = list_cuts(net)
    assert [cut.reach for cut in cuts] == list(range(net.reach + 1))
    assert (cuts[-1].saved, cuts[-1].transformer) == (0, net)
    for cut in cuts:
        r = compute_r_terms(cut.transformer)
        assert r.phi == float(cut.penalty)
        assert whole.total - r.total == pytest.approx(float(cut.saved))
        assert cut.saved == 0 or cut.saved >= Fraction(1, 4**precision)
        for word in words_up_to(len(net.alphabet), min(cut.reach, 4)):
            assert reference.accepts(cut.transformer, word) == reference.accepts(net, word)
    assert all(before.penalty <= after.penalty for before, after in pairwise(cuts))


def test_a_cut_that_is_too_short_is_noticed() -> None:
    net = crasp.compile("contains-ab").transformer
    wrong = cut_off(net, 0)
    assert any(reference.accepts(wrong, word) != reference.accepts(net, word) for word in words_up_to(2, 3))


def test_accidental_attention_leaves_every_sum_but_not_the_whole() -> None:
    """T_n attends to what is n back: D_n(τ) is that of the program for n > τ, and D_n(n) is 1 more."""
    base = crasp.compile("contains-ab").transformer
    wanted = [cut.penalty for cut in list_cuts(base)]
    for n in range(base.reach + 1, 9):
        cuts = list_cuts(attending(base, n))
        assert [cut.penalty for cut in cuts[: len(wanted)]] == wanted
        assert {cut.saved for cut in cuts[len(wanted) - 1 : n]} == {Fraction(1)}
        assert (cuts[n - 1].transformer, cuts[n].saved) == (base, 0)
        for word in words_up_to(2, min(n - 1, 5)):
            assert reference.accepts(attending(base, n), word) == reference.accepts(base, word)
