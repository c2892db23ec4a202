"""Rounds of annealing: which shape has its turn, and the rounds that are likely next on several processes.

A round in which no vector without errors turns up changes nothing for other shapes. So rounds of the shapes
that are likely next are annealed ahead of their turn. What came of it counts only if the turn comes with the
same words, cap and number of steps; then it is what this process would have done itself.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from idinf.runtime.parallel import Workers
from idinf.space.grid import IntArray
from idinf.upper_bound.annealing import Population
from idinf.upper_bound.exact_test import CandidateTest
from idinf.upper_bound.vectors import Shape

#: Vectors annealed together: numpy's cost of a call dominates below about this many.
POPULATION = 160

#: Steps an arm gets before the next choice of an arm; few at first, which settles the easy targets.
ROUND, FIRST_ROUND = 80, 16

#: How far above its floor a shape may go at first, and how much more after every round without success.
FIRST_ROOM, MORE_ROOM = 2.5, 0.5

#: Rounds that are annealed ahead at once, for each process.
AHEAD = 2


@dataclass(eq=False)
class Arm:
    """A shape and the vectors annealed in it. Mutable: it remembers how well it does."""

    shape: Shape
    floor: float
    seed: tuple[int, ...]
    rank: int
    start: IntArray | None = None
    rounds: int = 0
    energy: float = 1.0
    _population: Population | None = None

    def priority(self) -> tuple[float, int]:
        """Few errors first, cheap shapes first, and nobody for ever."""
        # Logarithms: the arm of rank k gets about 1/k of the steps, however many arms there are.
        tired = 0.5 * math.log2(1 + self.rounds) + 0.2 * math.log2(1 + self.rank)
        return (0.5 * min(self.energy, 2.0) + tired, self.rank)

    @property
    def round(self) -> int:
        """Steps of its next round."""
        return ROUND if self.rounds else FIRST_ROUND

    @property
    def population(self) -> Population:
        """The vectors, once a round has begun."""
        assert self._population is not None
        return self._population

    def enter(self, judge: CandidateTest) -> None:
        """Begin a round: the population is judged by the present words."""
        room = math.inf if self.start is not None else self.floor + FIRST_ROOM + MORE_ROOM * self.rounds
        cap = min(judge.cap, room)
        if self._population is None:
            self._population = Population(self.shape, cap, POPULATION, self.seed, self.start)
        self._population.cap = cap
        self.rounds += 1
        judge.refresh(self.shape, self._population, always=True)

    def take(self, population: Population) -> None:
        """Take over what a round came to in another process."""
        population.shape, self._population = self.shape, population
        self.rounds += 1

    def leave(self) -> None:
        """End a round."""
        self.energy = self.population.least_energy()
        self.population.forget_words()


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What a round came to: the population without its words, steps of the round, and steps until here."""

    population: Population
    steps: int
    done: int


@dataclass(eq=False)
class Turns:
    """Anneals round by round, and ahead what is likely next. Mutable: it keeps what is ahead.

    One process anneals nothing ahead.
    """

    judge: CandidateTest
    workers: Workers
    checkpoint: Callable[[], None]
    _ahead: dict[Arm, _Ahead] = field(default_factory=dict)
    _judged_by: tuple[int, float] = (0, 0.0)  #: how many words there were, and the cap

    def anneal(self, arm: Arm, arms: Iterable[Arm], most: int) -> Iterator[IntArray]:
        """Anneal a round of an arm, one of some that may take so many steps together.

        Yields the columns of vectors without errors whenever there are any after a step.
        """
        judge, steps, done = self.judge, min(arm.round, most), 0
        ahead = self._taken_ahead(arm, arms, most)
        if ahead is not None and ahead.steps == steps:
            done = ahead.done
            arm.take(ahead.population)
            for _ in range(done):
                self._spend(arm)
            if len(arm.population.correct()):
                judge.refresh(arm.shape, arm.population, always=True)
        else:
            arm.enter(judge)
        while steps:
            done = done or arm.population.walk(steps, partial(self._spend, arm))
            steps, done = steps - done, 0
            if len(columns := arm.population.correct()):
                yield columns

    def _spend(self, arm: Arm) -> None:
        self.checkpoint()
        self.judge.spend_on(arm.shape, POPULATION)

    def _taken_ahead(self, arm: Arm, arms: Iterable[Arm], most: int) -> _Ahead | None:
        """What is known of the next round of an arm, if other words or another cap did not judge it."""
        if self.workers.jobs == 1:
            return None
        if self._judged_by != (judged_by := (len(self.judge.words), self.judge.cap)):
            self._judged_by = judged_by
            self._ahead.clear()
        if arm not in self._ahead:
            self._anneal_ahead(arms, most)
        return self._ahead.pop(arm, None)

    def _anneal_ahead(self, arms: Iterable[Arm], most: int) -> None:
        """Anneal what is next if no round has a success."""
        chosen: list[tuple[Arm, int]] = []
        for arm in sorted(arms, key=Arm.priority):
            steps = min(arm.round, most)
            most -= steps
            if steps and arm not in self._ahead and len(chosen) < AHEAD * self.workers.jobs:
                chosen.append((arm, steps))
        chosen.sort(
            key=lambda turn: turn[1] * self.judge.cells(turn[0].shape), reverse=True
        )  # long ones first
        with closing(self.workers.map(partial(_annealed, self.judge), chosen, math.inf)) as results:
            for (arm, _), ahead in zip(chosen, results, strict=True):
                self._ahead[arm] = ahead


def _annealed(judge: CandidateTest, turn: tuple[Arm, int]) -> _Ahead:
    """A round up to its end, or until a vector has no errors; the arm stays as it is."""
    arm, steps = copy.deepcopy(turn)
    arm.enter(judge)
    done = arm.population.walk(steps)
    arm.population.forget_words()
    return _Ahead(arm.population, steps, done)
