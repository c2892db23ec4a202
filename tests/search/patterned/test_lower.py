"""Sets of lower layers: what the lower layers of a net say is listed, with their patterns, for no more."""

import math
import random
from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM
from idinf.nets.regularizer import Aggregate
from idinf.search.patterned import lower, shapes
from idinf.search.patterned.shapes import PatternedShapes
from idinf.search.patterned.top import TopPatterns
from idinf.search.short_words.features import Inputs, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space import layers
from idinf.space.rows import group_rows
from idinf.space.structures import Cost, LayerShape, PatternGrid, list_patterns
from idinf.space.units import LayerBudget
from tests.search.nested_loops import EPS, felt_entries, layers_of
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


def is_below(point, other):
    return all(x <= y + EPS for x, y in zip(point, other, strict=True))


def says(value, own, bias, precision):
    """What a unit says at $ and after every a of six: it reads by the averages of $ and a, itself, and 1."""
    weights = [2**precision * (k + 1) * (own[k > 0] + bias) for k in range(7)]
    return tuple(value[0] + k * value[1] + weights[k] > 0 for k in range(7))


def by_nested_loops(units, precision, room, features, kind):
    """The kinds of the units of every layer of a uniform head, in any order, with its terms."""
    found = {}
    for layer in layers_of(features, 1, units, precision, room, "max"):
        values = [read[0][1] if read else (0,) * features for read in layer.values]
        kinds = [
            kind(value, unit.s, unit.b, precision) for value, unit in zip(values, layer.units, strict=True)
        ]
        found.setdefault(tuple(sorted(kinds)), set()).add(layer.terms)
    return found


def behaviours(units, precision, room, _):
    """What is listed: bits of each unit, with terms."""
    words, patterns = ShortWords.of(by_word(Alphabet(("a",)), len), 6), ((0.0, UNIFORM),)
    first, rest = Inputs.first(words, 1), np.zeros(6)
    shape = LayerShape((UNIFORM,), units)
    layer = lower.list_behaviours(first, shape, precision, 1, patterns, rest, room, lambda _: None)
    for owner, point in zip(layer.owner.tolist(), layer.points[:, 2:].tolist(), strict=True):
        yield tuple(sorted(map(tuple, layer.bits[owner].tolist()))), tuple(point)


def budget(features, precision, base, room):
    """The budget of a layer beside costs of six terms."""
    own = room - base[lower.M] - base[lower.PHI]
    return LayerBudget(features, precision, own, Cost(*base[lower.RANK :].tolist()), Aggregate.MAX)


def functions(units, precision, room, features):
    """Sets of units of which no two are alike, with terms."""
    shape = LayerShape((UNIFORM,), units)
    within = budget(features, precision, lower.floor_of(precision, shape), room)
    known = lower._list_units(shape, within)
    rows = np.concatenate([known.values, known.own, known.bias[:, None]], axis=1)
    kinds = [(tuple(x[:features]), tuple(x[features:-1]), x[-1], precision) for x in rows.tolist()]
    first, group = group_rows(rows)
    sets, paid = lower._list_sets(known, np.arange(len(known)), group, shape, within)
    for which, point in zip(sets.tolist(), paid.tolist(), strict=True):
        yield tuple(sorted(kinds[first[k]] for k in which)), tuple(point)


def differences(listing, *case):
    """Layers that nothing listed is as cheap as, and what is listed of parallel channels without a layer."""
    want = by_nested_loops(*case, says if listing is behaviours else lambda *unit: unit)
    have = {}
    for kinds, point in listing(*case):
        have.setdefault(kinds, set()).add(point)

    def beyond(points, others):
        return [x for x in points if not any(is_below(y, x) for y in others)]

    lost = [x for kinds, terms in want.items() for x in beyond(terms, have.get(kinds, ()))]
    parallel = {kinds: [x for x in points if x[0] == 1] for kinds, points in have.items()}
    return lost, [x for kinds, points in parallel.items() for x in beyond(points, want.get(kinds, ()))]


#: Units, precision, room, and how many features a layer reads.
QUICK = [(1, 1, 3.0, 2), (2, 0, 4.7, 2), (2, 1, 2.8, 2), (3, 0, 4.2, 2)]
LARGE = [
    pytest.param(case, marks=pytest.mark.slow) for case in [(2, 0, 5.5, 2), (2, 1, 3.4, 2), (3, 0, 4.75, 2)]
]


@pytest.mark.parametrize("case", [*QUICK, *LARGE], ids=str)
def test_behaviours_are_those_of_nested_loops(case):
    assert differences(behaviours, *case) == ([], [])


@pytest.mark.parametrize("case", [*QUICK, (3, 1, 3.35, 1), *LARGE], ids=str)
def test_sets_of_units_are_those_of_nested_loops(case):
    assert differences(functions, *case) == ([], [])


def without_shared(readers, *_):
    return readers.take(np.flatnonzero(~readers.shared.any(axis=1)))


def every_channel_a_direction(reads, readers):
    return np.where(reads[0] < 0, reads[0], group_rows(readers.units.channel)[1][:, None]), reads[1]


def in_one_direction(whole, sets, *_):
    return whole & (sets.way != layers._SEVERAL).all(axis=1)


def longest(joined, sets, row, added, *rest):
    """Parallel channels that cost as the longer one."""
    squares = joined.squares.copy()
    squares[:, :-2] = np.maximum(sets.squares[row], rest[2][added])[:, :-2]
    return replace(joined, squares=squares)


#: Each leaves out a way in which two units read a head, but for the last one, where two channels cost as one.
FAULTS = {
    "one channel": (layers.Readers, "of", without_shared),
    "parallel channels": (layers.Readers, "reads", every_channel_a_direction),
    "two directions": (layers, "_is_whole", in_one_direction),
    "no stack": (layers, "_joined", longest),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_way_to_read_a_head_is_needed(fault, monkeypatch):
    owner, name, change = FAULTS[fault]
    known = getattr(owner, name)
    if isinstance(known, cached_property):
        wrong = property(lambda self: change(known.func(self), self))
    else:
        wrong = staticmethod(lambda *asked: change(known(*asked), *asked))
    monkeypatch.setattr(owner, name, wrong)
    lost, invented = differences(functions, 2, 0, 4.7, 2)
    assert invented if fault == "no stack" else lost


def one_by_one(inputs, patterns, precision, period, rest, room):
    """Bits, pattern and cost of the units alone of each pattern that no other one is below in all terms.

    Of units that feel every entry of M.
    """
    found, shape = {}, LayerShape((UNIFORM,), 1)
    one, tokens = 1 << precision, inputs.words.symbols + 1
    for number, (_, pattern) in enumerate(patterns):
        own = lower.floor_of(precision, shape)
        own[:2] = pattern.norm_KQ(precision), pattern.phi_square() * 0.25**precision
        units = lower._list_units(shape, budget(inputs.size, precision, lower.join(own, rest), room))
        said = unit_outputs(units, inputs.everywhere((pattern,), precision))
        parameters = units.channel.tolist(), units.own.tolist(), units.bias.tolist()
        entries = set(zip(*np.nonzero(pattern.logits), strict=True)) if pattern.logits else set()
        for bits, v, s, b in zip(said, *parameters, strict=True):
            if entries - felt_entries(tuple(one * x for x in v), tuple(s), b, one, tokens, period):
                continue
            norms = [0.5**precision * math.hypot(*x) for x in (v, (one, *s), (b,))]
            point = (*own[:3].tolist(), *norms)
            points = found.setdefault((bits.tobytes(), number), [])
            if not any(is_below(x, point) for x in points):
                points[:] = [x for x in points if not is_below(point, x)] + [point]
    return {(*key, *np.round(point, 9).tolist()) for key, points in found.items() for point in points}


@pytest.mark.parametrize(("precision", "spare", "deep"), [(0, 1.42, 0), (0, 1.42, 1), (1, 0.71, 1)])
def test_patterns_of_one_cost_are_listed_as_one_by_one(precision, spare, deep, monkeypatch):
    words = ShortWords.of(by_word(Alphabet(("a", "b")[: 1 + deep]), len), 2 + (not deep))
    inputs = Inputs.first(words, 2 - deep).lifted()
    if deep:
        inputs = inputs.extend(inputs.last[:1] + inputs.last[1:2] > 0)
    patterns = list_patterns(PatternGrid(precision, 2, 1, 1), inputs.size, 2 + deep, spare)
    shape = LayerShape((UNIFORM,), 1)
    rest = lower.floor_of(precision, shape)
    room = float(rest.sum()) + spare
    want = one_by_one(inputs, patterns, precision, 2 - deep, rest, room)
    assert len({number for _, number, *_ in want}) > 8
    for cells in (1 << 14, lower.CELLS):
        monkeypatch.setattr(lower, "CELLS", cells)
        layer = lower.list_behaviours(
            inputs, shape, precision, 2 - deep, patterns, rest, room, lambda _: None
        )
        bits = [layer.bits[owner].tobytes() for owner in layer.owner.tolist()]
        have = list(
            zip(bits, layer.chosen[:, 0].tolist(), *np.round(layer.points, 9).T.tolist(), strict=True)
        )
        assert sorted(have) == sorted(want)
