"""A place in a parsed JSON text that knows its file and key path, so that every refusal can name them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from idinf.errors import HypothesisFormatError
from idinf.json_text import shown_json
from idinf.quoting import listed, shortened, suggestion
from idinf.transformers.limit_transformer import Matrix, Vector

__all__ = ["Cursor"]

#: Bits of a number: more than any program needs, R takes no larger ones, and floats hold their squares.
MOST_BITS = 256

_FRACTION = re.compile(r"(-?[0-9]+)/([0-9]+)")

#: Almost all entries of matrices, made once.
_SMALL = {value: Fraction(value) for value in range(-16, 17)}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A JSON value with the file (``origin``) and the key path it came from.

    Every method raises HypothesisFormatError naming both where the value is not what it asks for.

    Examples
    --------
    >>> Cursor({"b": [1, "1/2"]}, "net.json").fields(("b",))["b"].vector()
    (Fraction(1, 1), Fraction(1, 2))
    """

    value: object
    origin: str
    path: str = ""

    def fail(self, expected: str, remedy: str) -> NoReturn:
        """Refuse this value."""
        place = shortened(self.path) or "the hypothesis"
        raise HypothesisFormatError(
            f"{self.origin}: {place} = {shown_json(self.value)}; expected {expected}; {remedy}"
        )

    def fields(
        self, required: Sequence[str], optional: Sequence[str] = (), *, symbols: bool = False
    ) -> dict[str, Cursor]:
        """Read an object with exactly the keys ``required`` and perhaps some of ``optional``.

        ``symbols`` says that the keys are symbols, which a path writes in brackets.
        """
        if not isinstance(self.value, Mapping):
            self.fail("an object {…}", f"give it the keys {listed(required, ', ')}")
        known = dict.fromkeys((*required, *optional))
        for key in self.value:
            if key not in known:
                self._refuse_key(key, known, symbols)
        for key in required:
            if key not in self.value:
                raise HypothesisFormatError(
                    f"{self.origin}: {shortened(self._child(key, symbols))} is missing; "
                    f"expected the keys {listed(required, ', ')}; add it"
                )
        return {
            key: Cursor(value, self.origin, self._child(key, symbols)) for key, value in self.value.items()
        }

    def items(self, what: str) -> list[Cursor]:
        """Read a list, described as ``what`` where there is none."""
        if not isinstance(self.value, list):
            self.fail(f"a list of {what}", "put it in [ ]")
        return [Cursor(value, self.origin, f"{self.path}[{place}]") for place, value in enumerate(self.value)]

    def text(self) -> str:
        """Read a string."""
        if not isinstance(self.value, str):
            self.fail("a string", "put it in quotes")
        return self.value

    def integer(self) -> int:
        """Read an integer; true and false are none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail("an integer", "write it without a point or quotes")
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

    def vector(self) -> Vector:
        """Read a list of numbers."""
        if isinstance(self.value, list) and all(type(e) is int and e in _SMALL for e in self.value):
            return tuple(map(_SMALL.__getitem__, self.value))
        return tuple(item.number() for item in self.items("numbers"))

    def matrix(self) -> Matrix:
        """Read a list of rows."""
        return tuple(row.vector() for row in self.items("rows"))

    def _child(self, key: str, symbols: bool) -> str:
        if symbols or not _IDENTIFIER.fullmatch(key):
            return f"{self.path}[{shown_json(key)}]"
        return f"{self.path}.{key}" if self.path else key

    def _refuse_key(self, key: str, known: Mapping[str, None], symbols: bool) -> NoReturn:
        hint = "" if symbols else suggestion(key, known)
        raise HypothesisFormatError(
            f"{self.origin}: {shortened(self._child(key, symbols))} is an unknown key; "
            f"expected only {listed(known, ', ')}; {hint or 'remove it'}"
        )
