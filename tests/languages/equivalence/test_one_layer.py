"""One layer on all words: proofs against joint reachability, differences to their least length."""

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.languages.equivalence.comparison import find_first_difference
from idinf.languages.equivalence.conditions import Conditions, WordSlice
from idinf.languages.equivalence.dense import DenseMachine, accepts
from idinf.languages.equivalence.one_layer import (
    build_condition_of_hypothesis,
    build_condition_of_program,
    compare_one_layer,
    has_one_layer,
)
from idinf.nets import reference
from idinf.nets.limit_transformer import LimitTransformer
from tests.asked_for import few
from tests.languages.equivalence.languages_by_words import (
    accepted,
    holds_on,
    program,
    random_dense,
    random_one_layer,
)
from tests.search.random_nets import random_net
from tests.search.word_by_word import random_family_net


def as_machine(side):
    return DenseMachine(side) if isinstance(side, LimitTransformer) else side


def check(one, other, length):
    """A verdict against joint reachability; what kind it was."""
    verdict = compare_one_layer(one, other)
    found = find_first_difference(as_machine(one), as_machine(other), length, 200_000)
    if verdict is True:
        assert found is None
    elif verdict is not False:
        assert accepts(one, verdict) != accepts(other, verdict)
        assert len(verdict) > length if found is None else len(verdict) == len(found)
    return verdict if isinstance(verdict, bool) else "different"


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("symbols", "periodic", "length"), [("ab", False, 24), ("ab", True, 16), ("abc", False, 12)]
)
def test_random_programs(symbols, periodic, length):
    rng = np.random.default_rng([81, len(symbols), periodic])
    kinds = []
    for _ in range(few(6, 12)):
        text = random_one_layer(rng, symbols, periodic)
        one, other = program(text, symbols), program(random_one_layer(rng, symbols, periodic), symbols)
        kinds.append(check(one, other, length))
        # The same language in other words: scaled, and with a part that is never true.
        same = text.replace("x = ", "y = ") + f'\nx = y || # "{symbols[0]}" + 1 <= 0 - # "{symbols[1]}"'
        kinds.append(check(one, program(same, symbols), length))
    assert {True, "different"} <= set(kinds)
    assert kinds.count(False) < 5


def test_random_hypotheses():
    rng = np.random.default_rng(82)
    kinds = []
    for _ in range(few(7, 15)):
        one, other = (
            random_net(rng, 2, (int(rng.integers(1, 3)),), int(rng.integers(0, 2))) for _ in range(2)
        )
        kinds.append(check(one.to_dense(), other.to_dense(), 20))
        kinds.append(check(one.to_dense(), program('x = 2 * # "a" > # "b"'), 20))
    assert "different" in kinds
    assert False not in kinds


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ('x = # "1" >= # "0"', 'x = 2 * # "1" > 2 * # "0" - 1', True),
        ('x = # "1" > # "0"', 'x = 101 * # "1" > 100 * # "0"', 2),
        ('x = # "1" >= # "0"', 'x = 101 * # "1" >= 100 * # "0"', 201),
        ('x = # "0" == 1 && 2 * # "1" == 3 * # "0"', "x = # true < 0", True),
        ("x = # (i mod 2 == 1) - # (i mod 2 == 0) == 0", "x = i mod 2 == 0", True),
        ('x = # (i mod 2 == 0 && "0") >= 4', "x = # true < 0", 8),
        ('x = (# "1" if "1" else # "0") > 9', 'x = "1" && # "1" > 9 || "0" && # "0" > 9', True),
        ("x = # true >= 0", "x = # true > 0", 0),
    ],
)
def test_planted_pairs(one, other, same):
    sides = program(one, "01"), program(other, "01")
    for pair in (sides, sides[::-1]):
        verdict = compare_one_layer(*pair)
        assert verdict is True if same is True else len(verdict) == same


@pytest.mark.parametrize(
    "text", ['v = # "a" < # "b" x = # v == 0', 'x = #[j = i-1] "a" >= 1', "x = i mod 30 == 0"]
)
def test_more_than_one_layer_is_left_alone(text):
    other = program('x = # "a" <= # "b"') if accepts(program(text), ()) else program("x = # true > 3")
    assert compare_one_layer(program(text), other) is False
    assert compare_one_layer(other, program(text)) is False


# Nets of one layer as conditions on counts, against the reference on all words up to a length


@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(8))
def test_random_nets(seed):
    """ReLU units, periods and several heads among them."""
    rng = np.random.default_rng([111, seed])
    size = int(rng.integers(1, 3))
    net = random_dense(rng, size, 1, int(rng.integers(0, 3)))
    if seed >= 6:
        net = random_family_net(rng, size, (2,), 1, 3, kinds=("uniform",)).to_dense()
    assert has_one_layer(net)
    modulus = net.period * int(rng.integers(1, 3))
    for word in words_up_to(size, 6 if size == 1 else 4):
        if word:
            part, conditions = WordSlice(size, modulus, word[-1], len(word) % modulus), Conditions()
            condition = build_condition_of_hypothesis(net, part, conditions)
            assert holds_on(condition, conditions, part, word) == reference.accepts(net, word), word


# Programs of one layer as conditions on counts, against the programs on all words up to a length


def check_programs(target, modulus, length):
    symbols = len(target.alphabet)
    for word in words_up_to(symbols, length):
        if word:
            part, conditions = WordSlice(symbols, modulus, word[-1], len(word) % modulus), Conditions()
            condition = build_condition_of_program(target.circuit, part, conditions)
            assert condition is not None
            assert holds_on(condition, conditions, part, word) == accepted(target, word), word


@pytest.mark.thinned(9)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("periodic", "modulus"), [(False, 1), (True, 2), (True, 4)])
def test_random_pairs_of_programs(seed, periodic, modulus):
    rng = np.random.default_rng([101, seed, modulus])
    check_programs(program(random_one_layer(rng, "ab", periodic)), modulus, 5)
