"""Counting machines equal the interpreter on random programs; states are counters and stay few."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.targets.counting import CountingTarget
from tests.translate.compilation.deep_programs import deep_program

SIGMA = Alphabet(("a", "b"))


#: Random programs: every construct, names of earlier operations.
PROGRAMS = st.integers(0, 2**32).map(deep_program)


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


@given(PROGRAMS)
def test_the_machine_equals_the_interpreter(text: str) -> None:
    check_against_interpreter(text, 5)


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
