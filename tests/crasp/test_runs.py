"""Programs on words of runs, against the plain interpreter; lengths with parameters; free runs."""

import random
from itertools import product

import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.crasp.runs import (
    DependentRun,
    FreeRun,
    Indivisible,
    Region,
    accepts_runs,
    is_everywhere,
    read_runs,
    value_at,
)
from tests.asked_for import few
from tests.crasp.plain_interpreter import accepts, table
from tests.crasp.test_eventual import boolean, counted

SIGMA = Alphabet(("a", "b"))


def random_program(rng: random.Random, depth: int):
    x, y, last = counted(rng, depth), boolean(rng, depth), boolean(rng, depth + 1)
    return read_program(f"x = {x} y = {y} accept = (# y >= x) || {last}", SIGMA)


def word_of(runs: list[tuple[str, int]]) -> tuple[int, ...]:
    return tuple(SIGMA.symbols.index(symbol) for symbol, number in runs for _ in range(number))


def test_random_programs_on_runs() -> None:
    rng = random.Random(5)
    for _ in range(few(60, 400)):
        program = random_program(rng, 3)
        runs = [(rng.choice("ab"), rng.randint(1, 7)) for _ in range(rng.randint(1, 4))]
        judge, size = table(program, SIGMA, word_of(runs)), sum(number for _, number in runs)
        for name, pieces in read_runs(program, runs).table.items():
            assert [value_at(pieces, i) for i in range(size + 1)] == list(map(int, judge[name])), (runs, name)


def test_random_programs_on_runs_with_parameters() -> None:
    """One reading with lengths i and i + d says what every word says."""
    rng, whole = random.Random(6), 0
    for _ in range(few(12, 200)):
        program = random_program(rng, 2)
        region = Region(((-rng.randint(1, 9), 1, 0), (-1, 0, 1)))

        def right(part: Region) -> bool:
            i, d = part.parameters
            answer = accepts_runs(program, [("a", i + d), ("b", i), ("a", 2)])  # noqa: B023
            words = [
                ("a" * (x + y) + "b" * x + "aa")
                for x, y in product(range(1, 10), repeat=2)
                if all(row[0] + row[1] * x + row[2] * y >= 0 for row in part.rows)
            ]
            return all(accepts(program, SIGMA, SIGMA.encode(word)) == answer for word in words)  # noqa: B023

        try:
            assert is_everywhere(region, right)
            whole += 1
        except Indivisible:
            pass
    assert whole > few(6, 120)


def test_free_runs_against_all_orders() -> None:
    rng, decided = random.Random(7), 0
    for _ in range(few(150, 600)):
        first, second = rng.choice("ab"), rng.choice("ab")
        text = (
            f'bad = # "a" + {rng.randint(-3, 3)} < # "b" late = "a" && # "{first}" > {rng.randint(0, 3)} '
            f'accept = # bad <= {rng.randint(0, 2)} && # late >= # "{second}" - {rng.randint(0, 4)}'
        )
        program = read_program(text, SIGMA)
        ones, others, before = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 4)
        x, y = Region(((0, 1, 0), (ones, -1, 0), (0, 0, 1), (others, 0, -1))).parameters
        runs = [(first, before), FreeRun(("a", "b"), (ones, others), (x, y)), (second, 3)]
        try:
            answer = accepts_runs(program, runs)
        except DependentRun:
            continue
        decided += 1
        for free in product("ab", repeat=ones + others):
            if free.count("a") == ones:
                word = first * before + "".join(free) + second * 3
                assert accepts(program, SIGMA, SIGMA.encode(word)) == answer, (text, word)
    assert decided > few(20, 80)


def test_a_wrong_answer_somewhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    region = Region(((0, 1),))
    assert is_everywhere(region, lambda part: 3 * part.parameters[0] <= 3000 or part.parameters[0] >= 1001)
    assert not is_everywhere(region, lambda part: part.parameters[0] < 1000 or part.parameters[0] >= 1001)
    monkeypatch.setattr("idinf.crasp.runs.MAX_PARTS", 0)
    assert not is_everywhere(region, lambda part: part.parameters[0] >= 1000 or True)
