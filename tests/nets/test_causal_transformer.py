"""Ordinary transformers: contexts and offsets, R with equation (8), and their files."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError
from idinf.nets import json_format
from idinf.nets.dense import Activation, Head, Layer, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.nets.reference import trace
from idinf.nets.regularizer import compute_r_terms

# Coordinates: $, a, two of positions, attended value, unit. Logits are products of position vectors.
HEAD = Head(
    K=matrix([[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]]),
    Q=matrix([[0, 0, 2, 0, 0, 0], [0, 0, 0, 1, 0, 0]]),
    V=matrix([[0] * 6] * 4 + [[0, 1, 0, 0, 0, 0]] + [[0] * 6]),
)
MLP = Mlp(matrix([[0, 0, 0, 0, 2, 0]]), vector([-1]), matrix([[0]] * 5 + [[1]]), (Activation.HEAVISIDE,))
NET = CausalTransformer(
    alphabet=Alphabet(("a",)),
    precision=0,
    embedding=matrix([[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]),
    positions=matrix([[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 1, 1, 0, 0]]),
    layers=(Layer((HEAD,), MLP),),
    unembedding=matrix([[0, 0, 0, 0, 0, 1]]),
)


def test_the_offset_chooses_the_position_vectors():
    assert trace(NET, (0,)).inputs == matrix([[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0]])
    assert trace(NET, (0,), 1).inputs == matrix([[1, 0, 0, 1, 0, 0], [0, 1, 1, 1, 0, 0]])
    # At offset 0 the logits of query p_2 are 0 and 1; at offset 1 those of p_3 are 1 and 3.
    assert [trace(NET, (0,), o).layers[0].heads[0].logits[1] for o in (0, 1)] == [(0, 1), (1, 3)]
    assert trace(NET, (0,)).layers[0].heads[0].attention[1] == (Fraction(1, 3), Fraction(2, 3))
    assert trace(NET, (0,), 1).layers[0].heads[0].attention[1] == (Fraction(1, 5), Fraction(4, 5))


def test_the_scale_is_that_of_the_input_not_of_the_context():
    assert trace(NET, (0,)).layers[0].heads[0].weights[1] == (1, 2)
    assert trace(NET, (0, 0)).layers[0].heads[0].weights[1] == (1, 3)


def test_r_with_equation_8():
    """Key p_1: Σ_j (p_1^T K^T Q p_j)² is 2² + 0² + 2²; no period is paid for."""
    terms = compute_r_terms(NET)
    KQ = np.array(HEAD.K, dtype=float).T @ np.array(HEAD.Q, dtype=float)
    products = [
        np.array(NET.positions[0], dtype=float) @ KQ @ np.array(p, dtype=float) for p in NET.positions
    ]
    assert terms.phi == pytest.approx(sum(x * x for x in products)) == 8
    assert NET.positional_logits(HEAD) == (2, 0, 2)
    assert (terms.period, terms.norm_p, terms.norm_KQ) == (0, pytest.approx(2**0.5), 2)
    two = replace(NET, layers=NET.layers * 2)
    assert compute_r_terms(two).phi == 16


def test_files():
    text = json_format.dumps(NET)
    content = json.loads(text)
    assert content["format"] == "causal-transformer/1"
    assert "phi" not in content["layers"][0]["heads"][0]
    assert json_format.loads_as((CausalTransformer,), text) == NET
    assert json_format.loads_as((LimitTransformer, CausalTransformer), text) == NET
    del content["positions"]
    with pytest.raises(HypothesisFormatError, match=r"x: positions is missing; expected .*; add it"):
        json_format.loads_as((CausalTransformer,), json.dumps(content), "x")
