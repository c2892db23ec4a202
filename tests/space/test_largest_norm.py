"""The floor of Definition 50, beside every net of tiny spaces by nested loops."""

from __future__ import annotations

import itertools
import math

import pytest

from idinf.experiments.spec import Answer
from idinf.space.largest_norm import Nets, Sizes, least_by_definition_50
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import Aggregate, compute_r_terms
from idinf.words import Alphabet
from tests.compilation.random_hypotheses import random_hypothesis
from tests.search.brute_force import Space, hypotheses

ALPHABET = Alphabet(("a",))

SPACES = {
    "one unit": (Space(1, 1, 1, 1, 9.2), "max"),
    "two units": (Space(1, 1, 2, 0, 10.5, shapes=(((1, 2),), ((1, 1),))), "max"),
    "period": (Space(1, 0, 1, 0, 9.5, period=2), "max"),
    "phi": (Space(1, 1, 1, 0, 10.0, reach=1, logit_max=1, shapes=(((1, 1),),)), "max"),
    "content": (Space(1, 1, 1, 0, 9.5, logit_max=1, content_max=1, shapes=(((1, 1),),)), "max"),
    "two heads": (Space(1, 2, 1, 0, 10.5, shapes=(((1, 1),), ((2, 1),))), "max"),
    "two layers": (Space(2, 1, 1, 0, 8.0, shapes=(((0, 1),), ((0, 1), (0, 1)), ((1, 1), (0, 1)))), "max"),
    "sum": (Space(2, 1, 1, 0, 9.0, shapes=(((0, 1),), ((0, 1), (0, 1)))), "sum"),
    "sum of heads": (Space(1, 2, 1, 0, 12.4, shapes=(((1, 1),), ((2, 1),))), "sum"),
}


def _cheapest(space: Space, aggregate: str) -> tuple[dict[tuple[float, bool], float], int]:
    """The least R of Definition 50 for each R of Definition 5, without and with heads."""
    least: dict[tuple[float, bool], float] = {}
    count = 0
    found = hypotheses(space, ALPHABET, aggregate, horizon=0)
    for place, (r, _, period, p, patterns, layers, _) in enumerate(found):
        own = [max(layer.terms[1:]) for layer in layers]
        contents = [
            math.sqrt(sum(entry**2 for row in pattern.logits for entry in row))  # of one entry, or
            if sum(map(bool, itertools.chain(*pattern.logits))) < 2
            else None
            for each in patterns
            for pattern in each
        ]
        heads = max(map(len, patterns))
        if place % 97 == 0 or None in contents:
            built = (x.with_patterns(each) for x, each in zip(layers, patterns, strict=True))
            net = OneHotTransformer(ALPHABET, p, tuple(built), (1,) * len(layers[-1].units), 0, period)
            terms = compute_r_terms(net.to_dense())
            r50 = sum(terms.by_definition_50().values())
            assert compute_r_terms(net.to_dense(), Aggregate(aggregate)).total == pytest.approx(r)
        else:
            norms = (*own, *contents, *(math.sqrt(len(layer.units)) for layer in layers), 1.0)
            phi = sum(x**2 for each in patterns for pattern in each for x in pattern.phi) / 4**p
            r50 = len(layers) + heads + p + (period if period > 1 else 0) + phi + max(norms)
        key = (round(r, 9), heads > 0)
        least[key] = min(least.get(key, math.inf), r50)
        count += 1
    return least, count


def sizes_of(net: OneHotTransformer) -> Sizes:
    """The sizes of one net; entries of φ and M count as the next whole number."""
    one = 1 << net.precision
    patterns = [head.pattern for layer in net.layers for head in layer.heads]
    phi = max((x for pattern in patterns for x in pattern.phi), default=0)
    content = max((x for pattern in patterns for row in pattern.logits for x in row), default=0)
    return Sizes(
        len(net.layers),
        max(len(layer.heads) for layer in net.layers),
        max(len(layer.units) for layer in net.layers),
        net.precision,
        net.period,
        net.reach,
        -(-max(phi, content) // one),
        -(-content // one),
    )


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SPACES)
def test_no_net_is_below_the_floor_and_some_are_on_it(name: str) -> None:
    space, aggregate = SPACES[name]
    cell = Sizes(
        space.layers,
        space.heads,
        space.units,
        space.precision,
        space.period,
        space.reach,
        space.logit_max,
        space.content_max,
    )
    least, count = _cheapest(space, aggregate)
    assert count > 200
    on_it = 0
    for with_head in (False, True):
        nets = Nets(cell, Answer.ACCEPT, len(ALPHABET), Aggregate(aggregate), with_head)
        for (r, has_head), r50 in least.items():
            if has_head or not with_head:
                floor = least_by_definition_50(r, nets)
                assert r50 >= floor - 1e-7, (r, r50, floor)
                on_it += abs(r50 - floor) < 1e-7
    assert on_it >= 4


def test_floors_hold_of_random_deep_nets() -> None:
    for seed in range(200):
        net = random_hypothesis(seed, matrices=0.3)
        dense = net.to_dense()
        cell = sizes_of(net)
        for aggregate in Aggregate:
            r = compute_r_terms(dense, aggregate).total
            nets = Nets(cell, aggregate=aggregate, with_head=cell.heads > 0)
            r50 = sum(compute_r_terms(dense).by_definition_50().values())
            assert r50 >= least_by_definition_50(r, nets) - 1e-7


def test_the_floor_grows_with_r_and_falls_with_the_space() -> None:
    small, large = Sizes(1, 1, 1, 0), Sizes(1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 3, 2, 2)
    floors = [
        [least_by_definition_50(float(r), Nets(cell, with_head=True)) for r in range(5, 17)]
        for cell in (small, large)
    ]
    for row in floors:
        assert row == sorted(row)
    assert all(a >= b for a, b in zip(*floors, strict=True))
    assert floors[0][-1] > floors[1][-1] + 0.5
    assert least_by_definition_50(8.0, Nets(Sizes(1, 0, 1, 0), with_head=True)) == math.inf


def test_rows_of_next_symbols_make_u_longer() -> None:
    """8.5 = 2 + 1 + 1 + √3 + ... needs less of the other norms where U may be as long as they are."""
    cell = Sizes(1, 1, 1, 0)
    floors = [least_by_definition_50(12.2, Nets(cell, answer, 2, with_head=True)) for answer in Answer]
    by_answer = dict(zip(Answer, floors, strict=True))
    assert by_answer[Answer.SET] < by_answer[Answer.ACCEPT] == by_answer[Answer.SYMBOL]
