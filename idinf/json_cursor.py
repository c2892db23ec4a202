"""A place in a parsed JSON text that knows its file and key path, so that every refusal can name them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from idinf.errors import IdinfError
from idinf.json_text import show_json
from idinf.quoting import list_some, shorten, suggest

#: Bits of a number: more than any program needs, R takes no larger ones, and floats hold their squares.
MOST_BITS = 256

#: Numbers of reports are smaller: lengths, counts, bytes, seconds, and R.
LARGEST = 10**18

_FRACTION = re.compile(r"(-?[0-9]+)/([0-9]+)")

#: Almost all entries of matrices, made once.
_SMALL = {value: Fraction(value) for value in range(-16, 17)}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A JSON value with the file and the key path it came from.

    Parameters
    ----------
    origin : str
        The file.
    error : type of IdinfError
        What every method raises, naming file and path, where the value is not what it asks for.
    whole : str
        What the value without a path is called.

    Examples
    --------
    >>> from idinf.errors import HypothesisFormatError
    >>> Cursor({"b": [1, "1/2"]}, "net.json", HypothesisFormatError).fields(("b",))["b"].vector()
    (Fraction(1, 1), Fraction(1, 2))
    """

    value: object
    origin: str
    error: type[IdinfError]
    path: str = ""
    whole: str = "the file"

    def fail(self, expected: str, remedy: str) -> NoReturn:
        """Refuse this value."""
        place = shorten(self.path) or self.whole
        raise self.error(f"{self.origin}: {place} = {show_json(self.value)}; expected {expected}; {remedy}")

    def fields(
        self, required: Sequence[str], optional: Sequence[str] = (), *, symbols: bool = False
    ) -> dict[str, Cursor]:
        """Read an object with exactly the keys ``required`` and perhaps some of ``optional``.

        ``symbols`` says that the keys are symbols, which a path writes in brackets.
        """
        if not isinstance(self.value, Mapping):
            self.fail("an object {…}", f"give it the keys {list_some(required, ', ')}")
        known = dict.fromkeys((*required, *optional))
        for key in self.value:
            if key not in known:
                hint = "" if symbols else suggest(key, known)
                raise self.error(
                    f"{self.origin}: {shorten(self._child(key, symbols))} is an unknown key; "
                    f"expected only {list_some(known, ', ')}; {hint or 'remove it'}"
                )
        for key in required:
            if key not in self.value:
                raise self.error(
                    f"{self.origin}: {shorten(self._child(key, symbols))} is missing; "
                    f"expected the keys {list_some(required, ', ')}; add it"
                )
        return {key: self.at(value, self._child(key, symbols)) for key, value in self.value.items()}

    def at(self, value: object, path: str) -> Cursor:
        """Look at a value inside this one."""
        return Cursor(value, self.origin, self.error, path, self.whole)

    def items(self, what: str) -> list[Cursor]:
        """Read a list, described as ``what`` where there is none."""
        if not isinstance(self.value, list):
            self.fail(f"a list of {what}", "put it in [ ]")
        return [self.at(value, f"{self.path}[{place}]") for place, value in enumerate(self.value)]

    def text(self) -> str:
        """Read a string."""
        if not isinstance(self.value, str):
            self.fail("a string", "put it in quotes")
        return self.value

    def boolean(self) -> bool:
        """Read true or false."""
        if not isinstance(self.value, bool):
            self.fail("true or false", "write one of them without quotes")
        return self.value

    def real(self) -> float:
        """Read an integer or a float of less than 10^18."""
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            self.fail("a number", "write it without quotes")
        if not abs(self.value) < LARGEST or math.isnan(self.value):
            self.fail("a finite number", "write a smaller one")
        return float(self.value)

    def entries(self) -> dict[str, Cursor]:
        """Read an object with any keys."""
        return self.fields((), tuple(self.value) if isinstance(self.value, Mapping) else ())

    def integer(self, most: int | None = None) -> int:
        """Read an integer, of an absolute value of at most ``most``; true and false are none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail("an integer", "write it without a point or quotes")
        if most is not None and abs(self.value) > most:
            self.fail(f"an integer of at most {most}", "write a smaller one")
        if self.value.bit_length() > MOST_BITS:
            self.fail(f"numbers of at most {MOST_BITS} bits", "use smaller ones")
        return self.value

    def number(self) -> Fraction:
        """Read an integer or "a/b" with b a power of two; exact, a float is refused."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return Fraction(self.integer())
        match = _FRACTION.fullmatch(self.value) if isinstance(self.value, str) else None
        if match is None:
            self.fail('an integer or a string "a/b"', "floats are never read; write 1/2 as the string")
        if len(match[0]) > MOST_BITS:  # Python does not convert thousands of digits
            self.fail(f"numbers of at most {MOST_BITS} bits", "use smaller ones")
        numerator, denominator = map(int, match.groups())
        if denominator.bit_count() != 1:
            self.fail('"a/b" with b a power of two', "numbers lie on the grid of 2^-precision")
        return Fraction(numerator, denominator)

    def vector(self) -> tuple[Fraction, ...]:
        """Read a list of numbers."""
        if isinstance(self.value, list) and all(type(e) is int and e in _SMALL for e in self.value):
            return tuple(map(_SMALL.__getitem__, self.value))
        return tuple(item.number() for item in self.items("numbers"))

    def matrix(self) -> tuple[tuple[Fraction, ...], ...]:
        """Read a list of rows."""
        return tuple(row.vector() for row in self.items("rows"))

    def _child(self, key: str, symbols: bool) -> str:
        if symbols or not _IDENTIFIER.fullmatch(key):
            return f"{self.path}[{show_json(key)}]"
        return f"{self.path}.{key}" if self.path else key
