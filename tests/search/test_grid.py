"""Runs in every cell of the grid equal nested loops; a fault beyond what other tests try is caught there."""

from dataclasses import replace

import numpy as np
import pytest

from idinf.search.last_layer.several_units import LayerScreen
from idinf.search.last_layer.solver import OneUnitLayer
from idinf.search.patterned.top import Judge
from idinf.search.short_words import features
from idinf.search.short_words.features import Inputs
from tests.asked_for import few
from tests.search.grid import CELLS, check, targets

#: One cell at least of every bound; those take a second or two each.
QUICK = ("heads-reach", "precision", "period-reach", "logit_max",
    "content_max-precision")  # fmt: skip


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CELLS]
)
def test_cell_equals_nested_loops(name):
    for target in targets(name, from_nets=few(1, 2), at_random=1):
        check(name, target)


def of_two_heads(weights, sums, size):
    """What stood here when nobody had tried a third head."""
    if not weights:
        return np.ones(size, dtype=np.int64), sums
    one, two = weights[0].total, weights[min(1, len(weights) - 1)].total
    if np.array_equal(one, two):
        return one, sums
    return one * two, [sums[0] * two, sums[1] * one, *sums[2:]]


def plant_denominator(patch):
    patch.setattr(features, "cleared", of_two_heads)


def plant_head(patch):
    read = Inputs.read

    def without_third(self, weights, rows):
        found = read(self, weights, rows)
        sums = found.sums.copy()
        sums[:, 2 * found.size :] = 0
        return replace(found, sums=sums)

    patch.setattr(Inputs, "read", without_third)


def plant_unit(patch):
    holds = LayerScreen._holds

    def without_fourth(self, reading, tables):
        few = replace(reading, signs=reading.signs[:3])
        return [*holds(self, few, tables), np.zeros((len(tables), self._bits.shape[1]), dtype=np.uint8)]

    patch.setattr(LayerScreen, "_holds", without_fourth)


def plant_residue(patch):
    first = Inputs.first

    def off_by_one(words, period):
        found = first(words, period)
        last, late = found.last.copy(), found.tree.lengths >= 3
        if period > 1:
            last[-period:, late] = np.roll(last[-period:, late], 1, axis=0)
        return replace(found, last=last, counts=found.tree.accumulate(last))

    patch.setattr(Inputs, "first", staticmethod(off_by_one))


def plant_pattern(patch, change):
    weights = Inputs._weights

    def changed(self, pattern, precision, rows):
        return weights(self, change(pattern, precision), precision, rows)

    patch.setattr(Inputs, "_weights", changed)


def plant_reach(patch):
    plant_pattern(patch, lambda pattern, p: replace(pattern, phi=pattern.phi[:3]))


def plant_judge(patch):
    """What judges patterns together looks two places back at most."""
    attended = Judge.attended

    def short(self, vectors, columns, sets, words):
        phis = sets.phis * (np.arange(sets.phis.shape[1]) < 3)
        return attended(self, vectors, columns, replace(sets, phis=phis), words)

    patch.setattr(Judge, "attended", short)


def plant_logit(patch):
    """As if the table of weights ended at 2."""

    def short(pattern, p):
        return replace(pattern, phi=tuple(x * (x <= 2 << p) for x in pattern.phi))

    plant_pattern(patch, short)


def plant_content(patch):
    def short(pattern, p):
        return replace(pattern, logits=tuple(tuple(x * (x <= 2 << p) for x in row) for row in pattern.logits))

    plant_pattern(patch, short)


def plant_precision(patch):
    values = OneUnitLayer.values

    def coarse(self, size):
        vectors, norms = values(self, size)
        some = self.structure.precision < 3 or (vectors % 2 == 0).all(axis=1)
        return vectors[some].reshape(-1, vectors.shape[1]), norms[some].reshape(-1)

    patch.setattr(OneUnitLayer, "values", coarse)


def plant_layer(patch):
    extend = Inputs.extend

    def blind(self, bits):
        found = extend(self, bits)
        first = self.words.symbols + 1
        if found.size < first + 3:
            return found
        last = found.last.copy()
        last[first:] = 0
        return replace(found, last=last, counts=found.tree.accumulate(last))

    patch.setattr(Inputs, "extend", blind)


#: Of every other bound the fault is caught in a second or two.
SLOW = ("layers", "M", "units")

FAULTS = {
    "heads: a cleared denominator too few": (plant_denominator, "heads-reach"),
    "heads: a dropped head": (plant_head, "heads-reach"),
    "units: a dropped unit": (plant_unit, "units"),
    "period: a residue off by one": (plant_residue, "period-reach"),
    "reach: a φ beyond reach": (plant_reach, "period-reach"),
    "reach: patterns judged without it": (plant_judge, "reach"),
    "logits: φ = 3 read as 0": (plant_logit, "logit_max"),
    "M: an entry 3 read as 0": (plant_content, "content_max"),
    "precision: values on a coarser grid": (plant_precision, "precision"),
    "layers: a fourth layer that sees none below": (plant_layer, "layers"),
}


@pytest.mark.parametrize(
    ("plant", "name"),
    [pytest.param(*x, id=n, marks=[pytest.mark.slow] * n.startswith(SLOW)) for n, x in FAULTS.items()],
)
def test_planted_fault_is_caught(plant, name, monkeypatch):
    """Some target made from nets of a cell shows a fault that goes one beyond what other tests try.

    By a wrong answer; without layers below, the search ends with an error of its own.
    """
    by = ValueError if plant is plant_layer else AssertionError
    asked = targets(name, from_nets=6, at_random=0)
    first = Inputs.first
    plant(monkeypatch)
    first.cache_clear()
    try:
        assert any(is_caught(name, target, by) for target in asked)
    finally:
        first.cache_clear()


def is_caught(name, target, by):
    try:
        check(name, target)
    except by:
        return True
    except (RuntimeError, ValueError):
        return False
    return False
