"""Units by intervals: the same layers as by listing every unit and every shared channel."""

import pytest

from idinf.base.words import Alphabet
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.regularizer import Aggregate
from idinf.search.enumeration import Search
from idinf.search.last_layer.solver import LastLayerSolver
from idinf.search.slice_types import LastLayers, Mode, Slice
from idinf.space.structures import LayerShape, Structure
from idinf.spec.spec import Answer
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, SingleSymbol, SupervisedTarget
from tests.spaces import small_space

A, AB = Alphabet(("a",)), Alphabet(("a", "b"))
HEAD, PLAIN, LOCAL = (UNIFORM,), (), (AttentionPattern(phi=(0, 1)),)


def target_of(alphabet, language, domain, answer=Answer.SET):
    sets = Continuations(RegularTarget.from_regex(language, alphabet))
    machine = sets if answer is Answer.SET else SingleSymbol(sets)
    return SupervisedTarget(machine, answer, RegularTarget.from_regex(domain, alphabet))


D_2 = target_of(AB, "(a(ab)*b)*", "(a(ab)*b)*")
TWO = target_of(A, "aa", "a?a?")
STEPS = target_of(A, "aa", "a?a?", Answer.SYMBOL)

#: Target, layers, p, period, readers, high, longest word that counts.
CASES = {
    "one-layer": (D_2, (LayerShape(HEAD, 3),), 0, 1, 1, 11.61, 4),
    "no-words": (TWO, (LayerShape(HEAD, 2),), 1, 1, 1, 8.9, -1),
    "no-head": (D_2, (LayerShape(HEAD, 1), LayerShape(PLAIN, 3)), 0, 1, 1, 10.8, 3),
    "two-layers": (TWO, (LayerShape(HEAD, 1), LayerShape(HEAD, 2)), 1, 1, 1, 10.45, 2),
    "symbols": (STEPS, (LayerShape(HEAD, 1),), 0, 1, 1, 9.6, 2),
    "local": (TWO, (LayerShape(LOCAL, 2),), 0, 1, 1, 10.9, 2),
}


def listed(case, aggregate, mode, monkeypatch, by_intervals):
    """Every right last layer over all lower ones: channels, entries, own weights, biases, groups, U and R."""
    target, layers, precision, period, readers, high, consistent = case
    bounds = small_space(layers=2, heads=1, units=3, precision=2, max_r=20)
    search = Search(target, bounds, 6, aggregate)
    structure = Structure(layers, precision, period, target.answer, readers)
    if not by_intervals:
        monkeypatch.setattr(LastLayerSolver, "_source", lambda *_: None)
    if aggregate is Aggregate.SUM:
        high += structure.floor(aggregate) - structure.floor(Aggregate.MAX)
    wanted = Slice(0.0, high, consistent, mode)
    rows = []
    builder = search._builder(structure, wanted)
    for k, lower in enumerate(builder.finished(tuple(builder.starts()))):
        features = lower.read_by_last(structure)
        parts, _ = search._last.right(structure, lower, features, wanted, 10**6)
        last_layers = LastLayers.concatenate(parts) if parts else ()
        for place in range(len(last_layers)):
            units = [
                [*(part[place].tolist() for part in (u.channel, u.entry, u.own, u.bias))]
                for u in last_layers.top.units
            ]
            read = last_layers.top.groups[place].tolist(), last_layers.signs[place].T.tolist()
            answer = int(last_layers.threshold[place]), round(float(last_layers.r[place]), 9)
            rows.append(repr((k, sorted(zip(units, *read, strict=True)), *answer)))
    monkeypatch.undo()
    return sorted(rows)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("aggregate", list(Aggregate), ids=str)
@pytest.mark.parametrize("name", CASES)
def test_layers_are_those_by_listing(name, aggregate, monkeypatch):
    mode = Mode(raw=True)
    found = listed(CASES[name], aggregate, mode, monkeypatch, by_intervals=True)
    assert found == listed(CASES[name], aggregate, mode, monkeypatch, by_intervals=False)
    assert found or aggregate is Aggregate.SUM
