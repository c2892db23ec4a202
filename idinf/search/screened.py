"""Hypotheses over given lower layers, as far as screened words settle them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from idinf.search.found import Found, Slice
from idinf.search.last_layer.intervals import total_r
from idinf.search.last_layer.solver import FeaturesOver, LastLayerSolver
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.space.structures import Structure


def screen_last_layers(
    solver: LastLayerSolver, structure: Structure, lower: LowerLayers, wanted: Slice, short: int, most: int
) -> tuple[list[Found], list[Found], int]:
    """List the hypotheses over lower layers that are right on screened words of a slice.

    Gives those that screened words settle, the others for each exact member of the lower layers, and how many
    parameter vectors were looked at. Answers are kept on the first ``short`` words, which are all short ones;
    ``most`` bounds lists as for `LastLayerSolver.right`.
    """
    aggregate, words, alone = solver.aggregate, lower.below.words, structure.layers[-1].units == 1
    count = max(words.up_to(wanted.consistent), 1) if alone else None
    features = FeaturesOver(structure, [lower], count).alone(0)
    last_layers, seen = solver.right(structure, lower, features, wanted, most)
    settled: list[Found] = []
    undecided: list[Found] = []
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
