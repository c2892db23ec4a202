"""Numbers and words as every text, page and figure writes them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction

#: Text of a missing value in a table.
MISSING = "-"

#: Integers with equal steps that are written one by one, at most.
MOST_LISTED = 8

#: Signs in plain text, and those on pages and figures.
_SIGNS = {"<=": "≤", ">=": "≥", "n0": "n₀"}
_PLAIN = re.compile(r"(?<= )[<>]=(?= )|R\*_(?:n|\d+)\b|\bn0\b")
_BELOW = str.maketrans("0123456789n", "₀₁₂₃₄₅₆₇₈₉ₙ", "_")


def format_r(r: float) -> str:
    """Write an R with 9 decimals, as it is compared.

    >>> format_r(8.414213562)
    '8.414213562'
    """
    return f"{r:.9f}"


def format_down(value: Fraction, decimals: int = 6) -> str:
    """Write a number that something is proved to reach, rounded down.

    >>> format_down(Fraction(2, 3)), format_down(Fraction(-1, 3), 2)
    ('0.666666', '-0.34')
    """
    return f"{math.floor(value * 10**decimals) / 10**decimals:.{decimals}f}"


def read_fraction(text: str) -> Fraction:
    """Read a fraction as in 1/2 or 0.5, exactly; a ValueError or ZeroDivisionError if it is none.

    A power of ten is none: it may take forever to write out.

    >>> read_fraction("0.5"), read_fraction("-1/3")
    (Fraction(1, 2), Fraction(-1, 3))
    """
    if len(text) > 40 or "e" in text.lower():
        raise ValueError(text)
    return Fraction(text)


def format_number(value: object) -> str:
    """Write a bound, or any number, with all its decimals but without the zeros at its end.

    >>> format_number(8.664213562), format_number(10.0), format_number(3), format_number("nope")
    ('8.664213562', '10', '3', 'nope')
    """
    return format_r(value).rstrip("0").removesuffix(".") if isinstance(value, float) else str(value)


def format_up_to(r: float) -> str:
    """Write the R up to which a run is complete, as a comparison.

    Two values of R count as equal within 1e-9. So a run that is complete to 2e-9 below a round number, the
    floor of the next structure, is complete below that number.

    >>> format_up_to(9.25), format_up_to(8.999999998), format_up_to(8.464101613)
    ('<= 9.25', '< 9', '<= 8.464101613')
    """
    return f"<= {format_number(r)}" if (end := _end_below(r)) is None else f"< {format_number(end)}"


def format_above(r: float) -> str:
    """Write where something may still be, the opposite of `format_up_to`.

    >>> format_above(9.25), format_above(8.999999998)
    ('> 9.25', '>= 9')
    """
    return f"> {format_number(r)}" if (end := _end_below(r)) is None else f">= {format_number(end)}"


def format_complete(r: float) -> str:
    """Write up to where, or below which R, something is complete.

    >>> format_complete(9.25), format_complete(8.999999998)
    ('up to R = 9.25', 'below R = 9')
    """
    return format_up_to(r).replace("<= ", "up to R = ").replace("< ", "below R = ")


def format_interval(above: float, up_to: float | None) -> str:
    """Write where a number lies that is above one R, and at most another one if there is one.

    Both are rounded outwards to two decimals; 2e-9 below a round number is that number, as of `format_up_to`.

    >>> format_interval(10.25, 11.0834), format_interval(8.999999998, None), format_interval(9.4142, None)
    ('in (10.25, 11.09]', '>= 9', '> 9.41')
    """
    end = _end_below(above)
    lower = math.floor(round(above * 100, 6)) / 100 if end is None else end
    if up_to is None:
        return f"{'>' if end is None else '>='} {lower:g}"
    upper = math.ceil(round(up_to * 100, 6)) / 100
    return f"in {'(' if end is None else '['}{lower:g}, {upper:g}]"


def _end_below(r: float) -> float | None:
    """The number of at most three decimals that something ends 2e-9 below, if it does."""
    end = round(r, 3)
    return end if format_r(end - 2e-9) == format_r(r) else None


def format_count(value: int | None) -> str:
    """Write a number that may be missing."""
    return MISSING if value is None else str(value)


def format_amount(number: int, noun: str) -> str:
    """Write how many of something there are: 1 state, 3 states."""
    return f"{number} {noun}{'s' * (number != 1)}"


def format_word(word: str | None) -> str:
    """Write a word that may be missing; ε for the empty one."""
    return MISSING if word is None else word or "ε"


def format_range(numbers: Sequence[int]) -> str:
    """Write increasing integers: 2..5, or one by one where some are missing, with … for many equal steps.

    >>> format_range((2, 3, 4)), format_range((2, 4, 6)), format_range((3,)), format_range(range(0, 99, 2))
    ('2..4', '2, 4, 6', '3', '0, 2, …, 98')
    """
    if len(numbers) > 1 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]}..{numbers[-1]}"
    if len(numbers) > MOST_LISTED and len(steps := {b - a for a, b in itertools.pairwise(numbers)}) == 1:
        return f"{numbers[0]}, {numbers[0] + steps.pop()}, …, {numbers[-1]}"
    return ", ".join(map(str, numbers))


def align(rows: Sequence[Sequence[str]], signs: str = "") -> list[str]:
    """Write rows in columns, two blanks apart: on the right where ``signs`` has a ``>``, else on the left.

    >>> align([("n", "R", ""), ("10", "8.4", "new")], "<>")
    ['n     R', '10  8.4  new']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = list(zip(signs.ljust(len(widths), "<"), widths, strict=True))
    return [
        "  ".join(f"{cell:{sign}{width}}" for cell, (sign, width) in zip(row, columns, strict=True)).rstrip()
        for row in rows
    ]


def typeset(text: str) -> str:
    """Write a sentence with the signs that pages and figures have.

    >>> typeset("n0 = 3 for n <= 64, R*_12 > 9.5")
    'n₀ = 3 for n ≤ 64, R*₁₂ > 9.5'
    """
    return _PLAIN.sub(lambda found: _SIGNS.get(found[0]) or found[0].translate(_BELOW), text)
