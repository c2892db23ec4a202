import copy
import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from idinf.base.words import Alphabet
from idinf.errors import HypothesisFormatError
from idinf.nets import json_format
from idinf.nets.dense import Activation
from tests.test_golden import check

VALID = {
    "format": "limit-transformer/1",
    "alphabet": ["a", "b"],
    "precision": 1,
    "embedding": {"$": [1, 0], "a": [0, 1], "b": [0, "-1/2"]},
    "positions": [[0, 0], [0, "1/2"]],
    "layers": [
        {
            "heads": [{"K": [[0, 0]], "Q": [[0, 0]], "V": [[1, 0], ["3/2", 0]], "phi": [0, 1]}],
            "mlp": {"A": [[1, 1]], "b": ["2/2"], "B": [[1], [0]], "activation": ["relu"]},
        },
        {"heads": [], "mlp": {"A": [[1, 1]], "b": [0], "B": [[1], [0]], "activation": ["heaviside"]}},
    ],
    "unembedding": [[1, 0], [0, 1]],
    "accept": {"row": 1, "threshold": -1},
}

REMOVED = object()


def changed(path, value):
    """VALID with the value at one key path replaced, added or removed."""
    result = copy.deepcopy(VALID)
    inner = result
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return result


def load(value):
    return json_format.loads(json.dumps(value), "net.json")


def test_reads_every_field():
    t = load(VALID)
    assert (t.alphabet, t.precision, t.accept_row, t.threshold) == (Alphabet(("a", "b")), 1, 1, -1)
    assert t.embedding == ((1, 0), (0, 1), (0, Fraction(-1, 2)))
    assert t.positions == ((0, 0), (0, Fraction(1, 2)))
    head = t.layers[0].heads[0]
    assert (head.K, head.Q, head.phi) == (((0, 0),), ((0, 0),), (0, 1))
    assert head.V[1] == (Fraction(3, 2), 0)
    assert t.layers[0].mlp.A == ((1, 1),)
    assert t.layers[0].mlp.b == (1,)
    assert t.layers[0].mlp.B == ((1,), (0,))
    assert [layer.mlp.activation for layer in t.layers] == [(Activation.RELU,), (Activation.HEAVISIDE,)]
    assert t.unembedding == ((1, 0), (0, 1))
    assert all(type(x) is Fraction for row in (*t.embedding, *t.positions, head.phi) for x in row)


HEAD, MLP = ["layers", 0, "heads", 0], ["layers", 0, "mlp"]

REFUSALS = [
    ([], ["format"], REMOVED, r"format is missing; expected the keys format, alphabet"),
    ([], ["presicion"], 1, r"presicion is an unknown key; .*did you mean 'precision'\?"),
    ([], ["accept"], REMOVED, r"accept is missing"),
    ([], ["alphabet"], ["a", 1], r"alphabet\[1\] = 1; expected a text"),
    ([], ["alphabet"], [], r"alphabet = \[\]; expected at least one symbol"),
    (["embedding"], ["b"], REMOVED, r"embedding\.b is missing; expected the keys \$, a, b"),
    (["embedding"], ["a"], [0], r'embedding\["a"\] has 1 entries; expected 2'),
    (HEAD, ["V"], [[0, 0], [0, 0, 0]], r"layers\[0\]\.heads\[0\]\.V\[1\] has 3 entries; expected 2"),
    (MLP, ["activation"], ["gelu"], r'mlp\.activation\[0\] = "gelu"; expected "heaviside" or "relu"'),
    (["embedding"], ["a"], [0, 0.5], r'embedding\.a\[1\] = 0\.5; expected an integer or a text "a/b"'),
    (["positions", 1], [1], "1/4", r"positions\[1\]\[1\] = 1/4; expected a multiple of 2\^-1"),
    ([*HEAD, "V", 1], [0], " 1/2", r'heads\[0\]\.V\[1\]\[0\] = " 1/2"; expected an integer or a text'),
    ([*HEAD, "phi"], [1], "1/8", r"layers\[0\]\.heads\[0\]\.phi\[1\] = 1/8; expected a multiple of 2\^-1"),
    ([], ["unembedding"], [[1, 0, 0]], r"unembedding\[0\] has 3 entries; expected 2"),
    (["accept"], ["treshold"], 0, r"accept\.treshold is an unknown key; .*did you mean 'threshold'\?"),
]


@pytest.mark.parametrize(("place", "key", "value", "message"), REFUSALS)
def test_refuses_one_broken_rule_and_names_file_and_key(place, key, value, message):
    with pytest.raises(HypothesisFormatError, match=r"^net\.json: .*" + message) as caught:
        load(changed([*place, *key], value))
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("net.json") == 1


@pytest.mark.parametrize("number", [str(1 << 256), '"1/' + "1" * 5000 + '"', '"' + "1" * 5000 + '/1"'])
def test_refuses_numbers_that_would_explode(number):
    text = json.dumps(VALID).replace('"a": [0, 1]', f'"a": [0, {number}]')
    message = r"embedding\.a\[1\] = .*; expected an integer .* of at most 256 bits"
    with pytest.raises(HypothesisFormatError, match=message):
        json_format.loads(text, "net.json")


@given(data=st.data())
def test_round_trip(dense_transformers, data):
    transformer = data.draw(dense_transformers)
    text = json_format.dumps(transformer)
    assert json_format.loads(text) == transformer
    assert json_format.dumps(json_format.loads(text)) == text
    content = json_format.to_json_object(transformer)
    assert json_format.NET.read(content) == transformer
    assert json.loads(text) == content
    schemas = json_format.build_net_schemas()
    Draft202012Validator({"$ref": "#/$defs/NetFile", "$defs": schemas}).validate(content)


@given(data=st.data())
def test_round_trip_of_networks(networks, data):
    dense = data.draw(networks).to_dense()
    assert json_format.loads(json_format.dumps(dense)) == dense


def test_text_is_readable_and_fixed():
    check("hypothesis.json", json_format.dumps(load(VALID)))
