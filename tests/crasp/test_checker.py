"""Names, sorts, locality, numbers: one fault at a time, with its place."""

from __future__ import annotations

import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import MAX_COEFFICIENT, MAX_REACH, read_program
from idinf.errors import ProgramError

SIGMA = Alphabet(("a", "b"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = y", "line 1, column 5: 'y' is not defined"),
        ("true = true", "line 1, column 1: 'true' is a word of the language"),
        ("x = 3 == true", "line 1, column 10: '==' has a Boolean here"),
        ('x = min("b", 1) > 0', "line 1, column 9: 'min' has a Boolean here"),
        ('b = "a"\nx = b <= 1', "line 2, column 5: '<=' has a Boolean here"),
        ('x = #[i = j-1] "a" > 0', "line 1, column 7: predicate of 'i' and 'j'"),
        (
            f'x = #[j = i-{MAX_REACH + 1}] "a" > 0',
            f"line 1, column 7: distance {MAX_REACH + 1}; expected at most",
        ),
        (f'c = {2**40} * # "a" + 1\nx = c > 0', "line 1, column 5: coefficients add up to 1099511627777"),
    ],
)
def test_one_fault_at_a_time(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"^{message}") as caught:
        read_program(text, SIGMA)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        'x = "a" && !"b" || (i mod 1 == 0)',
        f'x = {MAX_COEFFICIENT} * # "a" <= 1',
        f'x = #[j = i-{MAX_REACH}] "a" > 0',
        'two = 2 k = -two * 3 x = # "a" * k + (1 + 1) * # "b" == k',
        'x = # "a" - 1 >= min(2, #[j > i] "b") c = 1 y = x',
    ],
)
def test_good_programs(text: str) -> None:
    assert read_program(text, SIGMA).definitions
