"""Programs proved to decide a regular language: never a wrong one, word by word."""

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.crasp.syntax import ProgramTree
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.program import write_program
from idinf.languages.synthesis.shortening import shorter_definitions
from idinf.targets.counting import CountingTarget
from idinf.targets.regular import RegularTarget
from tests.languages.classification.classes_by_definition import minimal, random_dfa

AB = Alphabet(("a", "b"))


def random_machine(rng, states=5, symbols="ab"):
    table, accepting = minimal(*random_dfa(rng, states, len(symbols)))
    return RegularTarget(Alphabet(tuple(symbols)), np.array(table), np.array(accepting))


def agree(program, machine, length):
    """Whether a program and a machine answer alike on all words up to a length."""
    sides = machine, CountingTarget(program, machine.alphabet)
    states = [side.start() for side in sides]
    for _ in range(length + 1):
        if (sides[0].labels(states[0]) != sides[1].labels(states[1])).any():
            return False
        codes = range(len(machine.alphabet))
        states = [
            np.concatenate([side.step(now, c) for c in codes])
            for side, now in zip(sides, states, strict=True)
        ]
    return True


PROVED = [
    ("(ab)*", 'accept = # "a" == # "b" && # (# "b" > # "a" || # "a" > # "b" + 1) == 0'),
    ("(ab)*", 'accept = max(# "a", # "b") == # "b" && # (# "b" > # "a" || # "a" > # "b" + 1) <= 0'),
    ("(a|b)*ab(a|b)*", 'accept = # ("b" && #[j = i-1] "a" >= 1) >= 1'),
    ("(a|b)*ab(a|b)*", 'accept = # ("b" && #[j >= i-1] "a" >= 1) >= 1'),
    ("(a|b)*ab(a|b)*", 'accept = # ("b" && #[j >= i-2] "a" >= 1) >= 1'),
    ("((a|b)(a|b))*", "accept = i mod 2 == 0"),
    ("((a|b)(a|b))*", "accept = i mod 4 == 0 || i mod 4 == 2"),
    ("(a|b)*b", 'accept = "b"'),
    ("a*", 'accept = (1 if "b" else 2 * # "b") == 0 && !(# "b" > 0)'),
    ("(a|b)(a|b)", "accept = min(# true, 3) == 2"),
]


@pytest.mark.parametrize(("regex", "text"), PROVED)
def test_right_programs_are_proved(regex, text):
    assert AffineProof(RegularTarget.from_regex(regex, AB)).decides(read_program(text, AB))


@pytest.mark.parametrize(
    ("regex", "text"),
    [
        ("(ab)*", 'accept = # "a" == # "b" && # (# "b" > # "a" || # "a" > # "b" + 2) == 0'),
        ("(a|b)*ab(a|b)*", 'accept = # ("b" && #[j >= i] "a" >= 1) >= 1'),
        ("((a|b)(a|b))*", "accept = i mod 2 == 0 && # true <= 40"),
        ("(a|b)(a|b)|a*", "accept = min(# true, 3) == 2"),
        ("a*", 'accept = # "b" < 2'),
        ("a+", 'accept = # "b" == 0'),
    ],
)
def test_wrong_programs_are_not(regex, text):
    assert not AffineProof(RegularTarget.from_regex(regex, AB)).decides(read_program(text, AB))


@pytest.mark.thinned(12)
@pytest.mark.parametrize("seed", range(24))
def test_what_is_proved_is_right_on_every_word(seed):
    """Programs with a part left out: proved only if they are right, and then often."""
    rng, met = random.Random(seed), {True: 0, False: 0}
    while sum(met.values()) < 60:
        machine = random_machine(rng, states=4, symbols=rng.choice(["ab", "abc"]))
        program = write_program(machine, *rng.choice([(0, 1), (1, 1), (0, 2)]))
        if program is None:
            continue
        proof = AffineProof(machine, 10**7)
        assert proof.decides(program)
        for definitions in shorter_definitions(program.definitions):
            changed = ProgramTree(definitions)
            proved = proof.decides(changed)
            assert not proved or agree(changed, machine, 8 if len(machine.alphabet) == 2 else 5)
            met[proved] += 1
    assert min(met.values()) > 0
