"""Numbers that floats could round are refused, and up to there they are exact."""

import numpy as np
import pytest

from idinf.errors import PrecisionError
from idinf.nets.attention import AttentionPattern
from idinf.search.short_words.features import FLOAT32_EXACT, FLOAT64_EXACT, Features, Inputs, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.units import Units
from tests.search.random_nets import random_target


def unit(values, own=(0, 0), bias=0):
    """A unit on one head that reads a channel with entry 1, at p = 0."""
    return Units(0, np.array([values]), np.array([[1]]), np.array([own]), np.array([bias]))


@pytest.mark.parametrize("exact", [FLOAT32_EXACT, FLOAT64_EXACT])
def test_signs_are_exact_up_to_the_guard(exact):
    """One above and one below zero at the largest weights that each kind of float is used for."""
    weight = (exact - 1) // 8 // 2 - 1
    features = Features(np.array([[4, 4]]), np.array([[1, 0]]), np.array([8]))
    cases = {(weight, -weight - 1): False, (weight + 1, -weight): True, (weight, -weight): False}
    for v, want in cases.items():
        assert unit_outputs(unit(v), features).tolist() == [[want]]
    odd = Features(np.array([[7, 7]]), np.array([[1, 0]]), np.array([1]))
    for bias, want in ((1, True), (0, False), (-1, False)):
        assert unit_outputs(unit((weight, -weight), bias=bias), odd).tolist() == [[want]]


def test_weights_beyond_exact_floats_are_refused():
    """On words of length 1, where N = 2 and weights are powers of two."""
    short = ShortWords.of(random_target(np.random.default_rng(5), 1), 1)
    inputs = Inputs.first(short, 1)
    inputs.top((AttentionPattern(phi=(42,)),), 0)
    with pytest.raises(PrecisionError, match=rf"weights of {2**43} and more .*--content-max"):
        inputs.top((AttentionPattern(phi=(43,)),), 0)
    with pytest.raises(PrecisionError, match=rf"weights of {2**43} and more .*--content-max"):
        inputs.top((AttentionPattern(phi=(84,)),), 1)  # 2^42 in halves
    local = AttentionPattern(phi=(26, 26))
    inputs.top((AttentionPattern(phi=(25,)), local), 0)
    with pytest.raises(PrecisionError, match=rf"all heads reach {(2**26 + 1) * 2**27}, .*--logit-max"):
        inputs.top((AttentionPattern(phi=(26,)), local), 0)
