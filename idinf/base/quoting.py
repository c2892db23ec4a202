"""Inputs in a form for messages and terminals: short, and without control characters.

A message about a wrong input has to quote some of it. Inputs can be a megabyte long, or hold an escape
sequence that rewrites the screen of the reader.
"""

from __future__ import annotations

import itertools
import re
import reprlib
from collections.abc import Iterable

#: Characters of an input that a message repeats, at most.
MOST_QUOTED = 60

#: Integers are written out up to this many bits, 38 digits.
_WRITTEN_BITS = 128

#: Controls of C0 (but the tabulator and the end of a line), DEL and C1, separators that some terminals take
#: for ends of lines, marks that turn the direction of later text, so that it reads as another text, and
#: halves of characters, which no encoding can write.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def escape_controls(text: str) -> str:
    r"""Write every control character as ``\u001b`` or the like; tabulators and ends of lines stay.

    The escapes are those of JSON, so a JSON text means the same before and after.

    >>> escape_controls("a\x1b[31mb\tc")
    'a\\u001b[31mb\tc'
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Short(reprlib.Repr):
    """``repr`` that stops in time: nothing long is ever written out."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = MOST_QUOTED
        self.maxlevel = 3
        self.fillvalue = "…"

    def repr_int(self, value: int, level: int) -> str:
        """An integer; a long one by its size, as Python refuses to write thousands of digits."""
        bits = value.bit_length()
        return repr(value) if bits <= _WRITTEN_BITS else f"an integer of {bits} bits"


_SHORT = _Short()


def quote(value: object) -> str:
    """Write a value of an input as Python would, at most about `MOST_QUOTED` characters of it.

    >>> quote("majorty"), quote([3, 1]), quote(10**5000)
    ("'majorty'", '[3, 1]', 'an integer of 16610 bits')
    >>> quote("ab" * 500)
    "'abababababababababababababa…abababababababababababababab'"
    """
    text = _SHORT.repr(value)
    return text if len(text) <= MOST_QUOTED + 2 else f"{text[:MOST_QUOTED]}…"


def list_some(items: Iterable[str], separator: str = " ") -> str:
    """Write a list of names, in full if it is short, else its beginning and the number of names.

    >>> list_some(["a", "b"]), list_some(map(str, range(1000)), ", ")
    ('a b', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, … (1000 in all)')
    """
    every = list(items)
    if sum(len(item) + len(separator) for item in every) <= 3 * MOST_QUOTED:
        return separator.join(every)
    ends = itertools.accumulate(len(item) + len(separator) for item in every)
    shown = [item for item, end in zip(every, ends, strict=True) if end <= MOST_QUOTED]
    return separator.join([*shown, f"… ({len(every)} in all)"])


def shorten(text: str, most: int = 2 * MOST_QUOTED) -> str:
    """Cut the middle out of a text, and write its control characters: its beginning and the remedy stay.

    >>> shorten("a" * 500 + " is unknown; remove it", 40)
    'aaaaaaaaaaaaaaaaaaaa… unknown; remove it'
    """
    text = escape_controls(text[:most] + text[-most:] if len(text) > 2 * most else text)
    end = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[-end:]}"


def name_file(name: str) -> str:
    """Write a name as a part of the names of files: letters, digits and . _ + - only.

    >>> name_file("majority"), name_file("../(ab)*")
    ('majority', 'ab-')
    """
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).lstrip(".-") or "target"


def suggest(name: str, known: Iterable[str]) -> str:
    """Ask whether a known name was meant; empty where none is near, or it is far too long.

    >>> suggest("majorty", ["majority", "parity"])
    "did you mean 'majority'?"
    >>> suggest("x" * 10**6, ["x"])
    ''
    """
    if len(name) > MOST_QUOTED:  # comparing takes the product of the lengths
        return ""
    import difflib  # for a message only

    others = [other for other in known if len(other) <= MOST_QUOTED]
    if not difflib.get_close_matches(name, others, n=1):
        return ""
    nearest = max(others, key=lambda other: difflib.SequenceMatcher(None, other, name).ratio())  # the first
    return f"did you mean {nearest!r}?"
