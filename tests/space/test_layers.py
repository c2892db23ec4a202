"""Layers of one to four units against nested loops, and what reduction may drop."""

import itertools
import math

import numpy as np
import pytest

from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.space.layers import compute_ranks_and_norms, list_layer_choices
from idinf.space.structures import Cost, LayerShape
from idinf.space.units import LayerBudget, LayerFilter
from tests.search.nested_loops import readers

LOCAL = AttentionPattern(phi=(0, 1))

RESTS = (Cost(), Cost(1.0, 0.5, 1.0, 0.0), Cost(1.0, math.sqrt(2.0), 0.5, 0.5))


def everything(reduce=False, number=None, exact=None, most=10**7):
    """A filter that keeps every table; units are numbered by what ``number`` says of them."""

    def nothing(units):
        return np.zeros(len(units), dtype=np.int64)

    def any_table(tables):
        return np.ones(len(tables), dtype=np.bool_)

    exact = exact or number or nothing
    return LayerFilter(number or nothing, exact, any_table, any_table, reduce, most)


def total(terms, rest, aggregate):
    rest = (rest.rank, rest.norm_V, rest.norm_A, rest.norm_b)
    join = sum if aggregate is Aggregate.SUM else max
    return sum(join(pair) for pair in zip(rest, terms, strict=True))


def vars_of(cost):
    return cost.rank, cost.norm_V, cost.norm_A, cost.norm_b


def in_any_order(units):
    """Units (reads, own, bias), where reads has (channel, entry, channel's name) or None for each head."""
    forms = []
    for order in itertools.permutations(units):
        names, form = {}, []
        for reads, own, bias in order:
            plain = []
            for h, read in enumerate(reads):
                if read is None:
                    plain.append((0,))
                else:
                    channel, entry, name = read
                    plain.append((1, channel, entry, names.setdefault((h, name), len(names))))
            form.append((tuple(plain), own, bias))
        forms.append(tuple(form))
    return min(forms)


def nested(shape, features, precision, spare, rest, aggregate):
    """Layers up to the order of their units, with rank_V, ‖V‖, ‖A‖ and ‖b‖."""
    step, one, heads = 2.0**-precision, 2**precision, len(shape.heads)
    join = sum if aggregate is Aggregate.SUM else max
    floor = vars_of(shape.floor(precision, aggregate))
    budget = total(floor, rest, aggregate) + spare
    # No single term can exceed the larger of its floor and the rest's by more than what is spare.
    widest = max(max(floor[1:]), max(vars_of(rest)[1:])) + spare + 1e-6
    reach = int(widest / step)
    box = [
        v
        for v in itertools.product(range(-reach, reach + 1), repeat=features)
        if step * math.sqrt(sum(x * x for x in v)) <= widest
    ]
    nonzero = [v for v in box if any(v)]
    shared = [c for c in range(-reach, reach + 1) if c]
    found = {}

    def fits(*terms):
        return total(terms, rest, aggregate) <= budget + 1e-9

    # Any other head adds at least this under a sum.
    others = (heads - 1) * (join is sum)

    def single_heads():
        for groups in readers(shape.units):
            for channels in itertools.product(nonzero, repeat=len(groups)):
                stack = np.array(channels, dtype=float) * step
                rank, norm = float(np.linalg.matrix_rank(stack)), float(np.linalg.norm(stack, 2))
                if fits(rank + others, norm + others * step, 0.0, 0.0):
                    entries = [
                        [(one,)] if len(group) == 1 else itertools.product(shared, repeat=len(group))
                        for group in groups
                    ]
                    for factors in itertools.product(*entries):
                        reads = [None] * shape.units
                        for g, (group, factor) in enumerate(zip(groups, factors, strict=True)):
                            for u, c in zip(group, factor, strict=True):
                                reads[u] = (channels[g], c, g)
                        square = sum(c * c for factor in factors for c in factor)
                        if fits(rank + others, norm + others * step, step * math.sqrt(square), 0.0):
                            yield rank, norm, square, reads

    singles = list(single_heads()) if heads else []

    def all_heads(chosen):
        rank = join(head[0] for head in chosen) if chosen else 0.0
        norm_V = join(head[1] for head in chosen) if chosen else 0.0
        square = sum(head[2] for head in chosen)
        if fits(rank, norm_V, step * math.sqrt(square), 0.0):
            if len(chosen) == heads:
                yield chosen, rank, norm_V, square
            else:
                yield from itertools.chain.from_iterable(all_heads((*chosen, head)) for head in singles)

    for chosen, rank, norm_V, square in all_heads(()):
        alone = [v for v in box if fits(rank, norm_V, step * math.sqrt(square + sum(x * x for x in v)), 0.0)]
        for owns in itertools.product(alone, repeat=shape.units):
            norm_A = step * math.sqrt(square + sum(x * x for own in owns for x in own))
            if not fits(rank, norm_V, norm_A, 0.0):
                continue
            for biases in itertools.product(range(-reach, reach + 1), repeat=shape.units):
                terms = (rank, norm_V, norm_A, step * math.sqrt(sum(b * b for b in biases)))
                if fits(*terms):
                    units = [
                        (tuple(head[3][u] for head in chosen), owns[u], biases[u]) for u in range(shape.units)
                    ]
                    found[in_any_order(units)] = terms
    return found


def listed(choices):
    """The layers in the form of ``nested``, and how many there are."""
    found = {}
    for k in range(len(choices)):
        units = []
        for place, u in enumerate(choices.units):
            reads = []
            for h in range(u.heads):
                group, entry = int(choices.groups[k, place, h]), int(u.entry[k, h])
                name = ("shared", group) if group else ("own", place)
                channel = tuple(u.channels[k, h].tolist())
                assert bool(entry) == any(channel)
                reads.append((channel, entry, name) if entry else None)
            units.append((tuple(reads), tuple(u.own[k].tolist()), int(u.bias[k])))
        found[in_any_order(units)] = tuple(choices.costs[k])
    return found, len(choices)


CASES = [
    (LayerShape((), 1), 2, 0, 2.0),
    (LayerShape((UNIFORM,), 1), 2, 1, 1.0),
    (LayerShape((UNIFORM,), 1), 3, 0, 1.0),
    (LayerShape((), 2), 2, 0, 1.0),
    (LayerShape((), 2), 2, 1, 0.5),
    (LayerShape((UNIFORM,), 2), 2, 0, 0.5),
    (LayerShape((UNIFORM,), 2), 1, 1, 0.5),
    (LayerShape((UNIFORM,), 2), 3, 0, 0.42),
    (LayerShape((), 3), 2, 0, 1.0),
    (LayerShape((UNIFORM,), 3), 1, 0, 0.42),
    (LayerShape((UNIFORM,), 3), 1, 1, 0.3),
    (LayerShape((LOCAL, LOCAL), 1), 1, 1, 0.7),
    (LayerShape((UNIFORM, LOCAL), 1), 2, 0, 0.42),
    (LayerShape((UNIFORM, LOCAL), 2), 1, 0, 0.42),
    (LayerShape((UNIFORM, UNIFORM), 2), 1, 0, 0.5),
    (LayerShape((UNIFORM,), 4), 1, 0, 0.1),
    (LayerShape((UNIFORM, LOCAL), 3), 1, 0, 0.2),
    (LayerShape((UNIFORM,), 5), 1, 0, 0.1),
    (LayerShape((UNIFORM, LOCAL, LOCAL), 2), 1, 0, 0.05),
]


@pytest.mark.thinned(57)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize(("shape", "features", "precision", "spare"), CASES)
def test_exactly_the_layers_of_nested_loops(shape, features, precision, spare, rest, aggregate):
    budget = total(tuple(vars_of(shape.floor(precision, aggregate))), rest, aggregate) + spare
    choices = list_layer_choices(
        shape, LayerBudget(features, precision, budget, rest, aggregate), everything()
    )
    want = nested(shape, features, precision, spare, rest, aggregate)
    have, number = listed(choices)
    assert have.keys() == want.keys()
    assert number == len(have)  # nothing twice
    for key, terms in want.items():
        assert have[key] == pytest.approx(terms, abs=1e-12)


def behaviour(units):
    """A coarse stand-in for the exact function: what matters is that equal numbers are interchangeable."""
    return (units.values.sum(axis=1) + 3 * units.own.sum(axis=1) + units.bias) % 5


@pytest.mark.thinned(7)
@pytest.mark.parametrize("aggregate", Aggregate)
@pytest.mark.parametrize(("shape", "features", "precision", "spare"), CASES)
def test_reduction_keeps_the_least_cost_of_every_function_over_any_rest(
    shape, features, precision, spare, aggregate
):
    budget = total(tuple(vars_of(shape.floor(precision, aggregate))), Cost(), aggregate) + spare
    least, sizes = {}, []
    for reduce in (False, True):
        choices = list_layer_choices(
            shape, LayerBudget(features, precision, budget, Cost(), aggregate), everything(reduce, behaviour)
        )
        for over, rest in enumerate(RESTS):
            costs = [total(tuple(row), rest, aggregate) for row in choices.costs]
            for table, cost in zip(map(tuple, choices.tables.tolist()), costs, strict=True):
                key = (reduce, over, table)
                least[key] = min(cost, least.get(key, math.inf))
        sizes.append(len(choices))
    assert sizes[1] < sizes[0] or sizes[0] < 10
    raw = {key[1:]: cost for key, cost in least.items() if not key[0]}
    reduced = {key[1:]: cost for key, cost in least.items() if key[0]}
    assert raw.keys() == reduced.keys()
    for key, cost in raw.items():
        assert reduced[key] == pytest.approx(cost, abs=1e-12)


@pytest.mark.parametrize("scale", [1, 10**6])
def test_ranks_of_many_rows_are_exact(scale):
    """Minors of five rows of large numbers are no int64."""
    rng = np.random.default_rng(5)
    for rows in range(1, 6):
        ranks = rng.integers(0, rows + 1, 40)
        made = [rng.integers(-3, 4, (rows, k)) @ rng.integers(-3, 4, (k, 6)) * scale for k in ranks.tolist()]
        channels = np.array(made, dtype=np.int64)
        found = compute_ranks_and_norms(np.einsum("naf,nbf->nab", channels, channels))[0]
        assert found.tolist() == [int(np.linalg.matrix_rank(each / scale)) for each in channels]
