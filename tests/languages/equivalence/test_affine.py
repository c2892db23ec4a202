"""Programs proved to decide a regular language: never a wrong one, word by word."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.crasp.syntax import ProgramTree
from idinf.languages.equivalence.affine import AffineProof, Hull, Unknown, moved
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


def test_bounds_of_a_hull_hold_at_its_points():
    rng = np.random.default_rng(3)
    for _ in range(30):
        size = int(rng.integers(1, 5))
        points = rng.integers(-3, 4, (4, size))
        hull = Hull(points[0].tolist(), points[0].tolist(), points[0].tolist())
        for point in points[1:].tolist():
            hull.join(point, [], point, point)
            assert not hull.join(point, [], point, point)
        for factors in rng.integers(-2, 3, (10, size)).tolist():
            low, high = hull.bounds({**dict(enumerate(factors)), ("1", 0): 7})
            values = points @ factors + 7
            assert low <= values.min() <= values.max() <= high
            if len(set(values.tolist())) == 1:
                assert low == high


@pytest.mark.parametrize("seed", range(6))
def test_counters_move_wherever_an_unknown_may_lead(seed):
    """Several counters may count one unknown, or its negation: both ways lie in the hull, which is tight."""
    rng = np.random.default_rng([4, seed])
    for _ in range(20):
        size = int(rng.integers(1, 5))
        points = rng.integers(0, 3, (2, size))
        hull = Hull(points[0].tolist(), points[0].tolist(), points[0].tolist())
        hull.join(points[1].tolist(), [], points[1].tolist(), points[1].tolist())
        choices = [True, False, Unknown(0), Unknown(0, False), Unknown(1), Unknown(1, False)]
        counted = [choices[k] for k in rng.integers(0, 6, size)]
        point, directions, low, high = moved(hull, counted, 9)
        after = Hull(point, low, high)
        after.join(point, directions, low, high)
        ends = []
        for values in itertools.product((False, True), repeat=2):
            steps = [a if isinstance(a, bool) else values[a.number] is a.holds for a in counted]
            ends += [(start + np.array(steps)).tolist() for start in points]
        for factors in [*np.eye(size, dtype=int).tolist(), *rng.integers(-2, 3, (10, size)).tolist()]:
            known = [sum(f * x for f, x in zip(factors, end, strict=True)) for end in ends]
            low_, high_ = after.bounds(dict(enumerate(factors)))
            assert low_ <= min(known) <= max(known) <= high_
            if sum(map(bool, factors)) == 1:
                assert (low_, high_) == (min(known), max(known))
