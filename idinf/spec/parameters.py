"""Integer parameters of a family: their ranges, which values are members, and the size T of a member.

The table ``[parameters]`` of a spec holds one range ``[low, high]`` per parameter and, under reserved names,
what restricts and orders the members.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idinf.base.quoting import MOST_QUOTED, list_some, quote, suggest
from idinf.errors import SpecError

if TYPE_CHECKING:
    from idinf.spec.generators import Generator

#: One value per parameter, in the order of the file.
Values = tuple[tuple[str, int], ...]

#: The largest integer of a spec, far above what any run counts to; larger ones cannot be written or counted.
LARGEST = 10**9

#: Names in ``[parameters]`` that are settings, so no parameter can be called so.
RESERVED = ("gcd", "size", "up_to", "max_n_cap")

#: Combinations that are looked at; each member is a whole run of the procedure, so a family has far fewer.
MAX_COMBINATIONS = 100_000

#: How many times its ``max_n`` a family may raise it where the file names no ``max_n_cap``.
CAP_FACTOR = 8

#: How the size T of a member is read off all its parameters; else it is the one of that name.
MAX, SUM = "max", "sum"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The checked table ``[parameters]`` of a family.

    >>> coprime = Parameters((("k", 1, 3), ("j", 1, 3)), gcd=1, up_to=2)
    >>> list(coprime.members())
    [(('k', 1), ('j', 1)), (('k', 1), ('j', 2)), (('k', 2), ('j', 1))]
    """

    #: Name, least and greatest value of every parameter; 0 ≤ least ≤ greatest.
    ranges: tuple[tuple[str, int, int], ...]
    gcd: int | None = None  #: the greatest common divisor that the parameters of a member have; None: any
    size: str = MAX  #: T of a member: the largest of its parameters, their ``sum``, or the one of that name
    up_to: int | None = None  #: members of larger T are left out unless a run asks for them; None: none are
    #: How far a run may raise ``max_n`` for a member; None: `CAP_FACTOR` times the ``max_n`` of the spec.
    max_n_cap: int | None = None
    generator: str | None = None  #: what makes members of the values; it may not have all of them

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of the file."""
        return tuple(name for name, _, _ in self.ranges)

    def size_of(self, values: Values) -> int:
        """T of a member.

        >>> Parameters((("k", 1, 3), ("j", 1, 3)), size="sum").size_of((("k", 3), ("j", 2)))
        5
        """
        if self.size in self.names:
            return dict(values)[self.size]
        numbers = [value for _, value in values]
        return max(numbers) if self.size == MAX else sum(numbers)

    def members(
        self, up_to: int | None = None, chosen: Mapping[str, Sequence[int]] | None = None
    ) -> Iterator[Values]:
        """Yield the values of every member up to a size T, by T and then by the values.

        T is by default ``up_to`` of the file; where some parameters are ``chosen``, all others have their
        whole range.

        Raises `SpecError` if there are more than ``MAX_COMBINATIONS`` combinations to look at.

        >>> coprime = Parameters((("k", 1, 3), ("j", 1, 3)), gcd=1, up_to=2)
        >>> [dict(values) for values in coprime.members(chosen={"k": [3]})]
        [{'k': 3, 'j': 1}, {'k': 3, 'j': 2}]
        """
        # Of one size in the order of the values, as they come.
        yield from sorted(self._iter_members(up_to, chosen or {}), key=self.size_of)

    def _iter_members(self, up_to: int | None, chosen: Mapping[str, Sequence[int]]) -> Iterator[Values]:
        """Yield the members in the order of their values."""
        bound = self.up_to if up_to is None and not chosen else up_to
        choices = [
            chosen.get(
                name, range(low, high + 1 if bound is None else min(high, self._most(name, bound)) + 1)
            )
            for name, low, high in self.ranges
        ]
        if math.prod(len(choice) for choice in choices) > MAX_COMBINATIONS:
            raise SpecError(
                f"parameters: {list_some((str(len(choice)) for choice in choices), ' x ')} combinations; "
                f"expected at most {MAX_COMBINATIONS}; narrow the ranges or set up_to"
            )
        every = (tuple(zip(self.names, numbers, strict=True)) for numbers in itertools.product(*choices))
        for values in every:
            if self._is_member(values) and (bound is None or self.size_of(values) <= bound):
                yield values

    def _most(self, name: str, bound: int) -> int:
        """A bound of a parameter where T has one: none is negative, so none is above the maximum or sum."""
        return LARGEST if self.size in self.names and self.size != name else bound

    def check(self, given: Values) -> Values:
        """Take values that a user gave; returns them in the order of the file.

        Raises `SpecError` if a name is foreign, missing or given twice, or the values are not those of a
        member.
        """
        known = list_some(self.names, ", ")
        values: dict[str, int] = {}
        for name, value in given:
            told = f"parameter {quote(name)} is"
            if name not in self.names:
                raise SpecError(f"{told} not in [parameters]; expected values for {known}")
            if name in values:
                raise SpecError(f"{told} given twice; expected one value each for {known}")
            values[name] = value
        for name, low, _ in self.ranges:
            if name not in values:
                raise SpecError(
                    f"parameter {quote(name)} has no value; expected values for {known}; add {name}={low}"
                )
            self.check_range(name, [values[name]])
        ordered = tuple((name, values[name]) for name in self.names)
        if not self._is_member(ordered):
            shown = list_some((f"{name} = {value}" for name, value in ordered), ", ")
            if not self._gcd_fits(ordered):
                raise SpecError(f"{shown}: the greatest common divisor is not {self.gcd}; expected a member")
            rule = look_up(self.generator).rule
            raise SpecError(f"{shown}: no member; the generator {self.generator} has {rule}; change a value")
        return ordered

    def check_range(self, name: str, values: Sequence[int]) -> None:
        """Refuse values outside the range of a parameter; errors as of `check`."""
        low, high = next((low, high) for known, low, high in self.ranges if known == name)
        for value in values:
            if not low <= value <= high:
                raise SpecError(
                    f"{name} = {quote(value)}; expected an integer from {low} to {high}, the range "
                    "in [parameters]; widen it in a copy of the spec"
                )

    def _is_member(self, values: Values) -> bool:
        if not self._gcd_fits(values):
            return False
        return self.generator is None or look_up(self.generator).has(**dict(values))

    def _gcd_fits(self, values: Values) -> bool:
        return self.gcd is None or math.gcd(*(value for _, value in values)) == self.gcd


def read_parameters(table: Mapping[str, object], generator: str | None = None) -> Parameters:
    """Read the table ``[parameters]`` of a spec, which may name a generator.

    Raises `SpecError` if a range or a setting is wrong, there is no parameter, or they are not those of the
    generator.

    >>> read_parameters({"k": [1, 9], "size": "sum"}).ranges
    (('k', 1, 9),)
    """
    ranges = tuple(_range(name, value) for name, value in table.items() if name not in RESERVED)
    if not ranges:
        raise SpecError("parameters: no parameter; expected a range such as k = [1, 12]; leave the table out")
    names = [name for name, _, _ in ranges]
    size = table.get("size", MAX)
    if not isinstance(size, str) or size not in (MAX, SUM, *names):
        known = list_some((MAX, SUM, *names), ", ")
        raise SpecError(f"parameters.size = {quote(size)}; expected one of: {known}; name one")
    if generator is not None and sorted(wanted := look_up(generator).parameters) != sorted(names):
        raise SpecError(
            f"parameters: {list_some(names, ', ')}; expected those of the generator {generator}: "
            f"{', '.join(wanted)}; give just these"
        )
    up_to, gcd, max_n_cap = (
        check_count(f"parameters.{key}", table[key]) if key in table else None
        for key in ("up_to", "gcd", "max_n_cap")
    )
    parameters = Parameters(ranges, gcd, size, up_to, max_n_cap, generator)
    if next(parameters._iter_members(None, {}), None) is None:
        raise SpecError("parameters: no values are left; expected at least one member; check gcd and up_to")
    return parameters


def check_count(key: str, value: object) -> int:
    """Refuse all but integers from 1 to `LARGEST`; true is none.

    Raises `SpecError`.

    >>> check_count("max_n", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise SpecError(f"{key} = {quote(value)}; expected an integer of at least 1, at most {LARGEST}")
    return value


def look_up(name: object) -> Generator:
    """Look up a generator as `idinf.spec.generators.look_up`, which most specs have no use for."""
    from idinf.spec import generators

    return generators.look_up(name)


def bind(text: str, values: Values, key: str) -> str:
    """Write the values of parameters into the text at ``key`` of a spec: ``{k}`` stands for the parameter k.

    In a regex it is a repetition of what stands before it and keeps its braces.

    Raises `SpecError` if something in braces looks like a parameter and is none.

    >>> bind('{k} * # "1" >= {j}', (("k", 3), ("j", 2)), "crasp"), bind("(aa){k}", (("k", 3),), "regex")
    ('3 * # "1" >= 2', '(aa){3}')
    """
    numbers = dict(values)

    def written(match: re.Match[str]) -> str:
        """One placeholder."""
        name = match[1]
        if name not in numbers:
            raise SpecError(
                f"{key}: {{{name[:MOST_QUOTED]}}} is not a parameter; expected one of: "
                f"{list_some(numbers, ', ')}"
            )
        return f"{{{numbers[name]}}}" if key == "regex" else str(numbers[name])

    return _PLACEHOLDER.sub(written, text)


def _range(name: str, value: object) -> tuple[str, int, int]:
    if not _NAME.fullmatch(name):
        raise SpecError(f"parameters: {quote(name)} is not a name; expected letters, digits and _")
    if len(name) > MOST_QUOTED:
        raise SpecError(f"parameters: {quote(name)} is too long; expected at most {MOST_QUOTED} characters")
    match value:
        case [int(low), int(high)] if bool not in map(type, value) and 0 <= low <= high <= LARGEST:
            return name, low, high
    hint = suggest(name, RESERVED)
    raise SpecError(
        f"parameters.{name} = {quote(value)}; expected a range [low, high] of integers with "
        f"0 <= low <= high <= {LARGEST}{hint and f'; {hint}'}"
    )
