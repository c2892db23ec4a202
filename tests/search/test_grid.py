"""Runs in every cell of the grid equal nested loops; a fault planted beyond what was tested is caught there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from idinf.search.last_layer import sieve
from idinf.search.last_layer.several_units import ReadingScreen
from idinf.search.short_words import features
from idinf.search.short_words.features import Inputs
from tests.search.grid import CELLS, check, targets

#: One cell at least of every bound; those take a second or two each.
QUICK = ("heads-reach", "units-precision", "layers-with-heads", "period-reach", "logit_max-content_max")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CELLS]
)
def test_cell_equals_nested_loops(name):
    for target in targets(name, from_nets=1, at_random=1):
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
    for module in (features, sieve):
        patch.setattr(module, "cleared", of_two_heads)


def plant_head(patch):
    read = Inputs.read

    def without_third(self, weights, rows):
        found = read(self, weights, rows)
        sums = found.sums.copy()
        sums[:, 2 * found.size :] = 0
        return replace(found, sums=sums)

    patch.setattr(Inputs, "read", without_third)


def plant_unit(patch):
    holds = ReadingScreen._holds

    def without_fourth(self, reading, tables):
        few = replace(reading, signs=reading.signs[:3])
        return [*holds(self, few, tables), np.zeros((len(tables), self._bits.shape[1]), dtype=np.uint8)]

    patch.setattr(ReadingScreen, "_holds", without_fourth)


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


def plant_logit(patch):
    plant_pattern(
        patch, lambda pattern, p: replace(pattern, phi=tuple(min(x, 2 << p) for x in pattern.phi))
    )


def plant_content(patch):
    def clipped(pattern, p):
        return replace(pattern, logits=tuple(tuple(min(x, 2 << p) for x in row) for row in pattern.logits))

    plant_pattern(patch, clipped)


def plant_precision(patch):
    outputs = features.unit_outputs

    def coarse(units, read, *rest):
        if units.precision > 2:
            units = replace(units, bias=units.bias // 2 * 2)
        return outputs(units, read, *rest)

    for module in (features, sieve):
        patch.setattr(module, "unit_outputs", coarse)


def plant_layer(patch):
    extend = Inputs.extend

    def blind(self, bits):
        """The fourth layer does not see the first."""
        found = extend(self, bits)
        first = self.words.symbols + 1
        if found.size - first < 3:
            return found
        last = found.last.copy()
        last[first] = 0
        return replace(found, last=last, counts=found.tree.accumulate(last))

    patch.setattr(Inputs, "extend", blind)


FAULTS = {
    "heads: a cleared denominator too few": (plant_denominator, "heads-reach"),
    "heads: a dropped head": (plant_head, "heads-reach"),
    "units: a dropped unit": (plant_unit, "units-precision"),
    "period: a residue off by one": (plant_residue, "period-reach"),
    "reach: a φ beyond reach": (plant_reach, "period-reach"),
    "logits: φ = 3 read as 2": (plant_logit, "reach-logit_max"),
    "M: an entry 3 read as 2": (plant_content, "logit_max-content_max"),
    "precision: a bias on a coarser grid": (plant_precision, "precision-reach"),
    "layers: a layer that does not see the first": (plant_layer, "layers-with-heads"),
}


@pytest.mark.parametrize(("plant", "name"), FAULTS.values(), ids=FAULTS.keys())
def test_planted_fault_is_caught(plant, name, monkeypatch):
    """Some target made from nets of a cell shows a fault that goes one beyond what other tests try."""
    asked = targets(name, from_nets=4, at_random=0)
    plant(monkeypatch)
    features.first_inputs.cache_clear()
    try:
        assert any(is_caught(name, target) for target in asked)
    finally:
        features.first_inputs.cache_clear()


def is_caught(name, target):
    try:
        check(name, target)
    except (AssertionError, RuntimeError, ValueError):
        return True
    return False
