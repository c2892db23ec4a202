"""Upper bounds of R: find a hypothesis that is right on all words, with R as small as possible.

Nothing here is a proof of minimality. Narrow and cheap shapes are tried first; those whose best vector has
few errors get more steps. Words are added where a vector without errors turns out wrong, and after every
success the cap on R drops just below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from idinf.experiments.bounds import SpaceBounds
from idinf.space.grid import IntArray
from idinf.targets.machine import Target
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.annealing import Population
from idinf.upper_bound.descent import descent
from idinf.upper_bound.exact_test import CandidateTest
from idinf.upper_bound.shapes import candidate_shapes
from idinf.upper_bound.vectors import Shape
from idinf.words import Word

#: Vectors annealed together: numpy's cost of a call dominates below about this many.
POPULATION = 160

#: Steps an arm gets before the next choice of an arm; few at first, which settles the easy targets.
ROUND, FIRST_ROUND = 80, 16

#: Right but expensive vectors that are walked down after a round.
DESCENTS = 3

#: How far above its floor a shape may go at first, and how much more after every round without success.
FIRST_ROOM, MORE_ROOM = 2.5, 0.5

#: A cap just below R of the incumbent.
BELOW = 1e-6


@dataclass(frozen=True, slots=True)
class FinderResult:
    """A hypothesis that no check has refuted, its R, and the steps spent until then."""

    hypothesis: OneHotTransformer
    r: float
    steps: int


def improvements(
    target: Target,
    bounds: SpaceBounds,
    horizon: int,
    aggregate: Aggregate,
    most_steps: int,
    seed: int,
    counterexample: Callable[[OneHotTransformer], Word | None] = lambda _: None,
    checkpoint: Callable[[], None] = lambda: None,
    starts: tuple[OneHotTransformer, ...] = (),
) -> Iterator[FinderResult]:
    """Find hypotheses that agree with the target, R strictly falling.

    Parameters
    ----------
    target : Target
    bounds : SpaceBounds
    horizon : int
        Longest length that counts.
    aggregate : Aggregate
    most_steps : int
        Steps of annealing in all; the result depends on it and on ``seed`` only, never on time.
    seed : int
    counterexample : callable
        A word on which a hypothesis is wrong, or None: the exact check. Hypotheses it sees are right on all
        short words and a few thousand longer ones.
    checkpoint : callable
        Called every few steps; may raise to stop.
    starts : tuple of OneHotTransformer
        Hypotheses to begin with, right or not.

    Yields
    ------
    FinderResult
        None at all if none is found with R up to ``bounds.max_r``, which proves nothing.
    """
    judge = CandidateTest(target, horizon, seed, counterexample)
    cap = bounds.max_r
    arms = [_Arm.of_start(start, bounds, aggregate, seed, k) for k, start in enumerate(starts)]
    shapes = candidate_shapes(bounds, len(target.alphabet), aggregate, checkpoint)
    arms += [_Arm(shape, floor, (seed, k), k) for k, (floor, shape) in enumerate(shapes)]
    steps = 0
    while steps < most_steps:
        arms = [arm for arm in arms if arm.floor <= cap]
        if not arms:
            return
        arm = min(arms, key=_Arm.priority)
        population = arm.enter(cap, judge)
        for _ in range(ROUND if arm.rounds > 1 else FIRST_ROUND):
            checkpoint()
            population.step()
            steps += 1
            columns = population.correct()
            if len(columns):
                survivors = judge.survivors(arm.shape, population.x[:, columns])
                for r, x in _cheaper(arm.shape, list(survivors.T), judge, cap):
                    cap = r - BELOW
                    yield FinderResult(arm.shape.decode(x, target.alphabet), r, steps)
                population.cap = min(population.cap, cap)
                judge.refresh(arm.shape, population)
            if steps >= most_steps:
                break
        vectors = [x for x in arm.nearly() if not _refuted(arm.shape, x, judge, cap)]
        for r, x in _cheaper(arm.shape, vectors, judge, cap):
            cap = r - BELOW
            yield FinderResult(arm.shape.decode(x, target.alphabet), r, steps)
        arm.leave()


@dataclass
class _Arm:
    """A shape and the vectors annealed in it. Mutable: it remembers how well it does."""

    shape: Shape
    floor: float
    seed: tuple[int, ...]
    rank: int
    start: IntArray | None = None
    population: Population | None = None
    rounds: int = 0
    energy: float = 1.0
    descended: set[bytes] = field(default_factory=set)

    @staticmethod
    def of_start(
        hypothesis: OneHotTransformer, bounds: SpaceBounds, aggregate: Aggregate, seed: int, k: int
    ) -> _Arm:
        shape, x = Shape.of(hypothesis, bounds.logit_max, aggregate)
        return _Arm(shape, shape.floor, (seed, k, 1), 0, x, energy=0.0)

    def priority(self) -> tuple[float, int]:
        """Few errors first, cheap shapes first, and nobody for ever.

        Logarithms: the arm of rank k gets about 1/k of the steps, however many arms there are.
        """
        tired = 0.5 * math.log2(1 + self.rounds) + 0.2 * math.log2(1 + self.rank)
        return (0.5 * min(self.energy, 2.0) + tired, self.rank)

    def enter(self, cap: float, judge: CandidateTest) -> Population:
        """The population, judged by the present words."""
        room = self.floor + FIRST_ROOM + MORE_ROOM * self.rounds
        if self.population is None:
            self.population = Population(self.shape, min(cap, room), POPULATION, self.seed)
            if self.start is not None:
                self.population.plant(0, self.start)
        self.population.cap = cap if self.start is not None else min(cap, room)
        self.rounds += 1
        judge.refresh(self.shape, self.population, always=True)
        return self.population

    def nearly(self) -> list[IntArray]:
        """A few vectors without errors whose R is still too large, each once."""
        if self.population is None:
            return []
        r, x = self.population.r, self.population.x
        columns = np.flatnonzero((self.population.errors == 0) & (r > self.population.cap))
        chosen: list[IntArray] = []
        for column in columns[np.argsort(r[columns], kind="stable")]:
            key = x[:, column].tobytes()
            if key not in self.descended and len(chosen) < DESCENTS:
                self.descended.add(key)
                chosen.append(x[:, column].copy())
        return chosen

    def leave(self) -> None:
        """Keep the vectors, drop what can be computed again."""
        if self.population is not None:
            self.energy = self.population.least_energy()
            self.population.forget_words()


def _refuted(shape: Shape, x: IntArray, judge: CandidateTest, cap: float) -> bool:
    """Whether a vector that is cheap enough to be yielded is wrong; others may be."""
    cheap = float(shape.regularizers(x[:, None])[0]) <= cap
    return cheap and not judge.survivors(shape, x[:, None]).shape[1]


def _cheaper(
    shape: Shape, vectors: list[IntArray], judge: CandidateTest, cap: float
) -> Iterator[tuple[float, IntArray]]:
    """What walks down from the vectors get below the cap, with R, always below the one before."""
    for vector in vectors:
        for x in descent(shape, vector, judge, cap):
            r = float(shape.regularizers(x[:, None])[0])
            if r <= cap:
                cap = r - BELOW
                yield r, x
