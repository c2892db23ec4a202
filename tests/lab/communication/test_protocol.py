"""The protocol against the reference, on nets of the family and on dense ones that no family has."""

import itertools
import random
from fractions import Fraction

import pytest

from idinf.base.words import Alphabet
from idinf.crasp.programs import list_names, load
from idinf.lab.communication.protocol import (
    alice,
    bob,
    exchange,
    list_unbounded_heads,
    prove_bound,
)
from idinf.nets import reference
from idinf.nets.dense import Activation, Head, Layer, Mlp, matrix, vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.translate.compilation.compiler import compile_program
from tests.translate.compilation.random_hypotheses import random_hypothesis

AB = Alphabet(("a", "b"))


def at_most(net, split):
    fields, rest = prove_bound(net)
    return fields * (split + 1).bit_length() + rest


def words(rng, size, lengths):
    return [tuple(rng.randrange(size) for _ in range(n)) for n in lengths]


@pytest.mark.thinned(10)
@pytest.mark.parametrize("name", list_names())
def test_compiled_programs(name: str) -> None:
    loaded = load(name)
    net = compile_program(loaded.program, loaded.alphabet()).to_dense()
    for word in words(random.Random(7), len(net.alphabet), (1, 6, 11)):
        for split in {0, len(word) // 2, len(word)}:
            run = exchange(net, word, split)
            assert run.equal
            assert run.bits <= at_most(net, split)
            assert run.accepted == (reference.accepts(net, word) if split < len(word) else None)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(20))
def test_hypotheses_with_phi_matrices_and_periods(seed: int) -> None:
    net = random_hypothesis(seed, matrices=0.5).to_dense()
    rng = random.Random(seed)
    bits = set()
    for word in words(rng, 2, (0, 1, 4, 9, 9, 9)):
        split = rng.randint(0, len(word)) if len(word) < 9 else 4
        run = exchange(net, word, split)
        assert run.equal
        assert run.bits <= at_most(net, split)
        if len(word) == 9:
            bits.add(run.bits)
    assert len(bits) == 1  # ranges are known beforehand: the length of a message says nothing


def dense(seed: int) -> LimitTransformer:
    """Heads that read averages, ReLU units, negative logits, φ, a period, p = 1."""
    rng = random.Random(seed)
    half = Fraction(1, 2)

    def number() -> Fraction:
        return rng.choice([0, 0, 0, half, -half, Fraction(1), Fraction(-1)])

    def rows(count: int, width: int = 4):
        return matrix([[number() for _ in range(width)] for _ in range(count)])

    def layer() -> Layer:
        heads = tuple(
            Head(rows(2), rows(2), rows(4), vector([number() for _ in range(rng.randrange(4))]))
            for _ in range(rng.randint(1, 2))
        )
        kinds = tuple(rng.choice(list(Activation)) for _ in range(3))
        return Layer(heads, Mlp(rows(3), vector([number() for _ in range(3)]), rows(4, 3), kinds))

    places = matrix([[0, 0, 0, 0], [0, 0, 0, half]])
    return LimitTransformer(AB, 1, rows(3), places, (layer(), layer()), rows(1))


@pytest.mark.thinned(10)
@pytest.mark.parametrize("seed", range(15))
def test_dense_nets_that_mix_averages(seed: int) -> None:
    net = dense(seed)
    assert prove_bound(net) is None
    for word in words(random.Random(seed), 2, (0, 3, 7)):
        for split in range(0, len(word) + 1, 2):
            assert exchange(net, word, split).equal


def test_an_average_of_averages_tells_all_of_the_first_half() -> None:
    """Not rounded, one activation of Bob's can hold m bits: where no bound is claimed there may be none."""

    def copies(source: int, target: int) -> Layer:
        value = matrix([[int((r, c) == (target, source)) for c in range(3)] for r in range(3)])
        uniform = matrix([[0, 0, 0]])
        return Layer((Head(uniform, uniform, value),), Mlp((), (), ((), (), ()), ()))

    embedding = matrix([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    layers = (copies(0, 1), copies(1, 2))
    net = LimitTransformer(AB, 0, embedding, matrix([[0, 0, 0]]), layers, matrix([[0, 0, 1]]))
    assert prove_bound(net) is None
    assert list_unbounded_heads(net) == ((2, 1, "values"),)
    prefixes = list(itertools.product(range(2), repeat=8))
    messages = [alice(net, 9, prefix) for prefix in prefixes]
    last = {bob(net, 9, 8, (0,), message)[-1].outputs for message in messages}
    assert len(set(messages)) == len(last) == 2**8
    assert exchange(net, (*prefixes[77], 0), 8).equal


def test_alice_speaks_before_bob_and_bob_sees_only_bits() -> None:
    loaded = load("contains-ab")
    net = compile_program(loaded.program, loaded.alphabet()).to_dense()
    by_message: dict[tuple[str, ...], set] = {}
    for prefix in itertools.product(range(2), repeat=4):
        messages = alice(net, 6, prefix)
        by_message.setdefault(messages, set()).add(
            tuple(exchange(net, prefix + v, 4).accepted for v in itertools.product(range(2), repeat=2))
        )
    # one message, one behaviour: what Bob answers is a function of the bits
    assert all(len(behaviours) == 1 for behaviours in by_message.values())
    assert len(by_message) < 16


@pytest.mark.parametrize("place", range(5))
def test_every_bit_counts(place: int) -> None:
    """A flipped bit of majority's message is another count, and another activation."""
    loaded = load("majority")
    net = compile_program(loaded.program, loaded.alphabet()).to_dense()
    word = (1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1)
    (message,) = alice(net, 16, word[:8])
    assert len(message) == 5
    flipped = message[:place] + "10"[int(message[place])] + message[place + 1 :]
    right, wrong = bob(net, 16, 8, word[8:], (message,)), bob(net, 16, 8, word[8:], (flipped,))
    assert right[0].outputs == reference.trace(net, word).layers[0].outputs[9:]
    assert right[0].mixed != wrong[0].mixed
