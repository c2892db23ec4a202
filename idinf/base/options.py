"""Options: a field of a settings value, declared once with its default, its check and a sentence of help.

For example, one line in :class:`~idinf.spec.bounds.SpaceBounds`

    layers: int = option(64, "At most L layers.", "L", least=1, most=64)

is the option ``--layers L`` with its help, the argument ``layers`` of the library, a key of a spec and of a
report, and the check of all four.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, TypeVar

from idinf.base.quoting import quote, suggest
from idinf.errors import ArgumentError, IdinfError, UnsupportedBoundError

Function = TypeVar("Function", bound=Callable[..., Any])

#: Where a field keeps its option.
_KEY = "option"


@dataclass(frozen=True, slots=True)
class Option:
    """Option of a field, and the values that fit: None too where it is the default, or ``optional``."""

    default: Any
    text: str  #: one sentence of help
    metavar: str | None
    kind: type  #: int, float, str, bool, or another class of values
    least: float | None = None
    most: float | None = None
    above: float | None = None  #: bound that a float has to exceed
    choices: tuple[str, ...] = ()
    read: Callable[[str], Any] | None = None  #: how the command line reads the value; raises IdinfError
    gather: Callable[[Any], Any] | None = None  #: of an option that may be repeated: one value of all of them
    expected: str | None = None  #: expected values, of a class that the text of `expectation` does not know
    optional: bool = False  #: True if None fits, too
    example: str = "0.5"
    shown: str | None = None  #: text of the default in help, where the value itself says nothing
    flag: str | None = None  #: the name on the command line, where it is not that of the field
    section: str = ""  #: of the help
    rare: bool = False  #: True if only ``--help-all`` shows it

    @property
    def expectation(self) -> str:
        """Expected values, as messages name them."""
        if self.choices or self.expected:
            return self.expected or " or ".join(self.choices)
        if self.kind is int:
            return f"an integer of at least {self.least}" if self.most is None else self._range
        if self.kind is float and self.most is not None:
            return f"a number from 0 to {self.most:g}"
        if self.kind is float:
            return f"a finite number {'above 0' if self.above is not None else 'of at least 0'}"
        return "True or False" if self.kind is bool else "a text"

    @property
    def _range(self) -> str:
        return f"an integer from {self.least} to {self.most}"

    def find_fault(self, value: object) -> str | None:
        """Remedy for a value that does not fit; None where it fits.

        >>> layers = Option(64, "At most L layers.", "L", int, least=1, most=64)
        >>> layers.find_fault(2), layers.find_fault(0), layers.find_fault(65)
        (None, 'raise it to at least 1', 'this version searches no further, lower it to 64')
        """
        if value is None and (self.optional or self.default is None):
            return None
        if self.choices:
            return None if value in self.choices else suggest(str(value), self.choices) or "use one of them"
        if self.kind is int:
            return self._find_fault_of_integer(value)
        if self.kind is float:
            return None if self._fits_float(value) else f"give for example {self.example}"
        return None if isinstance(value, self.kind) else "write one"

    def _find_fault_of_integer(self, value: object) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int):
            return "write a whole number"
        if self.least is not None and value < self.least:
            return f"raise it to at least {self.least}"
        if self.most is not None and value > self.most:
            return f"this version searches no further, lower it to {self.most}"
        return None

    def _fits_float(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            return False
        if value == self.default:  # infinite where nothing is bounded
            return True
        with suppress(OverflowError):  # a huge int or Fraction has no float
            number = float(value)
            is_in_range = number >= 0 if self.above is None else number > self.above
            return math.isfinite(number) and is_in_range and (self.most is None or number <= self.most)
        return False

    def check(self, key: str, value: object, error: type[IdinfError] = UnsupportedBoundError) -> None:
        """Refuse a value that does not fit, by an error that names the key."""
        if (remedy := self.find_fault(value)) is not None:
            raise error(f"{key} = {quote(value)}; expected {self.expectation}; {remedy}")


def option(default: Any, text: str, metavar: str | None = None, kind: type = int, **more: Any) -> Any:
    """Declare a field of a frozen dataclass as an option; the further arguments are those of `Option`."""
    return field(default=default, metadata={_KEY: Option(default, text, metavar, kind, **more)})


def options_of(settings: type) -> Mapping[str, Option]:
    """The options among the fields of a dataclass, by name, in their order.

    >>> from idinf.spec.bounds import SpaceBounds
    >>> list(options_of(SpaceBounds))[:3], options_of(SpaceBounds)["reach"].most
    (['layers', 'heads', 'units'], 3)
    """
    return {item.name: item.metadata[_KEY] for item in fields(settings) if _KEY in item.metadata}


def check_options(settings: Any, error: type[IdinfError] = UnsupportedBoundError) -> None:
    """Refuse a settings value with a field that does not fit; errors as of `Option.check`."""
    for key, each in options_of(type(settings)).items():
        each.check(key, getattr(settings, key), error)


def check_integer(key: str, value: object, least: int, most: int | None = None) -> None:
    """Refuse an argument that is no integer in a range, as an ArgumentError.

    >>> check_integer("jobs", "2", 1)
    Traceback (most recent call last):
        ...
    idinf.errors.ArgumentError: jobs = '2'; expected an integer of at least 1; write a whole number
    """
    Option(least, "", None, int, least=least, most=most).check(key, value, ArgumentError)


def take_settings(given: Mapping[str, Any], *kinds: type) -> tuple[Any, ...]:
    """Make one value of each settings class of keyword arguments, in the order of the classes.

    Raises ArgumentError for an argument that is a field of none, and the errors of the classes.

    >>> from idinf.spec.bounds import SpaceBounds
    >>> take_settings({"layers": 2}, SpaceBounds)[0].layers
    2
    >>> take_settings({"layer": 2}, SpaceBounds)
    Traceback (most recent call last):
        ...
    idinf.errors.ArgumentError: layer = 2; expected an argument of this function; did you mean 'layers'?
    """
    owner = {key: kind for kind in kinds for key in options_of(kind)}
    for key, value in given.items():
        if key not in owner:
            hint = suggest(key, owner) or f"name one of: {', '.join(owner)}"
            raise ArgumentError(f"{key} = {quote(value)}; expected an argument of this function; {hint}")
    return tuple(kind(**{key: value for key, value in given.items() if owner[key] is kind}) for kind in kinds)


def takes_settings(*settings: type) -> Callable[[Function], Function]:
    """Give a function that takes ``**settings`` the signature in which they are named, for help and editors.

    >>> from idinf.spec.bounds import SpaceBounds
    >>> @takes_settings(SpaceBounds)
    ... def count(word, **settings): ...
    >>> list(inspect.signature(count).parameters)[:3]
    ['word', 'layers', 'heads']
    """

    def decorate(function: Function) -> Function:
        own = [
            each
            for each in inspect.signature(function).parameters.values()
            if each.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        named = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=each.default)
            for kind in settings
            for key, each in options_of(kind).items()
        ]
        function.__signature__ = inspect.Signature([*own, *named])  # type: ignore[attr-defined]
        return function

    return decorate
