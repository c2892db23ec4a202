"""Shorter programs, which are proved again."""

from __future__ import annotations

import random

import pytest

from idinf.crasp.printer import format_program
from idinf.equivalence.affine import AffineProof
from idinf.synthesis.program import write_program
from idinf.synthesis.simplify import simplify
from idinf.targets.regular import RegularTarget
from idinf.words import Alphabet
from tests.equivalence.test_affine import agree, random_machine


def simplified(machine, window=0, modulus=1):
    program = write_program(machine, window, modulus)
    return None if program is None else simplify(program, AffineProof(machine, 10**8).decides)


@pytest.mark.parametrize(
    ("regex", "symbols", "window", "modulus", "text"),
    [
        ("(aa)*", "a", 0, 2, "i mod 2 == 0"),
        ("(a|b)*a(a|b)*b(a|b)*", "ab", 0, 1, '# ("b" && # "a" >= 1) >= 1'),
        ("(a|b|c)*ab(a|b|c)*", "abc", 1, 1, '# ("b" && #[j = i-1] "a" >= 1) >= 1'),
        ("a*", "ab", 0, 1, '# "b" < 1'),
        ("a*ba*", "ab", 0, 1, '# "b" >= 1 && # "b" < 2'),
        ("(ab)*", "ab", 0, 1, '# (# "b" > # "a" || # "a" >= # "b" + 2) < 1 && # "b" >= # "a"'),
    ],
)
def test_examples(regex, symbols, window, modulus, text):
    machine = RegularTarget.from_regex(regex, Alphabet(tuple(symbols)))
    assert format_program(simplified(machine, window, modulus)) == f"accept = {text}\n"


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(20))
def test_the_language_stays_and_the_text_is_no_longer(seed):
    rng, met = random.Random(seed), 0
    while met < 4:
        machine = random_machine(rng, states=5)
        program = write_program(machine)
        if program is None:
            continue
        met += 1
        shorter = simplified(machine)
        assert agree(shorter, machine, 9)
        assert len(format_program(shorter)) <= len(format_program(program))


def test_nothing_is_tried_beyond_the_bound():
    machine = RegularTarget.from_regex("(ab)*", Alphabet(("a", "b")))
    program = write_program(machine)
    tried = []
    simplify(program, lambda candidate: tried.append(candidate) or False, most=3)
    assert len(tried) == 3
