"""Learnability against prompts asked one by one, and isolation against what is learned in the end."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest

from idinf.base.words import Alphabet
from idinf.lab.continuity.learning import find_limit_confidence, learnability, list_confidences
from idinf.lab.continuity.predictors import Predictor, krichevsky_trofimov, laplace
from idinf.lab.continuity.sequences import Periodic, find_limit, sequence
from tests.asked_for import few
from tests.lab.continuity.drawn_nets import draw_net

AB = Alphabet(("0", "1"))
COUNTS = [laplace(AB), krichevsky_trofimov(AB)]


def by_counting(text: str, n: int, constant: Fraction) -> list[Fraction]:
    """Confidences from the definition, for counts."""
    word = sequence(text).prefix(n + 1)
    return [
        Fraction(word[:m].count(word[m]) - word[:m].count("10"[int(word[m])])) / (m + 2 * constant)
        for m in range(1, n + 1)
    ]


@pytest.mark.parametrize("predictor", COUNTS, ids=["laplace", "kt"])
@pytest.mark.parametrize("text", ["(0)", "11(0)", "0101(1)", "(01)", "(001)", "1(0001)"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_learned_exactly_if_constant_in_the_end(predictor: Predictor, text: str, epsilon: Fraction) -> None:
    found = learnability(predictor, sequence(text), epsilon=epsilon, up_to=8)
    confidences = by_counting(text, 400, Fraction(1) if predictor.name == "laplace" else Fraction(1, 2))
    assert [part.low for part in list_confidences(predictor, sequence(text), 400)] == confidences
    constant = len(sequence(text).period) == 1  # type: ignore[attr-defined]
    assert found.for_some is found.learned is constant
    if constant:
        assert found.n0 is not None
        assert min(confidences[found.n0 - 1 :]) >= epsilon
        assert found.n0 == 1 or confidences[found.n0 - 2] < epsilon


def test_counts_decide_every_confidence() -> None:
    """Random sequences beside their confidences one by one, with ε at the limit and close to it."""
    draw = random.Random(20)
    met: Counter[tuple[bool | None, bool]] = Counter()
    for case in range(few(40, 80)):
        symbols = draw.choice(("01", "012", "0"))
        start, period = (
            "".join(draw.choices(symbols, k=k)) for k in (draw.randint(0, 4), draw.randint(1, 5))
        )
        drawn = Periodic(symbols, start, period)
        rule = (laplace, krichevsky_trofimov)[case % 2](Alphabet(tuple(symbols)))
        limit = find_limit_confidence(rule, drawn)
        assert limit is not None
        near = [
            limit.low + step for step in (0, Fraction(1, 90), -Fraction(1, 90)) if 0 < limit.low + step <= 1
        ]
        epsilon = draw.choice([*near, Fraction(1, 2), Fraction(draw.randint(1, 30), 30)])
        found = learnability(rule, drawn, epsilon=epsilon, up_to=5)
        seen = [one.low >= epsilon for one in list_confidences(rule, drawn, 1000)]
        last = max((n for n, is_met in enumerate(seen, start=1) if not is_met), default=0)
        if found.learned:
            assert found.n0 == last + 1
        else:
            assert (found.learned, found.n0) == (False, None)
            assert last > 1000 - len(period)
        met[found.learned, epsilon == limit.low] += 1
    assert all(met[kind] for kind in itertools.product((True, False), (True, False)))


def test_nothing_within_the_radius_is_learned() -> None:
    """All periods up to 6 symbols and every k, for counts and nets that learn 0^ω."""
    learners: list[Predictor] = [*COUNTS]
    learners += [draw_net(AB, seed) for seed in range(1, 8)]
    met = 0
    for predictor in learners:
        a = sequence("(0)")
        own = find_limit_confidence(predictor, a)
        assert own is not None
        if own.low <= 0:
            continue
        radius = predictor.growth.find_radius(own.low)
        assert predictor.growth.at(radius) <= own.low / 2
        for size in (2, 3, 4, 64, 100, 400):
            b = sequence("(" + "0" * (size - 1) + "1)")
            other = find_limit_confidence(predictor, b)
            assert other is not None
            if find_limit(a, b).lower < radius:
                met += 1
                assert other.high <= 0
    assert met > 10
