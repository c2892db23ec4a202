"""Sets of lower layers: what the lower layers of a net say is listed, with their patterns, for no more."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM, Attention, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.search.patterned import shapes
from idinf.search.patterned.shapes import PatternedShapes
from idinf.search.patterned.top import TopPatterns
from idinf.space.structures import LayerShape, Structure
from tests.search.patterned.planted import Draw, bounds_of, draw_within, r_of, run, shape_of, structure_of
from tests.search.tiny_targets import by_word


def misses(net, draw):
    """Whether the lower layers of a net are missing at its own R; None if its shape is not judged."""
    r, shape = r_of(net), shape_of(structure_of(net))
    labels, known = run(net, draw.length)
    patterned = PatternedShapes(by_word(net.alphabet, labels.__getitem__), bounds_of(draw, r), lambda _: None)
    spare = r - shape.floor(Aggregate.MAX)
    if not patterned.judges(shape, spare):
        return None
    hidden = net.layers[: shapes._place(shape, spare)]
    ends = patterned.ends(draw.period, draw.length)
    tree = ends.words.forest
    rows = zip(tree.total.tolist(), tree.word.tolist(), strict=True)
    own = np.array([known[N, ends.words.word(word)][len(hidden)] for N, word in rows]).T
    size = len(own) - len(hidden[-1].units)
    bits = sorted(map(tuple, own[size:].tolist()))
    wanted = [layer.heads[0].pattern if layer.heads else UNIFORM for layer in hidden]
    met = []

    def look(self, stacks):
        if stacks.inputs.size == size and (stacks.inputs.last == own[:size]).all():
            for stack in range(len(stacks)):
                if sorted(map(tuple, stacks.bits[stack].astype(int).tolist())) == bits:
                    for chosen in stacks.chosen[stacks.points_of(stack)].tolist():
                        lists = zip(stacks.patterns, chosen, strict=True)
                        met.append([known[k] if k >= 0 else UNIFORM for known, k in lists])
        return iter(())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TopPatterns, "left", look)
        list(patterned.left(shape, structure_of(net).attention, r, draw.length))
    return wanted not in met


DRAWS = [
    Draw(((0, 1), (1, 1)), spare=1.42),
    Draw(((1, 1), (1, 1)), spare=1.42),
    Draw(((1, 2), (1, 1)), precision=1, spare=0.8),
    Draw(((0, 2), (1, 1)), spare=1.42, period=2),
    Draw(((1, 2), (1, 1)), precision=1, symbols=1, spare=1.2),
    Draw(((0, 1), (1, 1), (1, 1)), symbols=1, spare=1.01),
    Draw(((1, 1), (1, 1), (1, 1)), symbols=1, spare=1.01),
]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("seed", "number"), [(0, 3), pytest.param(1, 40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: str(draw.plan))
def test_lower_layers_are_listed(draw, seed, number):
    rng = random.Random(seed)
    assert not any(misses(draw_within(rng, draw), draw) for _ in range(number))


def head_of(values, *places):
    """A head of one channel with entries 1 of M at some (key, query)."""
    matrix = [[int((key, query) in places) for query in range(len(values))] for key in range(len(values))]
    logits = tuple(map(tuple, matrix)) if places else ()
    return OneHotHead((values,), AttentionPattern(logits))


def chain(*heads):
    """Layers of one unit that compares its average with 0."""
    layers = [OneHotLayer((x,), (OneHotUnit(((0, 0, 1),), (0,) * len(x.channels[0]), 0),)) for x in heads]
    return OneHotTransformer(Alphabet(("a", "b")), 0, tuple(layers), (1,), 0)


#: After a b some a, after an a more a than b: that takes an M where V is short. A second M is for free then.
TWICE = chain(head_of((0, 1, -1), (1, 2)), head_of((0, 1, -1, 0), (2, 1)), head_of((0, 0, 0, 1, -1)))


@pytest.mark.slow
def test_a_second_matrix_is_for_free():
    assert misses(TWICE, Draw(((1, 1),) * 3, length=2, reach=0, content=1, both=0)) is False


def test_work_is_the_same_whatever_was_listed_before():
    draw = Draw(((1, 1), (1, 1)), precision=1, reach=1, content=1)
    even, steps = by_word(Alphabet(("a", "b")), lambda word: not word.count(0) % 2), []
    patterned = PatternedShapes(even, bounds_of(draw, 9.8), steps.append)
    shape, work = Structure((LayerShape((UNIFORM,), 1),) * 2, 1), []
    for _ in range(2):
        steps.clear()
        list(patterned.left(shape, Attention.CONTENT, 9.8, draw.length))
        work.append(sum(steps))
    assert work[0] == work[1] > 0


PLANS = [(((1, 1), (1, 1), (1, 1)), 0), (((1, 1), (1, 1)), 1), (((1, 1),), 1)]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("plan", "precision"), PLANS)
def test_shares_leave_together_what_the_whole_leaves(plan, precision):
    draw = Draw(plan, precision=precision, symbols=1, reach=1, content=1)
    some = by_word(Alphabet(("a",)), lambda word: len(word) != 1)
    shape = Structure(tuple(LayerShape((UNIFORM,), units) for _, units in plan), precision)
    high = shape.floor(Aggregate.MAX) + 1.05
    patterned, seen = PatternedShapes(some, bounds_of(draw, high), lambda _: None), 0
    for attention in Attention:
        whole = set(patterned.left(shape, attention, high, 4))
        parts = [set(patterned.left(shape, attention, high, 4, (k, 3))) for k in range(3)]
        assert set().union(*parts) == whole
        seen = max(seen, sum(map(bool, parts)))
    assert seen > (len(plan) > 1)
