"""Upper bounds of R: find a hypothesis that is right on all words, with R as small as possible.

Nothing here is a proof of minimality. Narrow and cheap shapes are tried first; those whose best vector has
few errors get more steps. Words are added where a vector without errors turns out wrong, and after every
success the cap on R drops just below it. What has no errors is walked down in R: by all changes of one or two
parameters, and some of three.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from idinf.base.words import Word
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.search.upper.annealing import Population
from idinf.search.upper.evaluation import EvaluationWords
from idinf.search.upper.exact_test import CandidateTest
from idinf.search.upper.vectors import VectorHead, VectorLayer, VectorShape
from idinf.space.grid import IntArray
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target

POPULATION = 160  #: vectors annealed together: numpy's cost of a call dominates below about this many
#: Steps an arm gets before the next choice of an arm; few at first, which settles the easy targets.
ROUND, FIRST_ROUND = 80, 16
#: How far above its floor a shape may go at first, and how much more after every round without success.
FIRST_ROOM, MORE_ROOM = 2.5, 0.5


@dataclass(eq=False)
class Arm:
    """A shape and the vectors annealed in it. Mutable: it remembers how well it does."""

    shape: VectorShape
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

    def anneal(self, judge: CandidateTest, steps: int, checkpoint: Callable[[], None]) -> Iterator[IntArray]:
        """Anneal a round; yields the columns of vectors without errors after each step that has any."""

        def spend() -> None:
            checkpoint()
            judge.spend_on(self.shape, POPULATION)

        self.enter(judge)
        while steps:
            steps -= self.population.walk(steps, spend)
            if len(columns := self.population.correct()):
                yield columns

    def leave(self) -> None:
        """End a round."""
        self.energy = self.population.least_energy()
        self.population.forget_words()


DESCENTS = 3  #: right but expensive vectors that are walked down after a round
BELOW = 1e-6  #: A cap just below R of the incumbent
BATCH = 256  #: neighbours evaluated together
#: Pairs and triples of changes that are tried; beyond it a fixed random choice of them.
MOST_PAIRS, MOST_TRIPLES = 12_000, 12_000


def find_improvements(
    target: Target,
    bounds: SpaceBounds,
    horizon: int,
    aggregate: Aggregate,
    most_steps: int,
    seed: int,
    counterexample: Callable[[OneHotTransformer], Word | None] = lambda _: None,
    checkpoint: Callable[[], None] = lambda: None,
    starts: tuple[OneHotTransformer, ...] = (),
    count: Callable[[int], None] = lambda work: None,
) -> Iterator[tuple[float, OneHotTransformer]]:
    """Find hypotheses that agree with the target, R strictly falling.

    Yields R and a hypothesis that no check has refuted; none at all if none is found with R up to
    ``bounds.max_r``, which proves nothing.

    ``horizon``: longest length that counts. ``most_steps``: steps of annealing in all; the result depends on
    it and on ``seed`` only, never on time. ``counterexample``: A word on which a hypothesis is wrong, or
    None: the exact check. Hypotheses it sees are right on all short words and a few thousand longer ones.
    ``checkpoint``: called every few steps; may raise to stop. ``starts``: hypotheses to begin with, right or
    not. ``count``: called with a number of steps of work before they are done; may raise to stop.
    """
    judge = CandidateTest(target, horizon, seed, counterexample, bounds.max_r, count)
    arms = []
    for k, start in enumerate(starts):
        biases = [value for layer in start.layers for head in layer.heads for value in head.pattern.phi]
        largest = -(-max(biases, default=0) >> start.precision)
        shape, x = VectorShape.of(start, max(bounds.logit_max, largest), aggregate)
        arms.append(Arm(shape, shape.floor, (seed, k, 1), 0, x, energy=0.0))
    shapes = list_candidate_shapes(bounds, len(target.alphabet), aggregate, checkpoint)
    arms += [Arm(shape, floor, (seed, k), k) for k, (floor, shape) in enumerate(shapes)]
    left = most_steps
    while left > 0:
        arms = [arm for arm in arms if arm.floor <= judge.cap]
        if not arms:
            return
        arm = min(arms, key=Arm.priority)
        shape, steps = arm.shape, min(arm.round, left)
        for columns in arm.anneal(judge, steps, checkpoint):
            population = arm.population
            yield from _cheaper(shape, judge.survivors(shape, population.x[:, columns]).T, judge)
            population.cap = min(population.cap, judge.cap)
            judge.refresh(shape, population)
        left -= steps
        nearly = [x for x in arm.population.nearly(DESCENTS) if not _refuted(shape, x, judge)]
        yield from _cheaper(shape, nearly, judge)
        arm.leave()


def _refuted(shape: VectorShape, x: IntArray, judge: CandidateTest) -> bool:
    """Whether a vector that is cheap enough to be yielded is wrong; others may be."""
    cheap = float(shape.regularizers(x[:, None])[0]) <= judge.cap
    return cheap and not judge.survivors(shape, x[:, None]).shape[1]


def _cheaper(
    shape: VectorShape, vectors: Iterable[IntArray], judge: CandidateTest
) -> Iterator[tuple[float, OneHotTransformer]]:
    """Vectors below the cap on walks down in R from given ones; the cap drops below each of them.

    A walk goes over vectors with no error on the present words, and ends where no change of up to three
    parameters (±1 or to 0) lowers R.
    """
    for vector in vectors:
        x: IntArray | None = vector
        while x is not None:
            r = float(shape.regularizers(x[:, None])[0])
            if r <= judge.cap:
                judge.cap = r - BELOW
                yield r, shape.decode(x, judge.target.alphabet)
            x = _cheaper_neighbour(shape, x, judge)


def _cheaper_neighbour(shape: VectorShape, x: IntArray, judge: CandidateTest) -> IntArray | None:
    """A vector of smaller R with no error; one with R up to the cap only if nothing refutes it."""
    changed, values = _single_changes(shape, x)
    now = float(shape.regularizers(x[:, None])[0])
    batch, labels = EvaluationWords(shape, judge.words), judge.labels()
    for choices in _choices(len(changed)):
        neighbours = np.tile(x[:, None], choices.shape[1])
        for choice in choices:
            neighbours[changed[choice], np.arange(len(choice))] = values[choice]
        r = shape.regularizers(neighbours)
        order = np.argsort(r, kind="stable")
        order = order[r[order] < now - EPSILON]
        for begin in range(0, len(order), BATCH):
            part = order[begin : begin + BATCH]
            judge.spend_on(shape, len(part))
            right = part[(batch.verdicts(neighbours[:, part]) == labels[:, None]).all(axis=0)]
            cheap = right[r[right] <= judge.cap]
            if len(cheap):
                kept = judge.survivors(shape, neighbours[:, cheap])
                if kept.shape[1]:
                    return kept[:, 0]
            expensive = right[r[right] > judge.cap]
            if len(expensive):
                return neighbours[:, expensive[0]]
    return None


def _single_changes(shape: VectorShape, x: IntArray) -> tuple[IntArray, IntArray]:
    """Parameters but those of the output, and a new value for each: ±1 or 0, inside the limits."""
    low, high = shape.limits
    changes = [
        (place, value)
        for place in range(shape.size)[: shape.signs.start]
        for value in dict.fromkeys((int(x[place]) - 1, int(x[place]) + 1, 0))
        if value != x[place] and low[place] <= value <= high[place]
    ]
    places, values = np.array(changes).T
    return places, values


def _choices(size: int) -> Iterator[IntArray]:
    """Changes to make together, (2, ·) then (3, ·) indices; equal ones are one change."""
    rng = np.random.default_rng(size)
    pairs = np.stack(np.triu_indices(size))
    yield pairs if pairs.shape[1] <= MOST_PAIRS else rng.integers(size, size=(2, MOST_PAIRS))
    yield rng.integers(size, size=(3, MOST_TRIPLES))


def list_candidate_shapes(
    bounds: SpaceBounds, symbols: int, aggregate: Aggregate, checkpoint: Callable[[], None] = lambda: None
) -> list[tuple[float, VectorShape]]:
    """Shapes inside the bounds with what their R is at least: chains of one unit first, each kind by floor.

    Not every structure of the family: a layer of several units has either one channel for all or one for each
    in every head, at most one layer has more than one unit unless all have two, φ sits in the first layer or,
    with two layers, in any, and M, over the tokens alone and without positions, in the first layer only.
    """
    shapes = []
    for p in range(bounds.precision + 1):
        for period in range(1, bounds.period + 1):
            for layers in dict.fromkeys(_layer_sequences(bounds)):
                checkpoint()
                shape = VectorShape(
                    symbols, p, period, layers, bounds.logit_max, aggregate, bounds.content_max
                )
                is_positional = period > 1 and any(head.content for head in layers[0].heads)
                if shape.floor <= bounds.max_r and not is_positional:
                    shapes.append((shape.floor, shape))
    # The widest layer, the floor, and what tells the rest apart.
    widest = {shape: max(layer.units for layer in shape.layers) for _, shape in shapes}
    return sorted(shapes, key=lambda pair: (widest[pair[1]], pair[0], pair[1].precision, pair[1].layers))


def _layer_sequences(bounds: SpaceBounds) -> Iterator[tuple[VectorLayer, ...]]:
    for depth in range(1, bounds.layers + 1):
        for counts in _unit_counts(depth, bounds.units):
            for shared in (True, False):
                for heads in range(min(1, bounds.heads), bounds.heads + 1):
                    for reach, local, content in _attention(bounds, depth) if heads else ((-1, 0, False),):
                        yield tuple(
                            _layer(count, shared, heads, reach if k < local else -1, content and k == 0)
                            for k, count in enumerate(counts)
                        )


def _attention(bounds: SpaceBounds, depth: int) -> Iterator[tuple[int, int, bool]]:
    """How far φ reaches, in how many layers, and whether there is an M: none, one or the other."""
    yield -1, 0, False
    if bounds.content_max:
        yield -1, 0, True
    for reach in range(1, bounds.reach + 1) if bounds.logit_max else ():
        for local in sorted({1, min(depth, 2)}):
            yield reach, local, False


def _layer(count: int, shared: bool, heads: int, reach: int, content: bool) -> VectorLayer:
    units = tuple(range(count))
    channels = (units,) if shared else tuple((unit,) for unit in units)
    # φ and M sit in the first head only; a second head stays uniform.
    return VectorLayer(
        tuple(VectorHead(channels, reach if h == 0 else -1, content and h == 0) for h in range(heads)), count
    )


def _unit_counts(depth: int, most: int) -> Iterator[tuple[int, ...]]:
    yield (1,) * depth
    for count in range(2, most + 1):
        for place in range(depth):
            yield tuple(count if k == place else 1 for k in range(depth))
    if most >= 2 and depth > 1:
        yield (2,) * depth
