"""Bounds of counts hold on every word and are met by some."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.checker import check
from idinf.crasp.interpreter import compute_values
from idinf.crasp.parser import parse

SIGMA = Alphabet(("a", "b"))


@pytest.mark.parametrize(
    ("count", "size"),
    [
        ('# "a"', 1),
        ('#[j >= i-3] "a"', 1),
        ("7", 7),
        ('3 * # "a" - 2 * # "b"', 5),
        ('-(# "a" - 4) * 3', 15),
        ('# "a" * (2 - 5)', 7),
        ('max(5 * # "a", 2) if "b" else # "b"', 5),
        ("0 * 9", 9),
    ],
)
def test_no_count_is_larger_than_its_bound(count: str, size: int) -> None:
    program = parse(f"c = {count} x = c > 0")
    assert check(program, SIGMA).size == size
    for word in words_up_to(2, 6):
        at = compute_values(program, SIGMA, word)[0].at
        assert np.abs(at).max() <= size * (len(word) + 1)
