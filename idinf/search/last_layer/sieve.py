"""Candidates for the one unit of the last lower layer, read at the end of a few words by certificates.

A certificate reads some dozen words. The features that a last unit reads there are linear in the values of a
lower unit on the prefixes of those words: an attended sum is Σ_j w_j u(prefix j). So a candidate is evaluated
on those prefixes alone, and the sums of its certificates are one product of exact integers. Only candidates
that no certificate excludes are evaluated on all short words.

These features depend on the layers below the candidates by their values on these prefixes only. So layers
below that agree there are one class, and a certificate says the same of a candidate over all of them. Only
their costs differ, and masks of corners (`idinf.space.corners`) stand for costs: a certificate
α ‖V‖ + γ ‖s‖ + δ |b| ≥ g strikes out the corners whose norms are too small for it, and a pair that has no
corner left is excluded.

Without it a run in the space of the spec takes 1.9 times as long for D_3 to R = 11.5, and 3.1 times for
(a|b)*d(b|c)* to R = 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from idinf.nets.regularizer import Aggregate
from idinf.search.last_layer.certificates import ROUNDING, Certificate, Exclusion, all_words, weights_on
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.search.short_words.features import (
    FLOAT64_EXACT,
    HeadWeights,
    Inputs,
    cleared,
)
from idinf.search.short_words.prefix_trees import PrefixTree
from idinf.space.corners import Corners, Masks, pack
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, FloatArray, Units


@dataclass(frozen=True)
class WordSample:
    """Some words, and the dependence of the features at their ends on a lower unit."""

    ends: IntArray  #: (k,): rows where the words end
    rows: IntArray  #: (R,): rows on which the values of a lower unit matter, ascending
    last: tuple[HeadWeights, ...]  #: weights of the last layer where the words end
    #: (H, R, k): how often the value on a row counts in the attended sum of a word, cleared of denominators.
    counted: FloatArray

    @staticmethod
    def of(inputs: Inputs, structure: Structure, words: IntArray) -> WordSample:
        """The sample of words, (k,), where the weights of the last layer are fixed."""
        tree = inputs.tree
        ends = tree.final[words]
        last = inputs.weights(structure.layers[-1].heads, structure.precision, ends)
        rows = np.unique(ancestors(tree, ends)) if last else np.unique(ends)
        return WordSample(ends, rows, last, _counted(tree, last, rows, ends))


def ancestors(tree: PrefixTree, ends: IntArray) -> IntArray:
    """Rows of all prefixes of the words that end on given rows, (L, k); that of ε beyond the first."""
    return np.stack([tree.ancestor(d)[ends] for d in range(int(tree.lengths[ends].max(initial=0)) + 1)])


def _counted(tree: PrefixTree, last: tuple[HeadWeights, ...], rows: IntArray, ends: IntArray) -> FloatArray:
    counted = np.zeros((len(last), len(rows), len(ends)), dtype=np.int64)
    if last:
        prefixes = ancestors(tree, ends)
        real = np.arange(len(prefixes))[:, None] <= tree.lengths[ends]
        _, once = cleared(last, [np.ones(len(ends), dtype=np.int64)] * len(last), len(ends))
        columns = np.broadcast_to(np.arange(len(ends)), prefixes.shape)
        place = np.searchsorted(rows, prefixes)
        for of_head, head, times in zip(counted, last, once, strict=True):
            weight = real * head.far
            weight[: len(head.near)] += head.near[: len(weight)]
            np.add.at(of_head, (place, columns), weight * times)
    return counted.astype(np.float64)


#: Where the stages of certificates end: the first ones exclude most, so each of them is a stage.
STAGES = (1, 2, 3, 4, 6, 9, 16, 32, 64)
#: Pairs of layers below and candidates that are held at once, and numbers that are computed at once.
PAIRS, CELLS = 1 << 21, 1 << 19


class LayersBelow:
    """S sets of layers below the candidates, of one structure.

    ``inputs``: inputs of the last layer without the candidates; no weights may depend on content.
    ``masks``, (S,): below which corners the layers are. ``size``: number of features that all of them have in
    common: the first ones.
    """

    def __init__(self, inputs: Sequence[Inputs], masks: Masks, size: int) -> None:
        self.first, self.masks = (first := inputs[0]), masks
        #: The features that all of them have in common.
        self.shared = Inputs(first.words, first.deep, first.last[:size], first.counts[:size])
        #: (S, m, T): the other ones, and how often each was 1 so far.
        self.values = np.stack([each.last[size:] for each in inputs])
        self.counts = np.stack([each.counts[size:] for each in inputs])

    def classes(self, rows: IntArray) -> tuple[IntArray, IntArray]:
        """Layers that agree on all prefixes of some rows: the first of each class, and the class of each."""
        closed = np.unique(ancestors(self.shared.tree, rows))
        values = self.values[:, :, closed].reshape(len(self.values), -1)
        return group_rows(np.packbits(values.astype(np.bool_), axis=1))

    def sums(self, weights: tuple[HeadWeights, ...], places: IntArray, rows: IntArray) -> IntArray:
        """Attended sums of the other features of some sets, cleared of denominators, (C, m, H, R)."""
        values, counts = self.values[places], self.counts[places]
        sums = cleared(weights, [w.sums(values, counts) for w in weights], len(rows))[1]
        return np.stack(sums, axis=2) if sums else np.zeros((*values.shape[:2], 0, len(rows)), np.int64)


class _Stage:
    """C certificates that are looked at together, over K classes of layers below."""

    def __init__(self, sieve: Sieve, below: LayersBelow, certificates: Sequence[Certificate]) -> None:
        self.sieve = sieve
        words = all_words(list(certificates))
        sample = WordSample.of(below.first, sieve.structure, words)
        weights = weights_on(list(certificates), words)
        first, self.classes = below.classes(sample.rows)
        self.number, size = len(first), len(sample.rows)
        # Features that the layer of the candidates reads on the rows: shared ones first, then the other ones.
        own = below.first.weights(sieve.structure.layers[-2].heads, sieve.structure.precision, sample.rows)
        shared = below.shared.read(own, sample.rows)
        scale = shared.scale
        attended = below.sums(own, first, sample.rows).transpose(0, 2, 1, 3)
        common = np.concatenate([shared.sums, scale[:, None] * shared.last, scale[:, None]], axis=1).T
        parts = [
            np.broadcast_to(common, (self.number, *common.shape)),
            attended.reshape(self.number, attended.shape[1] * attended.shape[2], size),
            below.values[first][:, :, sample.rows] * scale,
        ]
        columns = np.concatenate(parts, axis=1)
        # Features that the last layer reads where the words end, without the candidates.
        base = below.shared.read(sample.last, sample.ends)
        scaled = weights * base.scale
        lower = below.sums(sample.last, first, sample.ends) @ weights.T.astype(np.int64)  # (K, m, H, C)
        squares = (weights @ base.sums).reshape(len(weights), len(sample.last), base.size) ** 2
        self._alpha = squares.sum(axis=2).T + (lower.astype(np.float64) ** 2).sum(axis=1)  # (K, H, C)
        at_end = below.values[first][:, :, sample.ends] @ scaled.T
        self._gamma = ((scaled @ base.last) ** 2).sum(axis=1) + (at_end**2).sum(axis=1)  # (K, C)
        delta = np.abs(scaled.sum(axis=1))
        gains = np.array([float(certificate.gain) for certificate in certificates])
        least = 0.5**sieve.units.precision * gains * (1.0 - ROUNDING)
        least = least[:, None] - delta[:, None] * sieve.corners.points[:, 3] * (1.0 + ROUNDING)
        self._least = least  # (C, corners)
        # Coefficients of each certificate for 0/1 values on the rows: head by head, and where the words end.
        ends = np.zeros((size, len(weights)))
        np.add.at(ends, np.searchsorted(sample.rows, sample.ends), scaled.T)
        self._reading = np.concatenate([*(of_head @ weights.T for of_head in sample.counted), ends], axis=1)
        self._columns = columns.astype(np.float64)
        read_up_to = sieve.largest * float(np.abs(columns).max(initial=0))
        #: True if all integers are in the range in which products are exact.
        self.sound = max(read_up_to, float((2 * np.abs(weights) @ base.scale).max())) < FLOAT64_EXACT

    def fitting(self, classes: IntArray, candidates: IntArray) -> Masks:
        """Corners that each certificate leaves to pairs of a class, ascending, and a candidate, (C, P)."""
        sieve, size = self.sieve, self._columns.shape[2]
        step = max(1, CELLS // size)
        parts = []
        for begin in range(0, len(classes), step):
            sieve.checkpoint(1)
            of, chosen = classes[begin : begin + step], sieve.weights[candidates[begin : begin + step]]
            read = np.empty((len(of), size), dtype=chosen.dtype)
            runs = np.flatnonzero(np.r_[True, of[1:] != of[:-1], True])
            with np.errstate(invalid="ignore"):  # kernels may flag lanes beyond the data; all are integers
                for start, end in pairwise(runs.tolist()):
                    np.matmul(chosen[start:end], self._columns[of[start]], out=read[start:end])
                sums = np.clip(read, 0, 1, out=read) @ self._reading
            parts.append(self._corners(of, sums))
        return np.concatenate(parts, axis=1)

    def _corners(self, classes: IntArray, found: FloatArray) -> Masks:
        """The same by what each certificate reads of the candidates, head by head and where words end."""
        number, norms = len(self._least), self.sieve.corners.norms_of_last(self._alpha.shape[1])[:2]
        squares = found**2
        gamma = np.sqrt(self._gamma[classes] + squares[:, squares.shape[1] - number :])
        alpha = np.zeros_like(gamma)
        for h in range(self._alpha.shape[1]):
            alpha += np.sqrt(self._alpha[classes, h] + squares[:, h * number : (h + 1) * number])
        both = np.stack([alpha, gamma], axis=2)  # (P, C, 2)
        return np.stack([pack(both[:, c] @ norms >= least) for c, least in enumerate(self._least)])


@dataclass(frozen=True)
class Sieve:
    """N candidates that may be the one unit of the last lower layer, and the corners of a budget."""

    structure: Structure
    units: Units
    masks: Masks  #: (N,): below which corners the candidates are
    corners: Corners
    shared: int  #: features that all layers below have in common: the first ones
    checkpoint: Callable[[float], None] = lambda work: None

    @staticmethod
    def of(
        structure: Structure, high: float, units: Units, shared: int, checkpoint: Callable[[float], None]
    ) -> Sieve:
        """The sieve for R ≤ ``high``."""
        corners = Corners.of(structure, high)
        masks = corners.masks(units.costs(Aggregate.MAX))
        return Sieve(structure, units, masks, corners, shared, checkpoint)

    def sifted(self, starts: Sequence[LowerLayers], exclusion: Exclusion) -> Iterator[Units]:
        """The candidates that known certificates leave over each of some lower layers."""
        inputs = [start.inputs.under(self.structure.layers[-2].heads) for start in starts]
        joined = self.corners.masks_of_lists([start.lower_costs for start in starts])
        left, times = self.left(LayersBelow(inputs, joined, self.shared), exclusion.known)
        exclusion.note(times)
        for row in left:
            yield self.units.take(np.flatnonzero(row))

    @cached_property
    def weights(self) -> FloatArray:
        """Coefficients of shared features and of 1, then of other features, (N, K).

        Attended features come first, head by head, then own ones.
        """
        units, one, number = self.units, 2**self.units.precision, len(self.units)
        values = units.values.reshape(number, units.heads, units.own.shape[1])
        own, rest = one * units.own, units.own.shape[1] - self.shared
        parts = [
            values[..., : self.shared].reshape(number, self.shared * units.heads),
            own[:, : self.shared],
            one * units.bias[:, None],
            values[..., self.shared :].reshape(number, rest * units.heads),
            own[:, self.shared :],
        ]
        return np.concatenate(parts, axis=1).astype(np.float64)

    @cached_property
    def largest(self) -> float:
        """The largest sum of magnitudes of the weights of a candidate."""
        return float(np.abs(self.weights).sum(axis=1).max(initial=0.0))

    def left(
        self, below: LayersBelow, known: Sequence[Sequence[Certificate]]
    ) -> tuple[BoolArray, list[IntArray]]:
        """Mask of candidates that are left over each of S sets of layers below, (S, N).

        ``known`` are certificates of each reading; a pair that is excluded in every reading is out. The
        second result is the number of pairs that each certificate excluded, (C,) for every reading.
        """
        left = np.zeros((len(below.masks), len(self.units)), dtype=np.bool_)
        stages = [list[_Stage]() for _ in known]
        times = [np.zeros(len(certificates), dtype=np.int64) for certificates in known]
        step = max(1, PAIRS // len(left))
        for begin in range(0, len(self.units), step):
            part = left[:, begin : begin + step]
            fitting = below.masks[:, None] & self.masks[begin : begin + step]
            for certificates, of_reading, times_of in zip(known, stages, times, strict=True):
                sets, places = np.nonzero((fitting != 0) & ~part)
                masks = fitting[sets, places]
                number = len(certificates)
                ends = pairwise([0, *(end for end in STAGES if end < number), number])
                for k, (first, last) in enumerate(ends):
                    if not len(masks) or first == last:
                        break
                    if k == len(of_reading):
                        of_reading.append(_Stage(self, below, certificates[first:last]))
                    if of_reading[k].sound:
                        masks, struck = self._struck(of_reading[k], sets, begin + places, masks)
                        times_of[first:last] += struck
                        index = np.flatnonzero(masks)
                        sets, places, masks = sets[index], places[index], masks[index]
                part[sets, places] = True
        return left, times

    def _struck(
        self, stage: _Stage, sets: IntArray, candidates: IntArray, masks: Masks
    ) -> tuple[Masks, IntArray]:
        """Masks of pairs without the corners that a stage strikes out; exclusions of each certificate."""
        place = np.zeros(len(self.units), dtype=np.int64)
        place[candidates] = 1
        chosen = np.flatnonzero(place)
        place[chosen] = np.arange(len(chosen))
        pairs = stage.classes[sets] * len(chosen) + place[candidates]
        looked = np.zeros(stage.number * len(chosen), dtype=masks.dtype)
        looked[pairs] = 1
        met = np.flatnonzero(looked)
        classes, places = np.divmod(met, len(chosen))
        fits = stage.fitting(classes, chosen[places])
        looked[met] = np.bitwise_and.reduce(fits, axis=0)
        return masks & looked[pairs], (fits == 0).sum(axis=1)
