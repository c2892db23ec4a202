"""The reference semantics against values worked out by hand, ε included."""

from __future__ import annotations

import pytest

from idinf.crasp.checker import read_program
from idinf.crasp.interpreter import accepts
from idinf.words import Alphabet, words_up_to

SIGMA = Alphabet(("a", "b"))


def language(text: str, length: int = 4) -> set[str]:
    """Accepted words up to a length."""
    program = read_program(text, SIGMA)
    return {SIGMA.decode(word) for word in words_up_to(2, length) if accepts(program, SIGMA, word)}


def words(length: int) -> list[str]:
    return [SIGMA.decode(word) for word in words_up_to(2, length)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = true", lambda w: True),
        ("x = false", lambda w: False),
        ('x = "a"', lambda w: w.endswith("a")),
        ('x = !"a"', lambda w: not w.endswith("a")),
        ("x = (i mod 3 == 0)", lambda w: len(w) % 3 == 0),
        ("x = (i mod 3 == 1)", lambda w: len(w) % 3 == 1),
        ('x = # "a" == 2', lambda w: w.count("a") == 2),
        ('x = # "a" != 2', lambda w: w.count("a") != 2),
        ('x = # "a" < # "b"', lambda w: w.count("a") < w.count("b")),
        ('x = 2 * # "a" - 3 > -1', lambda w: 2 * w.count("a") - 3 > -1),
        ("x = # true >= 3", lambda w: len(w) >= 3),
        ('x = #[j = i-1] "a" >= 1', lambda w: len(w) >= 2 and w[-2] == "a"),
        ('x = #[j = i-2] !"a" >= 1', lambda w: len(w) >= 3 and w[-3] != "a"),
        ('x = #[j >= i-1] "a" == 2', lambda w: w.endswith("aa")),
        ('x = #[j > i-1] "a" == 1', lambda w: w.endswith("a")),
        ('x = #[j > i] "a" == 0', lambda w: True),
        ("x = #[j = i] true == 0", lambda w: w == ""),
        ('x = min(# "a", # "b") >= 1', lambda w: "a" in w and "b" in w),
        ('x = max(# "a", # "b") >= 3', lambda w: w.count("a") >= 3 or w.count("b") >= 3),
        ('x = (# "a" if "a" else 5) >= 3', lambda w: w.count("a") >= 3 if w.endswith("a") else True),
        (
            'p = # "a" <= # "b" x = # p == 0',
            lambda w: all(w[:k].count("a") > w[:k].count("b") for k in range(1, len(w) + 1)),
        ),
        ('x = # (#[j = i-1] "a" == 1 && "b") >= 1', lambda w: "ab" in w),
        ("x = # (# true == 0) == 0", lambda w: True),
        ("x = # (i mod 2 == 0) == 2", lambda w: len(w) in (4, 5)),
    ],
)
def test_languages_worked_out_by_hand(text: str, expected: object) -> None:
    assert callable(expected)
    assert language(text) == {word for word in words(4) if expected(word)}


def test_a_true_boolean_at_sos_is_never_counted() -> None:
    assert language('x = !"a" y = # x == 1', 1) == {"b"}
    assert "" in language('x = !"a"', 0)
