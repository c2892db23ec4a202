"""DFAs of programs that compare counts and see thresholds only, against the programs on words."""

from __future__ import annotations

import random

import pytest

from idinf.base.words import words_up_to
from idinf.languages.classification.ac0 import find_change_in_the_middle
from idinf.languages.classification.finite import build_threshold_machine
from idinf.targets.machine import accepts
from tests.languages.classification.test_symmetric import answers, random_text, target


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ('# "0" - # "1" >= 0 && # "1" - # "0" >= 5', 1),
        ('# "0" >= # "1" || # "1" > # "0"', 1),
        ('# "0" + # "1" <= 2 && # "0" >= # "1"', 5),
        ('"1" && (# "0" >= # "1" + 1 || # "1" > # "0" - 1)', 2),
        ('# "0" == # "1"', None),
        ('# "0" == # "1" + 1000', None),
        ('# "0" <= 2 * # "1"', None),
    ],
)
def test_sizes(text: str, states: int | None) -> None:
    machine = build_threshold_machine(target(text), 2000)
    assert (None if machine is None else len(machine.table)) == states


@pytest.mark.slow
def test_random_programs_have_a_change_or_a_machine() -> None:
    rng, machines = random.Random(73), 0
    for _ in range(50):
        text = random_text(rng)
        program = target(text)
        machine = build_threshold_machine(program, 2000)
        if machine is None:
            continue
        machines += 1
        assert find_change_in_the_middle(program) is None
        words = list(words_up_to(2, 7))
        for _ in range(20):
            rates = rng.random() + 0.1, rng.random() + 0.1
            words.append(tuple(rng.choices((0, 1), rates, k=rng.randint(8, 60))))
        assert [accepts(machine, word) for word in words] == answers(program, words), text
    assert machines > 5
