"""Candidates for the last lower layer that say the same on all words that count: one stands for all.

What a last unit is told of a candidate are its values on the prefixes of the words that count. Candidates
that agree there are excluded by the same certificates, but for what they cost. So of each group one is looked
at, with all Pareto points of what the others cost, and is excluded if no point is within the budget. The
values of a group on all those prefixes are at hand, so what a certificate reads is a product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.search.last_layer.candidates import Sample, read_by_last
from idinf.search.last_layer.certificates import Certificate, all_words, weights_on
from idinf.search.last_layer.inputs import LastLayerInputs
from idinf.search.short_words.behaviours import unit_outputs
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.reduction import find_undominated
from idinf.space.rows import group_rows
from idinf.space.units import BoolArray, FloatArray, Units
from idinf.transformers.regularizer import Aggregate


@dataclass(frozen=True, eq=False)
class Alike:
    """N units in G groups that say the same on R rows.

    Three units without heads: last = 0 twice, the second for more, and never.

    >>> none = np.zeros((3, 0), dtype=np.int64)
    >>> units = Units(0, none, none, np.array([[0, 1, 0], [0, 2, 0], [0, 0, 0]]), np.zeros(3, dtype=np.int64))
    >>> last = np.eye(3, dtype=np.int64)  # $, 0 and 1
    >>> alike = Alike.of(units, Features(none, last, np.ones(3, dtype=np.int64)), Aggregate.MAX)
    >>> bool(alike.group[0] == alike.group[1]), alike.sizes.tolist()
    (True, [1, 1])
    >>> sorted(alike.costs[:, 2].tolist())
    [0.0, 1.0]
    """

    #: (N,): group of each unit.
    group: IntArray
    #: (G, R): what the units of a group say.
    bits: BoolArray
    #: (P, 4): rank_V, ‖V‖, ‖A‖ and ‖b‖, group by group: each unit costs at least as much as one of its group.
    costs: FloatArray
    #: (G,): how many of these points each group has.
    sizes: IntArray

    @staticmethod
    def of(units: Units, features: Features, aggregate: Aggregate) -> Alike:
        """Of units by what they say on rows with given features."""
        distinct, kind = features.rows
        outputs = unit_outputs(units, features.take(distinct))
        first, group = group_rows(np.packbits(outputs, axis=1))
        costs = units.costs(aggregate)
        # Of one group, bias and rank some units have the least ‖V‖ and ‖A‖.
        _, level = group_rows(np.stack([group, np.abs(units.bias), costs[:, 0].astype(np.int64)], axis=1))
        kept = find_undominated(level, costs[:, 1], costs[:, 2])
        kept = kept[np.argsort(group[kept], kind="stable")]
        sizes = np.bincount(group[kept], minlength=len(first))
        return Alike(group, outputs[first][:, kind], costs[kept], sizes)


@dataclass(frozen=True)
class Groups:
    """Groups of candidates over fixed layers below them, as a last unit reads them."""

    alike: Alike
    #: What the last layer reads without the candidates; its weights must not depend on them.
    last_inputs: LastLayerInputs
    #: All words that count, the first ones; its rows are those of the values.
    sample: Sample
    aggregate: Aggregate

    @cached_property
    def _base(self) -> Features:
        return self.last_inputs.features.take(slice(len(self.sample.ends)))

    @cached_property
    def _values(self) -> FloatArray:
        """(R, G): row by row, as certificates read few rows."""
        return np.ascontiguousarray(self.alike.bits.T, dtype=np.float64)

    def alone(self, place: int) -> Features:
        """What the last layer reads on all words that count, over one group."""
        base, values = self._base, self._values[:, place]
        joint = np.empty((len(base.scale), base.heads, base.size + 1), dtype=np.int64)
        joint[:, :, :-1] = base.sums.reshape(len(joint), base.heads, base.size)
        for h, of_head in enumerate(self.sample.counted):
            joint[:, h, -1] = values @ of_head  # at most the denominator, which is exact in floats
        at_end = self.alike.bits[place, self.sample.places].astype(np.int64)
        last = np.concatenate([base.last, at_end[:, None]], axis=1)
        return Features(joint.reshape(len(joint), -1), last, base.scale)

    def coefficients(self, certificates: list[Certificate], places: IntArray) -> FloatArray:
        """α, γ and δ of C certificates over the groups at S places, (3, S, C)."""
        words = all_words(certificates)
        rows, ends, counted = self.sample.part(words)
        bits = self._values[rows][:, places].T
        weights, base = weights_on(certificates, words), self._base.take(words)
        return read_by_last(weights, base, counted, bits, bits[:, ends], self.aggregate)
