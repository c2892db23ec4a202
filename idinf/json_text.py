"""JSON: parsed with one kind of refusal, shown in messages, and written with one layout.

The readers of hypotheses, reports and automata know what their objects have to hold; what is no JSON at all,
or JSON that readers understand differently, is refused here for all of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NoReturn

from idinf.files import MIB
from idinf.quoting import MOST_QUOTED, quote

JsonObject = dict[str, Any]

#: Bytes of a file with a hypothesis, and of one with a report, a family or speeds. The largest that a search
#: has written have 10 KiB and some MiB; larger ones would take many seconds before anything can be refused.
MOST_HYPOTHESIS, MOST_REPORT = 8 * MIB, 16 * MIB

#: Lists and objects inside each other, at most: a proof may have 200 cases inside cases, and what calls
#: itself for each of them stays far from Python's own limit.
MAX_DEPTH = 250

#: What may be half a character; only texts with such an escape are looked at again.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")

_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"


class NotJson(Exception):
    """Why a text is not read as JSON, as a part of a sentence; whoever asked says what was expected."""


def parse_json(text: str) -> Any:
    """Parse a JSON text whose objects have every key once, and whose numbers are numbers.

    Raises
    ------
    NotJson
        If it is not JSON, is nested or written beyond what Python reads, repeats a key, or holds NaN,
        Infinity or half a character.

    Examples
    --------
    >>> parse_json('{"row": [1, "1/2"]}')
    {'row': [1, '1/2']}
    >>> parse_json('{"row": [1, }')
    Traceback (most recent call last):
        ...
    idinf.json_text.NotJson: not JSON (Expecting value, line 1, column 13)
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise NotJson(f"not JSON ({error.msg}, line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None
    except ValueError:  # Python's bound on the digits of an integer
        raise NotJson("not JSON that can be read (an integer has too many digits)") from None
    if _is_deep(value):
        raise NotJson(_TOO_DEEP)
    if _HALF.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise NotJson(f"a text holds {error.object[error.start]!r}, half a character") from None
    return value


def show_json(value: object) -> str:
    """Write a parsed value as JSON does, at most `MOST_QUOTED` characters of it, for a message.

    Examples
    --------
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

    Examples
    --------
    >>> dump_json({"n": 1, "row": [1, "1/2"]})
    '{\n  "n": 1,\n  "row": [1, "1/2"]\n}\n'
    """
    return _layout(content, "") + "\n"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise NotJson(f"the key {quote(repeated)} is given twice in one object")
    return built


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item if isinstance(item, list) else ())
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is no number")


def _layout(value: object, indent: str) -> str:
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        lines = [f"{inner}{json.dumps(key)}: {_layout(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        lines = [inner + _layout(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return json.dumps(value, allow_nan=False)
