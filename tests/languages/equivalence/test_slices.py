"""Counts of words are what a slice says they are."""

from __future__ import annotations

from itertools import product

import pytest

from idinf.base.words import words_up_to
from idinf.languages.equivalence.conditions import WordSlice


def point_of(part, word):
    counts = [0] * (part.symbols * part.modulus)
    for position, code in enumerate(word, start=1):
        counts[code * part.modulus + position % part.modulus] += 1
    return (*counts, len(word) // part.modulus)[: part.size]


@pytest.mark.parametrize(
    ("symbols", "modulus", "length"), [(1, 1, 5), (2, 1, 5), (2, 2, 6), (1, 3, 7), (2, 3, 5)]
)
def test_words_are_the_points_of_their_slice(symbols, modulus, length):
    for last, residue in product(range(symbols), range(modulus)):
        part = WordSlice(symbols, modulus, last, residue)
        rows = part.words()
        reached = {}
        for word in words_up_to(symbols, length):
            point = point_of(part, word)
            inside = all(row.holds(point) for row in rows)
            belongs = bool(word) and len(word) % modulus == residue
            assert inside or not (belongs and word[-1] == last)
            if belongs and word[-1] == last:
                reached.setdefault(point, word)  # shortlex: the least of its length comes first
                assert sum(c * x for c, x in zip(part.costs, point, strict=True)) == len(word)
                value = sum(k * x for k, x in zip(part.positions, (*point, 1), strict=True))
                assert value == len(word) + 1
        for point, word in reached.items():
            assert part.least_word(point) == word
        top = range(4)
        for point in product(top, repeat=part.size if part.size < 5 else 0):
            if point and all(row.holds(point) for row in rows):
                assert point_of(part, part.least_word(point)) == point
