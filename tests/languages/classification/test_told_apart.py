"""Powers told apart, padded words: proofs against single words, planted faults."""

import random
from dataclasses import replace

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.languages.classification.ac0 import find_padded_change, measure_growth
from idinf.languages.classification.finite import find_finite_machine
from idinf.languages.classification.told_apart import PumpedWords, SeparatedWords, find_powers_told_apart
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import accepts
from tests.asked_for import few
from tests.languages.classification.test_symmetric import random_text

ABC, AB, SIGMA = Alphabet(("a", "b", "c")), Alphabet(("a", "b")), Alphabet(("0", "1"))
DYCK = 'bad = # "a" < # "b" accept = # "a" == # "b" && # bad == 0'
ABC_N = (
    'late_a = "a" && # "b" + # "c" >= 1 late_b = "b" && # "c" >= 1 '
    'accept = # (late_a || late_b) == 0 && # "a" == # "b" && # "b" == # "c"'
)


def target(text: str, alphabet: Alphabet) -> CountingTarget:
    return CountingTarget(read_program(text, alphabet), alphabet)


def word_of(found: SeparatedWords, alphabet: Alphabet, j: int, i: int) -> tuple[int, ...]:
    runs = found.kind.runs(j, i)
    return tuple(alphabet.symbols.index(x) for x, number in runs for _ in range(number * found.repeated))


def check(program: CountingTarget, found: SeparatedWords, most: int = 3) -> None:
    """All the words with small numbers, by the step machine."""
    m = found.multiple
    if found.least > 100:
        return
    first = -(-found.least // m) * m
    for d in range(first, first + most * m, m):
        start = -(-(found.least + found.times * d) // m) * m
        for i in range(start, start + most * m, m):
            assert accepts(program, word_of(found, program.alphabet, i, i)) == found.accepted
            assert accepts(program, word_of(found, program.alphabet, i + d, i)) != found.accepted


def test_random_programs_that_are_not_regular() -> None:
    rng, found, open_ = random.Random(31), 0, 0
    for _ in range(few(3, 150)):
        program = target("accept = " + random_text(rng, (2, 3) if rng.random() < 0.4 else ()), SIGMA)
        powers = find_powers_told_apart(program.program, SIGMA)
        if powers is not None:
            check(program, powers)
            found += 1
            assert find_finite_machine(program, 200) is None  # no DFA decides it
        else:
            open_ += 1
    assert found > few(1, 40)
    assert open_ > few(0, 30)


@pytest.mark.parametrize(
    ("text", "alphabet", "told"),
    [
        (DYCK, AB, "a^i and a^j, 0 < i < j, are told apart by b^i"),
        (ABC_N, ABC, "a^i and a^j, 0 < i < j, are told apart by b^i c^i"),
        ('accept = 2 * # "b" == 3 * # "a"', AB, "a^(2i) and a^(2j), 0 < i < j, are told apart by b^(3i)"),
        ('x = # "a" accept = x - # "b" <= 5 && # "b" - x <= 5', AB, None),
        ('accept = # ("a" && i mod 2 == 0) == # "b"', AB, None),
        ('accept = # "a" == # "b" || # "a" > 2 * # "b" || # "b" > 2 * # "a"', AB, None),
        ('half = 2 * # "b" >= # "a" accept = # half >= # "b" + # "a"', AB, None),
    ],
)
def test_known_languages(text: str, alphabet: Alphabet, told: str | None) -> None:
    program = target(text, alphabet)
    found = find_powers_told_apart(program.program, alphabet)
    assert found is not None
    check(program, found)
    if told is not None:
        assert found.told() == told


@pytest.mark.parametrize(
    "wrong",
    [
        {"accepted": False},
        {"kind": PumpedWords(("a", "b"), (1, 2), (0, 0))},
        {"kind": PumpedWords(("a", "b"), (1, 1), (0, 1))},
        {"kind": PumpedWords(("b", "a"), (1, 1), (0, 0))},
    ],
)
def test_wrong_powers_are_no_proof(wrong: dict[str, object]) -> None:
    program = read_program(DYCK, AB)
    found = find_powers_told_apart(program, AB)
    assert found is not None
    assert found.holds_of(program)
    assert not replace(found, **wrong).holds_of(program)


def test_one_wrong_word_among_all_is_seen() -> None:
    program = read_program('x = # "a" == # "b" || (# "a" == 5007 && # "b" == 2007) accept = x', AB)
    found = find_powers_told_apart(program, AB)
    assert found is not None
    assert [replace(found, least=least).holds_of(program) for least in (1, 2007, 2008, found.least)] == [
        False,
        False,
        True,
        True,
    ]


# Not in AC0


@pytest.mark.thinned(6)
@pytest.mark.parametrize("wrong", ["before", "behind", "step", "offset", "accepted"])
def test_wrong_changes_are_no_proof(wrong: str) -> None:
    program = read_program(DYCK, AB)
    change = find_padded_change(program, AB)
    assert change is not None
    assert change.holds_of(program)
    family = change.family
    planted = {
        "before": replace(change, family=replace(family, before="")),  # a prefix may close too much
        "behind": replace(change, family=replace(family, behind="a")),
        "step": replace(change, family=replace(family, step=(2, 1))),
        "offset": replace(change, family=replace(family, offset=1)),
        "accepted": replace(change, accepted=not change.accepted),
    }
    assert not planted[wrong].holds_of(program)


# In AC0


def test_growth_of_random_automata_against_all_words() -> None:
    rng = np.random.default_rng(4)
    for _ in range(few(60, 300)):
        states = int(rng.integers(1, 6))
        drift = np.arange(states)[:, None] * (rng.random() < 0.7)
        table = np.maximum(rng.integers(0, states, (states, 2)), drift)
        accepting = (rng.random(states) < 0.4) & _reached(table)
        growth, counts = measure_growth(table, accepting), np.eye(states, dtype=object)[0]
        sizes = []
        for _ in range(400):
            sizes.append(int(counts[accepting].sum()))
            counts = _moved(counts, table[:, 0]) + _moved(counts, table[:, 1])
        if growth is None:
            assert max(sizes[350:]) > 400**5
        else:
            assert max(sizes) <= 2**states * 400**growth
            assert growth == 0 or max(sizes) > 400 ** (growth - 1) * 2


def _reached(table: np.ndarray) -> np.ndarray:
    """Which states are reached from the first one."""
    reached = np.arange(len(table)) == 0
    for _ in table:
        reached[table[reached]] = True
    return reached


def _moved(counts: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Numbers of words by state after one more symbol."""
    moved = np.zeros(len(counts), dtype=object)
    for state, after in enumerate(column.tolist()):
        moved[after] += counts[state]
    return moved
