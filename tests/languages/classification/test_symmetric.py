"""A change of value in the middle, against the program itself on words."""

import random
from dataclasses import replace

import pytest

from idinf.base.words import Alphabet, Word
from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.languages.classification.ac0 import Change, SymmetricFamily, find_change_in_the_middle
from idinf.targets.counting import CountingTarget
from tests.asked_for import few

SIGMA = Alphabet(("0", "1"))


def target(text: str, alphabet: Alphabet = SIGMA) -> CountingTarget:
    return CountingTarget(read_program(f"accept = {text}", alphabet), alphabet)


def answers(program: CountingTarget, words: list[Word]) -> list[bool]:
    """What the interpreter says, all words at once."""
    return compute_labels(program.program, program.alphabet, lay_out_words(words)).tolist()


def word_of(family: SymmetricFamily, free: list[int]) -> Word:
    """h(w)z, from the definition."""
    residues = [*range(1, family.modulus), 0]
    blocks = [code if rho == family.place else family.filler for code in free for rho in residues]
    return (*blocks, *(family.last,) * family.modulus)


def check(program: CountingTarget, change: Change, rng: random.Random, most: int = 4) -> None:
    """The answers on words of the family, in some order of the free symbols."""
    family, words, expected = change.family, [], []
    for t in range(most):
        counts = [start + t * step for start, step in zip(change.start, change.step, strict=True)]
        assert min(*change.step, counts[1]) >= 1
        for more in (0, 1):
            free = [family.one] * (counts[0] + more) + [family.other] * (counts[1] - more)
            rng.shuffle(free)
            words.append(word_of(family, free))
            expected.append(change.accepted != bool(more))
    assert answers(program, words) == expected, change


def random_count(rng: random.Random, moduli: tuple[int, ...]) -> str:
    counted = f'"{rng.choice("01")}"'
    if moduli and rng.random() < 0.6:
        modulus = rng.choice(moduli)
        counted = f"({counted} && i mod {modulus} == {rng.randrange(modulus)})"
    return f"{rng.choice((1, 1, 2, 3))} * # {counted}"


def random_text(rng: random.Random, moduli: tuple[int, ...] = ()) -> str:
    def comparison() -> str:
        left, right = (random_count(rng, moduli) for _ in range(2))
        if rng.random() < 0.2:
            right = f"({right} if {left} > {rng.randrange(4)} else {random_count(rng, moduli)})"
        if rng.random() < 0.2:
            left = f"max({left}, {random_count(rng, moduli)})"
        return f"({left} {rng.choice(('>=', '==', '<', '!='))} {right} + {rng.randint(0, 9)})"

    parts = [comparison() for _ in range(rng.randint(1, 3))] + ['"1"'] * (rng.random() < 0.3)
    text = parts[0]
    for part in parts[1:]:
        text = f"({text} {rng.choice(('&&', '||'))} {rng.choice(('', '! '))}({part}))"
    return text


def has_change_near(program: CountingTarget, size: int) -> bool:
    """Whether the value vector changes in its middle third, for some last symbol; by words."""
    places = range(size // 3, 2 * size // 3)
    words = [(0,) * k + (1,) * (size - k) + (last,) for last in (0, 1) for k in places]
    found = answers(program, words)
    return any(len(set(vector)) > 1 for vector in (found[: len(places)], found[len(places) :]))


def test_random_programs_of_two_symbols() -> None:
    rng, found, none = random.Random(71), 0, 0
    for _ in range(few(40, 120)):
        text = random_text(rng)
        program = target(text)
        change = find_change_in_the_middle(program)
        if change is not None:
            check(program, change, rng)
            found += 1
        else:
            none += 1
            assert not has_change_near(program, 60), text
    assert found > few(12, 40)
    assert none > few(6, 20)


def test_random_programs_with_moduli() -> None:
    rng, found = random.Random(72), 0
    for _ in range(few(20, 60)):
        program = target(random_text(rng, (2, 3)))
        change = find_change_in_the_middle(program)
        if change is not None:
            check(program, change, rng)
            found += change.family.modulus > 1
    assert found > few(4, 15)


@pytest.mark.parametrize(
    "wrong", [{"step": (1, 2)}, {"step": (2, 1)}, {"start": (4, 4)}, {"start": (2, 5)}, {"accepted": False}]
)
def test_wrong_changes_are_caught(wrong: dict[str, object]) -> None:
    program = target('# "0" <= # "1"')
    change = find_change_in_the_middle(program)
    assert change is not None
    assert (change.start, change.accepted) == ((0, 1), True)
    with pytest.raises(AssertionError):
        check(program, replace(change, **wrong), random.Random(2))
