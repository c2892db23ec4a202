"""Nested loops over the parameters of one layer; nothing here is shared with the search."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from idinf.nets.attention import AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit

EPS = 1e-9


class Terms(NamedTuple):
    """The terms of R that the parameters of a layer decide."""

    rank: float
    norm_V: float
    norm_A: float
    norm_b: float


class Bare(NamedTuple):
    """A layer without its attention patterns; ``values`` of a unit are (head, A entry times channel)."""

    channels: tuple[tuple[tuple[int, ...], ...], ...]
    units: tuple[OneHotUnit, ...]
    values: tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]
    terms: Terms

    def with_patterns(self, patterns: tuple[AttentionPattern, ...]) -> OneHotLayer:
        heads = (OneHotHead(c, pattern) for c, pattern in zip(self.channels, patterns, strict=True))
        return OneHotLayer(tuple(heads), self.units)


@lru_cache(maxsize=4096)
def ball(dimension: int, square: int) -> tuple[tuple[int, ...], ...]:
    """All integer vectors with Σ x² ≤ ``square``."""
    if dimension == 0:
        return ((),)
    reach = math.isqrt(square)
    return tuple((x, *rest) for x in range(-reach, reach + 1) for rest in ball(dimension - 1, square - x * x))


def within(dimension: int, p: int, radius: float) -> tuple[tuple[int, ...], ...]:
    """All grid vectors of norm ≤ ``radius``, in units of 2^-p."""
    return ball(dimension, math.floor(radius**2 * 4**p + EPS)) if radius > -EPS else ()


def readers(units: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to read one head: disjoint groups of units, a channel each, ordered by their first unit."""

    def extend(unit, groups):
        if unit == units:
            if groups:
                yield groups
            return
        yield from extend(unit + 1, groups)
        for k, group in enumerate(groups):
            yield from extend(unit + 1, (*groups[:k], (*group, unit), *groups[k + 1 :]))
        yield from extend(unit + 1, (*groups, (unit,)))

    yield from extend(0, ())


def heads_of(features: int, units: int, p: int, room: float, beside: int):
    """Every head: channels, (channel, A entry) or None for each unit, rank, ‖V‖, Σ entries².

    ``beside`` is what the entries of the other heads have at least as their sum of squares.
    """
    one, step = 2**p, 2.0**-p
    for groups in readers(units):
        least = sum(one**2 if len(group) == 1 else len(group) for group in groups)
        most = max(math.floor(((room - 1) / step) ** 2 + EPS) - beside, 0) if room > 1 else 0
        if least > most:
            continue
        choices = [
            ((one,),) if len(group) == 1 else [c for c in ball(len(group), most) if all(c)]
            for group in groups
        ]
        for entries in itertools.product(*choices):
            squares = sum(c * c for group in entries for c in group)
            rest = room - 1 - step * math.sqrt(squares + beside)
            nonzero = [g for g in within(features, p, rest) if any(g)]
            for channels in itertools.product(nonzero, repeat=len(groups)):
                rank, norm_V = stack_terms(channels, step)
                if rank + norm_V <= rest + 1 + EPS:
                    reads: list[tuple[int, int] | None] = [None] * units
                    for g, (group, factors) in enumerate(zip(groups, entries, strict=True)):
                        for unit, entry in zip(group, factors, strict=True):
                            reads[unit] = (g, entry)
                    yield channels, tuple(reads), rank, norm_V, squares


def stack_terms(channels, step: float) -> tuple[float, float]:
    """Rank and spectral norm of the rows of V."""
    if len(channels) == 1:
        return 1.0, step * math.sqrt(sum(x * x for x in channels[0]))
    rows = np.array(channels, dtype=float)
    return float(np.linalg.matrix_rank(rows)), step * float(np.linalg.norm(rows, 2))


@lru_cache(maxsize=256)
def layers_of(features: int, heads: int, units: int, p: int, room: float, aggregate: str) -> list[Bare]:
    """Every layer of a shape whose rank + ‖V‖ + ‖A‖ + ‖b‖ is at most ``room``."""
    join = sum if aggregate == "sum" else max
    step = 2.0**-p
    beside = (heads - 1) * (min(4**p, 2) if units > 1 else 4**p)
    single = list(heads_of(features, units, p, room, beside)) if heads else []
    found = []
    for stack in itertools.product(single, repeat=heads):
        rank = join(head[2] for head in stack) if stack else 0.0
        norm_V = join(head[3] for head in stack) if stack else 0.0
        squares = sum(head[4] for head in stack)
        rest = room - rank - norm_V
        if step * math.sqrt(squares) > rest + EPS:
            continue
        reads = [
            tuple((h, *head[1][u]) for h, head in enumerate(stack) if head[1][u] is not None)
            for u in range(units)
        ]
        channels = tuple(head[0] for head in stack)
        values = tuple(tuple((h, tuple(c * x for x in channels[h][g])) for h, g, c in read) for read in reads)
        for own in ball(units * features, math.floor((rest / step) ** 2 + EPS) - squares):
            norm_A = step * math.sqrt(squares + sum(x * x for x in own))
            rows = [own[u * features : (u + 1) * features] for u in range(units)]
            for biases in within(units, p, rest - norm_A):
                norm_b = step * math.sqrt(sum(b * b for b in biases))
                net = tuple(OneHotUnit(*unit) for unit in zip(reads, rows, biases, strict=True))
                found.append(Bare(channels, net, values, Terms(rank, norm_V, norm_A, norm_b)))
    return found


def matrices(size: int, largest: int, entries: int | None) -> Iterator[tuple[int, ...]]:
    """All lists of numbers up to the largest one, or those of which at most so many are not 0."""
    if entries is None:
        yield from itertools.product(range(largest + 1), repeat=size)
        return
    for number in range(min(entries, size) + 1):
        for places in itertools.combinations(range(size), number):
            for values in itertools.product(range(1, largest + 1), repeat=number):
                flat = dict(zip(places, values, strict=True))
                yield tuple(flat.get(k, 0) for k in range(size))


@lru_cache(maxsize=64)
def patterns_of(
    features: int,
    p: int,
    reach: int,
    logit_max: int,
    content_max: int,
    room: float,
    entries: int | None = None,
) -> list[tuple[AttentionPattern, float, float]]:
    """Every attention pattern with ‖M‖ + Σ φ² ≤ ``room``, with these two terms; M has at most ``entries``."""
    step = 2.0**-p
    contents: list[tuple[tuple, float]] = []
    for flat in matrices(features**2 if content_max else 0, content_max * 2**p, entries):
        if not any(flat):
            contents.append(((), 0.0))
        elif step * max(flat) <= room + EPS:
            rows = tuple(flat[k * features : (k + 1) * features] for k in range(features))
            norm = step * float(np.linalg.norm(np.array(rows, dtype=float), 2))
            if norm <= room + EPS:
                contents.append((rows, norm))
    found = []
    for phi in itertools.product(range(logit_max * 2**p + 1), repeat=reach + 1):
        square = step**2 * sum(x * x for x in phi)
        reached = max((k + 1 for k, x in enumerate(phi) if x), default=0)
        if phi[reached:] == (0,) * (reach + 1 - reached) and square <= room + EPS:
            found.extend(
                (AttentionPattern(rows, phi[:reached]), norm, square)
                for rows, norm in contents
                if norm + square <= room + EPS
            )
    return found


def normal_form(pattern: AttentionPattern, tokens: int, one: int) -> AttentionPattern:
    """The pattern without idle columns of M, and with columns of integers lowered where nothing changes."""
    if not pattern.logits:
        return pattern
    matrix = [list(row) for row in pattern.logits]
    size = len(matrix)
    for row in matrix:
        row[0] = 0
    whole = [all(row[q] % one == 0 for row in matrix) for q in range(size)]
    if all(x % one == 0 for x in pattern.phi) and (size == tokens or all(whole)):
        for q in range(size):
            least = min(matrix[key][q] for key in range(tokens))
            if whole[q]:
                for key in range(tokens):
                    matrix[key][q] -= least
    logits = tuple(map(tuple, matrix)) if any(map(any, matrix)) else ()
    return AttentionPattern(logits, pattern.phi)


@lru_cache(maxsize=1 << 17)
def felt_entries(
    value: tuple[int, ...], s: tuple[int, ...], b: int, one: int, tokens: int, period: int
) -> frozenset[tuple[int, int]]:
    """The entries (key, query) of M that a unit feels which reads one head by a value, in units of 4^-p."""
    parts = [_singles(tokens), *([_singles(period)] if period > 1 else [])]
    parts += [((0,), (1,))] * (len(s) - tokens - (period if period > 1 else 0))
    classes = [tuple(itertools.chain(*each)) for each in itertools.product(*parts)]
    felt = set()
    for query in classes:
        y = one * (b + sum(x * q for x, q in zip(s, query, strict=True)))
        terms = [y + sum(x * k for x, k in zip(value, key, strict=True)) for key in classes]
        if not query[0] and min(terms) < 0 < max(terms):
            for key, term in zip(classes, terms, strict=True):
                if term:
                    felt.update((i, j) for i, k in enumerate(key) if k for j, q in enumerate(query) if q)
    return frozenset(felt)


def _singles(size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(k == place) for k in range(size)) for place in range(size))


def idle_entries(
    patterns: tuple[AttentionPattern, ...], layer: Bare, p: int, tokens: int, period: int
) -> set[tuple[int, int]]:
    """The entries of the M of a layer's one head that are not 0 and that no unit of it feels."""
    if len(patterns) != 1 or not patterns[0].logits:
        return set()
    entries = {(i, j) for i, row in enumerate(patterns[0].logits) for j, x in enumerate(row) if x}
    for values, unit in zip(layer.values, layer.units, strict=True):
        for _, value in values:
            entries -= felt_entries(value, unit.s, unit.b, 1 << p, tokens, period)
    return entries


def without_idle_entries(net: OneHotTransformer) -> OneHotTransformer:
    """The net whose M are 0 where they do nothing, which answers alike and costs no more."""
    layers, tokens, one = [], 1 + len(net.alphabet), 1 << net.precision
    for layer in net.layers:
        patterns = tuple(normal_form(head.pattern, tokens, one) for head in layer.heads)
        values = tuple(
            tuple((h, tuple(entry * x for x in layer.heads[h].channels[g])) for h, g, entry in unit.reads)
            for unit in layer.units
        )
        bare = Bare(tuple(head.channels for head in layer.heads), layer.units, values, Terms(0, 0, 0, 0))
        while idle := idle_entries(patterns, bare, net.precision, tokens, net.period):
            rows = enumerate(patterns[0].logits)
            logits = tuple(tuple(x * ((i, j) not in idle) for j, x in enumerate(row)) for i, row in rows)
            pattern = AttentionPattern(logits if any(map(any, logits)) else (), patterns[0].phi)
            patterns = (normal_form(pattern, tokens, one),)
        layers.append(bare.with_patterns(patterns))
    return replace(net, layers=tuple(layers))
