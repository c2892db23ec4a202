"""Sums computed from what is kept are the sums over the positions of the word."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.search.exact_check.joint_layers import FeatureSpace, JointHead, JointLayer
from idinf.search.exact_check.summaries import ClassCounts, LinearForms, levels_of, query_columns


def drawn_layer(rng, space, kind):
    values = rng.integers(-2, 3, (4, space.size))
    values[1] = 3 * values[0]
    values[2, : space.tokens] = values[0, : space.tokens] + 2
    logits = None
    if kind == "M":
        logits = rng.integers(0, 2, (space.size, space.size)) * (rng.random((space.size, space.size)) < 0.4)
    head = JointHead(logits, (0, 1), 0, values)
    return JointLayer((head,), np.zeros((4, space.size), np.int64), space.units)


def drawn_rows(rng, space, positions):
    tokens = [0, *rng.integers(1, space.tokens, positions - 1).tolist()]
    bits = rng.integers(0, 2, (positions, space.units))
    return np.concatenate([space.rows(t, i, bits[[i]]) for i, t in enumerate(tokens)])


@pytest.mark.parametrize("kind", ["none", "M"])
@pytest.mark.parametrize(("symbols", "period", "units"), [(1, 1, 0), (2, 1, 1), (2, 3, 1), (3, 2, 2)])
def test_sums_of_positions(symbols, period, units, kind):
    rng = np.random.default_rng([symbols, period, units, kind == "M"])
    space = FeatureSpace(symbols, period, units)
    layer = drawn_layer(rng, space, kind)
    head = layer.heads[0]
    vectors = np.concatenate([head.values, (np.arange(space.size) < space.tokens)[None].astype(np.int64)])
    for kept in (LinearForms(space, [layer]), ClassCounts(space, kind == "M")):
        for positions in (1, 2, 7):
            rows = drawn_rows(rng, space, positions)
            added = kept.increments(rows)
            assert (np.abs(added) <= kept.largest).all()
            total = added.sum(axis=0)
            residues = np.bincount(np.arange(positions) % period, minlength=period)
            for column in query_columns(space, head):
                levels = kept.sums(column, vectors)
                assert [k for k, _ in levels] == levels_of(space, column)
                for k, sums in levels:
                    want = vectors @ rows[rows @ column == k].sum(axis=0)
                    got = total @ sums.weights + residues @ sums.known + sums.sos
                    assert got.tolist() == want.tolist()
