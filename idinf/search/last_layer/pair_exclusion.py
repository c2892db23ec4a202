"""Which lists of lower units have no right pair of last units within the budget: splits that are learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from idinf.search.last_layer.case_splits import CaseSplit
from idinf.search.last_layer.certificates import LastCosts, coefficients
from idinf.search.last_layer.exclusion import (
    MORE_WORDS,
    PAIRS_OF_STEP,
    ROUNDS,
    WEIGHT,
    KnownSplits,
    Reading,
    Used,
    least_squares,
)
from idinf.search.short_words.features import Features
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray, FloatArray

#: Splits of one pool; cases of one; words of one side that a case begins with.
POOL, MOST_CASES, FIRST_WORDS = 24, 400, 16

#: How often more in vain than with success splits are looked for.
PATIENCE = 2

#: For each unit the words of the other side on which its literal is to fail.
Case = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(eq=False)
class _Pool:
    """Splits for literals of given signs that both hold where ``ones`` is true. Mutable: it learns."""

    ones: BoolArray
    signs: tuple[int, int]
    splits: list[CaseSplit]
    uses: list[int] = field(init=False)
    #: How often more a split was looked for in vain.
    failures: int = 0

    def __post_init__(self) -> None:
        self.uses = [0] * len(self.splits)

    def learn(self, split: CaseSplit) -> None:
        """Take in a split before all others."""
        self.splits.insert(0, split)
        self.uses.insert(0, 0)
        del self.splits[POOL:], self.uses[POOL:]


class PairExclusion:
    """Excludes lists of lower units by splits, in all readings of two last units. Mutable: it learns.

    Labels are the membership of the words, (W,). The pools are for literals that hold on accepted words, then
    on rejected ones, each for every pair of signs; they begin with what is known. What it compares is
    counted in steps of work.
    """

    def __init__(
        self,
        labels: BoolArray,
        precision: int,
        known: KnownSplits = ((),) * 6,
        count: Callable[[int], None] = lambda work: None,
    ) -> None:
        self.precision, self._count = precision, count
        asked = [(ones, signs) for ones in (labels, ~labels) for signs in ((1, 1), (1, -1), (-1, -1))]
        self._pools = [_Pool(*each, list(splits)) for each, splits in zip(asked, known, strict=True)]

    def used(self) -> Used:
        """For each reading, after those of one unit, the splits that excluded something, and how often."""
        pools = [
            tuple((kept, times) for kept, times in zip(pool.splits, pool.uses, strict=True) if times)
            for pool in self._pools
        ]
        return ((), (), *pools)

    def excluded(self, reading: Reading, costs: LastCosts, patience: int | None = None) -> BoolArray:
        """Over which of S lists no pair is right within the budget, in any reading; (S,).

        Splits are looked for over one list after the other, in each reading until that failed as often as
        ``patience`` says, if it is given; lists that are left then are not excluded.
        """
        excluded = np.ones(len(costs.sizes), dtype=np.bool_)
        # What is left over in one reading needs no other: those that failed most come first.
        for pool in sorted(self._pools, key=lambda pool: -pool.failures):
            rest = np.flatnonzero(excluded)
            for k, split in enumerate(pool.splits):
                if len(rest):
                    rest = rest[~self._excludes(pool, k, split, reading, rest, costs)]
            excluded[rest] = False
            left = len(rest) if patience is None else patience
            while len(rest) and left and pool.failures <= PATIENCE:
                one = costs.take(rest[:1])
                features = reading.alone(int(rest[0]))
                new = Splitting(features, pool.ones, pool.signs, self.precision, one).find()
                if new is None:
                    pool.failures += 1
                    rest, left = rest[1:], left - 1
                    continue
                pool.failures -= 1
                pool.learn(new)
                hit = self._excludes(pool, 0, new, reading, rest, costs)
                hit[0] = True  # shown already; a last bit of rounding must not ask for it again
                excluded[rest[hit]] = True
                rest = rest[~hit]
        return excluded

    def _excludes(
        self, pool: _Pool, place: int, split: CaseSplit, reading: Reading, places: IntArray, costs: LastCosts
    ) -> BoolArray:
        self._count(1 + len(split.certificates) * len(places) // PAIRS_OF_STEP)
        found = reading.coefficients(split.certificates, places)
        hit = np.asarray(split.excludes(found, costs.take(places), self.precision).all(axis=1))
        pool.uses[place] += int(hit.sum())
        return hit


@dataclass(frozen=True, eq=False)
class Splitting:
    """Looks for a split over given features, for literals of given signs that hold where ``ones`` is true.

    A case is relaxed to the reals: the shortest (v, s, b) of both units that are right, found by cutting
    planes and least-distance programming as for one unit. Either its multipliers exclude the case, or on some
    word both literals hold though one has to fail; that word splits the case in two.
    """

    features: Features
    ones: BoolArray
    signs: tuple[int, int]
    precision: int
    costs: LastCosts

    def find(self) -> CaseSplit | None:
        """A split that excludes all right pairs within the budget, if one is found."""
        open_: list[Case] = [((), ())]
        excluded: list[IntArray] = []
        while open_:
            first, second = open_.pop()
            settled = self._settle((first, second))
            if settled is None or len(excluded) + len(open_) >= MOST_CASES:
                return None
            if not isinstance(settled, int):
                excluded.append(settled)
                continue
            open_.append(((*first, settled), second))
            # Units with equal signs may be exchanged, so the first word may go to the first unit.
            if first or second or self.signs[0] != self.signs[1]:
                open_.append((first, (*second, settled)))
        return CaseSplit.of(np.stack(excluded))

    def _settle(self, case: Case) -> IntArray | int | None:
        """Weights, (2, W), that exclude a case, or a word by which to split it; None if there is neither."""
        rows, size, margin = self._rows, self._rows.shape[1], 0.25**self.precision
        # (2, W): 1 or −1 where a unit has to be 1 or 0, and 0 where it is free.
        wanted = np.where(self.ones, np.array(self.signs)[:, None], 0)
        for u, failing in enumerate(case):
            wanted[u, list(failing)] = -self.signs[u]
        chosen = wanted != 0
        chosen[:, np.flatnonzero(self.ones)[FIRST_WORDS:]] = False
        stretch = np.ones((2, size))
        values = np.zeros_like(wanted, dtype=np.float64)
        for _ in range(ROUNDS):
            unit, word = np.nonzero(chosen)
            system = np.zeros((2 * size + 1, len(unit)))
            for u in (0, 1):
                at = np.flatnonzero(unit == u)
                system[u * size : (u + 1) * size, at] = (rows[word[at]] * stretch[u]).T
            system *= wanted[unit, word]
            system[-1] = margin * (wanted[unit, word] > 0)
            aim = np.eye(len(system))[-1]
            found = least_squares(system, aim)
            if found is None:
                return None
            if found.any():  # else 0 is right on the chosen words
                weights = np.zeros(wanted.shape, dtype=np.int64)
                weights[unit, word] = np.rint(found * (WEIGHT / found.max()))
                weights *= wanted
                if self._excludes(weights):
                    return weights
            residual = system @ found - aim
            if residual[-1] > -1e-9:
                return None
            x = stretch * (residual[:-1] / -residual[-1]).reshape(2, size)
            values = x @ rows.T
            short = np.where(wanted != 0, margin * (wanted > 0) - wanted * values, -np.inf)
            worst = np.argsort(-short, axis=1, kind="stable")[:, :MORE_WORDS]
            added = np.zeros_like(chosen)
            np.put_along_axis(added, worst, True, axis=1)
            added &= (short > 1e-7 * margin) & ~chosen
            if not added.any():
                break
            chosen |= added
            stretch = self._stretch(x)
        return self._undecided(values)

    @cached_property
    def _rows(self) -> FloatArray:
        """What v, s and b of one unit are multiplied by, (W, H·f + f + 1)."""
        features = self.features
        scale = features.scale[:, None]
        return np.concatenate([features.sums, scale * features.last, scale], axis=1).astype(np.float64)

    def _excludes(self, weights: IntArray) -> bool:
        split = CaseSplit.of(weights[None])
        features, aggregate = [self.features.take(split.words)], self.costs.aggregate
        found = coefficients(split.certificates, split.words, features, aggregate)
        return bool(split.excludes(found, self.costs, self.precision)[0, 0])

    def _undecided(self, values: FloatArray) -> int | None:
        """Where both literals hold the most clearly though one has to fail; None if that is nowhere."""
        signs = np.array(self.signs)[:, None]
        margin = 0.25**self.precision
        holds = (signs * values + np.where(signs > 0, 0.0, margin)).min(axis=0)
        holds = np.where(self.ones, -np.inf, holds / self.features.scale)
        word = int(holds.argmax())
        return word if holds[word] > 1e-7 * margin else None

    def _stretch(self, x: FloatArray) -> FloatArray:
        """How cheap each entry is, (2, H·f + f + 1): the norm of its term, by the best entries of A."""
        wide = self.features.sums.shape[1]
        v, s, b = (float(np.linalg.norm(part)) for part in np.split(x, [wide, x.shape[1] - 1], axis=1))
        paid, margin = self.costs.lower_costs.min(axis=0), 0.25**self.precision
        entries = np.geomspace(0.25, 8.0, 41)
        norm_V = np.maximum(v / entries, max(paid[1], margin))
        norm_A = np.maximum(np.hypot(entries, s), paid[2])
        best = int((norm_V + norm_A).argmin())
        of_v = entries[best] * v
        if norm_V[best] > v / entries[best]:
            of_v = norm_A[best] * norm_V[best] ** 2
        norms = (max(of_v, margin), norm_A[best], max(b, paid[3], margin))
        return np.asarray(np.sqrt(np.tile(np.repeat(norms, (wide, x.shape[1] - wide - 1, 1)), (2, 1))))
