"""Counting machines equal the interpreter on random programs; states are counters and stay few."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idinf.crasp.batch import lay_out_words
from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import compute_labels
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.words import Alphabet, words_up_to

SIGMA = Alphabet(("a", "b"))


def target(text: str, alphabet: Alphabet = SIGMA) -> CountingTarget:
    return CountingTarget(read_program(text, alphabet), alphabet)


def reachable(machine: CountingTarget, length: int) -> set[tuple[int, ...]]:
    """Distinct states over all words up to a length."""
    states = machine.start()
    seen = {tuple(row) for row in states.tolist()}
    for _ in range(length):
        after = [machine.step(states, symbol) for symbol in range(len(machine.alphabet))]
        states = np.unique(np.concatenate(after), axis=0)
        seen |= {tuple(row) for row in states.tolist()}
    return seen


# Random programs: every construct, expressions of depth at most 3, names of earlier operations.

SMALL = st.integers(0, 3).map(str)
RELATIONS = st.sampled_from(["==", "!=", "<=", "<", ">=", ">"])
PREDICATES = st.builds(
    lambda relation, k: f"[j {relation} i-{k}]", st.sampled_from(["=", "==", ">=", ">"]), st.integers(0, 3)
)


def booleans(depth: int, names: tuple[str, ...], counts: tuple[str, ...]) -> st.SearchStrategy[str]:
    leaf = st.sampled_from(['"a"', '"b"', "true", "false", "(i mod 2 == 1)", "(i mod 3 == 0)", *names])
    if depth == 0:
        return leaf
    inner = booleans(depth - 1, names, counts)
    number = count_expressions(depth - 1, names, counts)
    return st.one_of(
        leaf,
        st.builds("(!{})".format, inner),
        st.builds("({} && {})".format, inner, inner),
        st.builds("({} || {})".format, inner, inner),
        st.builds("({} {} {})".format, number, RELATIONS, number),
    )


def count_expressions(depth: int, names: tuple[str, ...], counts: tuple[str, ...]) -> st.SearchStrategy[str]:
    leaf = st.one_of(SMALL, st.sampled_from(['# "a"', '# "b"', *counts]))
    if depth == 0:
        return leaf
    boolean = booleans(depth - 1, names, counts)
    inner = count_expressions(depth - 1, names, counts)
    return st.one_of(
        leaf,
        st.builds("# {}".format, boolean),
        st.builds("#{} {}".format, PREDICATES, boolean),
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} - {})".format, inner, inner),
        st.builds("(-{})".format, inner),
        st.builds("({} * {})".format, SMALL, inner),
        st.builds("({} * {})".format, inner, SMALL),
        st.builds("({} if {} else {})".format, inner, boolean, inner),
        st.builds("min({}, {})".format, inner, inner),
        st.builds("max({}, {})".format, inner, inner),
    )


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines, names, counts = [], (), ()
    for k in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            lines.append(f"p{k} = {draw(booleans(2, names, counts))}")
            names = (*names, f"p{k}")
        else:
            lines.append(f"c{k} = {draw(count_expressions(2, names, counts))}")
            counts = (*counts, f"c{k}")
    lines.append(f"x = {draw(booleans(3, names, counts))}")
    return "\n".join(lines)


@pytest.mark.thinned(6)
@pytest.mark.parametrize(
    "text",
    [
        'x = #[j = i-2] "a" == 1',
        'x = #[j = i-2] "a" + #[j = i-1] "a" == 1',
        'x = #[j >= i-3] "a" - #[j > i-2] "a" >= 1',
        'x = #[j = i] !"a" == 0',
        'x = # (#[j = i-1] "a" == 1 && "b") >= 2',
        'p = # "a" < # "b" x = #[j = i-2] p + # p >= 2',
        'x = max(# "a" - # "b", 0) == 1 && min(# "a", 2) != 1',
        'x = (# "a" if (i mod 2 == 0) else -# "b") > -2',
        'n = # true ones = # "a" - (1 if "a" else 0) x = ones == n - 1 || n == 0',
        'x = 3 * # "a" - 2 * # "b" != 1 y = -2 * # "a" < -3 z = x && y',
    ],
)
def test_chosen_programs_equal_the_interpreter(text: str) -> None:
    check_against_interpreter(text, 7)


@given(programs())
def test_the_machine_equals_the_interpreter(text: str) -> None:
    check_against_interpreter(text, 5)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(programs())
def test_the_machine_equals_the_interpreter_on_many_programs(text: str) -> None:
    check_against_interpreter(text, 7)


def check_against_interpreter(text: str, length: int) -> None:
    program = read_program(text, SIGMA)
    machine = CountingTarget(program, SIGMA)
    states = machine.start()  # rows: all words of one length, in shortlex order
    for n in range(length + 1):
        words = lay_out_words(list(product(range(2), repeat=n)))
        assert machine.labels(states).tolist() == compute_labels(program, SIGMA, words).tolist()
        # Row r of the next block extends word r // 2 by symbol r % 2.
        states = np.stack([machine.step(states, symbol) for symbol in (0, 1)], axis=1).reshape(
            -1, states.shape[1]
        )


@given(programs())
def test_a_block_of_states_steps_like_its_rows(text: str) -> None:
    machine = target(text)
    states = np.array(sorted(reachable(machine, 3)), dtype=np.int64)
    for symbol in (0, 1):
        together = machine.step(states, symbol)
        assert together.dtype == np.int64
        assert together.shape == states.shape
        alone = [machine.step(states[k : k + 1], symbol)[0].tolist() for k in range(len(states))]
        assert together.tolist() == alone
        assert machine.labels(together).tolist() == [row[-1] == 1 for row in alone]
    assert machine.step(states[:0], 0).shape == (0, states.shape[1])


@pytest.mark.slow
@settings(max_examples=20)
@given(programs())
def test_equal_states_have_equal_futures(text: str) -> None:
    program = read_program(text, SIGMA)
    machine = CountingTarget(program, SIGMA)
    futures: dict[tuple[int, ...], tuple[bool, ...]] = {}
    for word in words_up_to(2, 4):
        state = machine.start()
        for symbol in word:
            state = machine.step(state, symbol)
        longer = lay_out_words([word + more for more in words_up_to(2, 2)])
        future = tuple(compute_labels(program, SIGMA, longer).tolist())
        assert futures.setdefault(tuple(state[0].tolist()), future) == future


@pytest.mark.parametrize(
    ("text", "num_states"),
    [
        ('x = # "a" >= 3', 4),
        ('x = # "a" <= 3', 5),
        ('x = # "a" == 3', 5),
        ('x = # "a" + # "b" < 2', 3),
        ('x = # "a" >= 2 y = # "a" >= 4 z = x && !y', 5),
        ("x = (i mod 3 == 1)", 3),
        ('x = #[j = i-1] "a" == 1', 4),
        ('x = (1 if "a" else 0) == 1', 2),
    ],
)
def test_number_of_states_up_to_length_12(text: str, num_states: int) -> None:
    assert len(reachable(target(text), 12)) == num_states


def test_large_coefficients_stay_exact() -> None:
    machine = target(f'x = {2**40 - 1} * # "a" > {2**39} * # "b"')
    assert accepts(machine, (0, 1, 1)) is (2**40 - 1 > 2**40)
    assert accepts(machine, (0,) * 500 + (1,) * 999) is (500 * (2**40 - 1) > 999 * 2**39)
