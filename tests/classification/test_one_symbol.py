"""Programs over one symbol are regular, whatever they nest and compare."""

from __future__ import annotations

import pytest

from idinf.classification.finite import find_one_symbol_machine
from idinf.crasp.checker import read_program
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from idinf.words import Alphabet

A = Alphabet(("a",))


def target(text: str) -> CountingTarget:
    return CountingTarget(read_program(text, A), A)


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
def test_the_machine_accepts_what_the_program_accepts(text: str) -> None:
    program = target(text)
    machine = find_one_symbol_machine(program, 100)
    assert machine is not None
    for n in range(90):
        assert accepts(machine, (0,) * n) == accepts(program, (0,) * n), n
