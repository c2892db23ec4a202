"""Sums computed from what is kept are the sums over the positions of the word."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.errors import BudgetError
from idinf.search.exact_check.joint_layers import FeatureSpace, JointHead, JointLayer
from idinf.search.exact_check.summaries import LinearForms, levels_of, query_columns


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
    kept = LinearForms(space, [layer])
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


def test_every_query_has_its_column():
    rng = np.random.default_rng(3)
    space = FeatureSpace(2, 2, 2)
    logits = rng.integers(0, 3, (space.size, space.size))
    head = JointHead(logits, (), 0, np.zeros((1, space.size), np.int64))
    listed = {tuple(column.tolist()) for column in query_columns(space, head)}
    assert listed == {tuple((logits @ row).tolist()) for row in space.all_rows()}
    for column in query_columns(space, head):
        assert levels_of(space, column) == sorted(set((space.all_rows() @ column).tolist()))


def test_known_and_repeated_sums_are_not_kept():
    """v, 2v, v + 1 on tokens, other residues and another $: one sum. A constant: none."""
    space = FeatureSpace(2, 2, 0)
    values = np.array([[0, 1, -1, 0, 0], [5, 2, -2, 0, 0], [1, 2, 0, 3, 7], [1, 1, 1, 0, 0]])
    layer = JointLayer((JointHead(None, (), 0, values),), np.zeros((4, 5), np.int64), 0)
    assert len(LinearForms(space, [layer]).largest) == 1


def test_too_many_columns_are_refused():
    space = FeatureSpace(2, 1, 2)
    head = JointHead(np.eye(space.size, dtype=np.int64), (), 0, np.zeros((1, space.size), np.int64))
    with pytest.raises(BudgetError, match=r"more than 3 different logits; lower --content-max"):
        query_columns(space, head, most=3)
