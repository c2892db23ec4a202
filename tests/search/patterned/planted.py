"""Random nets as targets: each is right about its own words, so nothing may leave its structure out.

Nothing here is shared with the search: nets are drawn parameter by parameter, evaluated with Python integers,
and R is that of the dense transformer.
"""

import math
import random
from dataclasses import dataclass

import numpy as np

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.attention import UNIFORM, AttentionPattern, compute_scaled_weight
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.nets.regularizer import Aggregate
from idinf.search.patterned.shapes import PatternedShapes
from idinf.search.short_words.features import Behaviours
from idinf.space.structures import LayerShape, Structure
from idinf.spec.bounds import SpaceBounds
from tests.search.nested_loops import normal_form, without_idle_entries
from tests.search.tiny_targets import by_word
from tests.search.word_by_word import logit

#: (heads, units) of every layer.
Plan = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Draw:
    """What nets are drawn: their shape, and how much each number may be."""

    plan: Plan
    symbols: int = 2
    precision: int = 0
    period: int = 1
    reach: int = 3
    length: int = 3
    content: float = 0.5  #: probability that a pattern has M
    both: float = 0.15  #: that one with M has φ, too
    spare: float = 1.5  #: R above the floor of the shape, at most
    rich: bool = False  #: whether many entries are other than zero


def draw_net(rng: random.Random, draw: Draw) -> OneHotTransformer:
    """A net with few entries that are not zero; its M are 0 where they do nothing."""
    one, tokens = 1 << draw.precision, 1 + draw.symbols
    features, layers = tokens + (draw.period if draw.period > 1 else 0), []
    heads = sum(number for number, _ in draw.plan)
    chosen = rng.sample(range(heads), min(heads, rng.choice((1, 1, 1, 2))))
    few = _Few(rng.choice((1, 1, 2)), rng.choice((0, 1, 1, 2)), rng.choice((0, 0, 1)))
    few = _Few(3, 2, 1) if draw.rich else few
    place = 0
    for number, units in draw.plan:
        patterns = []
        for _ in range(number):
            uniform = place not in chosen
            patterns.append(UNIFORM if uniform else _draw_pattern(rng, draw, features, tokens))
            place += 1
        layers.append(_draw_layer(rng, features, units, one, patterns, few))
        features += units
    units = draw.plan[-1][1]
    signs = tuple(rng.choice((1, -1)) for _ in range(units))
    positive = sum(sign > 0 for sign in signs)
    threshold = rng.randint(positive - units, positive - 1)
    alphabet = Alphabet(tuple("abc"[: draw.symbols]))
    net = OneHotTransformer(alphabet, draw.precision, tuple(layers), signs, threshold, draw.period)
    return without_idle_entries(net)


@dataclass(frozen=True)
class _Few:
    """How many entries of a channel and of s, and how many biases of a net, may be other than zero."""

    values: int
    own: int
    biases: int


def _draw_layer(rng, features, units, one, patterns, few):
    heads, reads = [], [[] for _ in range(units)]
    for number, pattern in enumerate(patterns):
        shared = rng.sample(range(units), rng.randint(2, units)) if units > 1 and rng.random() < 0.6 else []
        alone = [u for u in range(units) if u not in shared and rng.random() < (0.2 if shared else 0.7)]
        if not shared and not alone:
            alone = [rng.randrange(units)]
        channels = []
        if shared:
            channels.append(_sparse(rng, features, few.values, one, needed=True))
            for u in shared:
                reads[u].append((number, 0, rng.choice((1, -1, 1, -1, 2, one))))
        parallel = rng.random() < 0.5  # they are cheap, as the rank stays 1
        for u in alone:
            channel = _sparse(rng, features, few.values, one, needed=True)
            if channels and parallel:
                sign = rng.choice((1, -1))
                channel = tuple(sign * x for x in channels[0])
            reads[u].append((number, len(channels), one))
            channels.append(channel)
        heads.append(OneHotHead(tuple(channels), pattern))
    own = [_sparse(rng, features, few.own if rng.random() < 0.7 else 0, one) for _ in range(units)]
    biases = [rng.choice((1, -1, one)) * (rng.random() < 0.5 * few.biases) for _ in range(units)]
    every = zip(reads, own, biases, strict=True)
    return OneHotLayer(tuple(heads), tuple(OneHotUnit(tuple(read), s, b) for read, s, b in every))


def _sparse(rng, size, most, one, needed=False):
    """A vector with up to some entries that are not zero."""
    vector = [0] * size
    for _ in range(rng.randint(int(needed), most)):
        vector[rng.randrange(size)] = rng.choice((-1, 1)) * rng.choice((1, 1, one))
    return tuple(vector)


def _draw_pattern(rng, draw, features, tokens):
    one, phi, logits = 1 << draw.precision, [], ()
    has_M = rng.random() < draw.content
    if not has_M or rng.random() < draw.both:
        phi = [0] * (draw.reach + 1)
        for _ in range(rng.choice((1, 1, 1, 2))):
            phi[rng.randrange(len(phi))] = rng.choice((1, one))
        while phi and not phi[-1]:
            phi.pop()
    if has_M:
        matrix = [[0] * features for _ in range(features)]
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            matrix[rng.randrange(features)][rng.randrange(1, features)] = rng.choice((1, one))
        logits = tuple(map(tuple, matrix))
    return normal_form(AttentionPattern(logits, tuple(phi)), tokens, one)


def answers(net: OneHotTransformer, length: int) -> dict[tuple[int, ...], bool]:
    """Whether the net accepts, for every word up to a length, from the definition."""
    return run(net, length)[0]


def run(net: OneHotTransformer, length: int):
    """Answers, and the features below each layer, and after the last one, at every (N, prefix)."""
    size, one = len(net.alphabet), 1 << net.precision
    found = {}
    known: dict[tuple[int, tuple[int, ...]], list[list[int]]] = {}  # features below each layer
    for N in range(1, length + 2):
        for prefix in words_up_to(size, N - 1):
            token = prefix[-1] + 1 if prefix else 0
            own = [int(k == token) for k in range(size + 1)]
            if net.period > 1:
                own += [int(len(prefix) % net.period == r) for r in range(net.period)]
            rows = known[N, prefix] = []
            for layer in net.layers:
                rows.append(own)
                keys = [known[N, prefix[:j]][len(rows) - 1] for j in range(len(prefix) + 1)]
                averages = [_attend(head.pattern, keys, N, net.precision) for head in layer.heads]
                values = []
                for unit in layer.units:
                    # In units of 4^-p, times every denominator.
                    scale = math.prod(total for total, _ in averages)
                    value = one * scale * (unit.b + sum(s * x for s, x in zip(unit.s, own, strict=True)))
                    for head, channel, entry in unit.reads:
                        total, sums = averages[head]
                        g = layer.heads[head].channels[channel]
                        value += entry * scale // total * sum(v * x for v, x in zip(g, sums, strict=True))
                    values.append(int(value > 0))
                own = own + values
            rows.append(own)
            if len(prefix) == N - 1:
                reading = sum(sign * x for sign, x in zip(net.signs, values, strict=True))
                found[prefix] = reading > net.threshold
    return found, known


def _attend(pattern, keys, N, precision):
    query, total, sums = keys[-1], 0, [0] * len(keys[-1])
    for distance, key in enumerate(reversed(keys)):
        weight = compute_scaled_weight(N, logit(pattern, key, query, distance), precision)
        total += weight
        sums = [have + weight * x for have, x in zip(sums, key, strict=True)]
    return total, sums


def structure_of(net: OneHotTransformer) -> Structure:
    layers = [LayerShape(tuple(head.pattern for head in x.heads), len(x.units)) for x in net.layers]
    return Structure(tuple(layers), net.precision, net.period)


def shape_of(structure: Structure) -> Structure:
    layers = [LayerShape((UNIFORM,) * len(x.heads), x.units) for x in structure.layers]
    return Structure(tuple(layers), structure.precision, structure.period)


def r_of(net: OneHotTransformer) -> float:
    """R, term by term as search.md's realisation has it; `check_r` compares it with that of the matrices."""
    step = 0.5**net.precision
    rank = norm_V = norm_A = norm_b = 0.0
    for layer in net.layers:
        for head in layer.heads:
            rows = np.array(head.channels, dtype=float)
            rank = max(rank, float(np.linalg.matrix_rank(rows)))
            norm_V = max(norm_V, step * float(np.linalg.norm(rows, 2)))
        entries = [x for unit in layer.units for x in (*unit.s, *(entry for _, _, entry in unit.reads))]
        norm_A = max(norm_A, step * math.hypot(*entries))
        norm_b = max(norm_b, step * math.hypot(*(unit.b for unit in layer.units)))
    return structure_of(net).base(Aggregate.MAX) + rank + norm_V + norm_A + norm_b


def bounds_of(draw: Draw, high: float) -> SpaceBounds:
    """Bounds that hold every net that is drawn."""
    return SpaceBounds.from_preset(
        "nope",
        layers=len(draw.plan),
        heads=max(1, *(heads for heads, _ in draw.plan)) if len(draw.plan) > 1 else max(1, draw.plan[0][0]),
        units=max(units for _, units in draw.plan),
        precision=draw.precision,
        period=draw.period,
        reach=draw.reach,
        logit_max=1,
        content_max=int(draw.content > 0),
        max_r=high,
    )


def is_left_out(net: OneHotTransformer, draw: Draw) -> bool | None:
    """Whether the structure of a net is left out at its own R on its own words; None if it is not judged.

    Or what a unit of a layer below the judged one says.
    """
    r, structure = r_of(net), structure_of(net)
    shape = shape_of(structure)
    labels = answers(net, draw.length)
    target = by_word(net.alphabet, lambda word: labels.get(word, False))
    patterned = PatternedShapes(target, bounds_of(draw, r), lambda steps: None)
    if patterned.is_confused(shape, draw.length):
        return True
    if not patterned.judges(shape, r - shape.floor(Aggregate.MAX)):
        return None
    for left, said in patterned.left(shape, structure.attention, r, draw.length):
        if left == structure and (said is None or _is_handed_on(net, said)):
            return False
    return True


def _is_handed_on(net: OneHotTransformer, said: Behaviours) -> bool:
    """Whether what is said of lower layers holds what each unit of the first ones of a net says."""
    known = run(net, said.length)[1]
    order = sorted(known, key=lambda row: (len(row[1]), row[0], row[1]))
    for k, (layer, rows) in enumerate(zip(net.layers, said.layers, strict=False)):
        values = np.array([known[row][k + 1] for row in order], dtype=bool).T[-len(layer.units) :]
        if not {row.tobytes() for row in np.packbits(values, axis=1)} <= {row.tobytes() for row in rows}:
            return False
    return True


def draw_within(rng: random.Random, draw: Draw) -> OneHotTransformer:
    """A net with little room above its floor whose words are not all alike."""
    while True:
        net = draw_net(rng, draw)
        if r_of(net) - shape_of(structure_of(net)).floor(Aggregate.MAX) > draw.spare:
            continue
        if len(set(answers(net, draw.length).values())) == 2 or rng.random() < 0.05:
            return net
