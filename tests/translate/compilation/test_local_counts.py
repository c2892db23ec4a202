"""The heads that look back, at every query and N in reach, with every number of other positions that hold."""

import itertools
import random

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.parser import parse
from idinf.nets import reference
from idinf.translate.compilation import circuit as circuits
from idinf.translate.compilation import units
from idinf.translate.compilation.compiler import compile_program
from idinf.translate.compilation.diagrams import TRUE, Diagrams
from idinf.translate.compilation.local_counts import LocalHead, _tells, build_local_head, find_telling


def firing(head: LocalHead, N: int, i: int, held: bool, others: int) -> bool:
    """2 · average > 1, in integers: `held` at i − k ≥ 1, and `others` of the other positions j ≥ 1."""
    heavy, weight = i - head.distance, N**head.logit
    at_sos = head.at_sos * (weight if heavy == 0 else 1)
    total = at_sos + (weight * held if heavy >= 1 else 0) + others
    weights = weight + i if heavy >= 0 else i + 1
    return 2 * total > weights


def wrong(head: LocalHead, largest: int) -> list[tuple[int, int, bool, int]]:
    """All (N, i, P(i − k), others) up to a length on which the unit answers wrongly."""
    found = []
    for N in range(1, largest + 1):
        for i in range(N):
            heavy = i - head.distance >= 1
            for held in (False, True) if heavy else (False,):
                most = i - 1 if heavy else i
                found += [
                    (N, i, held, others)
                    for others in range(most + 1)
                    if firing(head, N, i, held, others) != held
                ]
    return found


@pytest.mark.parametrize("distance", range(1, 13))
def test_every_distance_for_every_n(distance: int) -> None:
    assert wrong(build_local_head(distance), 36) == []


def told_wrongly(distance: int, width: int, hits: int, factor: int, at_sos: int, largest: int) -> bool:
    """Whether average > c · m and at least m hits differ somewhere, N up to a length."""
    for N in range(1, largest + 1):
        for i in range(N):
            heavy = [i - d for d in range(distance, distance + width) if d <= i]
            weights = len(heavy) * N + i + 1 - len(heavy)
            in_word = sum(j >= 1 for j in heavy)
            sos = at_sos * (N if 0 in heavy else 1)
            for held in range(in_word + 1):
                for more in range(i - in_word + 1):
                    total = factor * (width + 1) * (held * N + more) + sos
                    if (total > factor * hits * weights) != (held >= hits):
                        return True
    return False


@pytest.mark.parametrize("distance", range(1, 6))
@pytest.mark.parametrize("width", range(2, 6))
def test_several_distances_for_every_n(distance: int, width: int) -> None:
    for hits in range(1, width + 1):
        found = find_telling(distance, width, hits)
        assert found is None or not told_wrongly(distance, width, hits, *found, 20)
        for at_sos in (-2, -1, 0, 1):  # what is refused is wrong somewhere
            told = _tells(distance, width, hits, 1, at_sos)
            assert told != told_wrongly(distance, width, hits, 1, at_sos, 20)
    assert distance > width + 1 or find_telling(distance, width, width) == (1, 0)


@pytest.mark.parametrize(
    ("fault", "i", "held"),
    [
        (LocalHead(3, 1, 0), 2, False),  # nothing is heavy yet, and 2/3 hold
        (LocalHead(3, 2, 0), 2, False),
        (LocalHead(3, 1, -3), 4, True),  # SOS outweighs the key that is meant
        (LocalHead(1, 0, 0), 2, True),  # nothing is ever heavy
    ],
)
def test_planted_faults_are_caught(fault: LocalHead, i: int, held: bool) -> None:
    assert any(case[1:3] == (i, held) for case in wrong(fault, 6))


# Diagrams against truth tables, and what is equal being one node


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


# Local counts at several distances read by one head: layers, heads, the same words


AB = Alphabet(("a", "b"))


def test_a_head_that_does_not_tell_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'accept = # (#[j = i-1] "a" + #[j = i-2] "a" + #[j = i-3] "a" >= 2) > 0'
    for module in (circuits, units):
        monkeypatch.setattr(module, "find_telling", lambda distance, width, hits: (1, 0))
    program, words = parse(text), list(words_up_to(2, 4))
    dense = compile_program(program, AB).to_dense()
    wanted = compute_labels(program, AB, lay_out_words(words)).tolist()
    assert [reference.accepts(dense, word) for word in words] != wanted
