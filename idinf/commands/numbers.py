"""Numbers that options take, with messages that name what is expected."""

from __future__ import annotations

import math
from typing import Any

import click

from idinf.quoting import quoted

#: Far above everything that an option counts.
LARGEST = 10**38


class WholeNumber(click.IntRange):
    """A whole number in a range; what is none is told the range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the value of an option; a usage error if it is no such number."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{quoted(value)} is not a whole number; expected {self._describe_range()}", param, ctx)
        if abs(number) > LARGEST:  # what is refused is repeated in full otherwise
            self.fail(
                f"{quoted(number)} is no number of anything; expected {self._describe_range()}", param, ctx
            )
        return int(super().convert(value, param, ctx))


class RealNumber(click.ParamType[float]):
    """A finite number, above 0 or at least 0.

    Parameters
    ----------
    allow_zero : bool
    """

    name = "number"

    def __init__(self, allow_zero: bool) -> None:
        self.allow_zero = allow_zero

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the value of an option; a usage error if it is no such number."""
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (number == 0 and not self.allow_zero):
            wanted = "of at least 0" if self.allow_zero else "above 0"
            self.fail(f"{quoted(value)} is not a number {wanted}; expected for example 0.5", param, ctx)
        return number
