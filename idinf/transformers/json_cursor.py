"""A place in a parsed JSON text that knows its file and key path, so that every refusal can name them."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from idinf.errors import HypothesisFormatError
from idinf.transformers.limit_transformer import Matrix, Vector

__all__ = ["Cursor", "parse_json"]

#: Characters of a wrong value that a message shows; the rest would bury the sentence.
SHOWN_CHARACTERS = 60

_FRACTION = re.compile(r"(-?[0-9]+)/([0-9]+)")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class _Object(dict[str, object]):
    """A JSON object that remembers which keys its text repeats."""

    repeated: tuple[str, ...] = ()


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
        place = self.path or "the hypothesis"
        raise HypothesisFormatError(
            f"{self.origin}: {place} = {_show(self.value)}; expected {expected}; {remedy}"
        )

    def fields(
        self, required: Sequence[str], optional: Sequence[str] = (), *, symbols: bool = False
    ) -> dict[str, Cursor]:
        """Read an object with exactly the keys ``required`` and perhaps some of ``optional``.

        ``symbols`` says that the keys are symbols, which a path writes in brackets.
        """
        if not isinstance(self.value, Mapping):
            self.fail("an object {…}", f"give it the keys {', '.join(required)}")
        known = (*required, *optional)
        for key in self.value:
            if key not in known:
                self._refuse_key(key, known, symbols)
        for key in getattr(self.value, "repeated", ()):
            raise HypothesisFormatError(
                f"{self.origin}: {self._child(key, symbols)} is given twice; "
                "expected every key once; remove one"
            )
        for key in required:
            if key not in self.value:
                raise HypothesisFormatError(
                    f"{self.origin}: {self._child(key, symbols)} is missing; "
                    f"expected the keys {', '.join(required)}; add it"
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
        return self.value

    def number(self) -> Fraction:
        """Read an integer or "a/b" with b a power of two; exact, a float is refused."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return Fraction(self.value)
        match = _FRACTION.fullmatch(self.value) if isinstance(self.value, str) else None
        if match is None:
            self.fail('an integer or a string "a/b"', "floats are never read; write 1/2 as the string")
        numerator, denominator = (self._digits(text) for text in match.groups())
        if denominator.bit_count() != 1:
            self.fail('"a/b" with b a power of two', "numbers lie on the grid of 2^-precision")
        return Fraction(numerator, denominator)

    def vector(self) -> Vector:
        """Read a list of numbers."""
        return tuple(item.number() for item in self.items("numbers"))

    def matrix(self) -> Matrix:
        """Read a list of rows."""
        return tuple(row.vector() for row in self.items("rows"))

    def _digits(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:  # Python's bound on the digits of an integer
            self.fail("a number of fewer digits", "use smaller numbers")

    def _child(self, key: str, symbols: bool) -> str:
        if symbols or not _IDENTIFIER.fullmatch(key):
            return f"{self.path}[{json.dumps(key, ensure_ascii=not key.isprintable())}]"
        return f"{self.path}.{key}" if self.path else key

    def _refuse_key(self, key: str, known: Sequence[str], symbols: bool) -> NoReturn:
        close = [] if symbols else difflib.get_close_matches(key, known, n=1)
        remedy = f"did you mean {close[0]}?" if close else "remove it"
        raise HypothesisFormatError(
            f"{self.origin}: {self._child(key, symbols)} is an unknown key; "
            f"expected only {', '.join(known)}; {remedy}"
        )


def parse_json(text: str, origin: str) -> Cursor:
    """Parse a JSON text.

    Raises
    ------
    HypothesisFormatError
        If the text is not JSON, with line and column, or is nested or written beyond what Python reads.

    Examples
    --------
    >>> parse_json("[1, 2]", "net.json").vector()
    (Fraction(1, 1), Fraction(2, 1))
    """
    try:
        return Cursor(json.loads(text, object_pairs_hook=_build_object), origin)
    except json.JSONDecodeError as error:
        raise HypothesisFormatError(
            f"{origin}:{error.lineno}:{error.colno}: not JSON ({error.msg}); "
            "expected a limit-transformer/1 object; correct the syntax"
        ) from None
    except RecursionError:
        raise HypothesisFormatError(
            f"{origin}: nested too deeply; expected a limit-transformer/1 object; remove brackets"
        ) from None
    except ValueError:  # Python's bound on the digits of an integer
        raise HypothesisFormatError(
            f"{origin}: an integer has too many digits; expected parameters on a p-bit grid; use smaller ones"
        ) from None


def _build_object(pairs: list[tuple[str, object]]) -> _Object:
    keys = [key for key, _ in pairs]
    built = _Object(pairs)
    built.repeated = tuple(key for place, key in enumerate(keys) if key in keys[:place])
    return built


def _show(value: object) -> str:
    try:
        shown = json.dumps(value)
    except (TypeError, ValueError, RecursionError):  # no JSON, or too long or deep to print
        shown = f"a {type(value).__name__}"
    return shown if len(shown) <= SHOWN_CHARACTERS else shown[:SHOWN_CHARACTERS] + "…"
