"""The judge of the search on tiny spaces: nested loops over every parameter, words one at a time.

Nothing here is shared with the search: units are evaluated with Python integers from the definition, R is
added up from its terms, selected sets follow the definitions. Loops may stop early where R alone decides, and
what was computed for the same features is remembered; nothing else is left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.attention import AttentionPattern, compute_scaled_weight
from idinf.nets.one_hot import OneHotTransformer, OneHotUnit
from tests.search.nested_loops import EPS, Bare, idle_entries, layers_of, normal_form, patterns_of

#: The discrete part of a layer: the attention pattern of every head, and the number of units.
Form = tuple[tuple[AttentionPattern, ...], int]


@dataclass(frozen=True)
class Space:
    """Bounds of a tiny space, and restrictions that keep a case tiny.

    ``shapes`` keeps only these, as ((heads, units), …); ``periods`` and ``precisions`` only these Δ and p;
    ``only`` is asked about the layers of a structure, and must not depend on the order of heads. With
    ``least_U`` the norm of U counts as 1 whatever the number of units.
    """

    layers: int
    heads: int
    units: int
    precision: int
    max_r: float
    shapes: tuple[tuple[tuple[int, int], ...], ...] | None = None
    period: int = 1
    reach: int = 0
    logit_max: int = 0
    content_max: int = 0
    periods: tuple[int, ...] | None = None
    precisions: tuple[int, ...] | None = None
    only: Callable[[tuple[Form, ...]], bool] | None = None
    least_U: bool = False
    entries: int | None = None  #: of M, other than 0, at most

    def admits(self, period: int, precision: int, layers: tuple[Form, ...]) -> bool:
        """Whether the restrictions allow a structure that is within the bounds."""
        shape = tuple((len(patterns), units) for patterns, units in layers)
        return (
            (self.shapes is None or shape in self.shapes)
            and (self.periods is None or period in self.periods)
            and (self.precisions is None or precision in self.precisions)
            and (self.only is None or self.only(layers))
            and (self.entries is None or all(self._has_few_entries(patterns) for patterns, _ in layers))
        )

    def _has_few_entries(self, patterns: tuple[AttentionPattern, ...]) -> bool:
        return all(sum(bool(x) for row in each.logits for x in row) <= self.entries for each in patterns)


@dataclass
class Entry:
    r: float
    key: tuple
    fail: int | None
    answers: tuple[bool, ...] | None
    build: Callable[[], OneHotTransformer]

    @cached_property
    def hypothesis(self) -> OneHotTransformer:
        return self.build()


class Inputs:
    """The features of a layer at every position of every word.

    A position is (n, prefix): the prefix x_1..x_i that ends there, in a word of length n. By causality the
    rest of the word matters through its length only.
    """

    def __init__(self, features: dict[tuple[int, tuple[int, ...]], tuple[int, ...]]) -> None:
        self.features = features
        self.remembered: dict = {}  # what heads attend to
        self.rows: dict = {}  # values of units
        self.judged: dict = {}  # readings of last layers

    @staticmethod
    def of_tokens(size: int, horizon: int, period: int) -> Inputs:
        features = {}
        for n in range(horizon + 1):
            for prefix in words_up_to(size, n):
                token = prefix[-1] + 1 if prefix else 0
                residues = [int(len(prefix) % period == k) for k in range(period)] if period > 1 else []
                features[n, prefix] = (*(int(token == t) for t in range(size + 1)), *residues)
        return Inputs(features)

    def attended(self, pattern: AttentionPattern, p: int, n: int, prefix) -> tuple[int, list[int]]:
        """Σ_j w_ij and Σ_j w_ij · features_j for the query at the end of the prefix."""
        key = (pattern, p, n, prefix)
        if key not in self.remembered:
            query, i = self.features[n, prefix], len(prefix)
            total, sums = 0, [0] * len(query)
            for j in range(i + 1):
                seen = self.features[n, prefix[:j]]
                logit = pattern.phi[i - j] if i - j < len(pattern.phi) else 0
                if pattern.logits:
                    logit += sum(
                        pattern.logits[k][q]
                        for k, x in enumerate(seen)
                        for q, y in enumerate(query)
                        if x and y
                    )
                weight = compute_scaled_weight(n + 1, logit, p)
                total += weight
                sums = [s + weight * x for s, x in zip(sums, seen, strict=True)]
            self.remembered[key] = (total, sums)
        return self.remembered[key]

    def unit(self, patterns, values, unit: OneHotUnit, p: int, n: int, prefix) -> int:
        """[ Σ_h <values_h, Σ_j α_ij features_j> + <s, features_i> + b > 0 ]; values in units of 4^-p."""
        own = sum(x * f for x, f in zip(unit.s, self.features[n, prefix], strict=True)) + unit.b
        numerator, denominator = own << p, 1  # of the unit's input, in units of 4^-p
        for head, value in values:
            total, sums = self.attended(patterns[head], p, n, prefix)
            if total:
                read = sum(x * s for x, s in zip(value, sums, strict=True) if x)
                numerator, denominator = numerator * total + read * denominator, denominator * total
        return int(numerator > 0)

    def row(self, patterns, values, unit: OneHotUnit, p: int, words) -> tuple[int, ...]:
        """Values of a unit at the last positions of words."""
        key = (p, tuple((patterns[h], v) for h, v in values), unit.s, unit.b, len(words))
        if key not in self.rows:
            self.rows[key] = tuple(self.unit(patterns, values, unit, p, len(w), w) for w in words)
        return self.rows[key]

    def above(self, patterns, layer: Bare, p: int) -> dict:
        """The features of the next layer."""
        return {
            place: (
                *own,
                *(
                    self.unit(patterns, values, unit, p, *place)
                    for values, unit in zip(layer.values, layer.units, strict=True)
                ),
            )
            for place, own in self.features.items()
        }


def structures(space: Space, size: int, aggregate: str):
    """Every structure that has room for its parameters: Δ, p, layers, what it costs by itself, ‖KQ‖ + φ²."""
    join = sum if aggregate == "sum" else max
    single = list(itertools.product(range(space.heads + 1), range(1, space.units + 1)))
    for depth in range(1, space.layers + 1):
        for shape, p, period in itertools.product(
            space.shapes or itertools.product(single, repeat=depth),
            space.precisions or range(space.precision + 1),
            space.periods or range(1, space.period + 1),
        ):
            if len(shape) != depth:
                continue
            positions = period + 1 if period > 1 else 0  # Δ, and rows of norm 1
            base = depth + max(h for h, _ in shape) + p + 1 + positions
            base += join(math.sqrt(m) for _, m in shape)
            base += 1.0 if space.least_U else math.sqrt(shape[-1][1])
            rest = space.max_r - base
            residues = period if period > 1 else 0
            sizes = [1 + size + residues + sum(m for _, m in shape[:k]) for k in range(depth)]
            # M is 0 where it does nothing.
            lists = [
                [
                    item
                    for item in patterns_of(
                        f, p, space.reach, space.logit_max, space.content_max, rest, space.entries
                    )
                    if item[0] == normal_form(item[0], 1 + size, 1 << p)
                ]
                for f, (h, _) in zip(sizes, shape, strict=True)
                for _ in range(h)
            ]
            for chosen in itertools.product(*lists):
                cost = (join(x[1] for x in chosen) + sum(x[2] for x in chosen)) if chosen else 0.0
                if cost > rest + EPS:
                    continue
                queue = [x[0] for x in chosen]
                layers = tuple((tuple(queue.pop(0) for _ in range(h)), m) for h, m in shape)
                if space.admits(period, p, layers):
                    yield period, p, layers, sizes, base + cost


def reserved(forms: tuple[Form, ...], layer: int, p: int, aggregate: str) -> float:
    """What the other layers add at least to the own terms of a layer: any head has a value and a reader."""
    others = [form for k, form in enumerate(forms) if k != layer and form[0]]
    if aggregate == "sum":
        entries = sum(min(1.0, 2.0**-p * math.sqrt(2)) if units > 1 else 1.0 for _, units in others)
        return entries + sum(len(patterns) * (1 + 2.0**-p) for patterns, _ in others)
    return 1 + 2.0**-p if others and not forms[layer][0] else 0.0


def hypotheses(space: Space, alphabet: Alphabet, aggregate: str, horizon: int, merged: bool = False):
    """Every hypothesis with R ≤ max_r: R, key of the total order, its parts, and the inputs of its top.

    Of lower layers that say the same on all words, cost the same and have as many channels, only the first in
    file order are kept if they are ``merged``: the hypotheses over the others come later in the total order.
    """
    join = np.add if aggregate == "sum" else np.maximum
    tokens: dict[int, Inputs] = {}  # of the period at hand
    for period, p, forms, sizes, base in structures(space, len(alphabet), aggregate):
        patterns = [patterns for patterns, _ in forms]
        heads = [len(each) for each in patterns]
        reach = max((pattern.reach for each in patterns for pattern in each), default=0)
        key = (len(forms), max(heads), p, period, reach, sum(m for _, m in forms))
        room = space.max_r - base
        lists = [
            layers_of(f, h, m, p, round(room - reserved(forms, k, p, aggregate), 12), aggregate)
            for k, (f, h, (_, m)) in enumerate(zip(sizes, heads, forms, strict=True))
        ]
        # M is 0 where no unit feels it.
        lists = [
            [x for x in layers if not idle_entries(each, x, p, 1 + len(alphabet), period)]
            if any(pattern.logits for pattern in each)
            else layers
            for each, layers in zip(patterns, lists, strict=True)
        ]
        if not all(lists):
            continue
        if period not in tokens:
            tokens = {period: Inputs.of_tokens(len(alphabet), horizon, period)}
        costs = np.array([top.terms for top in lists[-1]])
        known: dict[tuple, Inputs] = {}
        stacks = [(np.zeros(4), (), tokens[period])]
        for depth, layers in enumerate(lists[:-1]):
            if merged:
                layers = sorted(layers, key=_in_file_order)
            stacks = _grown(stacks, layers, patterns[depth], p, known, join, room)
            if merged:
                kept: dict[tuple, tuple] = {}
                for stack in stacks:
                    kept.setdefault(_look(stack), stack)
                stacks = list(kept.values())
        for terms, lower, inputs in stacks:
            totals = join(terms, costs).sum(axis=1)
            for k in np.flatnonzero(totals <= room + EPS).tolist():
                yield base + float(totals[k]), key, period, p, patterns, (*lower, lists[-1][k]), inputs


def _grown(stacks, layers: list[Bare], patterns, p: int, known: dict, join, room: float):
    """Every stack of lower layers with every next layer that there is room for."""
    for terms, lower, inputs in stacks:
        for layer in layers:
            joint = join(terms, layer.terms)
            if joint.sum() <= room + EPS:
                features = inputs.above(patterns, layer, p)
                above = known.setdefault((len(lower), *features.values()), Inputs(features))
                yield joint, (*lower, layer), above


def _in_file_order(layer: Bare):
    """Channels, then rows of A, own features first, and biases: as a file lists them."""
    places = [(h, g) for h, channels in enumerate(layer.channels) for g in range(len(channels))]
    entries = [{(h, g): entry for h, g, entry in unit.reads} for unit in layer.units]
    rows = [
        (*unit.s, *(read.get(place, 0) for place in places))
        for unit, read in zip(layer.units, entries, strict=True)
    ]
    return layer.channels, rows, [unit.b for unit in layer.units]


def _look(stack) -> tuple:
    """What the hypotheses over lower layers depend on."""
    terms, lower, inputs = stack
    return tuple(terms.round(12)), tuple(tuple(map(len, layer.channels)) for layer in lower), id(inputs)


def readings(units: int):
    """Every row U of signs with every threshold that does not make the answer constant."""
    for signs in itertools.product((-1, 1), repeat=units):
        positive = sum(s > 0 for s in signs)
        for threshold in range(positive - units, positive):
            yield signs, threshold


def table(space: Space, alphabet: Alphabet, label, horizon: int, aggregate: str = "max") -> list[Entry]:
    """(R, fail) of every hypothesis that is right on all words of length 0 and 1.

    A word whose label is None does not count.
    """
    words = [word for word in words_up_to(len(alphabet), horizon) if label(word) is not None]
    short = [w for w in words if len(w) <= 1]
    labels = [label(w) for w in words]
    entries = []

    def right(signs, threshold, values, want):
        return (sum(a * b for a, b in zip(signs, values, strict=True)) > threshold) == want

    def verdicts(inputs: Inputs, patterns, top: Bare, p: int) -> list[tuple]:
        """Readings that are right on the short words, with their answers and fails."""
        pairs = list(zip(top.values, top.units, strict=True))
        few = list(zip(*(inputs.row(patterns, v, u, p, short) for v, u in pairs), strict=True))
        alive = [
            reading
            for reading in readings(len(pairs))
            if all(right(*reading, values, want) for values, want in zip(few, labels, strict=False))
        ]
        found = []
        for signs, threshold in alive:
            values = zip(*(inputs.row(patterns, v, u, p, words) for v, u in pairs), strict=True)
            outputs = tuple(right(signs, threshold, row, True) for row in values)
            fail = next((len(w) for w, x, y in zip(words, outputs, labels, strict=True) if x != y), None)
            found.append((signs, threshold, outputs, fail))
        return found

    for r, key, period, p, patterns, layers, inputs in hypotheses(space, alphabet, aggregate, horizon):
        asked = (p, patterns[-1], layers[-1].values, layers[-1].units)
        if asked not in inputs.judged:
            inputs.judged[asked] = verdicts(inputs, patterns[-1], layers[-1], p)
        for signs, threshold, outputs, fail in inputs.judged[asked]:

            def build(layers=layers, patterns=patterns, p=p, signs=signs, t=threshold, period=period):
                built = (x.with_patterns(each) for x, each in zip(layers, patterns, strict=True))
                return OneHotTransformer(alphabet, p, tuple(built), signs, t, period)

            entries.append(Entry(r, key, fail, outputs, build))
    return entries


def all_answers(space: Space, alphabet: Alphabet, horizon: int, aggregate: str = "max") -> list[Entry]:
    """Every hypothesis over merged lower layers with its answers on all words up to a length; no fail yet."""
    words = list(words_up_to(len(alphabet), horizon))
    entries = []
    for r, key, period, p, patterns, layers, inputs in hypotheses(space, alphabet, aggregate, horizon, True):
        top = layers[-1]
        asked = (p, patterns[-1], top.values, top.units)
        if asked not in inputs.judged:
            pairs = zip(top.values, top.units, strict=True)
            rows = list(zip(*(inputs.row(patterns[-1], v, u, p, words) for v, u in pairs), strict=True))
            inputs.judged[asked] = [
                (signs, t, tuple(sum(a * b for a, b in zip(signs, row, strict=True)) > t for row in rows))
                for signs, t in readings(len(top.units))
            ]
        for signs, t, answers in inputs.judged[asked]:

            def build(layers=layers, patterns=patterns, p=p, signs=signs, t=t, period=period):
                built = (x.with_patterns(each) for x, each in zip(layers, patterns, strict=True))
                return OneHotTransformer(alphabet, p, tuple(built), signs, t, period)

            entries.append(Entry(r, key, None, answers, build))
    return entries


def fail_of(entry: Entry, words, labels) -> Entry:
    """A hypothesis with its fail on labelled words, shortest first."""
    wrong = (len(w) for w, x, y in zip(words, entry.answers, labels, strict=True) if x != y)
    return replace(entry, fail=next(wrong, None))


def first(tied: list[Entry]) -> Entry:
    """The first in the total order among hypotheses of equal R."""
    least = min(e.key for e in tied)
    return min((e for e in tied if e.key == least), key=lambda e: e.hypothesis.parameters_in_file_order())


@dataclass(frozen=True)
class Expected:
    """What follows from the table for one n: exactly the definitions."""

    r_star: float | None
    selected: int
    bad: int
    pick: OneHotTransformer | None
    pick_good: bool | None
    worst: int | None
    word: tuple[int, ...] | None
    wrong: Entry | None  # the first in the total order of those that get the word wrong


def expected(
    entries: list[Entry], n: int, alphabet: Alphabet, label, horizon: int, tolerance=None
) -> Expected:
    consistent = [e for e in entries if e.fail is None or e.fail > n]
    if not consistent:
        return Expected(None, 0, 0, None, None, None, None, None)
    r_star = min(e.r for e in consistent)
    window = r_star + (1 / (2 * n) if tolerance is None else tolerance) + EPS
    chosen = [e for e in consistent if e.r <= window]
    functions = {e.answers: e.fail for e in chosen}
    tied = [e for e in consistent if e.r <= r_star + EPS]
    pick = first(tied)
    fails = [f for f in functions.values() if f is not None]
    words = [word for word in words_up_to(len(alphabet), horizon) if label(word) is not None]
    worst = min(fails, default=None)
    word = wrong = None
    if worst is not None and worst <= 2 * n:
        least = min(e.r for e in chosen if e.fail == worst)
        failing = [e for e in chosen if e.fail == worst and e.r <= least + EPS]
        word = min(
            (w for e in failing for w, x in zip(words, e.answers, strict=True) if x != label(w)),
            key=lambda w: (len(w), w),
        )
        place = words.index(word)
        wrong = first([e for e in failing if e.answers[place] != label(word)])
    bad = sum(f <= 2 * n for f in fails)
    good = pick.fail is None or pick.fail > 2 * n
    return Expected(r_star, len(functions), bad, pick.hypothesis, good, worst, word, wrong)
