"""Targets as steps over counters, beside their own machines on all short words."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.proofs.check.target_steps import build_target_side
from idinf.spec.reader import parse_spec
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.supervised import supervise
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
