"""Signs of forms as questions: what is known is not asked, and paths cover everything once."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

from idinf.proofs.check.target_steps import SymbolicRun, iter_paths, read_sign
from tests.asked_for import few


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
