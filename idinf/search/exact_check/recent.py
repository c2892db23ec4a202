"""Codes of the features of the last positions, as far as some φ can still ask for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idinf.search.exact_check.joint_layers import FeatureSpace, JointHead, JointLayer
from idinf.space.grid import IntArray


def decoded(space: FeatureSpace, codes: IntArray, position: int) -> IntArray:
    """Rows of features for codes token + (|Σ| + 1) · unit bits, (n,) → (n, F).

    Examples
    --------
    >>> decoded(FeatureSpace(2, 1, 1), np.array([1, 5]), 3).tolist()
    [[0, 1, 0, 0], [0, 0, 1, 1]]
    """
    rows = np.zeros((len(codes), space.size), dtype=np.int64)
    rows[np.arange(len(codes)), codes % space.tokens] = 1
    if space.period > 1:
        rows[:, space.tokens + position % space.period] = 1
    rows[:, space.first_unit :] = (codes[:, None] // space.tokens >> np.arange(space.units)) & 1
    return rows


class RecentCodes:
    """What a set of layers can ask of the position at distance 1, 2, … from a query. Immutable.

    Features that no value and no logit tells apart get one code, so that more prefixes are merged.
    """

    def __init__(self, space: FeatureSpace, layers: Sequence[JointLayer]) -> None:
        self.space = space
        heads = [head for layer in layers for head in layer.heads if len(head.phi) > 1]
        self.reach = max((len(head.phi) - 1 for head in heads), default=0)
        self._tokens, self._bits = [], []
        for lag in range(1, self.reach + 1):
            forms = _asked(space, [head for head in heads if len(head.phi) > lag])
            columns = forms[:, : space.tokens].T.tolist()
            self._tokens.append(np.array([columns.index(column) for column in columns]))
            read = forms[:, space.first_unit :].any(axis=0)
            self._bits.append(int((read * (1 << np.arange(space.units))).sum()))

    def shifted(self, recent: IntArray, codes: IntArray) -> IntArray:
        """Codes of the last positions after one more position, (S, τ)."""
        out = np.empty((len(codes), self.reach), dtype=np.int64)
        for lag in range(self.reach):
            out[:, lag] = self._reduced(lag, codes if lag == 0 else recent[:, lag - 1])
        return out

    def reduced(self, recent: IntArray) -> IntArray:
        """Codes kept for more layers, as far as these layers can tell them apart, (S, τ)."""
        out = np.empty((len(recent), self.reach), dtype=np.int64)
        for lag in range(self.reach):
            out[:, lag] = self._reduced(lag, recent[:, lag])
        return out

    def _reduced(self, lag: int, codes: IntArray) -> IntArray:
        tokens = self._tokens[lag][codes % self.space.tokens]
        return np.asarray(tokens + self.space.tokens * ((codes // self.space.tokens) & self._bits[lag]))


def _asked(space: FeatureSpace, heads: Sequence[JointHead]) -> IntArray:
    """Linear forms of a key's features that decide what heads read of it, (K, F)."""
    asked = [np.zeros((1, space.size), dtype=np.int64)]
    for head in heads:
        asked.append(head.values)
        if head.logits is not None:
            asked.append(head.logits.T)
    return np.concatenate(asked)
