"""Programs over one symbol: every piece against the interpreter on long words."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import compute_values
from idinf.crasp.programs import list_names, load
from idinf.crasp.runs import compute_eventual_values
from tests.crasp.plain_interpreter import table

SIGMA = Alphabet(("a", "b"))


def of(text: str, symbol: str = "a"):
    return compute_eventual_values(read_program(text, SIGMA), symbol)


def boolean(rng: random.Random, depth: int) -> str:
    """A random Boolean without moduli."""
    if depth == 0:
        return rng.choice(['"a"', '"b"', "true", "false", "(i mod 1 == 0)"])
    kind = rng.randrange(5)
    if kind == 0:
        return f"!({boolean(rng, depth - 1)})"
    if kind in (1, 2):
        joined = rng.choice(["&&", "||"])
        return f"({boolean(rng, depth - 1)} {joined} {boolean(rng, depth - 1)})"
    relation = rng.choice(["==", "!=", "<=", "<", ">=", ">"])
    return f"({counted(rng, depth - 1)} {relation} {counted(rng, depth - 1)})"


def counted(rng: random.Random, depth: int) -> str:
    """A random count."""
    if depth == 0:
        return str(rng.randrange(9))
    kind = rng.randrange(7)
    one, other = counted(rng, depth - 1), counted(rng, depth - 1)
    match kind:
        case 0 | 1:
            where = rng.choice(["", "", "[j = i-1]", "[j >= i-2]", "[j > i-3]", "[j > i]"])
            return f"#{where} ({boolean(rng, depth - 1)})"
        case 2:
            return f"({one} {rng.choice('+-')} {other})"
        case 3:
            return f"({rng.randrange(-3, 4)} * {one})"
        case 4:
            return f"(-{one})"
        case 5:
            return f"({one} if {boolean(rng, depth - 1)} else {other})"
        case _:
            return f"{rng.choice(['min', 'max'])}({one}, {other})"


@given(st.randoms(use_true_random=False))
def test_random_programs_of_any_depth(rng: random.Random) -> None:
    text = f"x = {counted(rng, 4)} y = {boolean(rng, 4)} accept = (# y >= x) || {boolean(rng, 5)}"
    program = read_program(text, SIGMA)
    for code, symbol in enumerate(SIGMA.symbols):
        judge = table(program, SIGMA, (code,) * 40)
        for value in compute_eventual_values(program, symbol):
            assert tuple(value.at(n) for n in range(41)) == tuple(map(int, judge[value.name])), text
            assert_least(value)


def assert_least(value) -> None:
    """Linear from `since` on, and not from the position before."""
    last, before = value.pieces[-1], value.since - 1
    assert all(value.at(n) == last.at(n) for n in range(value.since, last.start + 3))
    assert before < 0 or value.at(before) != last.at(before)


@pytest.mark.parametrize("name", [name for name in list_names() if load(name).facts.period == 1])
def test_every_shipped_program_is_constant_exactly_from_since_on(name: str) -> None:
    loaded = load(name)
    alphabet = loaded.alphabet()
    for code, symbol in enumerate(alphabet.symbols):
        last = compute_eventual_values(loaded.program, symbol)[-1]
        answers = compute_values(loaded.program, alphabet, (code,) * 200)[-1].at
        assert [last.at(n) for n in range(201)] == list(answers)
        assert last.since == max((n for n in range(1, 201) if answers[n] != answers[n - 1]), default=0)
