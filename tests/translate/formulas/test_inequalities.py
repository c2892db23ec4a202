"""Simplified weightings attend alike, and settled sums are the same sums."""

from __future__ import annotations

import random
from fractions import Fraction

from idinf.translate.formulas.condition import UNWEIGHTED, Weighting, list_terms
from idinf.translate.formulas.formula import exceeds, find_weighting
from tests.asked_for import few
from tests.translate.formulas.on_words import Prefix, holds, weights_of

#: Two symbols at places 0 and 1, residues mod 2 at 2 and 3, one unit at 4.
SYMBOLS, PERIOD = 2, 2


def prefixes(rng):
    """Prefixes of random words, the unit being random too."""
    for length in range(5):
        codes = [rng.randrange(2) for _ in range(length)]
        columns = tuple(
            (int(c == 0), int(c == 1), int(i % 2 == 0), int(i % 2), rng.randrange(2))
            for i, c in enumerate(codes, start=1)
        )
        counts = tuple(map(sum, zip(*columns, strict=True))) or (0,) * 5
        yield Prefix(
            codes[-1] if codes else None, counts, (rng.random() < 0.5,), columns, rng.randint(length + 1, 9)
        )


def attention(weighting, prefix):
    weights = weights_of(weighting, prefix)
    return [Fraction(weight, sum(weights)) for weight in weights]


def test_a_simpler_weighting_attends_alike() -> None:
    rng, simpler = random.Random(5), 0
    for _ in range(few(133, 400)):
        precision = rng.randint(0, 2)
        logits = [0, 1 << precision, 1, 2]
        keys = list_terms({place: rng.choice(logits) for place in range(5)})
        asked = ((0, True, rng.choice(logits), ((1, rng.choice(logits)),)),) if rng.random() < 0.3 else ()
        phi = (rng.choice(logits), 1 << precision) if rng.random() < 0.5 else ()
        given = Weighting(rng.choice(logits), keys, phi, asked, precision)
        told = find_weighting(given, SYMBOLS, PERIOD)
        simpler += told != given
        for prefix in prefixes(rng):
            assert attention(told, prefix) == attention(given, prefix), given
    assert simpler > few(33, 100)


def test_half_logits_are_not_shifted() -> None:
    """round(N^1/2) : round(N^1) is not 1 : round(N^1/2)."""
    given = Weighting(1, ((0, 1), (1, 2)), precision=1)
    shifted = Weighting(0, ((1, 1),), precision=1)
    prefix = Prefix(1, (1, 1), (), ((1, 0), (0, 1)), 3)
    assert find_weighting(given, 2, 1) == given
    assert attention(given, prefix) != attention(shifted, prefix)


def test_a_comparison_keeps_its_meaning() -> None:
    rng = random.Random(7)
    for _ in range(few(100, 300)):
        sums = [{place: rng.randint(-3, 3) for place in range(5)} for _ in range(2)]
        local = Weighting(phi=(rng.randint(0, 1), 1))
        parts = {UNWEIGHTED: sums[0]} | ({local: sums[1]} if rng.random() < 0.5 else {})
        bound, own = rng.randint(-3, 3), {0: rng.choice([0, 0, 1, -2])}
        for prefix in prefixes(rng):
            if prefix.last is None:
                continue
            condition = exceeds(parts, bound, SYMBOLS, PERIOD, prefix.last, own)
            total = Fraction(own[0] * prefix.units[0])
            for weighting, weights in parts.items():
                for share, column in zip(attention(weighting, prefix)[1:], prefix.columns, strict=True):
                    total += share * sum(weights[place] * x for place, x in enumerate(column))
            assert holds(condition, prefix) is (total > bound)
