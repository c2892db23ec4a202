"""The comparison with nested loops is sharp: every planted fault of the search makes it fail.

What the enumeration gives is compared in ``test_against_brute_force.py``.
"""

from __future__ import annotations

import numpy as np
import pytest
import test_against_brute_force as comparison

from idinf.inference.procedure import Procedure
from idinf.search import enumeration, last_layer, normal_form
from idinf.search.short_words import Features, ShortWords
from idinf.space.units import Units


def tolerance_one_over_n(patch):
    """The window is 1/n instead of 1/(2n)."""
    patch.setattr(Procedure, "window", lambda _, n: 1.0 / n)


def counts_without_sos(patch):
    """SOS is no key: the count of $ is 0."""
    right = ShortWords.tokens.func

    def wrong(self):
        features = right(self)
        return Features(features.counts * (np.arange(features.size) > 0), features.last, features.positions)

    patch.setattr(ShortWords, "tokens", property(wrong))


def z_off_by_one(patch):
    """⌊x⌋ instead of ⌊x⌋ + 1: Heaviside(0) counts as 1."""
    right = last_layer.LastLayer._extremes
    patch.setattr(last_layer.LastLayer, "_extremes", lambda self, least, *rest: right(self, least - 1, *rest))


def z_by_ceiling(patch):
    """⌈x⌉ + 1 instead of ⌊x⌋ + 1."""

    class Wrong:
        floor = staticmethod(np.ceil)

        def __getattr__(self, name):
            return getattr(np, name)

    patch.setattr(last_layer, "np", Wrong())


def own_weights_are_free(patch):
    """‖A‖ is left out of R."""
    right = Units.costs.fget
    patch.setattr(Units, "costs", property(lambda self: right(self) * np.array([1.0, 1.0, 0.0, 1.0])))


def forms_without_bound(patch):
    """Normal forms forget the constant, so different functions are taken for one."""
    right = normal_form._half_space

    def wrong(*args):
        form = right(*args)
        form[:, -1] = 0
        return form

    patch.setattr(normal_form, "_half_space", wrong)


def no_complement(patch):
    """The reading by (−1, threshold −1) is forgotten."""
    right = last_layer.LastLayer.solve

    def wrong(self, *args):
        found = right(self, *args)
        return found.take(~found.complement)

    patch.setattr(last_layer.LastLayer, "solve", wrong)


def slices_with_gaps(patch):
    """A sliver above every border of a slice is lost."""
    right = enumeration.Search.slice
    patch.setattr(
        enumeration.Search, "slice", lambda self, low, high, *rest: right(self, low + 0.2, high, *rest)
    )


def no_shared_channels(monkeypatch):
    """Two units never read one channel together."""
    monkeypatch.setattr("idinf.space.layers._PairBuilder._shared", lambda self: iter(()))


FAULTS = {
    no_shared_channels: "even-unary-shared-channel",
    z_off_by_one: "unary-3-layers",
    no_complement: "unary-3-layers",
    slices_with_gaps: "unary-3-layers",
    counts_without_sos: "dyck-head-above",
    forms_without_bound: "dyck-head-below",
    tolerance_one_over_n: "majority-1-layer",
    z_by_ceiling: "majority-1-layer",
    own_weights_are_free: "majority-1-layer",
}


@pytest.mark.parametrize(("fault", "name"), FAULTS.items(), ids=lambda x: getattr(x, "__name__", x))
def test_planted_fault_is_caught(fault, name, monkeypatch):
    fault(monkeypatch)
    with pytest.raises((AssertionError, KeyError, StopIteration)):
        comparison.test_report_equals_brute_force(name, None, None)
