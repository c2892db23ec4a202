"""Programs that count to constants are regular; their machines accept what the programs accept."""

import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import read_program
from idinf.languages.classification.finite import find_finite_machine, find_one_symbol_machine
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts

A, AB = Alphabet(("a",)), Alphabet(("a", "b"))


@pytest.mark.parametrize(
    "text",
    [
        'accept = # "a" >= 3',
        'accept = #[j == i - 2] "a" >= 1',
        'accept = # ("a" && # "b" >= 1) >= 2',
        "accept = true",
    ],
)
def test_the_machine_accepts_what_the_program_accepts(text: str) -> None:
    target = CountingTarget(read_program(text, AB), AB)
    machine = find_finite_machine(target)
    assert machine is not None
    assert all(accepts(machine, word) == accepts(target, word) for word in words_up_to(2, 7))


@pytest.mark.thinned(8)
@pytest.mark.parametrize(
    "text",
    [
        'few = # "a" < 5\naccept = 3 * # few >= 2 * # "a"',
        'odd = i mod 2 == 1\naccept = 2 * # odd > # "a"',
        'odd = i mod 2 == 1\nmore = 3 * # odd >= # "a" + 4\naccept = # more < 6 || # more >= # "a" - # odd',
        'third = i mod 3 == 0\naccept = 3 * # third == # "a" && #[j = i-4] third >= 1',
        'accept = # "a" - # "a" == 0',
        'accept = #[j = i-3] (2 * # "a" > 7 + # true) == 1',
        "accept = i mod 4 == 0",
    ],
)
def test_programs_over_one_symbol_are_regular_whatever_they_compare(text: str) -> None:
    program = CountingTarget(read_program(text, A), A)
    machine = find_one_symbol_machine(program, 100)
    assert machine is not None
    assert all(accepts(machine, (0,) * n) == accepts(program, (0,) * n) for n in range(90))
