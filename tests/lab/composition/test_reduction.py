"""Transformers as protocols: every activation, number and count, beside the whole forward pass."""

import random
from dataclasses import replace

import pytest

from idinf.base.linear_algebra import multiply
from idinf.errors import CompositionError
from idinf.lab.communication.protocol import BitReader
from idinf.lab.composition.protocol import Knowledge, simulate
from idinf.lab.composition.reduction import NumberFormat, PlayerSizes, find_head_dimension, reduce
from idinf.nets import reference
from tests.lab.communication.test_protocol import dense
from tests.nets.ordinary.nets import compiled, random_net
from tests.translate.compilation.random_hypotheses import random_hypothesis


def draw_places(rng, players, tokens):
    cuts = sorted(rng.sample(range(1, tokens), players - 1))
    return PlayerSizes(tuple(b - a for a, b in zip((0, *cuts), (*cuts, tokens), strict=True)))


def draw_net(kind, seed):
    """A net of either class: averages of averages and ReLU, φ with periods, or learned positions."""
    if kind == "dense":
        return dense(seed)
    if kind == "one-hot":
        return random_hypothesis(seed, matrices=0.5).to_dense()
    return random_net(random.Random(seed), p=1, context=7)


def numbers_of_the_definition(net, word, places):
    """For each epoch, sender and receiver: per head that writes, per token of i, Σ w and Σ w (V y)_r."""
    whole = reference.trace(net, word)
    streams = [whole.inputs, *(layer.outputs for layer in whole.layers)]
    told = {}
    for epoch, (layer, trace) in enumerate(zip(net.layers, whole.layers, strict=True), start=1):
        for i, asked in places.of.items():
            for j, own in places.of.items():
                if j <= i:
                    continue
                numbers = []
                for head, weights in zip(layer.heads, trace.heads, strict=True):
                    written = [r for r in range(net.width) if any(head.V[r])]
                    for query in asked if written else ():
                        row = weights.weights[query]
                        numbers.append(sum(row[key] for key in own))
                        for r in written:
                            values = [multiply(head.V, streams[epoch - 1][key])[r] for key in own]
                            numbers.append(sum(row[key] * v for key, v in zip(own, values, strict=True)))
                told[epoch, j, i] = numbers
    return told


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["dense", "one-hot", "ordinary"])
def test_messages_are_the_sums_and_every_activation_is_equal(kind, seed):
    net, rng = draw_net(kind, seed), random.Random(seed)
    tokens = min(7, getattr(net, "context", 7))
    word = tuple(rng.randrange(len(net.alphabet)) for _ in range(tokens - 1))
    places = draw_places(rng, net.depth + 2, tokens)
    run = reduce(net, word, places)
    assert run.equal
    assert run.compared == sum(
        tokens * (2 * net.width + len(layer.mlp.b)) for layer in net.layers
    )  # mixed and outputs at every position, and the units
    wanted, form = numbers_of_the_definition(net, word, places), run.protocol.form
    assert {(m.epoch, m.sender, m.receiver) for m in run.transcript.messages} == set(wanted)
    assert form == NumberFormat.of(number for numbers in wanted.values() for number in numbers)
    B = net.num_heads * find_head_dimension(net) * form.bits
    for m in run.transcript.messages:
        numbers = wanted[m.epoch, m.sender, m.receiver]
        reader = BitReader(m.bits)
        assert [form.read(reader) for _ in numbers] == numbers
        assert len(m.bits) == len(numbers) * form.bits <= m.room
        assert m.room == 2 * B * len(places.of[m.receiver])


@pytest.mark.parametrize("word", ["", "0", "0110", "10100"])
def test_the_answer_is_the_verdict(word):
    net = compiled("majority")
    codes = net.alphabet.encode(word)
    if len(codes) + 1 < 3:
        with pytest.raises(CompositionError, match="expected at least 3, one for each of the players"):
            reduce(net, codes)
        return
    assert reduce(net, codes).transcript.answer == reference.accepts(net, codes)


def test_a_changed_message_is_noticed():
    """The players compute from the bits: another bit gives other activations."""
    word = (1, 1, 1, 0)
    run = reduce(compiled("majority"), word, PlayerSizes((3, 1, 1)))
    own = run.protocol.places.inputs(word)[-1]
    heard = {(m.epoch, m.sender): m.whole for m in run.transcript.messages if m.receiver == -1}
    changed = {**heard, (1, 1): "1" + heard[1, 1][1:]}
    assert changed != heard
    traces = [run.protocol.trace(-1, Knowledge(own, each)) for each in (heard, changed)]
    assert traces[0] != traces[1]


def test_a_number_that_does_not_fit_is_refused():
    net, word = compiled("majority"), (0, 1, 1, 0)
    run = reduce(net, word)
    narrow = replace(run.protocol, form=NumberFormat(0, 1, 0))
    with pytest.raises(ValueError, match="does not fit"):
        simulate(narrow, run.protocol.places.inputs(word))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((2, 1, 1), "players have 4 tokens; expected 5"),
        ((3, 2), "expected 3 numbers of tokens, for players 1..-1 of a net of 1 layer"),
        ((5, 0, 0), "expected at least 1 token for each"),
    ],
)
def test_players_that_do_not_fit(sizes, message):
    with pytest.raises(CompositionError, match=message):
        reduce(compiled("majority"), (0, 1, 1, 0), PlayerSizes(sizes))
