"""The listed monoid against plain closure; words and Cayley tables."""

from __future__ import annotations

import random

import numpy as np
import pytest

from idinf.languages.classification.monoid import build_monoid
from tests.languages.classification.classes_by_definition import letters, minimal, monoid, random_dfa, then


def machines(count: int, seed: int) -> list[tuple[tuple[int, ...], ...]]:
    rng = random.Random(seed)
    return [minimal(*random_dfa(rng, 4, rng.randint(1, 3)))[0] for _ in range(count)]


@pytest.mark.parametrize("table", machines(40, 1))
def test_elements_words_and_products(table: tuple[tuple[int, ...], ...]) -> None:
    found = build_monoid(np.array(table))
    rows = list(map(tuple, found.rows.tolist()))
    assert found.is_complete
    assert rows == monoid(table)  # both list elements by their least words
    for element, row in enumerate(rows):
        word = found.word(element)
        assert len(word) == found.lengths[element]
        assert row == tuple(_read(table, state, word) for state in range(len(table)))
        for code, letter in enumerate(letters(table)):
            assert rows[found.right[element, code]] == then(row, letter)
            assert rows[found.left[element, code]] == then(letter, row)
    assert [then(row, row) == row for row in rows] == found.is_idempotent.tolist()


def _read(table: tuple[tuple[int, ...], ...], state: int, word: tuple[int, ...]) -> int:
    for code in word:
        state = table[state][code]
    return state
