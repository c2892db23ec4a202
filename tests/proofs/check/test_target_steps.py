"""Targets as steps over counters, beside their own machines on all short words."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.proofs.check.target_steps import SymbolicRun, build_target_side, iter_paths, read_sign
from idinf.spec.reader import parse_spec
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.supervised import supervise
from tests.asked_for import few
from tests.proofs.check.followed import WordComparison, random_program

AB = Alphabet(("a", "b"))


def compare(target, length):
    """The answers at every position of every word, as the machine gives them."""
    side = WordComparison(build_target_side(target), len(target.alphabet))
    for word in words_up_to(len(target.alphabet), length):
        states = target.start()
        for place, (_, answers) in enumerate(side.run(word)):
            if place:
                states = target.step(states, word[place - 1])
            assert answers == tuple(np.atleast_1d(target.labels(states)[0]).tolist()), (word, place)


def programs(seeds):
    for seed in seeds:
        text = random_program(np.random.default_rng(seed), "ab")
        yield CountingTarget(read_program(text, AB), AB)


def test_random_programs_do_what_their_machine_does():
    asked = 0
    for target in programs(range(30)):
        compare(target, 4)
        asked += bool(build_target_side(target).names)
    assert asked >= 5  # programs with counters of their own


@pytest.mark.parametrize("regex", ["(ab)*", "a*b?", "((a|b)(a|b))*", "a(a|b)*b", "()", "(a|b)*abb"])
@pytest.mark.parametrize("mode", ["accept", "next"])
def test_regular_languages_do_what_their_machine_does(regex, mode):
    spec = parse_spec(f'name = "x"\nalphabet = "ab"\nmode = "{mode}"\nregex = "{regex}"')
    compare(supervise(build_target(spec)).machine, 6)


def test_next_symbols_of_a_program_do_what_their_machine_does():
    text = """
name = "x"
alphabet = "ab"
mode = "next"
crasp = '''
many = # (# "a" <= # "b") >= 2
near = #[j >= i - 1] "b" >= 1
even = i mod 2 == 0
'''
[next]
b = "near"
"$" = "many"
"""
    target = supervise(build_target(parse_spec(text))).machine
    compare(target, 6)
    side = build_target_side(target)
    assert len(side.names) == 1
    assert side.start()[2] == (False, False, False)


def form(*entries):
    return tuple(Fraction(entry) for entry in entries)


def test_a_form_above_zero_at_every_small_point():
    rng = random.Random(1)
    for _ in range(few(100, 300)):
        entries = form(*(Fraction(rng.randint(-4, 4), rng.randint(1, 4)) for _ in range(3)))
        asked = read_sign(entries)
        for point in itertools.product(range(-3, 4), repeat=2):
            value = sum(k * x for k, x in zip(entries, point, strict=False)) + entries[-1]
            assert (asked if isinstance(asked, bool) else asked.holds(point)) == (value > 0)


def test_what_is_implied_is_not_asked_again():
    asked = SymbolicRun()
    assert asked.above(form(1, 0, -1)) is True  # x ≥ 2
    assert asked.above(form(2, 0, 0)) is True  # x ≥ 1
    assert asked.above(form(-1, 0, 2)) is False  # x ≤ 1
    assert asked.answers == [True]
    assert asked.above(form(1, 0, -2)) is True  # x ≥ 3 is more
    assert asked.answers == [True, True]


def test_paths_cover_every_point_exactly_once():
    """A random function of three signs: at each point just one path, with what the function gives there."""
    rng = random.Random(2)
    for _ in range(60):
        forms = [form(*(rng.randint(-2, 2) for _ in range(3))) for _ in range(3)]

        def run(asked, forms=forms):
            first = asked.above(forms[0])
            return first, asked.above(forms[1] if first else forms[2])

        def truth(point, forms=forms):
            signs = [sum(k * x for k, x in zip(f, point, strict=False)) + f[-1] > 0 for f in forms]
            return signs[0], signs[1] if signs[0] else signs[2]

        every = list(iter_paths(run))
        assert len({tuple(asked.answers) for asked, _ in every}) == len(every)
        for point in itertools.product(range(-3, 4), repeat=2):
            given = [result for asked, result in every if all(g.holds(point) for g in asked.guard)]
            assert given == [truth(point)]
