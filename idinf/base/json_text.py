"""JSON: parsed with one kind of refusal, shown in messages, and written with one layout."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from idinf.base.files import MIB
from idinf.base.quoting import MOST_QUOTED

JsonObject = dict[str, Any]

#: Bytes of a file with a hypothesis, and of one with a report, a family or speeds. The largest that a search
#: has written have 10 KiB and some MiB; larger ones would take many seconds before anything can be refused.
MOST_HYPOTHESIS, MOST_REPORT = 8 * MIB, 16 * MIB

#: Characters of a text that is looked over for keys that stand twice: a moment.
MOST_LOOKED_OVER = MIB


class NotJson(Exception):
    """Reason why a text is not read as JSON, as a part of a sentence; the caller adds the expectation."""


def parse_json(text: str) -> Any:
    """Parse a JSON text.

    Raises `NotJson` if it is not JSON, is too deeply nested or too long, or holds NaN or half a
    character.
    """
    import msgspec

    try:
        found = msgspec.json.decode(text)
        if len(text) <= MOST_LOOKED_OVER:  # msgspec takes the last of two equal keys
            json.loads(text, object_pairs_hook=_refuse_repeated, parse_int=len, parse_float=len)
        return found
    except msgspec.MsgspecError as error:
        told, _, _ = str(error).partition(" - at ")
        told = re.sub(r" \(byte (\d+)\)$", lambda found: _line_of(text, int(found[1])), told)
        raise NotJson(f"not JSON ({told})") from None
    except UnicodeEncodeError as error:
        raise NotJson(f"not JSON (half a character at {error.start})") from None
    except RecursionError:
        raise NotJson("nested too deeply") from None


def _refuse_repeated(pairs: list[tuple[str, object]]) -> None:
    met = set[str]()
    for name, _ in pairs:
        if name in met:
            raise NotJson(f"the key {show_json(name)} stands twice in one object")
        met.add(name)


def _line_of(text: str, place: int) -> str:
    """Line and column of a byte of a text, as a part of a message."""
    lines = text.encode()[:place].decode(errors="ignore").split("\n")
    return f", line {len(lines)}, column {len(lines[-1]) + 1}"


def show_json(value: object) -> str:
    """Write a parsed value as JSON does, at most `MOST_QUOTED` characters of it, for a message.

    >>> show_json(None), show_json("x" * 500)[:5], len(show_json("x" * 500))
    ('null', '"xxxx', 61)
    """
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):  # no JSON, or too long or deep to write
        return f"a {type(value).__name__}"
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"


def dump_json(content: Mapping[str, object]) -> str:
    r"""Write an object as ASCII JSON text with a newline at its end.

    Keys stay in their order, objects are indented by 2, a list of plain values takes one line: the same
    content is always the same text.

    >>> dump_json({"n": 1, "row": [1, "1/2"]})
    '{\n  "n": 1,\n  "row": [1, "1/2"]\n}\n'
    """
    return _layout(content, "") + "\n"


def _layout(value: object, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        lines = [f"{inner}{json.dumps(key)}: {_layout(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        lines = [inner + _layout(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)
