"""The period of a compiled program: a common multiple of the moduli of its periodic predicates."""

from __future__ import annotations

from math import lcm

from idinf.crasp import syntax as s
from idinf.crasp.meaning import needed_definitions
from idinf.errors import IdinfError


def common_period(program: s.ProgramTree, most: int, refusal: type[IdinfError], why: str) -> int:
    """Δ: the least common multiple of the moduli that the last operation needs; 1 if there are none.

    Above ``most`` the refusal is raised, with the place in the program and why there is a bound.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> common_period(parse("x = i mod 4 == 0 && i mod 6 == 1"), 100, IdinfError, "it is a test")
    12
    """
    period = 1
    for definition in needed_definitions(program):
        for part in s.parts_of(definition.expression):
            if isinstance(part, s.Periodic):
                period = lcm(period, part.modulus)
                if period > most:
                    raise refusal(
                        f"{part.place}: the moduli up to here have the common multiple {period}; expected "
                        f"at most {most}, for {why}; use smaller moduli"
                    )
    return period
