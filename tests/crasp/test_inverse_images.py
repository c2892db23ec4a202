"""Lemma 42 and Lemma 34: what is made of programs, against the interpreter on images of words."""

import random
from dataclasses import replace

import pytest

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.crasp.checker import check, read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.inverse_images import (
    LETTER,
    Morphism,
    drop_relations,
    find_block_length,
    find_fooling_pair,
    pad,
    pull_back,
    unroll,
)
from idinf.crasp.programs import list_names, load
from tests.translate.compilation.deep_programs import deep_program

AB = Alphabet(("a", "b"))


def differing(program, made, h: Morphism, length: int) -> list[Word]:
    """Words w on which what was made and the program on h(w) differ."""
    words = list(words_up_to(len(h.source), length))
    found = compute_labels(made, h.source, lay_out_words(words)).tolist()
    right = compute_labels(program, h.target, lay_out_words([h(word) for word in words])).tolist()
    return [word for word, one, other in zip(words, found, right, strict=True) if one != other]


def random_morphism(rng: random.Random, length: int) -> Morphism:
    images = tuple(tuple(rng.randrange(2) for _ in range(length)) for _ in range(3))
    return Morphism(Alphabet(("x", "y", "z")), AB, images)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(40))
def test_inverse_images_of_random_programs(seed: int) -> None:
    program = read_program(deep_program(seed), AB)
    h = random_morphism(random.Random(seed), seed % 5 + 1)
    assert differing(program, pull_back(program, h), h, 4) == []


def test_a_wrong_place_is_noticed() -> None:
    program = read_program('accept = #[j = i-2] "a" >= 1', AB)
    h = Morphism(AB, AB, ((0, 1), (1, 1)))
    made = pull_back(program, h)
    assert differing(program, made, h, 4) == []
    shifted = replace(made, definitions=made.definitions[:-1])
    assert differing(program, shifted, h, 4) != []


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(40))
def test_padded_random_programs_need_no_relation(seed: int) -> None:
    program = read_program(deep_program(seed), AB)
    h = pad(program, AB, "b")
    counting = drop_relations(program, h)
    assert check(counting).class_name == "C-RASP[]"
    assert differing(program, counting, h, 5) == []


# Lemma 40 against the interpreter, and Lemma 41 on programs that come close to PARITY


ONE = Alphabet((LETTER,))


def agree(program, alphabet, block, most) -> None:
    over_one = unroll(program, alphabet, block)
    check(over_one, ONE)
    assert check(over_one).period == 1
    for n in range(most + 1):
        assert accepts(over_one, ONE, (0,) * n) == accepts(program, alphabet, block * n), n


def accepts(program, alphabet, word):
    return bool(compute_labels(program, alphabet, lay_out_words([word]))[0])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", list_names())
def test_shipped_programs(name: str) -> None:
    loaded = load(name)
    alphabet = loaded.alphabet()
    length = find_block_length(loaded.program)
    for block in ((0,) * length, tuple(k % len(alphabet) for k in range(2 * length))):
        agree(loaded.program, alphabet, block, 7)


@pytest.mark.parametrize("bound", [1, 4, 9])
def test_parity_of_few_ones_is_confused_where_it_ends(bound: int) -> None:
    """Right about PARITY for fewer than `bound` ones: confused from there on, and not before."""
    even = " || ".join(f"ones == {k}" for k in range(0, bound, 2))
    binary = Alphabet(("0", "1"))
    program = read_program(f'ones = # "1" accept = {even}', binary)
    found = find_fooling_pair(program, binary, "1")
    assert found.block == (1,)
    assert found.times == bound - (bound % 2 == 0)
    for n in (found.times, found.times + 1):
        assert accepts(program, binary, found.block * n) == found.accepted
    assert accepts(program, binary, found.block * (found.times - 1)) != found.accepted
