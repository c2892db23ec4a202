"""An object inside a report that knows where it stands, so that a refusal can name the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from idinf.json_text import shown_json
from idinf.report.comparison import ReportFormatError

__all__ = ["Entry"]

#: Above every R; infinity, what is no number at all, and integers beyond floats are not below it.
LARGEST = 1e100


@dataclass(frozen=True, slots=True)
class Entry:
    """A JSON object and the path of keys that led to it; every method refuses a value of another type.

    Examples
    --------
    >>> Entry({"stages": [{"n": "1"}]}).children("stages")[0].integer("n")
    Traceback (most recent call last):
        ...
    idinf.report.comparison.ReportFormatError: stages[0].n = "1"; expected an integer; write the report
    again with 'idinf identify -o'
    """

    value: Mapping[str, object]
    path: str = ""

    def has(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return self.value.get(key) is not None

    def integer(self, key: str) -> int:
        """Read an integer; truth values are none."""
        value = self.value.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse(key, "an integer")
        return value

    def number(self, key: str) -> float:
        """Read a finite number."""
        value = self.value.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
            self._refuse(key, "a number")
        return float(value)

    def text(self, key: str) -> str:
        """Read a string."""
        value = self.value.get(key)
        if not isinstance(value, str):
            self._refuse(key, "a string")
        return value

    def flag(self, key: str) -> bool:
        """Read true or false."""
        value = self.value.get(key)
        if not isinstance(value, bool):
            self._refuse(key, "true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Read a list of strings."""
        value = self.value.get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._refuse(key, "a list of strings")
        return tuple(value)

    def child(self, key: str) -> Entry:
        """Read an object."""
        value = self.value.get(key)
        if not isinstance(value, dict):
            self._refuse(key, "an object")
        return Entry(value, f"{self.path}{key}.")

    def children(self, key: str) -> list[Entry]:
        """Read a list of objects."""
        value = self.value.get(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self._refuse(key, "a list of objects")
        return [Entry(item, f"{self.path}{key}[{place}].") for place, item in enumerate(value)]

    def _refuse(self, key: str, expected: str) -> NoReturn:
        shown = shown_json(self.value[key]) if key in self.value else "missing"
        raise ReportFormatError(
            f"{self.path}{key} = {shown}; expected {expected}; "
            "write the report again with 'idinf identify -o'"
        )
