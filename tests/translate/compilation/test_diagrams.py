"""Diagrams against truth tables, and what is equal being one node."""

from __future__ import annotations

import itertools
import random

import pytest

from idinf.translate.compilation.diagrams import TRUE, Diagrams

VALUES = range(-1, 4)


def value(table, node, at):
    """A diagram followed by hand."""
    while node > TRUE:
        variable, thresholds, children = table.branches[node]
        node = children[sum(at[variable] > t for t in thresholds)]
    return node == TRUE


def random_node(rng, table, variables, depth):
    """A diagram and the same Boolean as a function of the variables' values."""
    if depth == 0:
        variable, threshold = rng.choice(variables), rng.randint(-1, 2)
        return table.above(variable, threshold), lambda at: at[variable] > threshold
    one, f = random_node(rng, table, variables, depth - 1)
    other, g = random_node(rng, table, variables, depth - 1)
    kind = rng.randrange(4)
    if kind == 0:
        return table.both(one, other), lambda at: f(at) and g(at)
    if kind == 1:
        return table.either(one, other), lambda at: f(at) or g(at)
    if kind == 2:
        return table.negated(one), lambda at: not f(at)
    third, h = random_node(rng, table, variables, depth - 1)
    return table.choice(one, other, third), lambda at: g(at) if f(at) else h(at)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(20))
def test_random_diagrams(seed: int) -> None:
    rng = random.Random(seed)
    table = Diagrams()
    variables = [table.variable(layer) for layer in (0, 0, 1)]
    points = list(itertools.product(VALUES, repeat=3))
    by_truth: dict[tuple[bool, ...], int] = {}
    for _ in range(6):
        node, f = random_node(rng, table, variables, 3)
        truth = tuple(f(at) for at in points)
        assert tuple(value(table, node, at) for at in points) == truth
        assert by_truth.setdefault(truth, node) == node
        _check_parts(table, node, points)


def _check_parts(table, node, points):
    paths = table.paths(node)
    assert len(paths) == table.num_paths(node)
    for at in points:
        held = [all(value(table, literal, at) for literal in path) for path in paths]
        assert sum(held) == value(table, node, at)
    rests = table.remainders(node, 1)
    for at in points:
        (rest,) = [rest for rest, condition in rests.items() if value(table, condition, at)]
        assert value(table, rest, at) == value(table, node, at)
    possible = table.possible(node, [2])
    for at in points:
        assert value(table, possible, at) == any(value(table, node, (*at[:2], z)) for z in VALUES)
