"""The bound of nets without heads, against all sets of tokens by nested loops, and against whole slices."""

from __future__ import annotations

import itertools
import math

import pytest

from idinf.experiments.spec import Answer
from idinf.search import worthwhile
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.worthwhile import bound_headless
from idinf.space.structures import LayerShape, Structure
from idinf.targets.regular import RegularTarget
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet
from tests.search.nested_loops import within
from tests.spaces import small_space


def least_norms(tokens):
    """‖s‖ + |b| of the cheapest unit that is 1 on each set of tokens, p = 0, as a tuple of truth values."""
    least = {}
    for *own, bias in within(tokens + 1, 0, 2.5):
        key = tuple(s + bias > 0 for s in own)
        least[key] = min(least.get(key, math.inf), math.hypot(*own) + abs(bias))
    return least


@pytest.mark.parametrize("symbols", [1, 2, 3, 4])
@pytest.mark.parametrize("aggregate", Aggregate)
def test_the_dearest_set_has_the_bound(symbols, aggregate):
    least = least_norms(symbols + 1)
    assert len(least) == 2 ** (symbols + 1)
    either = [min(norm, least[tuple(not x for x in key)]) for key, norm in least.items()]
    for layers, p in (((LayerShape((), 3),) * 2, 2), ((LayerShape((), 1),), 0)):
        bound = bound_headless(Structure(layers, p), symbols, aggregate)
        assert bound == pytest.approx(4.0 + max(either), abs=1e-12)


def test_units_for_next_symbols_fit_the_bound():
    symbols = 2
    ways = {}
    for *own, bias in within(symbols + 2, 0, 2.0):
        ways.setdefault(tuple(s + bias > 0 for s in own), set()).add((sum(s * s for s in own), bias * bias))
    for units, answer, readers in ((1, Answer.SET, 3), (2, Answer.SET, 1), (2, Answer.SYMBOL, 1)):
        structure = Structure((LayerShape((), 2), LayerShape((), units)), 1, 1, answer, readers)
        bound = bound_headless(structure, symbols, Aggregate.MAX)
        for sets in itertools.combinations_with_replacement(sorted(ways), units):
            norms = (
                math.sqrt(sum(a for a, _ in way)) + math.sqrt(sum(b for _, b in way))
                for way in itertools.product(*(ways[key] for key in sets))
            )
            assert 2.0 + math.sqrt(units) + math.sqrt(readers) + min(norms) <= bound + 1e-12


def functions(use):
    """Least R of every function of nets without heads, by its answers on short words."""
    target = RegularTarget.from_regex("(a|b|c)*", Alphabet(("a", "b", "c")))
    bounds = small_space(layers=2, heads=0, units=2, precision=1)
    least: dict[bytes, float] = {}
    mode = Mode(expand=True, use_headless_bound=use)
    for low, high in ((0.0, 5.2), (5.2, 6.7)):
        for batch in Search(target, bounds, 2).slice(low, high, -1, mode):
            for outputs, r in zip(batch.outputs, batch.r, strict=True):
                key = outputs.tobytes()
                least[key] = min(least.get(key, math.inf), round(float(r), 9))
    return least


def test_no_function_is_lost():
    want = functions(False)
    assert len(want) == 16
    assert functions(True) == want


def test_a_bound_too_low_is_noticed(monkeypatch):
    def wrong(structure, symbols, aggregate):
        return bound_headless(structure, symbols - 1, aggregate)

    want = functions(False)
    monkeypatch.setattr(worthwhile, "bound_headless", wrong)
    assert functions(True) != want
