"""Certificates: signed combinations of words that bound R of a last layer with one unit from below.

Let λ_w ≥ 0 be weights of words, μ_w = λ_w where the unit is to be 1 on w and −λ_w where it is to be 0. With
cleared denominators the unit is 1 on w iff t_w = Σ_h ⟨v_h, sums_{w,h}⟩ + scale_w (⟨s, last_w⟩ + b) > 0, and
t_w is a multiple of 2^-p. So a unit that is right has μ_w t_w ≥ 2^-p λ_w on the first kind of word and ≥ 0
on the other, and the sum over all words reads

    Σ_h ⟨v_h, a_h⟩ + ⟨s, c⟩ + b d ≥ g,    a_h = Σ μ_w sums_{w,h},  c = Σ μ_w scale_w last_w,
                                          d = Σ μ_w scale_w,       g = 2^-p Σ_{unit 1 on w} λ_w.

By Cauchy and Schwarz α ‖V‖ + γ ‖s‖ + δ |b| ≥ g with α = Σ_h ‖a_h‖, γ = ‖c‖, δ = |d|. A net within a budget
of R is below one of a few *corners*, which bound these norms (`idinf.space.corners`). So where α ‖V‖ + γ ‖s‖
+ δ |b| < g at every corner that the layers below are below, too, no last unit is right. That holds for *any*
λ: a floating-point solver proposes no more than a choice of λ, rounded to integers first. If a, c and d
vanish while g does not, no v, s, b exists at all (Farkas); conflicts are such certificates of two words. A
certificate depends on the words and their labels only: learned over one list of lower units, it bounds
every other list, so later units of work begin with the certificates that excluded most lists before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import numpy as np

from idinf.search.lower_layers.stacks import LowerLayers
from idinf.search.short_words.features import FLOAT64_EXACT, Features
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import Slice
from idinf.space.corners import Corners, Masks, pack
from idinf.space.grid import IntArray
from idinf.space.structures import Structure
from idinf.space.units import BoolArray, FloatArray
from idinf.work.memory import make_room_for_a_library


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """Weights of words, for fixed words on which a unit is to be 1."""

    words: IntArray  #: (k,): indices of the words, ascending
    weights: IntArray  #: (k,): μ_w, positive on words where the unit is to be 1

    @property
    def gain(self) -> int:
        """g in units of 2^-p."""
        return int(self.weights[self.weights > 0].sum())


def coefficients(certificates: list[Certificate], words: IntArray, features: list[Features]) -> FloatArray:
    """α, γ and δ of C certificates over S features, (3, S, C), exact but for square roots; NaN if too large.

    ``words`` are those of all certificates, (k,), ascending. The unit reads the features on these words, over
    S lists of lower units of one size.
    """
    weights = weights_on(certificates, words)
    scale = np.stack([item.scale for item in features])
    sums = np.stack([item.sums for item in features])
    last = np.stack([item.last for item in features]) * scale[:, :, None]
    heads, size = features[0].heads, features[0].size
    norms = _norms(np.matmul(weights, sums).reshape(len(features), len(weights), heads, size))
    found = np.stack([norms.sum(axis=2), _norms(np.matmul(weights, last)), np.abs(scale @ weights.T)])
    longest = scale + np.abs(sums).max(axis=2, initial=0)
    found[:, longest @ np.abs(weights).T >= FLOAT64_EXACT] = math.nan
    return found


def all_words(certificates: list[Certificate]) -> IntArray:
    """The words of some certificates, ascending."""
    return np.unique(np.concatenate([certificate.words for certificate in certificates]))


def weights_on(certificates: list[Certificate], words: IntArray) -> FloatArray:
    """Weights of C certificates on their words, (C, k), exact."""
    weights = np.zeros((len(certificates), len(words)))
    for row, certificate in zip(weights, certificates, strict=True):
        row[np.searchsorted(words, certificate.words)] = certificate.weights
    return weights


def _norms(rows: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt((rows**2).sum(axis=-1)))


#: Largest weight of a word; rounding to integers loses no soundness, only a little of the bound.
WEIGHT = 2**20
POOL = 96  #: certificates of one pool; the one that was of use longest ago makes room
#: Rounds of a proposal, words of its first round, and words added in each.
ROUNDS, FIRST_WORDS, MORE_WORDS = 8, 40, 16
#: In one step of work, a millisecond: lists that are read, and certificates times lists that are compared.
READ_IN_STEP, PAIRS_OF_STEP = 12, 1 << 13
#: Part of the gain of a certificate that is left for rounding. A few roots and products lose 1e-15 of
#: themselves; ‖s‖² = ‖A‖² − H loses that part of ‖A‖², and is a multiple of 4^-p, so up to 4^p as much.
ROUNDING = 1e-6

Known = tuple[tuple[Certificate, ...], tuple[Certificate, ...]]  #: certificates of the two readings of a unit


@dataclass(eq=False)
class _Pool:
    """Certificates of one reading, the last used one first. Mutable: it learns."""

    ones: BoolArray
    certificates: list[Certificate]
    uses: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.uses = [0] * len(self.certificates)

    def learn(self, certificate: Certificate, times: int) -> None:
        """Take in a certificate that just was of use, so many times."""
        self.certificates.insert(0, certificate)
        self.uses.insert(0, times)
        del self.certificates[POOL:], self.uses[POOL:]

    def note(self, times: IntArray) -> None:
        """Count how many lists each certificate excluded, (C,), and put those that excluded most first."""
        order = np.argsort(-times, kind="stable")
        self.uses = [self.uses[k] + int(times[k]) for k in order]
        self.certificates = [self.certificates[k] for k in order]

    def most_used(self) -> list[tuple[Certificate, int]]:
        """Certificates that excluded lists most often, each with its number of uses."""
        used = [pair for pair in zip(self.certificates, self.uses, strict=True) if pair[1]]
        return sorted(used, key=lambda pair: -pair[1])[:HANDED_ON]


class Exclusion:
    """Excludes lists of lower units by certificates, in both readings of the last unit. Mutable: it learns.

    Labels are the membership of the words that count, the first ones, (W,). The unit reads each head of the
    last layer with an entry 1 of A, within the budget of some corners; the pools begin with ``known``
    certificates. Comparisons are counted in steps of work.
    """

    def __init__(
        self,
        labels: BoolArray,
        structure: Structure,
        corners: Corners,
        known: Known = ((), ()),
        count: Callable[[float], None] = lambda work: None,
    ) -> None:
        self.structure, self.corners, self._count = structure, corners, count
        self.heads = len(structure.layers[-1].heads)
        self._norms, self._step = corners.norms_of_last(self.heads), 0.5**structure.precision
        self._pools = (_Pool(labels, list(known[0])), _Pool(~labels, list(known[1])))

    @staticmethod
    def of(
        structure: Structure,
        wanted: Slice,
        words: ShortWords,
        known: Callable[[], Known],
        count: Callable[[float], None],
    ) -> Exclusion | None:
        """The exclusion for a slice of a structure; None with several last units, or if no words count."""
        number = words.up_to(wanted.consistent)
        if structure.layers[-1].units > 1 or not (wanted.certifies and number):
            return None
        return Exclusion(words.labels[:number], structure, Corners.of(structure, wanted.high), known(), count)

    def left(self, lower_layers: list[LowerLayers]) -> list[LowerLayers]:
        """The lower layers, of some, over which a last layer may be right and affordable."""
        excluded = self.excluded(lower_layers)
        return [lower for lower, useless in zip(lower_layers, excluded, strict=True) if not useless]

    def shared(self) -> tuple[SharedCertificate, ...]:
        """Certificates that a unit of work hands on: of each reading those that excluded lists most often."""
        return tuple(
            ((reading, tuple(kept.words.tolist()), tuple(kept.weights.tolist())), times)
            for reading, pool in enumerate(self._pools)
            for kept, times in pool.most_used()
        )

    @property
    def known(self) -> list[list[Certificate]]:
        """Certificates of each reading, the last used one first."""
        return [pool.certificates for pool in self._pools]

    def note(self, times: Sequence[IntArray]) -> None:
        """Count how many candidates each known certificate excluded, (C,) for each reading."""
        for pool, of_pool in zip(self._pools, times, strict=True):
            pool.note(of_pool)

    def excluded(self, lower_layers: Sequence[LowerLayers]) -> BoolArray:
        """Over which of S lower layers no last unit is right within the budget, in either reading; (S,).

        Certificates are proposed for one after the other.
        """
        masks = self.corners.masks_of_lists([lower.lower_costs for lower in lower_layers])
        excluded = np.ones(len(masks), dtype=np.bool_)
        for pool in self._pools:
            places = np.flatnonzero(excluded)
            if not len(places):
                break
            rest = places[~self._known(pool, lower_layers, places, masks)]
            excluded[rest] = False
            while len(rest):
                hit = self._learned(pool, lower_layers, rest, masks)
                if hit is None:
                    hit = np.arange(len(rest)) == 0
                else:
                    excluded[rest[hit]] = True
                rest = rest[~hit]
        return excluded

    def _known(
        self, pool: _Pool, lower_layers: Sequence[LowerLayers], places: IntArray, masks: Masks
    ) -> BoolArray:
        """Mask of lists that the certificates of a pool exclude, (S,); the first one for each is credited."""
        number = len(pool.certificates)
        if not number:
            return np.zeros(len(places), dtype=np.bool_)
        exceeds = self._exceeds(pool.certificates, lower_layers, places, masks)
        known = np.asarray(exceeds.any(axis=1))
        pool.note(np.bincount(exceeds.argmax(axis=1)[known], minlength=number))
        return known

    def _learned(
        self, pool: _Pool, lower_layers: Sequence[LowerLayers], places: IntArray, masks: Masks
    ) -> BoolArray | None:
        """Mask of the lists that a new certificate excludes, (S,).

        None if no certificate is found that excludes the first of them; the pool learns the one that does.
        """
        lower = lower_layers[places[0]]
        features = lower.read_by_last(self.structure, np.arange(len(pool.ones)))
        proposal = Proposal(features, pool.ones, self._step, self.heads, lower.lower_costs.min(axis=0))
        for certificate in proposal.rounds(pool.certificates):
            hit = self._exceeds([certificate], lower_layers, places, masks)[:, 0]
            if hit[0]:
                pool.learn(certificate, int(hit.sum()))
                return hit
        return None

    def _exceeds(
        self,
        certificates: list[Certificate],
        lower_layers: Sequence[LowerLayers],
        places: IntArray,
        masks: Masks,
    ) -> BoolArray:
        """Mask of pairs of a list and a certificate that leaves it no corner, (S, C)."""
        self._count(1 / 2 + len(places) / READ_IN_STEP + len(certificates) * len(places) / PAIRS_OF_STEP)
        words = all_words(certificates)
        features = [lower_layers[k].read_by_last(self.structure, words) for k in places]
        found = np.moveaxis(coefficients(certificates, words, features), 0, 2)
        gains = self._step * np.array([float(certificate.gain) for certificate in certificates])
        # Never true of a NaN.
        short = found @ self._norms < gains[:, None] * (1.0 - ROUNDING)  # (S, C, K)
        left = pack(~short.reshape(-1, short.shape[2])).reshape(short.shape[:2])
        return np.asarray(left & masks[places][:, None] == 0)


@dataclass(frozen=True, eq=False)
class Proposal:
    """Proposes certificates over given features: cutting planes for the least norms of a right unit.

    Each round takes some words and finds the shortest (v, s, b), in a Euclidean norm that follows the norms
    of the last solution, that is right on them. That is least-distance programming, which non-negative
    least squares solve with the multipliers λ; if no (v, s, b) is right, they solve it with residual 0, and
    λ shows that. Words on which the solution is wrong are added.
    """

    features: Features
    ones: BoolArray
    margin: float
    heads: int  #: heads of the last layer
    paid: FloatArray  #: (4,): least costs of the layers below

    def rounds(self, pool: list[Certificate]) -> Iterator[Certificate]:
        """Certificates, usually better from round to round; they end where the solution is right."""
        rows, least = self._inequalities()
        # The shortest words, and those of the last certificates that were of use.
        shortest = np.arange(min(FIRST_WORDS, len(self.ones)))
        chosen = np.unique(np.concatenate([shortest, *(known.words for known in pool[:2])]))
        stretch = np.ones(rows.shape[1])
        for _ in range(ROUNDS):
            system = np.concatenate([(rows[chosen] * stretch).T, least[None, chosen]])
            aim = np.zeros(len(system))
            aim[-1] = 1.0
            weights = least_squares(system, aim)
            if weights is None:
                return
            if weights.any():  # all are 0 if the unit is to be 0 on all words so far
                scaled = np.rint(weights * (WEIGHT / weights.max())).astype(np.int64)
                words = chosen[scaled > 0]
                yield Certificate(words, np.where(self.ones[words], 1, -1) * scaled[scaled > 0])
            residual = system @ weights - aim
            if residual[-1] > -1e-9:
                return
            x = stretch * residual[:-1] / -residual[-1]
            short = least - rows @ x
            worst = np.argsort(-short, kind="stable")[:MORE_WORDS]
            added = np.setdiff1d(worst[short[worst] > 1e-7 * self.margin], chosen)
            if not len(added):
                return
            chosen = np.sort(np.concatenate([chosen, added]))
            stretch = self._stretch(x)

    def _inequalities(self) -> tuple[FloatArray, FloatArray]:
        """Rows and right sides of ⟨row, (v, s, b)⟩ ≥ side, one for each word."""
        scale = self.features.scale[:, None]
        columns = np.concatenate([self.features.sums, scale * self.features.last, scale], axis=1)
        signs = np.where(self.ones, 1.0, -1.0)
        return columns * signs[:, None], np.where(self.ones, self.margin, 0.0)

    def _stretch(self, x: FloatArray) -> FloatArray:
        """Cheapness of each entry: root of the norm of its term, at least of that paid by other layers."""
        wide = self.features.sums.shape[1]
        norm_V = max(float(np.linalg.norm(x[:wide])), float(self.paid[1]), self.margin)
        norm_A = max(math.hypot(self.heads**0.5, float(np.linalg.norm(x[wide:-1]))), float(self.paid[2]), 1.0)
        norm_b = max(abs(float(x[-1])), float(self.paid[3]), self.margin)
        norms = np.repeat((norm_V, norm_A, norm_b), (wide, len(x) - wide - 1, 1))
        return np.asarray(np.sqrt(norms))


def least_squares(system: FloatArray, aim: FloatArray) -> FloatArray | None:
    """Weights λ ≥ 0 that bring system · λ as close to an aim as possible; None where that is not found."""
    if not system.shape[1]:  # the library does not survive that
        return np.zeros(0)
    try:
        return np.asarray(load_solver()(system, aim)[0])
    except RuntimeError:  # no convergence: a proposal less
        return None


@cache
def load_solver() -> Callable[[FloatArray, FloatArray], tuple[FloatArray, float]]:
    """Non-negative least squares; loaded when it is first needed."""
    with make_room_for_a_library():
        from scipy.linalg.blas import dgemm
        from scipy.optimize import nnls

        square = np.ones((256, 256))
        dgemm(1.0, square, square)  # scipy has a linear algebra library of its own
    solver: Callable[[FloatArray, FloatArray], tuple[FloatArray, float]] = nnls
    return solver


#: Certificates of each reading that a unit of work begins with, and that it hands on.
CARRIED, HANDED_ON = 48, 12
#: Key of a shared certificate: the number of a reading, the words and their weights.
_Key: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...]]
SharedCertificate: TypeAlias = tuple[_Key, int]  #: one, and how often it was used


class SharedCertificates:
    """Certificates by how often they were of use lately. Mutable: it learns.

    Without it a run takes 1.9 times as long for D_3, and 2.9 times for (a|b)*d(b|c)* to R = 11.
    """

    def __init__(self) -> None:
        self._uses = Counter[_Key]()

    def learn(self, learned: Sequence[SharedCertificate]) -> None:
        """Take in the certificates that a unit of work hands on."""
        for key, times in learned:
            self._uses[key] += times

    def fade(self) -> None:
        """Let uses so far count half."""
        self._uses = Counter({key: times // 2 for key, times in self._uses.items() if times > 1})

    def known(self, count: int) -> Known:
        """The most useful certificates on the first ``count`` words, for each reading of one unit."""
        chosen: tuple[list[Certificate], list[Certificate]] = [], []
        # Of certificates with as many uses, the one that was learned first comes first.
        for (reading, words, weights), _ in self._uses.most_common():
            if all(len(of_reading) == CARRIED for of_reading in chosen):
                break
            if len(chosen[reading]) < CARRIED and words[-1] < count:
                chosen[reading].append(Certificate(np.array(words), np.array(weights)))
        return tuple(chosen[0]), tuple(chosen[1])
