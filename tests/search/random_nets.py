"""Random targets and hypotheses for the tests of the search, and the judge that runs them word by word."""

from dataclasses import dataclass

import numpy as np

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget


def alphabet_of(size):
    return Alphabet(tuple("abcde"[:size]))


def random_dfa(rng, size, states):
    """A DFA with random transitions; it need not be minimal."""
    table = rng.integers(0, states, (states, size))
    return RegularTarget(alphabet_of(size), table, rng.random(states) < 0.5)


@dataclass(frozen=True)
class Counter(Target):
    """Accepts iff Σ weights · counts > bound."""

    alphabet: Alphabet
    weights: tuple[int, ...]
    bound: int

    def start(self):
        return np.zeros((1, 1), dtype=np.int64)

    def step(self, states, symbol):
        return states + self.weights[symbol]

    def labels(self, states):
        return states[:, 0] > self.bound


def random_counter(rng, size):
    weights = tuple(int(x) for x in rng.integers(-2, 3, size))
    return Counter(alphabet_of(size), weights, int(rng.integers(-2, 2)))


def random_target(rng, size):
    return random_dfa(rng, size, int(rng.integers(1, 5))) if rng.random() < 0.6 else random_counter(rng, size)


def random_layer(rng, features, units, precision, spread=2):
    """A layer of one or two units: no channel, channels of their own, or one shared channel."""

    def vector():
        return tuple(int(x) for x in rng.integers(-spread, spread + 1, features))

    def channel():
        while not any(drawn := vector()):
            pass
        return drawn

    kinds = ("none", "own", "own", "shared") if units == 2 else ("none", "own", "own")
    kind = kinds[int(rng.integers(len(kinds)))]
    if kind == "none":
        heads, reads = (), [()] * units
    elif kind == "shared":
        entries = [int(x) for x in rng.choice([-2, -1, 1, 2], units)]
        heads, reads = (OneHotHead((channel(),)),), [((0, 0, c),) for c in entries]
    else:
        reading = [True] + [bool(rng.random() < 0.7) for _ in range(units - 1)]
        places = np.cumsum(reading) - 1
        heads = (OneHotHead(tuple(channel() for _ in range(sum(reading)))),)
        reads = [((0, int(k), 2**precision),) if r else () for r, k in zip(reading, places, strict=True)]
    bias = [int(x) for x in rng.integers(-spread, spread + 1, units)]
    return OneHotLayer(heads, tuple(OneHotUnit(r, vector(), b) for r, b in zip(reads, bias, strict=True)))


def random_net(rng, size, widths, precision):
    features, layers = size + 1, []
    for units in widths:
        layers.append(random_layer(rng, features, units, precision))
        features += units
    signs = tuple(int(x) for x in rng.choice([-1, 1], widths[-1]))
    positive = sum(sign > 0 for sign in signs)
    threshold = int(rng.integers(positive - widths[-1], positive))
    return OneHotTransformer(alphabet_of(size), precision, tuple(layers), signs, threshold)


def unit_value(net, number, unit, counts, last, positions):
    """One unit from the definition, in units of 4^-p and times the number of positions."""
    total = 2**net.precision * positions * (unit.b + sum(s * x for s, x in zip(unit.s, last, strict=True)))
    for head, channel, entry in unit.reads:
        values = net.layers[number].heads[head].channels[channel]
        total += entry * sum(v * c for v, c in zip(values, counts, strict=True))
    return int(total > 0)


def answers(net, length):
    """Whether the net accepts, for every word up to a length in shortlex order."""
    size = len(net.alphabet)
    counts = {}
    out = {}
    for word in words_up_to(size, length):
        token = word[-1] + 1 if word else 0
        last = [int(k == token) for k in range(size + 1)]
        before = counts[word[:-1]] if word else [0] * (size + 1 + net.num_units)
        for number, layer in enumerate(net.layers):
            seen = [b + x for b, x in zip(before, last, strict=False)]
            values = [unit_value(net, number, u, seen, last, len(word) + 1) for u in layer.units]
            last = last + values
        counts[word] = [b + x for b, x in zip(before, last, strict=True)]
        out[word] = sum(s * v for s, v in zip(net.signs, values, strict=True)) > net.threshold
    return out
