"""Equal normal forms are equal functions; proportional and shifted units have equal forms."""

from dataclasses import replace

import numpy as np
import pytest

from idinf.nets.attention import UNIFORM, AttentionPattern
from idinf.search.lower_layers.normal_form import normal_forms
from idinf.space.rows import group_rows
from idinf.space.units import Units
from tests.search.word_by_word import logit, weight

PATTERNS = {
    "uniform": (UNIFORM,),
    "two uniform": (UNIFORM, UNIFORM),
    "local": (AttentionPattern(phi=(0, 1)),),
    "content": (AttentionPattern(((0, 0, 0, 1),) + 3 * ((0, 0, 0, 0),)),),
    "local and uniform": (AttentionPattern(phi=(1, 2)), UNIFORM),
    "twice the same": (AttentionPattern(phi=(0, 2)), AttentionPattern(phi=(0, 2))),
    "no head": (),
}


def sized(heads, features):
    """Patterns whose M, if any, has the size of the layer."""
    entries = [[int(f == 0 and g == 2) for g in range(features)] for f in range(features)]
    logits = tuple(map(tuple, entries))
    return tuple(replace(pattern, logits=logits) if pattern.logits else pattern for pattern in heads)


def units_of(values, own, bias):
    """Units that read one channel of every head by 1."""
    return Units(0, values, np.ones((len(own), values.shape[1] // own.shape[1]), np.int64), own, bias)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("period", [1, 3])
@pytest.mark.parametrize("name", PATTERNS)
def test_equal_forms_are_equal_functions_of_N_and_prefix(name, period):
    """Many units of one layer over a made-up lower unit, on random positions and N."""
    rng = np.random.default_rng([period, len(name)])
    features = 3 + (period if period > 1 else 0) + 1
    heads = sized(PATTERNS[name], features)
    number = 3000
    units = units_of(
        rng.integers(-1, 2, (number, len(heads) * features)) * (rng.random((number, 1)) < 0.8),
        rng.integers(-1, 2, (number, features)),
        rng.integers(-1, 2, number),
    )
    outputs = []
    for length in (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9):
        rows = np.zeros((length + 1, features), dtype=np.int64)
        rows[np.arange(length + 1), [0, *rng.integers(1, 3, length).tolist()]] = 1
        if period > 1:
            rows[np.arange(length + 1), 3 + np.arange(length + 1) % period] = 1
        rows[:, -1] = rng.integers(0, 2, length + 1)
        N = length + 1 + int(rng.integers(0, 5))
        total = (units.own @ rows[-1] + units.bias).astype(object)
        scale = 1
        for h, pattern in enumerate(heads):
            logits = [logit(pattern, row, rows[-1], length - j) for j, row in enumerate(rows.tolist())]
            weights = np.array([int(weight(N, k, 0)) for k in logits], dtype=object)
            read = units.values[:, h * features : (h + 1) * features].astype(object) @ (weights @ rows)
            total, scale = total * weights.sum() + read * scale, scale * weights.sum()
        outputs.append(total > 0)
    table = np.array(outputs, dtype=np.bool_).T
    _, group = group_rows(normal_forms(units, heads, 3, period))
    order = np.argsort(group, kind="stable")
    same = np.diff(group[order]) == 0
    assert same.any()
    assert (table[order][1:][same] == table[order][:-1][same]).all()


@pytest.mark.parametrize("name", ["local", "content", "local and uniform"])
def test_shifts_and_multiples_have_equal_forms_for_any_attention(name):
    """v_h + c on tokens or residues is y + c; own weights may move to the bias; k·(v, s, b)."""
    rng = np.random.default_rng(len(name))
    tokens, period, features, number = 3, 2, 6, 100
    heads = sized(PATTERNS[name], features)
    values = rng.integers(-3, 4, (number, len(heads) * features))
    own, bias = rng.integers(-3, 4, (number, features)), rng.integers(-3, 4, number)

    def forms(values, own, bias):
        return normal_forms(units_of(values, own, bias), heads, tokens, period)

    want = forms(values, own, bias)
    assert np.array_equal(forms(5 * values, 5 * own, 5 * bias), want)
    for part in (np.arange(3), np.arange(3, 5)):
        moved = values.copy()
        moved[:, part] += 2
        assert np.array_equal(forms(moved, own, bias - 2), want)
        others = own.copy()
        others[:, part] -= 1
        assert np.array_equal(forms(values, others, bias + 1), want)
    assert not np.array_equal(forms(values, own, bias + 1), want)
