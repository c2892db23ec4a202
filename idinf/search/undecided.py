"""Hypotheses that short words did not settle: their exact fail lengths, the cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.search.ceiling import Ceiling
from idinf.search.decided import FailLengths
from idinf.search.exact_check.nets import Nets
from idinf.search.found import Found, Slice
from idinf.search.hypotheses import first_hypothesis
from idinf.search.last_layer.arrays import LastLayers
from idinf.search.last_layer.refutation import Refutation
from idinf.search.lower_layers.stacks import LowerLayers, Member
from idinf.search.meter import Meter
from idinf.space.grid import IntArray
from idinf.space.structures import Structure
from idinf.targets.supervised import SupervisedTarget
from idinf.transformers.regularizer import EPSILON, Aggregate

#: Steps of work that an exact check counts as: what it really takes depends on what its process has decided
#: before, and the same work has to count the same in any process.
WORK_OF_CHECK = 20


@dataclass(frozen=True)
class Undecided:
    """Last layers over one exact member of some lower layers, at least one."""

    lower: LowerLayers
    member: Member
    last_layers: LastLayers  #: with R of the whole hypothesis
    fail: IntArray  #: (N,): by short words, −1 where they do not decide it
    packed: NDArray[np.uint8]  #: (N, B): answers on all short words

    @property
    def least_r(self) -> float:
        """R of the cheapest hypothesis."""
        return float(self.last_layers.r.min())


@dataclass(frozen=True)
class Decider:
    """Decides hypotheses of one structure in a slice, up to a ceiling that falls meanwhile."""

    target: SupervisedTarget
    structure: Structure
    wanted: Slice
    ceiling: Ceiling
    refutation: Refutation
    fail_lengths: FailLengths
    horizon: int
    aggregate: Aggregate
    max_states: int
    meter: Meter

    def found(self, item: Undecided) -> Iterator[Found]:
        """The hypotheses up to the ceiling with fail lengths, one of each function unless all are asked."""
        index = np.flatnonzero(item.last_layers.r <= self.ceiling.high)
        if not len(index):
            return
        member, last_layers = item.member, item.last_layers.take(index)
        fail, packed, r, mode = item.fail[index], item.packed[index], last_layers.r, self.wanted.mode
        group = last_layers.number_functions(self.structure, len(self.target.alphabet) + 1)
        order = np.lexsort((r, group))
        first = order[np.r_[True, np.diff(group[order]) != 0]]  # the cheapest of each function
        open_ = first[fail[first] < 0]
        if len(open_) and mode.use_refutation:
            fail[open_] = self.refutation.wrong(self.structure, member.layers, last_layers.take(open_))
            open_ = open_[fail[open_] < 0]
        open_ = open_[np.argsort(r[open_], kind="stable")]
        # The cheapest one first: if it is right, the others may not matter.
        for part in (open_[:1], open_[1:]) if self.ceiling.falls else (open_,):
            part = part[r[part] <= self.ceiling.high]
            if len(part):
                fail[part] = self._decided(member, last_layers.take(part), packed[part])
                self.ceiling.meet(r[part], fail[part])
        fail = fail[first][group]
        keep = np.arange(len(r)) if mode.raw else np.sort(first)
        keep = keep[r[keep] <= self.ceiling.high]
        last_layers = last_layers.take(keep)
        yield last_layers.found(self.structure, member.layers, member.lower_costs, fail[keep], packed[keep])

    def _decided(self, member: Member, last_layers: LastLayers, packed: NDArray[np.uint8]) -> IntArray:
        """Fail lengths of hypotheses over one exact member, (N,)."""
        structure = self.structure
        self.meter.counts.exact += len(last_layers.r)
        self.meter.count(WORK_OF_CHECK * len(last_layers.r))
        nets = Nets(
            len(self.target.alphabet),
            structure.period,
            structure.precision,
            member.lower,
            last_layers.layer(structure),
            last_layers.signs,
            last_layers.threshold,
            structure.answer,
        )
        none = np.full(len(last_layers.r), -1)
        batch = last_layers.found(structure, member.layers, member.lower_costs, none, packed)
        alphabet, ends = self.target.alphabet, batch.r + EPSILON
        fail = self.fail_lengths.decide(
            nets,
            lambda k: first_hypothesis(batch, np.array([k]), ends[k], alphabet, self.aggregate),
            self.horizon,
            self.max_states,
            self.meter.beat,
            self.wanted.mode.use_proofs,
        )
        self.refutation.learn(nets, fail)
        return fail
