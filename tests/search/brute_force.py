"""The judge of the search on tiny spaces: nested loops over every parameter, words one at a time.

Nothing here is shared with the search: hypotheses are built as objects, units are evaluated with Python
integers from the definition, R is added up from its terms, selected sets follow the definitions.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from idinf.transformers.gated import GatedHead, GatedLayer, GatedTransformer, GatedUnit
from idinf.words import Alphabet, words_up_to

EPS = 1e-9


@dataclass(frozen=True)
class Space:
    layers: int
    heads: int
    units: int
    precision: int
    max_r: float
    shapes: tuple[tuple[tuple[int, int], ...], ...] | None = None  # only these, as ((heads, units), …)


@dataclass
class Entry:
    r: float
    key: tuple
    fail: int | None
    answers: tuple[bool, ...] | None
    hypothesis: GatedTransformer


class Inputs:
    """What the units of a layer read on every word: sums over positions 0..n, last features."""

    def __init__(self, rows):
        self.rows = rows  # word -> (counts, last)

    @staticmethod
    def of_tokens(size: int, horizon: int) -> Inputs:
        rows = {}
        for word in words_up_to(size, horizon):
            tokens = (0, *(code + 1 for code in word))
            counts = [tokens.count(t) for t in range(size + 1)]
            rows[word] = (counts, [int(tokens[-1] == t) for t in range(size + 1)])
        return Inputs(rows)

    def unit(self, layer: GatedLayer, unit: GatedUnit, word, one: int) -> int:
        counts, last = self.rows[word]
        total = 0  # in units of 4^-p, times n + 1
        for head, channel, entry in unit.reads:
            g = layer.heads[head].channels[channel]
            total += entry * sum(x * c for x, c in zip(g, counts, strict=True))
        own = sum(x * f for x, f in zip(unit.s, last, strict=True)) + unit.b
        return int(total + one * (len(word) + 1) * own > 0)

    def above(self, layer: GatedLayer, one: int) -> Inputs:
        """Inputs of the next layer: a unit's count is over all prefixes of the word, ε included."""
        outputs = {w: [self.unit(layer, unit, w, one) for unit in layer.units] for w in self.rows}
        rows = {}
        for word, (counts, last) in self.rows.items():
            prefixes = [outputs[word[:k]] for k in range(len(word) + 1)]
            rows[word] = (
                counts + [sum(column) for column in zip(*prefixes, strict=True)],
                last + outputs[word],
            )
        return Inputs(rows)


def boxes(dimension: int, precision: int, radius: float):
    """All grid vectors of norm ≤ radius by trying every point of the box."""
    reach = math.floor(radius * 2**precision + EPS)
    for vector in itertools.product(range(-reach, reach + 1), repeat=dimension):
        if sum(x * x for x in vector) <= (radius * 2**precision) ** 2 + EPS:
            yield vector


def layers_of(features: int, head: int, units: int, precision: int, room: float):
    """Every layer of a shape whose own terms of R are at most ``room`` (rank + V + A + b)."""
    one, step = 2**precision, 2.0**-precision

    def finished(channels, reads, owns, biases):
        rows = np.array(channels, dtype=float).reshape(-1, features) * step
        rank = np.linalg.matrix_rank(rows) if len(rows) else 0
        norm_v = np.linalg.norm(rows, 2) if len(rows) else 0.0
        entries = [c for read in reads for (_, _, c) in read]
        norm_a = step * math.sqrt(sum(c * c for c in entries) + sum(x * x for own in owns for x in own))
        norm_b = step * math.sqrt(sum(b * b for b in biases))
        if rank + norm_v + norm_a + norm_b > room + EPS:
            return None
        heads = (GatedHead(tuple(channels)),) if channels else ()
        gated = tuple(GatedUnit(tuple(r), o, b) for r, o, b in zip(reads, owns, biases, strict=True))
        return GatedLayer(heads, gated), (float(rank), float(norm_v), norm_a, norm_b)

    wirings = []
    if not head:
        wirings.append(([], [()] * units))
    else:
        nonzero = [g for g in boxes(features, precision, room) if any(g)]
        for reading in itertools.product((False, True), repeat=units):
            if any(reading):
                for channels in itertools.product(nonzero, repeat=sum(reading)):
                    place = itertools.count()
                    reads = [((0, next(place), one),) if r else () for r in reading]
                    wirings.append((list(channels), reads))
        if units == 2:
            reach = int(room * one + EPS)
            entries = [c for c in range(-reach, reach + 1) if c]
            wirings.extend(
                ([g], [((0, 0, c),), ((0, 0, d),)]) for g in nonzero for c in entries for d in entries
            )
    for channels, reads in wirings:
        bare = finished(channels, reads, [(0,) * features] * units, (0,) * units)
        if bare is None:
            continue
        rest = room - bare[1][0] - bare[1][1]
        for owns in itertools.product(list(boxes(features, precision, rest)), repeat=units):
            plain = finished(channels, reads, owns, (0,) * units)
            if plain is None:
                continue
            for biases in boxes(units, precision, room - sum(plain[1])):
                layer = finished(channels, reads, owns, biases)
                if layer is not None:
                    yield layer


def hypotheses(space: Space, alphabet: Alphabet, aggregate: str, horizon: int):
    """Every hypothesis with R ≤ max_r: R, key of the total order, its layers' inputs, and how to build it."""
    join = sum if aggregate == "sum" else max
    tokens = Inputs.of_tokens(len(alphabet), horizon)
    for depth in range(1, space.layers + 1):
        shapes = list(itertools.product(range(space.heads + 1), range(1, space.units + 1)))
        for shape in itertools.product(shapes, repeat=depth):
            if (depth > 1 and shape[-1][1] != 1) or (space.shapes and shape not in space.shapes):
                continue
            for p in range(space.precision + 1):
                base = depth + max(h for h, _ in shape) + p + 1
                base += join(math.sqrt(m) for _, m in shape) + math.sqrt(shape[-1][1])
                room = space.max_r - base
                if room < -EPS:
                    continue
                sizes = [len(alphabet) + 1 + sum(m for _, m in shape[:k]) for k in range(depth)]
                lists = [
                    list(layers_of(size, h, m, p, room)) for size, (h, m) in zip(sizes, shape, strict=True)
                ]
                key = (depth, max(h for h, _ in shape), p, 1, 0, sum(m for _, m in shape))
                for lower in itertools.product(*lists[:-1]):
                    inputs = tokens
                    for layer, _ in lower:
                        inputs = inputs.above(layer, 2**p)
                    for top in lists[-1]:
                        terms = [join(layer[1][k] for layer in (*lower, top)) for k in range(4)]
                        if base + sum(terms) <= space.max_r + EPS:
                            yield base + sum(terms), key, inputs, p, tuple(x[0] for x in (*lower, top))


def readings(units: int):
    """Every row U of signs with every threshold that does not make the answer constant."""
    for signs in itertools.product((-1, 1), repeat=units):
        positive = sum(s > 0 for s in signs)
        for threshold in range(positive - units, positive):
            yield signs, threshold


def table(space: Space, alphabet: Alphabet, label, horizon: int, aggregate: str = "max") -> list[Entry]:
    """(R, fail) of every hypothesis that is right on all words of length 0 and 1."""
    words = list(words_up_to(len(alphabet), horizon))
    labels = [label(w) for w in words]
    entries = []
    for r, key, inputs, p, layers in hypotheses(space, alphabet, aggregate, horizon):
        top = layers[-1]
        answers = []  # unit values word by word, as far as some reading is still right on length ≤ 1
        alive = list(readings(len(top.units)))
        for word, want in zip(words, labels, strict=True):
            values = [inputs.unit(top, unit, word, 2**p) for unit in top.units]
            answers.append(values)
            if len(word) <= 1:
                alive = [
                    (signs, t)
                    for signs, t in alive
                    if (sum(a * b for a, b in zip(signs, values, strict=True)) > t) == want
                ]
                if not alive:
                    break
        for signs, t in alive:
            outputs = tuple(sum(a * b for a, b in zip(signs, v, strict=True)) > t for v in answers)
            fail = next((len(w) for w, x, y in zip(words, outputs, labels, strict=True) if x != y), None)
            h = GatedTransformer(alphabet, p, layers, signs, t)
            entries.append(Entry(r, key, fail, outputs, h))
    return entries


@dataclass(frozen=True)
class Expected:
    """What follows from the table for one n: exactly the definitions."""

    r_star: float | None
    selected: int
    bad: int
    pick: GatedTransformer | None
    pick_good: bool | None
    worst: int | None
    word: tuple[int, ...] | None


def expected(
    entries: list[Entry], n: int, alphabet: Alphabet, label, horizon: int, tolerance=None
) -> Expected:
    consistent = [e for e in entries if e.fail is None or e.fail > n]
    if not consistent:
        return Expected(None, 0, 0, None, None, None, None)
    r_star = min(e.r for e in consistent)
    window = r_star + (1 / (2 * n) if tolerance is None else tolerance) + EPS
    chosen = [e for e in consistent if e.r <= window]
    functions = {e.answers: e.fail for e in chosen}
    tied = [e for e in consistent if e.r <= r_star + EPS]
    pick = min(tied, key=lambda e: (e.key, e.hypothesis.parameters_in_file_order()))
    fails = [f for f in functions.values() if f is not None]
    words = list(words_up_to(len(alphabet), horizon))
    worst = min(fails, default=None)
    word = None
    if worst is not None and worst <= 2 * n:
        word = min(
            (
                w
                for a, f in functions.items()
                if f == worst
                for w, x in zip(words, a, strict=True)
                if x != label(w)
            ),
            key=lambda w: (len(w), w),
        )
    bad = sum(f <= 2 * n for f in fails)
    good = pick.fail is None or pick.fail > 2 * n
    return Expected(r_star, len(functions), bad, pick.hypothesis, good, worst, word)
