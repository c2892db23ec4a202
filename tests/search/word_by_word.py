"""Hypotheses of the whole family run word by word from the definition, and random ones.

The evaluation shares no code with idinf.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache

from idinf.base.words import words_up_to
from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.targets.machine import accepts
from tests.search.random_nets import alphabet_of


@cache
def weight(N, k, p):
    """round_p(N^(k / 2^p)), half to even: the m with 2m - 1 <= 2^(p+1) N^(k/2^p) <= 2m + 1, even at a tie."""
    q = 2**p
    goal = 2 ** ((p + 1) * q) * N**k
    low, high = 0, 2**p * N ** (k // q + 1)
    while low < high:  # the least m with (2m + 1)^q >= goal
        middle = (low + high) // 2
        if (2 * middle + 1) ** q >= goal:
            high = middle
        else:
            low = middle + 1
    if (2 * low + 1) ** q == goal and low % 2:
        low += 1
    return Fraction(low, 2**p)


def logit(pattern, key, query, distance):
    """The logit of a key for a query, by their 0/1 features, in units of 2^-p."""
    asked = [g for g, present in enumerate(query) if present]
    found = pattern.phi[distance] if distance < len(pattern.phi) else 0
    return found + sum(
        row[g] for present, row in zip(key, pattern.logits, strict=False) if present for g in asked
    )


def answer(net, word):
    """Whether a hypothesis accepts a word: [HYB25] Section 2, position by position."""
    p, size, N = net.precision, len(net.alphabet), len(word) + 1
    one = 2**p
    rows = []
    for i in range(N):
        token = word[i - 1] + 1 if i else 0
        row = [int(t == token) for t in range(size + 1)]
        if net.period > 1:
            row += [int(i % net.period == r) for r in range(net.period)]
        rows.append(row)
    for number, layer in enumerate(net.layers):
        outputs = []
        for i in range(N):
            averages = []
            for head in layer.heads:
                logits = (logit(head.pattern, rows[j], rows[i], i - j) for j in range(i + 1))
                weights = [weight(N, each, p) for each in logits]
                total = sum(weights)
                averages.append(
                    [
                        sum(
                            w
                            / total
                            * Fraction(sum(v * x for v, x in zip(channel, rows[j], strict=True)), one)
                            for j, w in enumerate(weights)
                        )
                        for channel in head.channels
                    ]
                )
            bits = []
            for unit in layer.units:
                z = Fraction(unit.b + sum(s * x for s, x in zip(unit.s, rows[i], strict=True)), one)
                z += sum(Fraction(c, one) * averages[h][g] for h, g, c in unit.reads)
                bits.append(int(z > 0))
            outputs.append(bits)
        if number == len(net.layers) - 1:
            return sum(s * u for s, u in zip(net.signs, outputs[-1], strict=True)) > net.threshold
        rows = [row + bits for row, bits in zip(rows, outputs, strict=True)]


def all_answers(net, length):
    return {word: answer(net, word) for word in words_up_to(len(net.alphabet), length)}


def least_wrong(net, target, length):
    known = all_answers(net, length)
    return next((word for word, value in known.items() if value != accepts(target, word)), None)


def random_pattern(rng, features, precision, kind):
    """Uniform, φ, M, or both; entries in half or quarter steps where the precision allows."""
    one = 2**precision
    phi, logits = (), ()
    if kind in ("phi", "both"):
        drawn = [int(x) for x in rng.integers(0, 2 * one + 1, int(rng.integers(1, 4)))]
        while drawn and not drawn[-1]:
            drawn.pop()
        phi = tuple(drawn)
    if kind in ("M", "both"):
        entries = rng.integers(0, one + 1, (features, features)) * (rng.random((features, features)) < 0.3)
        if entries.any():
            logits = tuple(tuple(int(x) for x in row) for row in entries)
    return AttentionPattern(logits, phi) if phi or logits else UNIFORM


KINDS = ("uniform", "phi", "M", "both")


def random_family_layer(rng, features, units, precision, kinds=KINDS, heads=None):
    def vector(spread=2):
        return tuple(int(x) for x in rng.integers(-spread, spread + 1, features))

    def channel():
        while not any(drawn := vector()):
            pass
        return drawn

    heads = int(rng.choice([0, 1, 1, 2])) if heads is None else heads
    built, reads = [], [[] for _ in range(units)]
    for h in range(heads):
        shared = units > 1 and rng.random() < 0.4
        readers = [u for u in range(units) if shared or rng.random() < 0.8] or [0]
        for g, u in enumerate(readers):
            entry = int(rng.choice([-2, -1, 1, 2])) if shared else 2**precision
            reads[u].append((h, 0 if shared else g, entry))
        channels = tuple(channel() for _ in range(1 if shared else len(readers)))
        pattern = random_pattern(rng, features, precision, kinds[int(rng.integers(len(kinds)))])
        if h and rng.random() < 0.2:
            pattern = built[0].pattern
        built.append(OneHotHead(channels, pattern))
    rows = tuple(OneHotUnit(tuple(reads[u]), vector(1), int(rng.integers(-2, 3))) for u in range(units))
    return OneHotLayer(tuple(built), rows)


def random_family_net(rng, size, widths, precision, period, kinds=KINDS, kinds_below=None):
    features, layers = size + 1 + (period if period > 1 else 0), []
    for number, units in enumerate(widths):
        here = kinds if number == len(widths) - 1 or kinds_below is None else kinds_below
        layers.append(random_family_layer(rng, features, units, precision, here))
        features += units
    signs = tuple(int(x) for x in rng.choice([-1, 1], widths[-1]))
    positive = sum(sign > 0 for sign in signs)
    threshold = int(rng.integers(positive - widths[-1], positive))
    return OneHotTransformer(alphabet_of(size), precision, tuple(layers), signs, threshold, period)


def varied(rng, net):
    """The net with one entry of some s, channel or φ changed by one step."""
    while True:
        layers = list(net.layers)
        place = int(rng.integers(len(layers)))
        layer = layers[place]
        kind = int(rng.integers(3)) if layer.heads else 0
        if kind == 0:
            u = int(rng.integers(len(layer.units)))
            units = list(layer.units)
            units[u] = replace(units[u], s=_nudged(rng, units[u].s, (-1, 1)))
            layers[place] = replace(layer, units=tuple(units))
            return replace(net, layers=tuple(layers))
        h = int(rng.integers(len(layer.heads)))
        heads, head = list(layer.heads), layer.heads[h]
        if kind == 1:
            g = int(rng.integers(len(head.channels)))
            channels = list(head.channels)
            channels[g] = _nudged(rng, channels[g], (-1, 1))
            if not any(channels[g]):
                continue
            heads[h] = replace(head, channels=tuple(channels))
        else:
            phi = list(_nudged(rng, (*head.pattern.phi, 0, 0, 0)[:3], (1,)))
            while not phi[-1]:
                phi.pop()
            heads[h] = replace(head, pattern=replace(head.pattern, phi=tuple(phi)))
        layers[place] = replace(layer, heads=tuple(heads))
        return replace(net, layers=tuple(layers))


def _nudged(rng, values, steps):
    place, step = int(rng.integers(len(values))), int(rng.choice(steps))
    return tuple(value + step * (k == place) for k, value in enumerate(values))
