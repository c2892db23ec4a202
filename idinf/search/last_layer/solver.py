"""The last layers over lower layers that are right on the screened words, for every kind of answer.

One unit is solved for by intervals; layers of several units are listed and screened by their readings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.intervals import LastLayerBudget, ValueVectors, total_r
from idinf.search.last_layer.next_symbols import Reading, Readings, next_readings
from idinf.search.last_layer.next_units import RightUnits
from idinf.search.last_layer.several_units import LayerScreen, list_screens, vote_readings
from idinf.search.lower_layers.normal_form import exact_numbers
from idinf.search.lower_layers.stacks import LowerLayerRealisation, LowerLayers
from idinf.search.short_words.features import Features, TableRegistry
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import HypothesisBatch, LastLayers, Slice
from idinf.space.grid import IntArray
from idinf.space.idle import feel_every_entry
from idinf.space.layers import LayerChoices, list_layer_choices
from idinf.space.structures import Cost, Structure
from idinf.space.units import (
    BoolArray,
    FloatArray,
    LayerBudget,
    LayerFilter,
    Units,
    list_channels,
)
from idinf.targets.supervised import SupervisedTarget


@dataclass(frozen=True, eq=False)
class OneUnitLayer(LastLayerBudget):
    """Solves a last layer of one unit, which reads every head."""

    def solve(self, features: Features, ones: BoolArray, zeros: BoolArray) -> tuple[Units, FloatArray]:
        """List the last units that are 1 on some words and 0 on others, (W,) each, and R over them.

        Raises PrecisionError if the integers could leave the range in which the intervals are exact.
        """
        vectors, norms = self.values(features.size)
        values = ValueVectors(vectors, norms, np.full(len(norms), self.heads * self.one**2, dtype=np.int64))
        found = self.list_own_weights(values, features, ones, zeros)
        entry = np.full((len(found), self.heads), self.one, dtype=np.int64)
        units = Units(self.structure.precision, vectors[found.place], entry, found.own, found.bias)
        r = self.r(units.costs(self.aggregate))
        return units.take(r <= self.high), r[r <= self.high]

    def values(self, size: int) -> tuple[IntArray, FloatArray]:
        """All v, (V, H·f), whose ‖V‖ alone fits the budget over some lower layer, and ‖V‖ itself."""
        widest = self.room_of_one(1, self.rank, 0.0, math.sqrt(self.heads), 0.0)
        values, norms = list_channels(size, (True,) * self.heads, widest * self.one, self.aggregate)
        return values, norms / self.one


class LastLayerSolver:
    """Lists last layers. Mutable: the assignments of next symbols are remembered, for one list of words."""

    def __init__(
        self,
        target: SupervisedTarget,
        aggregate: Aggregate,
        checkpoint: Callable[[float], None] = lambda work: None,
        at_zero: bool = False,
    ) -> None:
        self.target, self.aggregate, self.symbols = target, aggregate, len(target.alphabet)
        self.checkpoint, self.at_zero = checkpoint, at_zero  #: True if acceptance compares with 0 alone
        self._known: dict[tuple[int, int, int], Readings] = {}

    def right(
        self,
        structure: Structure,
        lower: LowerLayers,
        features: Features,
        wanted: Slice,
        most: int,
    ) -> tuple[list[LastLayers], int]:
        """Last layers over lower ones that are right on screened words, and how many units were looked at.

        Reading by reading; none where no unit is of use.

        One unit needs ``features`` on the words up to ``wanted.consistent`` only, at least on one. Layers are
        listed for any lower bound of R, as the least R of lower layers does not bound the R of their members,
        into which they are split later. ``most`` bounds every list of units or pairs of units.
        """
        if structure.layers[-1].units == 1:
            return self._single(structure, lower, features, wanted)
        return self._several(structure, lower, features, wanted, most)

    def _single(
        self, structure: Structure, lower: LowerLayers, features: Features, wanted: Slice
    ) -> tuple[list[LastLayers], int]:
        words = lower.below.words
        count = words.up_to(wanted.consistent)
        few = features.take(slice(max(count, 1)))  # the classes that occur are read off at least one
        over = structure, self.aggregate, self.symbols, wanted.high, lower.lower_costs
        layer = OneUnitLayer(*over, checkpoint=self.checkpoint)
        found = self.next_readings(structure, words, wanted.consistent)
        solved = [layer.solve(few, *condition.on(len(few.scale))) for condition in found.conditions]
        parts = []
        for reading in found.readings:
            units, r = solved[reading.wanted[0]]
            alone = LayerChoices.alone(units, np.full(len(units), -1), self.aggregate)
            parts.append(_read_as(structure, reading, alone, r))
        return parts, len(layer.values(features.size)[1])

    def possible(self, structure: Structure, words: ShortWords, consistent: int) -> bool:
        """True if the last layer has enough units, and readers, to be right on words up to a length."""
        if not self.target.everywhere:
            return True
        return bool(self.next_readings(structure, words, consistent).readings)

    def next_readings(self, structure: Structure, words: ShortWords, consistent: int) -> Readings:
        """Readings by which units of the last layer can name the right next symbols on words up to a length.

        For acceptance they are the readings by which one unit can accept the right words.
        """
        key = (words.up_to(consistent), structure.layers[-1].units, structure.readers)
        if key not in self._known:
            if self.target.everywhere:
                columns = words.columns(key[0])
                self._known[key] = next_readings(structure.answer, columns, *key[1:], self.checkpoint)
            else:
                self._known[key] = vote_readings(words.labels[: key[0]], 1, at_zero=self.at_zero)
        return self._known[key]

    def _several(
        self,
        structure: Structure,
        lower: LowerLayers,
        features: Features,
        wanted: Slice,
        most: int,
    ) -> tuple[list[LastLayers], int]:
        words, shape, consistent = lower.below.words, structure.layers[-1], wanted.consistent
        registry, source = TableRegistry(features, self.checkpoint), None
        if self.target.everywhere:
            found = self.next_readings(structure, words, consistent)
            source = self._source(structure, lower, features, wanted, found, most)
            if source is not None and not len(source):
                return [], 0
            screens = [LayerScreen(found, registry)]
        else:
            screens = list_screens(words, registry, consistent, shape.units, self.at_zero)
        base, allowed = structure.base(self.aggregate), wanted.allowed(structure)
        least = Cost(*map(float, lower.lower_costs.min(axis=0)))
        within = LayerBudget(features.size, structure.precision, wanted.high - base, least, self.aggregate)
        parts = []
        for kind in screens:
            known = LayerFilter(
                registry.number,
                lambda units: exact_numbers(units, shape.heads, self.symbols + 1, structure.period),
                kind.alone,
                kind.together,
                not wanted.mode.raw,
                most,
                kind.missed,
                checkpoint=self.checkpoint,
            )
            if allowed is not None:
                known = replace(known, possible=partial(registry.having, allowed=allowed[-1]))
            choices = list_layer_choices(shape, within, known, None if source is None else source.chunks)
            r = total_r(base, lower.lower_costs, choices.costs, self.aggregate)
            for reading in kind.found.readings:
                index = np.flatnonzero(kind.right(reading, choices.tables) & (r <= wanted.high))
                parts.append(_read_as(structure, reading, choices.take(index), r[index]))
        return parts, registry.seen

    def _source(
        self,
        structure: Structure,
        lower: LowerLayers,
        features: Features,
        wanted: Slice,
        found: Readings,
        most: int,
    ) -> RightUnits | None:
        """The units by intervals; None with two heads."""
        if len(structure.layers[-1].heads) > 1:
            return None
        read = features.take(slice(max(lower.below.words.up_to(wanted.consistent), 1)))
        over = structure, self.aggregate, self.symbols, wanted.high, lower.lower_costs
        return RightUnits(*over, read, found, most=most, checkpoint=self.checkpoint)


def _read_as(structure: Structure, reading: Reading, choices: LayerChoices, r: FloatArray) -> LastLayers:
    """Layers with one reading, and their R, (N,)."""
    signs = np.repeat(reading.signs[None], len(r), axis=0)
    return LastLayers(structure, choices, signs, np.full(len(r), reading.threshold), r)


def screen_last_layers(
    solver: LastLayerSolver,
    structure: Structure,
    lower: LowerLayers,
    wanted: Slice,
    short: ShortWords,
    most: int,
) -> tuple[list[HypothesisBatch], list[HypothesisBatch], int]:
    """List the hypotheses over lower layers that are right on screened words of a slice.

    Gives those that screened words settle, the others for each exact member of the lower layers, and the
    number of parameter vectors that were looked at. Answers are kept on the ``short`` words, the first of the
    screened ones; ``most`` bounds lists as for `LastLayerSolver.right`.
    """
    aggregate, words, alone = solver.aggregate, lower.below.words, structure.layers[-1].units == 1
    some = np.arange(max(words.up_to(wanted.consistent), 1)) if alone else None
    features = lower.read_by_last(structure, some)
    parts, seen = solver.right(structure, lower, features, wanted, most)
    read = structure.layers[-1].heads, words.symbols + 1, structure.period
    parts = [part.take(feel_every_entry(part.top.units, *read)) for part in parts if len(part)]
    settled: list[HypothesisBatch] = []
    undecided: list[HypothesisBatch] = []
    if not any(map(len, parts)):
        return settled, undecided, seen
    last_layers = LastLayers.concatenate(parts)
    if alone:
        features = lower.read_by_last(structure)
    outputs = last_layers.answers_on(features, words.labels if solver.target.by_logits else None)
    outputs = outputs[:, : len(short.labels)]
    fail = short.first_difference(outputs)
    packed = np.packbits(outputs.reshape(len(outputs), -1), axis=1)

    def over(
        part: LastLayers, below: LowerLayers | LowerLayerRealisation, places: IntArray
    ) -> HypothesisBatch:
        known = part.top, part.signs, part.threshold, part.r
        return HypothesisBatch(
            structure, *known, below.layers, below.lower_costs, fail[places], packed[places]
        )

    is_settled = (fail >= 0) & (not wanted.mode.expand)
    index = np.flatnonzero(is_settled & (last_layers.r > wanted.low))
    if len(index):
        settled.append(over(last_layers.take(index), lower, index))
    rest = np.flatnonzero(~is_settled)
    if len(rest):
        left = last_layers.take(rest)
        for member in lower.members(structure, words.symbols + 1, aggregate):
            r = total_r(structure.base(aggregate), member.lower_costs, left.top.costs, aggregate)
            index = np.flatnonzero((r > wanted.low) & (r <= wanted.high))
            if len(index):
                undecided.append(over(replace(left, r=r).take(index), member, rest[index]))
    return settled, undecided, seen
