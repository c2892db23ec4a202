"""Last layers with their readings, as arrays, and what lower layers give them to read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from idinf.search.exact_check.nets import NetLayer, ScaledUnits, answers
from idinf.search.found import HypothesisBatch
from idinf.search.lower_layers.normal_form import normal_forms
from idinf.search.short_words.features import Features, Inputs, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.rows import SHARED, ArrayRecord, group_rows
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, FloatArray
from idinf.spec.spec import Answer


@dataclass(frozen=True, eq=False)
class LastLayers(ArrayRecord):
    """N last layers with their readings and least R."""

    choices: LayerChoices
    signs: IntArray  #: (N, t) or (N, K, t): the row U on the units, or the K rows of next symbols
    threshold: IntArray  #: (N,)
    r: FloatArray  #: (N,)
    answer: Answer = field(default=Answer.ACCEPT, metadata=SHARED)

    @staticmethod
    def none(structure: Structure, features: int) -> LastLayers:
        """No last layer of a structure, over a number of features."""
        shape, outputs = structure.layers[-1], () if structure.answer is Answer.ACCEPT else (0,)
        return LastLayers(
            LayerChoices.none(features, structure.precision, len(shape.heads), shape.units),
            np.zeros((0, *outputs, shape.units), dtype=np.int64),
            np.zeros(0, dtype=np.int64),
            np.zeros(0),
            structure.answer,
        )

    @staticmethod
    def of(found: HypothesisBatch) -> LastLayers:
        """The last layers of a batch."""
        return LastLayers(found.top, found.signs, found.threshold, found.r, found.structure.answer)

    def outputs(self, features: Features, logits: BoolArray | None = None) -> BoolArray:
        """Answers on the W rows of some features, (N, W) or (N, W, K).

        Where ``logits``, (W,), have to be given as numbers, the answer is that label or its opposite.
        """
        bits = [unit_outputs(units, features) for units in self.choices.units]
        if len(bits) == 1 and self.answer is Answer.ACCEPT:
            return bits[0] ^ (self.signs < 0)
        stacked = np.stack(bits, axis=2).swapaxes(0, 1)
        rule = self.signs, self.threshold, self.answer, logits is not None
        answered = answers(stacked, *rule).swapaxes(0, 1)
        return np.asarray(answered if logits is None else logits ^ (answered != logits))

    def number_functions(self, structure: Structure, tokens: int) -> IntArray:
        """Numbers that are equal only for equal functions, over lower layers of one exact behaviour, (N,)."""
        heads = structure.layers[-1].heads
        forms = [
            normal_forms(ScaledUnits.of(units), heads, tokens, structure.period)
            for units in self.choices.units
        ]
        rows_U = self.signs.reshape(len(self), -1)
        _, group = group_rows(np.concatenate([*forms, rows_U, self.threshold[:, None]], axis=1))
        return group

    def layer(self, structure: Structure) -> NetLayer:
        """Their units side by side, as the exact check takes them."""
        columns = [ScaledUnits.of(units) for units in self.choices.units]
        return NetLayer(structure.layers[-1].heads, ScaledUnits.side_by_side(columns))

    def found(
        self,
        structure: Structure,
        lower: tuple[LayerChoices, ...],
        lower_costs: FloatArray,
        fail: IntArray,
        packed: NDArray[np.uint8],
    ) -> HypothesisBatch:
        """The finished batch over given lower layers."""
        return HypothesisBatch(
            structure, lower, lower_costs, self.choices, self.signs, self.threshold, self.r, fail, packed
        )


def last_layer_features(
    words: ShortWords, structure: Structure, layers: tuple[LayerChoices, ...]
) -> Features:
    """What the last layer reads on given words over the first realisation of every lower layer."""
    inputs = Inputs.first(words, structure.period)
    for layer, shape in zip(layers, structure.hidden, strict=True):
        inputs, features = inputs.hidden(shape.heads, structure.precision)
        first = [unit_outputs(units.take(slice(0, 1)), features)[0] for units in layer.units]
        inputs = inputs.extend(np.stack(first))
    return inputs.top(structure.layers[-1].heads, structure.precision)


def list_behaviours(found: HypothesisBatch, words: ShortWords) -> tuple[frozenset[bytes], ...]:
    """For every layer of a batch the behaviours of its units on all short words, packed."""
    structure, layers = found.structure, []
    inputs = Inputs.first(words, structure.period)
    for layer, shape in zip(found.lower, structure.hidden, strict=True):
        inputs, features = inputs.hidden(shape.heads, structure.precision)
        outputs = [unit_outputs(units, features) for units in layer.units]
        layers.append(_packed_rows(outputs))
        inputs = inputs.extend(np.stack([bits[0] for bits in outputs]))
    features = inputs.top(structure.layers[-1].heads, structure.precision)
    layers.append(_packed_rows([unit_outputs(units, features) for units in found.top.units]))
    return tuple(layers)


def _packed_rows(outputs: list[BoolArray]) -> frozenset[bytes]:
    return frozenset(row.tobytes() for bits in outputs for row in np.packbits(bits, axis=1))
