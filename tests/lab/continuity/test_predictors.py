"""Predictors against floats position by position, moduli against all pairs of prompts, and growth."""

import itertools
import json
import math
from fractions import Fraction

import pytest

from idinf.base.words import Alphabet, Word
from idinf.errors import HypothesisFormatError
from idinf.lab.continuity.learning import modulus
from idinf.lab.continuity.predictors import (
    CompactNet,
    Predictor,
    krichevsky_trofimov,
    laplace,
    parse_net,
)
from tests.lab.continuity.drawn_nets import draw_net, dump_net

AB = Alphabet(("0", "1"))


def plain_answer(net: CompactNet, word: Word) -> list[float]:
    """The forward pass by loops over floats, every position of every layer."""
    stream = [[float(entry) for entry in net.embedding[code]] for code in word]
    for layer in net.layers:
        outputs = []
        for i in range(len(word)):
            y = list(stream[i])
            for head in layer.heads:
                keys = [
                    [sum(float(k) * x for k, x in zip(row, key, strict=True)) for row in head.K]
                    for key in stream
                ]
                query = [sum(float(q) * x for q, x in zip(row, stream[i], strict=True)) for row in head.Q]
                raised = [
                    math.exp(sum(a * b for a, b in zip(key, query, strict=True))) for key in keys[: i + 1]
                ]
                for place, row in enumerate(head.V):
                    values = [
                        sum(float(v) * x for v, x in zip(row, stream[j], strict=True)) for j in range(i + 1)
                    ]
                    y[place] += sum(w * v for w, v in zip(raised, values, strict=True)) / sum(raised)
            mlp = layer.mlp
            units = [
                max(0.0, float(b) + sum(float(a) * x for a, x in zip(row, y, strict=True)))
                for row, b in zip(mlp.A, mlp.b, strict=True)
            ]
            outputs.append(
                [
                    x + sum(float(b) * u for b, u in zip(row, units, strict=True))
                    for x, row in zip(y, mlp.B, strict=True)
                ]
            )
        stream = outputs
    logits = [
        math.exp(sum(float(u) * x for u, x in zip(row, stream[-1], strict=True))) for row in net.unembedding
    ]
    return [value / sum(logits) for value in logits]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_nets_are_enclosed(seed: int) -> None:
    net = draw_net(AB, seed, heads=seed % 2 + 1)
    for word in itertools.product((0, 1), repeat=4):
        for part, value in zip(net.predict(word), plain_answer(net, word), strict=True):
            assert float(part.low) - 1e-12 <= value <= float(part.high) + 1e-12
            assert part.high - part.low < Fraction(1, 10**30)


def all_pairs(predictor: Predictor, answers: dict[Word, list[float]], n: int, k: int) -> float:
    """The largest gap over all pairs of prompts, by the definition."""
    return max(
        max(abs(x - y) for x, y in zip(answers[a], answers[b], strict=True))
        for a, b in itertools.combinations(itertools.product(range(len(predictor.alphabet)), repeat=n), 2)
        if a[-1] == b[-1] and sum(x != y for x, y in zip(a, b, strict=True)) <= k
    )


KINDS = ("laplace", "kt", "net")


@pytest.mark.parametrize(
    ("kind", "n"),
    [
        *itertools.product(KINDS, (2, 3, 6)),
        *(pytest.param(kind, 10, marks=pytest.mark.slow) for kind in KINDS),
    ],
)
def test_moduli_are_those_of_all_pairs(kind: str, n: int) -> None:
    net = draw_net(AB, 5)
    made = {"laplace": laplace(AB), "kt": krichevsky_trofimov(AB), "net": net}
    predictor: Predictor = made[kind]
    words = list(itertools.product((0, 1), repeat=n))
    constant = {"laplace": 1.0, "kt": 0.5}.get(kind)
    answers = {
        word: plain_answer(net, word)
        if constant is None
        else [(word.count(code) + constant) / (n + 2 * constant) for code in (0, 1)]
        for word in words
    }
    rows = modulus(predictor, n=n, differences=n)
    assert [row.differences for row in rows] == list(range(1, n))
    for row in rows:
        k = row.differences
        assert float(row.gap.low) == pytest.approx(all_pairs(predictor, answers, n, k), abs=1e-12)
        assert row.gap.high - row.gap.low < Fraction(1, 10**30)
        assert row.gap.high <= predictor.growth.at(Fraction(k, n))
        one, other = map(predictor.encode, row.pair)
        assert one[-1] == other[-1]
        assert sum(x != y for x, y in zip(one, other, strict=True)) <= k
        found = max(abs(x - y) for x, y in zip(answers[one], answers[other], strict=True))
        assert found == pytest.approx(float(row.gap.low), abs=1e-12)


NET = json.loads(dump_net(draw_net(AB, 1)))
FAULTS = [
    ({"format": "limit-transformer/1"}, "bounded logits, and hypotheses multiply theirs by log N"),
    ({"format": "other/1"}, "reads no other"),
    ({"scaling": "log N"}, "log N is not bounded"),
    ({"alphabet": ["0", "0"]}, "listed twice"),
    ({"layers": []}, "expected one layer"),
    ({"unembedding": [[1]]}, "unembedding: expected 2 x 4"),
    ({"unembedding": [[10**9] * 4] * 2}, "bounded logits"),
    ({"extra": 1}, "unknown key"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_what_is_not_compact_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(HypothesisFormatError, match=message) as caught:
        parse_net(json.dumps(NET | change), "net.json")
    assert str(caught.value).startswith("net.json: ")
    assert len(str(caught.value)) <= 300
    assert "\n" not in str(caught.value)


def test_heaviside_units_are_refused_as_not_continuous() -> None:
    text = json.dumps(NET).replace('"relu"', '"heaviside"')
    with pytest.raises(HypothesisFormatError, match="not continuous"):
        parse_net(text)


@pytest.mark.parametrize("shift", [-255, -200, -110, 110, 255])
def test_a_shift_of_all_logits_changes_nothing(shift: int) -> None:
    """Keys that all have the same logit, however small: as with no logits at all."""
    head = {"K": [[shift, 0]], "Q": [[1, 0]], "V": [[0, 1], [0, 1]]}
    mlp: dict[str, list[object]] = {"A": [], "b": [], "B": [[], []], "activation": []}
    net = {
        "format": "compact-transformer/1",
        "alphabet": ["0", "1"],
        "embedding": {"0": [1, 0], "1": [1, 1]},
        "layers": [{"heads": [head], "mlp": mlp}],
        "unembedding": [[0, 0], [0, 1]],
    }
    found = parse_net(json.dumps(net)).predict((0, 1, 1, 1))
    right = 1 / (1 + math.exp(-1.75))
    assert found[1].high - found[1].low < Fraction(1, 10**40)
    assert float(found[1].low) == pytest.approx(right, abs=1e-12)
