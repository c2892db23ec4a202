"""Entries of M that do nothing for the units that read a head.

For example, where a unit asks for more a than b, a key that is a c adds nothing, for any weight of it.

*Lemma (idle entries).* Let a unit read a layer's one head by v, and let y = ⟨s, q⟩ + b at a query of class q.
All weights are positive, so the unit is 1 iff Σ_j w_j (v_k + y) > 0, where k is the class of the key j. A key
with v_k + y = 0 may have any weight. So may every key where no v_k + y is below 0, or none above it: then the
unit is 1 iff some key is above 0. M[i, j] is part of the weights of keys with feature i for queries with
feature j alone. If no unit feels any of those, the entry is *idle*: where all idle entries become 0 at once,
the weights that are felt stay, and so does every answer; ‖M‖ does not grow (Perron), nor does any other term.
So a hypothesis whose idle entries are 0 answers alike and costs no more: the family has only those.

The query `$` sees itself alone, so its column is idle. Classes are all combinations of a token, a residue and
outputs of lower units, also those that no word has. Of equal exact functions
(`idinf.search.lower_layers.normal_form`) each feels the same entries: their v_k + y differ by a factor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from idinf.nets.attention import AttentionPattern
from idinf.space.structures import FeatureSpace
from idinf.space.units import BoolArray, Units

#: Lower units beside which idle entries are looked for; with more of them an M may have any.
MOST_UNITS = 8


def find_felt(units: Units, tokens: int, period: int) -> BoolArray:
    """Mask of the entries of an M that each of N units of one head feels, (N, f, f), by key and query.

    A unit that asks for more a than b feels the entries of these keys, at any query but `$`:

    >>> v, one = np.array([[0, 1, -1, 0]]), np.array([[1]])
    >>> unit = Units(0, v, one, np.zeros((1, 4), dtype=np.int64), np.zeros(1, dtype=np.int64))
    >>> find_felt(unit, 4, 1)[0].astype(int).tolist()
    [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0]]
    """
    values, size = units.values, units.own.shape[1]
    first = FeatureSpace(tokens - 1, period, 0).size
    space = FeatureSpace(tokens - 1, period, size - first)
    if space.units > MOST_UNITS:
        return np.ones((len(units), size, size), dtype=np.bool_)
    # A key has one feature of each part: a token, a residue, and the output of each unit below.
    parts = [part for part in (values[:, :tokens], values[:, tokens:first]) if part.shape[1]]
    part = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    part = np.append(part, len(parts) + np.arange(space.units))
    parts += [np.pad(values[:, [u]], ((0, 0), (1, 0))) for u in range(first, size)]
    ends = np.stack([[each.min(axis=1), each.max(axis=1)] for each in parts], axis=2)  # (2, N, parts)
    every = ends.sum(axis=2)
    least, most = values + every[:, :, None] - ends[:, :, part]  # of v_k, where the key has a feature
    queries = space.all_rows()[2**space.units :]  # all but those of `$`
    y = (units.own @ queries.T + units.bias[:, None]) << units.precision  # (N, Q)
    mixed = (every[0][:, None] + y < 0) & (every[1][:, None] + y > 0)
    felt = mixed[:, None] & ((least[:, :, None] + y[:, None] != 0) | (most != least)[:, :, None])
    return np.stack([felt[:, :, queries[:, j] > 0].any(axis=2) for j in range(size)], axis=2)


def feel_every_entry(
    layer: Sequence[Units], heads: Sequence[AttentionPattern], tokens: int, period: int
) -> BoolArray | slice:
    """Places of those of N layers of some units whose M has no idle entry: all where there is no M.

    And all of several heads, where a unit may read M beside another head.
    """
    if len(heads) != 1 or not heads[0].logits:
        return slice(None)
    some = np.array(heads[0].logits) > 0
    felt = np.logical_or.reduce([find_felt(units, tokens, period)[:, some] for units in layer])
    return np.asarray(felt.all(axis=1))
