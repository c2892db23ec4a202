"""Nets with a φ: weights against the reference, and all placements against all φ one by one."""

import itertools
import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.reference import accepts
from idinf.nets.regularizer import compute_r_terms
from idinf.search.exact_check.reachability import fail_lengths
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.spec.bounds import HypothesisClass
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.whole import search
from idinf.whole.floors import FLOOR
from idinf.whole.functions import WeighedWords, as_nets
from idinf.whole.search import Placements, cost_of
from idinf.whole.token_sets import list_token_sets
from tests.asked_for import few

AB = Alphabet(("a", "b"))
EVERY = RegularTarget.from_regex("(a|b)*", AB)
SETS = [tokens for tokens in list_token_sets(FLOOR) if tokens.x is not None]


def test_a_written_net_with_phi_answers_as_its_weights_say():
    """Positive and negative φ of p = 1 and 2, judged by the reference; R grows by Σ φ²."""
    generator = random.Random(3)
    words = ShortWords.of(EVERY, 5)
    weighed = WeighedWords.of(words)
    for tokens in generator.sample(SETS, few(15, 30)):
        phi = (*generator.choices([-2, -1, 0, 1, 2], k=3), generator.choice([-1, 1]))
        choice = np.array([[generator.randrange(len(tokens.vectors)) for _ in range(3)]])
        net = tokens.write(AB, choice[0].tolist(), phi)
        uniform = tokens.write(AB, choice[0].tolist())
        cost = cost_of(tuple(v for v in phi if v), tokens.precision)
        assert compute_r_terms(net).total == pytest.approx(compute_r_terms(uniform).total + cost)
        answers = weighed.by(phi, tokens.precision).answers(tokens, choice)[0]
        for place in generator.sample(range(len(words.labels)), 12):
            assert accepts(net, words.word(place)) == answers[place]
        fail = words.first_difference(answers[None])
        assert fail_lengths(EVERY, as_nets(tokens, choice, phi), 5).tolist() == fail.tolist()


def test_joint_states_decide_as_all_words_of_a_length():
    """The same nets, where the short words end earlier: target and sum together instead of word by word."""
    generator = random.Random(4)
    target = RegularTarget.from_regex("(a|b)*b(a|b)*b", AB)
    long, short = (WeighedWords.of(ShortWords.of(target, length)) for length in (7, 1))
    seen = set()
    for tokens in SETS[:: few(3, 1)]:
        choice = np.array([[generator.randrange(len(tokens.vectors)) for _ in range(3)] for _ in range(3)])
        phi = tuple(generator.choice([-1, 0, 1]) for _ in range(6))
        for length in (2, 4, 7):
            by_words = Placements(target, long, tokens).are_right_at(choice, phi, length)
            by_states = Placements(target, short, tokens).are_right_at(choice, phi, length)
            assert by_states.tolist() == by_words.tolist()
            seen |= {*by_words.tolist()}
    assert seen == {True, False}


@pytest.mark.parametrize("values", [(1,), (-1, 1), (1, 1)])
def test_all_placements_are_met_with_their_fails(values):
    """Every φ over distances 0..4 with these values, or with some of them where the others come too late."""
    target = build_target(load("majority"))
    words = ShortWords.of(target, 6)
    weighed = WeighedWords.of(words)
    tokens = next(tokens for tokens in SETS if len(tokens.vectors) == 9)
    every = np.array([*itertools.product(range(len(tokens.vectors)), repeat=3)])
    choice = every[(weighed.answers(tokens, every)[:, :1] == words.labels[:1]).all(axis=1)]
    expected = set()
    for phi in itertools.product(sorted({0, *values}), repeat=7):
        if sorted(filter(None, phi)) == sorted(values):
            fails = words.first_difference(weighed.by(phi, tokens.precision).answers(tokens, choice))
            for row, fail in zip(choice.tolist(), fails.tolist(), strict=True):
                last = max(k for k, value in enumerate(phi) if value)
                if 2 < fail <= 6 and last <= fail:  # beyond its fail a value is left
                    expected.add((phi[: last + 1], tuple(row), fail))
    met = set()
    for placed in Placements(target, weighed, tokens).placed(values, range(3, 7)):
        if not placed.left and placed.fail > 0:
            phi = placed.phi[: max(np.flatnonzero(placed.phi)) + 1]
            met |= {(phi, tuple(row), placed.fail) for row in placed.choice.tolist()}
    assert met == expected
    assert len(expected) > 20


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("first", "most"), [(0, 10**6), (3, 10**6), (3, 10), (9, 10**6)])
def test_nets_are_followed_to_what_a_list_of_each_placement_says(
    first: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever lists begin, and also where they are too long at first; in the same order."""
    monkeypatch.setattr(search, "FIRST", first)
    monkeypatch.setattr(search, "MOST_FIRST", most)
    monkeypatch.setattr(search, "MOST_REMEMBERED", 40)
    generator, number = random.Random(5), 0
    for name in ("majority", "tomita-1", "contains-ab"):
        target = build_target(load(name))
        weighed = WeighedWords.of(ShortWords.of(target, 6))
        for tokens in generator.sample(SETS, 3):
            for values, size in itertools.product([(1,), (-1, 1)], (1, 4)):
                expected = []
                for phi, left in search.list_near(values, size):
                    choice = weighed.by(phi, tokens.precision).list_right(tokens, size - 1)
                    expected += [(phi, left, choice.tolist())] * bool(len(choice))
                found = Placements(target, weighed, tokens).right(values, size)
                assert [(one.phi, one.left, one.choice.tolist()) for one in found] == expected
                number += len(expected)
    assert number > 50


def test_a_planted_fault_in_a_weight_is_caught(monkeypatch):
    """With a weight that forgets the rounding, the answers differ from the reference."""
    monkeypatch.setattr("idinf.whole.functions._scaled_weight", lambda N, k, p: 2**p + k)
    with pytest.raises(AssertionError):
        test_a_written_net_with_phi_answers_as_its_weights_say()


def test_limit_transformers_break_what_ordinary_ones_keep():
    """At least three ones: at n = 4 a φ makes a selected net wrong on 00011, within twice the length."""
    from tests.inference.test_whole_class import identified

    report = identified("at-least-3-ones", HypothesisClass.LIMIT)
    assert (report.n0, report.stages[-1].r_star) == (5, 5.914213562)
    assert (report.stages[3].good, report.stages[3].counterexample) == (False, "00011")
