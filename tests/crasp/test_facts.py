"""Sorts, depth, counts, classes and alphabets of programs."""

from __future__ import annotations

import pytest

from idinf.crasp.checker import check
from idinf.crasp.parser import parse


@pytest.mark.parametrize(
    ("text", "class_name", "depth", "counts", "local", "reach", "period"),
    [
        ('x = "a"', "C-RASP[]", 0, 0, 0, 0, 1),
        ('x = # "a" <= # "b"', "C-RASP[]", 1, 2, 0, 0, 1),
        ('y = # "a" x = # (y > 1) > # "b"', "C-RASP[]", 2, 3, 0, 0, 1),
        ('y = # (# (# "a" > 0) > 0) x = "a"', "C-RASP[]", 0, 3, 0, 0, 1),
        ('x = #[j = i] "a" > 0', "C-RASP[local]", 1, 1, 1, 0, 1),
        ("x = i mod 4 == 1 || i mod 6 == 2", "C-RASP[periodic]", 0, 0, 0, 0, 12),
        ("x = i mod 1 == 0", "C-RASP[]", 0, 0, 0, 0, 1),
        (
            '#import pred3 #import pos_even x = # (pos_even && #[pred3] "a" > 0) > 1',
            "C-RASP[periodic,local]",
            2,
            2,
            1,
            3,
            2,
        ),
    ],
)
def test_numbers(
    text: str, class_name: str, depth: int, counts: int, local: int, reach: int, period: int
) -> None:
    facts = check(parse(text))
    assert (facts.class_name, facts.depth) == (class_name, depth)
    assert (facts.counts, facts.local_counts, facts.reach, facts.period) == (counts, local, reach, period)


def test_alphabets_are_the_named_symbols() -> None:
    assert check(parse('x = # "b" > # ("c" || "a")')).alphabet().symbols == ("a", "b", "c")
    spaced = check(parse('x = "right" || "l"')).alphabet()
    assert (spaced.symbols, spaced.spaced) == (("l", "right"), True)
