"""Upper bounds of R: find a hypothesis that is right on all words, with R as small as possible.

Nothing here is a proof of minimality. Narrow and cheap shapes are tried first; those whose best vector has
few errors get more steps. In each many vectors are annealed at once, at fixed temperatures that trade
places. The energy of a vector is log(1 + weighted errors) plus a price for every unit of R above a cap;
minimising R plus a multiple of the errors instead ends in trivial nets. Words are added where a vector
without errors turns out wrong, and after every success the cap drops just below it. What has no errors is
walked down in R: by all changes of one or two parameters, and some of three.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from idinf.base.words import Word
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.search.upper.judge import CandidateJudge
from idinf.search.upper.vectors import EvaluationWords, Histories, VectorHead, VectorLayer, VectorShape
from idinf.space.grid import IntArray
from idinf.space.units import FloatArray
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target

POPULATION = 160  #: vectors annealed together: numpy's cost of a call dominates below about this many
#: Steps an arm gets before the next choice of an arm; few at first, which settles the easy targets.
ROUND, FIRST_ROUND = 80, 16
#: How far above its floor a shape may go at first, and how much more after every round without success.
FIRST_ROOM, MORE_ROOM = 2.5, 0.5
#: Coldest and hottest temperature: a single error more among few costs 0.7, among twenty 0.05.
COLDEST, HOTTEST = 0.03, 0.5
#: Price of one unit of R above the cap, and how far above it a vector may stray at all.
PRICE, STRAY = 4.0, 0.6
DRAWS = 2  #: proposals drawn for every vector; the first one whose R is affordable is evaluated
TOP_MOVES = 4  #: moves of the last layer alone for each move of the layers below: they cost a tenth of those
DESCENTS = 3  #: right but expensive vectors that are walked down after a round
BELOW = 1e-6  #: A cap just below R of the incumbent
BATCH = 256  #: neighbours evaluated together
#: Pairs and triples of changes that are tried; beyond it a fixed random choice of them.
MOST_PAIRS, MOST_TRIPLES = 12_000, 12_000
_STEPS = np.array((-2, -1, -1, -1, 1, 1, 1, 2))


class Arm:
    """A shape and C vectors annealed in it, (K, C). Mutable: it is the state of the search in one shape.

    Everything random follows from the seed; the coldest vector begins with the parameters ``start``, (K,), if
    they are given. ``rank``: how many shapes are simpler.
    """

    def __init__(
        self, shape: VectorShape, rank: int, seed: tuple[int, ...], start: IntArray | None = None
    ) -> None:
        self.shape, self.rank, self.start, self.floor = shape, rank, start, shape.floor
        self.rounds, self.least_energy = 0, 1.0 if start is None else 0.0
        self.cap = math.inf  # R should end at or below it
        self._rng = np.random.default_rng(seed)
        self._temperatures = np.geomspace(COLDEST, HOTTEST, POPULATION)
        self._batch: EvaluationWords | None = None
        self._lower: Histories = []
        self._listed: set[bytes] = set()

    def priority(self) -> tuple[float, int]:
        """Few errors first, cheap shapes first, and nobody for ever."""
        # Logarithms: the arm of rank k gets about 1/k of the steps, however many arms there are.
        tired = 0.5 * math.log2(1 + self.rounds) + 0.2 * math.log2(1 + self.rank)
        return (0.5 * min(self.least_energy, 2.0) + tired, self.rank)

    def anneal(self, judge: CandidateJudge, steps: int, checkpoint: Callable[[], None]) -> Iterator[IntArray]:
        """Anneal a round; yields the columns of vectors without errors after each step that has any."""
        room = math.inf if self.start is not None else self.floor + FIRST_ROOM + MORE_ROOM * self.rounds
        self.cap = min(judge.cap, room)
        if not self.rounds:
            self.x = np.stack([self._blank() for _ in range(POPULATION)], axis=1)
            if self.start is not None:
                self.x[:, 0] = self.start
            self._terms = self.shape.terms(self.x)
            self.r = self.shape.total(self._terms)
        self.rounds += 1
        self.look(judge)
        for _ in range(steps):
            checkpoint()
            judge.spend_on(self.shape, POPULATION)
            self._step()
            if len(columns := np.flatnonzero((self.errors == 0) & (self.r <= self.cap))):
                yield columns

    def look(self, judge: CandidateJudge) -> None:
        """Judge by the present words, if there are new ones."""
        if self._batch is None or len(self._batch.words) < len(judge.words):
            self._batch, self._labels = EvaluationWords(self.shape, judge.words), judge.labels
            # Members and others weigh the same together: sparse languages have hardly any members.
            weights = np.where(
                self._labels, 1 / max(self._labels.sum(), 1), 1 / max((~self._labels).sum(), 1)
            )
            self._word_weights = np.clip(weights * len(self._labels) / 2, 0.5, 10.0)
            self._lower = self._batch.lower(self.x)
            self.errors = self._errors(self.x, self._lower)

    def leave(self) -> None:
        """End a round: forget the words and what was computed on them; the vectors stay."""
        self.least_energy = float(self._energy(self.errors, self.r).min())
        self._batch, self._lower = None, []

    def nearly(self) -> list[IntArray]:
        """A few vectors without errors whose R is above the cap, the cheapest first, each once."""
        columns = np.flatnonzero((self.errors == 0) & (self.r > self.cap))
        chosen: list[IntArray] = []
        for column in columns[np.argsort(self.r[columns], kind="stable")]:
            key = self.x[:, column].tobytes()
            if key not in self._listed and len(chosen) < DESCENTS:
                self._listed.add(key)
                chosen.append(self.x[:, column].copy())
        return chosen

    def _blank(self) -> IntArray:
        """A vector of zeros but for signs, thresholds and entries of shared channels."""
        shape, rng = self.shape, self._rng
        x = np.zeros(shape.size, dtype=np.int64)
        entries = [head.A[head.A > 0] for layer in shape.places for head in layer.heads]
        for entry in sorted(entry for each in entries for entry in each.tolist()):
            x[entry] = int(rng.choice((-1, 1))) << shape.precision
        x[shape.signs] = rng.choice((-1, 1), size=shape.layers[-1].units)
        low, high = shape.limits
        x[-1] = int(rng.integers(low[-1], high[-1] + 1))
        return x

    def _errors(self, x: IntArray, lower: Histories) -> FloatArray:
        assert self._batch is not None
        wrong = self._batch.top(x, lower) != self._labels[:, None]
        return np.asarray(self._word_weights @ wrong)

    def _energy(self, errors: FloatArray, r: FloatArray) -> FloatArray:
        return np.asarray(np.log1p(errors) + PRICE * np.maximum(r - self.cap, 0.0))

    def _step(self) -> None:
        """One move of a lower layer, some of the last one, one exchange of neighbouring temperatures."""
        last = len(self.shape.layers) - 1
        if last:
            self._move(int(self._rng.integers(last)))
        for _ in range(TOP_MOVES):
            self._move(last)
        order = np.argsort(self._temperatures)
        first = int(self._rng.integers(2))
        cold, hot = order[first:-1:2], order[first + 1 :: 2]
        energy = self._energy(self.errors, self.r)
        gain = (energy[cold] - energy[hot]) * (1 / self._temperatures[cold] - 1 / self._temperatures[hot])
        swap = self._rng.random(len(cold)) < np.exp(np.minimum(gain, 0.0))  # likely under both
        a, b = cold[swap], hot[swap]
        self._temperatures[a], self._temperatures[b] = self._temperatures[b], self._temperatures[a]

    def _move(self, layer: int) -> None:
        """Propose new parameters of one layer of every vector, and take those that are likely enough."""
        assert self._batch is not None
        proposed, terms, r = self._propose(layer)
        span = self.shape.spans[layer]
        x = self.x.copy()
        x[span] = proposed
        is_last = layer == len(self.shape.layers) - 1
        lower = self._lower if is_last else self._batch.lower(x)
        errors = self._errors(x, lower)
        change = self._energy(errors, r) - self._energy(self.errors, self.r)
        taken = self._rng.random(len(errors)) < np.exp(np.minimum(-change / self._temperatures, 0.0))
        self.x[span, taken] = proposed[:, taken]
        self._terms[layer][:, taken] = terms[:, taken]
        self.r[taken], self.errors[taken] = r[taken], errors[taken]
        for unit, new in zip(self._lower, lower, strict=True) if not is_last else ():
            unit[:, :, taken] = new[:, :, taken]

    def _propose(self, layer: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """Change a layer of each vector affordably: its parameters, (span, C), terms, (7, C), and R, (C,)."""
        shape, rng = self.shape, self._rng
        span, size = shape.spans[layer], self.x.shape[1]
        count = DRAWS * size
        old = np.tile(self.x[span], DRAWS)
        x = old.copy()
        columns = np.arange(count)
        kind = rng.random(count)
        i, j = rng.integers(len(x), size=(2, count))
        steps = _STEPS[rng.integers(len(_STEPS), size=(2, count))]
        one = 1 << shape.precision
        value = x[i, columns]
        moved = np.where(kind < 0.3, 0, value + steps[0])
        moved = np.where(kind < 0.06, rng.integers(-2 * one, 2 * one + 1, size=count), moved)
        x[i, columns] = moved
        double = np.flatnonzero(kind > 0.8)
        x[j[double], double] += steps[1][double]
        swapped = np.flatnonzero((kind > 0.7) & (kind <= 0.8))
        x[i[swapped], swapped] = value[swapped]
        self._swap(x, swapped, layer)
        low, high = shape.limits
        np.clip(x, low[span, None], high[span, None], out=x)
        if layer == len(shape.layers) - 1:
            x[shape.signs] = np.where(x[shape.signs] == 0, -old[shape.signs], x[shape.signs])
        terms = shape.layer_terms(x, layer)
        every = np.tile(self._terms, DRAWS)
        every[layer] = terms
        r = shape.total(every)
        affordable = r <= np.maximum(self.cap + STRAY, np.tile(self.r, DRAWS))
        pick = affordable.reshape(DRAWS, size).argmax(axis=0) * size + np.arange(size)
        fine = affordable[pick]
        return (
            np.where(fine, x[:, pick], self.x[span]),
            np.where(fine, terms[:, pick], self._terms[layer]),
            np.where(fine, r[pick], self.r),
        )

    def _swap(self, x: IntArray, columns: IntArray, layer: int) -> None:
        """Exchange two entries of one channel or one s."""
        places = self.shape.places[layer]
        rows = np.concatenate([head.V for head in places.heads] + [places.s])[:, :, 0]  # F entries each
        begin = rows[:, 0][self._rng.integers(len(rows), size=len(columns))] - self.shape.spans[layer].start
        a, b = (begin + (self._rng.random(len(columns)) * rows.shape[1]).astype(np.int64) for _ in range(2))
        x[a, columns], x[b, columns] = x[b, columns].copy(), x[a, columns].copy()


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
    judge = CandidateJudge(target, horizon, seed, counterexample, bounds.max_r, count)
    arms = []
    for k, start in enumerate(starts):
        biases = [value for layer in start.layers for head in layer.heads for value in head.pattern.phi]
        largest = -(-max(biases, default=0) >> start.precision)
        shape, x = VectorShape.of(start, max(bounds.logit_max, largest), aggregate)
        arms.append(Arm(shape, 0, (seed, k, 1), x))
    shapes = list_candidate_shapes(bounds, len(target.alphabet), aggregate, checkpoint)
    arms += [Arm(shape, k, (seed, k)) for k, shape in enumerate(shapes)]
    left = most_steps
    while left > 0:
        arms = [arm for arm in arms if arm.floor <= judge.cap]
        if not arms:
            return
        arm = min(arms, key=Arm.priority)
        steps = min(ROUND if arm.rounds else FIRST_ROUND, left)
        for columns in arm.anneal(judge, steps, checkpoint):
            yield from _cheaper(arm.shape, judge.survivors(arm.shape, arm.x[:, columns]).T, judge)
            arm.cap = min(arm.cap, judge.cap)
            arm.look(judge)
        left -= steps
        nearly = [x for x in arm.nearly() if not _refuted(arm.shape, x, judge)]
        yield from _cheaper(arm.shape, nearly, judge)
        arm.leave()


def _refuted(shape: VectorShape, x: IntArray, judge: CandidateJudge) -> bool:
    """Whether a vector that is cheap enough to be yielded is wrong; others may be."""
    cheap = float(shape.regularizers(x[:, None])[0]) <= judge.cap
    return cheap and not judge.survivors(shape, x[:, None]).shape[1]


def _cheaper(
    shape: VectorShape, vectors: Iterable[IntArray], judge: CandidateJudge
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


def _cheaper_neighbour(shape: VectorShape, x: IntArray, judge: CandidateJudge) -> IntArray | None:
    """A vector of smaller R with no error; one with R up to the cap only if nothing refutes it."""
    low, high = shape.limits
    changes = [
        (place, value)
        for place in range(shape.size)[: shape.signs.start]
        for value in dict.fromkeys((int(x[place]) - 1, int(x[place]) + 1, 0))
        if value != x[place] and low[place] <= value <= high[place]
    ]
    places, values = np.array(changes).T
    now = float(shape.regularizers(x[:, None])[0])
    batch, labels = EvaluationWords(shape, judge.words), judge.labels
    for choices in _choices(len(places)):
        neighbours = np.tile(x[:, None], choices.shape[1])
        for choice in choices:
            neighbours[places[choice], np.arange(len(choice))] = values[choice]
        r = shape.regularizers(neighbours)
        order = np.argsort(r, kind="stable")
        order = order[r[order] < now - EPSILON]
        for begin in range(0, len(order), BATCH):
            part = order[begin : begin + BATCH]
            judge.spend_on(shape, len(part))
            right = part[(batch.verdicts(neighbours[:, part]) == labels[:, None]).all(axis=0)]
            cheap, expensive = right[r[right] <= judge.cap], right[r[right] > judge.cap]
            if len(cheap) and (kept := judge.survivors(shape, neighbours[:, cheap])).shape[1]:
                return kept[:, 0]
            if len(expensive):
                return neighbours[:, expensive[0]]
    return None


def _choices(size: int) -> Iterator[IntArray]:
    """Changes to make together, (2, ·) then (3, ·) indices; equal ones are one change."""
    rng = np.random.default_rng(size)
    pairs = np.stack(np.triu_indices(size))
    yield pairs if pairs.shape[1] <= MOST_PAIRS else rng.integers(size, size=(2, MOST_PAIRS))
    yield rng.integers(size, size=(3, MOST_TRIPLES))


def list_candidate_shapes(
    bounds: SpaceBounds, symbols: int, aggregate: Aggregate, checkpoint: Callable[[], None] = lambda: None
) -> list[VectorShape]:
    """Shapes inside the bounds, chains of one unit first, each kind by what R is at least.

    Not every structure of the family: a layer of several units has either one channel for all or one for each
    in every head, at most one layer has more than one unit unless all have two, φ sits in the first layer or,
    with two layers, in any, and M, over the tokens alone and without positions, in the first layer only.
    """
    shapes = []
    for p in range(bounds.precision + 1):
        for period in range(1, bounds.period + 1):
            for layers in dict.fromkeys(_layer_sequences(bounds)):
                checkpoint()
                how = symbols, p, period, layers, bounds.logit_max, aggregate, bounds.content_max
                is_positional = period > 1 and any(head.content for head in layers[0].heads)
                if (shape := VectorShape(*how)).floor <= bounds.max_r and not is_positional:
                    shapes.append(shape)
    # The widest layer, the floor, and what tells the rest apart.
    widest = {shape: max(layer.units for layer in shape.layers) for shape in shapes}
    return sorted(shapes, key=lambda shape: (widest[shape], shape.floor, shape.precision, shape.layers))


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
