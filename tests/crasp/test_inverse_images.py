"""Lemma 42 and Lemma 34: what is made of programs, against the interpreter on images of words."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.crasp.checker import check, read_program
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.inverse_images import Morphism, drop_relations, pad, pull_back
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


@pytest.mark.thinned(5)
@pytest.mark.parametrize("length", range(1, 8))
@pytest.mark.parametrize("modulus", [1, 2, 3, 4, 6])
def test_residues(length: int, modulus: int) -> None:
    h = random_morphism(random.Random(length), length)
    for residue in range(modulus):
        program = read_program(f"x = i mod {modulus} == {residue}", AB)
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
