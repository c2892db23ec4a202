"""Hypotheses that short words did not settle: their exact fail lengths, the cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.search.ceiling import Ceiling
from idinf.search.decided import FailLengths
from idinf.search.exact_check.nets import NetLayer, Nets, ScaledUnits
from idinf.search.found import HypothesisBatch, Mode, Slice
from idinf.search.hypotheses import first_hypothesis
from idinf.search.last_layer.arrays import LastLayers
from idinf.search.last_layer.intervals import total_r
from idinf.search.last_layer.refutation import Refutation
from idinf.search.last_layer.solver import FeaturesOver, LastLayerSolver
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.search.meter import Meter
from idinf.space.grid import IntArray
from idinf.space.structures import Structure
from idinf.space.units import Units
from idinf.targets.supervised import SupervisedTarget


def screen_last_layers(
    solver: LastLayerSolver, structure: Structure, lower: LowerLayers, wanted: Slice, short: int, most: int
) -> tuple[list[HypothesisBatch], list[HypothesisBatch], int]:
    """List the hypotheses over lower layers that are right on screened words of a slice.

    Gives those that screened words settle, the others for each exact member of the lower layers, and how many
    parameter vectors were looked at. Answers are kept on the first ``short`` words, which are all short ones;
    ``most`` bounds lists as for `LastLayerSolver.right`.
    """
    aggregate, words, alone = solver.aggregate, lower.below.words, structure.layers[-1].units == 1
    count = max(words.up_to(wanted.consistent), 1) if alone else None
    features = FeaturesOver(structure, [lower], count).alone(0)
    last_layers, seen = solver.right(structure, lower, features, wanted, most)
    settled: list[HypothesisBatch] = []
    undecided: list[HypothesisBatch] = []
    if not len(last_layers.r):
        return settled, undecided, seen
    if count is not None:
        features = FeaturesOver(structure, [lower]).alone(0)
    outputs = last_layers.outputs(features, words.labels if solver.target.by_logits else None)
    fail = words.first_difference(outputs)
    short_outputs = outputs[:, :short]
    packed = np.packbits(short_outputs.reshape(len(outputs), -1), axis=1)
    is_settled = (fail >= 0) & (not wanted.mode.expand)
    index = np.flatnonzero(is_settled & (last_layers.r > wanted.low))
    if len(index):
        part = last_layers.take(index)
        settled.append(part.found(structure, lower.layers, lower.lower_costs, fail[index], packed[index]))
    rest = np.flatnonzero(~is_settled)
    if len(rest):
        last_layers, base = last_layers.take(rest), structure.base(aggregate)
        for member in lower.members(structure, words.symbols + 1, aggregate):
            r = total_r(base, member.lower_costs, last_layers.choices.costs, aggregate)
            index = np.flatnonzero((r > wanted.low) & (r <= wanted.high))
            if len(index):
                part, index = replace(last_layers, r=r).take(index), rest[index]
                costs = member.lower_costs
                undecided.append(part.found(structure, member.layers, costs, fail[index], packed[index]))
    return settled, undecided, seen


#: Steps of work that an exact check counts as, and lengths of words in it that count as one more. Its time
#: depends on what its process decided before, and the same work has to count the same everywhere.
WORK_OF_CHECK, LENGTHS_OF_STEP = 20, 4


def least_r(undecided: HypothesisBatch) -> float:
    """R of the cheapest of some hypotheses."""
    return float(undecided.r.min())


@dataclass(frozen=True, eq=False)
class Decider:
    """Decides hypotheses of a slice, up to a ceiling that falls meanwhile."""

    target: SupervisedTarget
    mode: Mode
    ceiling: Ceiling
    refutation: Refutation
    fail_lengths: FailLengths
    horizon: int
    aggregate: Aggregate
    max_states: int
    meter: Meter

    def found(self, undecided: HypothesisBatch) -> Iterator[HypothesisBatch]:
        """The hypotheses up to the ceiling with fail lengths, one of each function unless all are asked.

        They stand over one exact member of some lower layers; fail lengths by short words are −1 where those
        do not decide it.
        """
        batch = undecided.take(undecided.r <= self.ceiling.high)
        if not len(batch):
            return
        last_layers, fail, r, mode = LastLayers.of(batch), batch.fail.copy(), batch.r, self.mode
        group = last_layers.number_functions(batch.structure, len(self.target.alphabet) + 1)
        order = np.lexsort((r, group))
        first = order[np.r_[True, np.diff(group[order]) != 0]]  # the cheapest of each function
        open_ = first[fail[first] < 0]
        if len(open_) and mode.use_refutation:
            fail[open_] = self.refutation.wrong(batch.structure, batch.lower, last_layers.take(open_))
            open_ = open_[fail[open_] < 0]
        open_ = open_[np.argsort(r[open_], kind="stable")]
        # The cheapest one first: if it is right, the others may not matter.
        for part in (open_[:1], open_[1:]) if self.ceiling.falls else (open_,):
            part = part[r[part] <= self.ceiling.high]
            if len(part):
                fail[part] = self._decided(batch.take(part))
                self.ceiling.meet(r[part], fail[part])
        fail = fail[first][group]
        keep = np.arange(len(r)) if mode.raw else np.sort(first)
        keep = keep[r[keep] <= self.ceiling.high]
        yield replace(batch, fail=fail).take(keep)

    def _decided(self, batch: HypothesisBatch) -> IntArray:
        """Fail lengths of hypotheses over one exact member, (N,)."""
        structure, last_layers = batch.structure, LastLayers.of(batch)
        self.meter.counts.exact += len(batch)
        self.meter.count(WORK_OF_CHECK * len(batch))
        first = [
            Units.concatenate([units.take(slice(0, 1)) for units in layer.units]) for layer in batch.lower
        ]
        nets = Nets(
            len(self.target.alphabet),
            structure.period,
            structure.precision,
            tuple(
                NetLayer(shape.heads, ScaledUnits.of(units))
                for shape, units in zip(structure.hidden, first, strict=True)
            ),
            last_layers.layer(structure),
            last_layers.signs,
            last_layers.threshold,
            structure.answer,
        )
        alphabet, ends = self.target.alphabet, batch.r + EPSILON
        fail = self.fail_lengths.decide(
            nets,
            lambda k: first_hypothesis(batch, np.array([k]), ends[k], alphabet, self.aggregate),
            self.horizon,
            self.max_states,
            self.meter.beat,
            self.mode.use_proofs,
        )
        self.refutation.learn(nets, fail)
        self.meter.count(int(np.where(fail < 0, self.horizon, fail).sum()) // LENGTHS_OF_STEP)
        return fail
