"""Do two hypotheses agree on all words up to a length? One of them is run as the target of the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from idinf.search.reachability import DEFAULT_MAX_STATES, Nets, ScaledUnits, fail_lengths
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray
from idinf.transformers.gated import GatedTransformer
from idinf.words import Alphabet

__all__ = ["NetTarget", "agree", "nets_of"]


def nets_of(hypothesis: GatedTransformer) -> Nets:
    """Write one hypothesis with at most one head per layer as integers in units of 4^-p."""
    features = hypothesis.num_features(len(hypothesis.layers) - 1)
    scale = 2**hypothesis.precision
    layers = []
    for number, layer in enumerate(hypothesis.layers):
        size = hypothesis.num_features(number)
        values = np.zeros((len(layer.units), size), dtype=np.int64)
        for u in range(len(layer.units)):
            for vector in hypothesis.effective_values(number, u):
                values[u] += np.array(vector, dtype=np.int64)
        own = scale * np.array([unit.s for unit in layer.units], dtype=np.int64)
        bias = scale * np.array([unit.b for unit in layer.units], dtype=np.int64)
        layers.append(ScaledUnits(values, own, bias))
    lower = ScaledUnits.concatenate(layers[:-1], features)
    return Nets(lower, layers[-1], np.array([hypothesis.signs]), np.array([hypothesis.threshold]))


@dataclass(frozen=True)
class NetTarget:
    """A hypothesis as a step machine: the language it accepts.

    The state is (n + 1, counts of tokens and lower units, answer).
    """

    alphabet: Alphabet
    net: Nets

    def start(self) -> IntArray:
        """State of ε."""
        features = self.net.top.values.shape[1]
        return self._read(np.zeros((1, features + 2), dtype=np.int64), 0)

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol."""
        return self._read(states, symbol + 1)

    def labels(self, states: IntArray) -> BoolArray:
        """Answers."""
        return np.asarray(states[:, -1] > 0)

    def _read(self, states: IntArray, token: int) -> IntArray:
        net = self.net
        lower = len(net.lower.bias)
        tokens = net.top.values.shape[1] - lower
        positions, counts = states[:, 0] + 1, states[:, 1:-1].copy()
        last = np.zeros_like(counts)
        last[:, token] = 1
        counts[:, token] += 1
        for u in range(lower):
            own = last @ net.lower.own[u] + net.lower.bias[u]
            last[:, tokens + u] = counts @ net.lower.values[u] + positions * own > 0
            counts[:, tokens + u] += last[:, tokens + u]
        units = counts @ net.top.values.T + positions[:, None] * (last @ net.top.own.T + net.top.bias) > 0
        answer = (units * net.signs[0]).sum(axis=1) > net.threshold[0]
        return np.concatenate([positions[:, None], counts, answer[:, None]], axis=1)


def agree(
    one: GatedTransformer, other: GatedTransformer, horizon: int, max_states: int = DEFAULT_MAX_STATES
) -> bool:
    """Whether two hypotheses answer alike on every word up to length ``horizon``; exact."""
    target = NetTarget(one.alphabet, nets_of(one))
    return bool(fail_lengths(target, nets_of(other), horizon, max_states)[0] < 0)
