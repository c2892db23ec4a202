"""Parsed JSON and TOML as frozen dataclasses, and frozen dataclasses as JSON: msgspec's work, in our words.

The keys of an object are the fields of its dataclass in their order. A field with a default may be left out,
and is where it has that value. A value whose JSON is not that of its class has a `Form` in its annotation.
"""

from __future__ import annotations

import enum
import functools
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from idinf.errors import IdinfError
from idinf.json_text import JsonObject, show_json
from idinf.quoting import list_some, shorten, suggest

T = TypeVar("T")

#: Numbers of documents are smaller: lengths, counts, bytes, seconds, and R.
LARGEST = 10**18

#: Bits of an exact number: more than any program needs, and floats hold their squares.
MOST_BITS = 256

_FRACTION = r"-?[0-9]{1,77}(/0*[1-9][0-9]{0,76})?"
_NUMBER = re.compile(_FRACTION)

#: Almost all entries of matrices, made once.
_SMALL = {value: Fraction(value) for value in range(-16, 17)}

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_TOLD = re.compile(r"(.*?)(?: - at (?:`key` in )?`\$(.*)`)?", re.DOTALL)

#: What msgspec calls the kinds of values, and what a message does.
_KINDS = {
    "null": "null",
    "bool": "true or false",
    "int": "an integer",
    "float": "a number",
    "str": "a text in quotes",
    "array": "a list",
    "object": "a table of keys and values",
}
_NAMES = {type(None): "null", list: "array", tuple: "array", dict: "object"}


class Refusal(ValueError):
    """What is wrong with a value, and at which place inside of what is read; no error of a user yet."""

    def __init__(self, text: str, place: str = "", given: object = None) -> None:
        super().__init__(text)
        self.text, self.place, self.given = text, place, given

    def within(self, place: str) -> Refusal:
        """The same, seen from outside."""
        dot = "." if place and self.place and not self.place.startswith("[") else ""
        return Refusal(self.text, f"{place}{dot}{self.place}")


def refuse(value: object, expected: str, remedy: str, place: str = "") -> NoReturn:
    """Refuse a value that is read."""
    raise Refusal(f" = {show_json(value)}; expected {expected}; {remedy}", place)


class _Anything(type):
    def __instancecheck__(cls, value: object) -> bool:
        return True  # what `Form.read` gives is of the class that it says


class Form(metaclass=_Anything):
    """How a value stands in JSON if not as its dataclass."""

    schema: ClassVar[Mapping[str, Any]]  #: JSON Schema, draft 2020-12

    @staticmethod
    def read(given: Any) -> Any:
        """Read plain values; raises a `Refusal`, or an error of idinf that names a place itself."""
        raise NotImplementedError

    @staticmethod
    def write(value: Any) -> Any:
        """Write plain values."""
        raise NotImplementedError


if TYPE_CHECKING:
    from typing import Annotated as In
else:

    class In:
        """``In[X, F]`` is X for a reader of the code, and the form F of X for a reader of a document."""

        def __class_getitem__(cls, pair: tuple[object, type[Form]]) -> type[Form]:
            return pair[1]


def read(content: object, kind: type[T], origin: str, error: type[IdinfError], whole: str = "the file") -> T:
    """Read plain values as a dataclass; ``whole`` is what they are called as a whole.

    Raises
    ------
    IdinfError
        ``error``, with the file ``origin``, key, value, expectation and remedy.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from idinf.errors import ReportFormatError
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: int
    ...     tags: tuple[str, ...] = ()
    >>> read({"x": 1}, Point, "p.json", ReportFormatError)
    Point(x=1, tags=())
    >>> read({"x": 1, "tags": [2]}, Point, "p.json", ReportFormatError)
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: p.json: tags[0] = 2; expected a text in quotes; correct it
    """
    with telling(origin, error, whole):
        return convert(content, kind)


class telling:
    """Let refusals inside of a block be errors that name their file."""

    def __init__(self, origin: str, error: type[IdinfError], whole: str = "the file") -> None:
        self._origin, self._error, self._whole = origin, error, whole

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, found: object, trace: object) -> None:
        if isinstance(found, Refusal):
            place = shorten(found.place) or ("" if found.text.startswith(": ") else self._whole)
            raise self._error(f"{self._origin}: {f'{place}{found.text}'.removeprefix(': ')}") from None
        if isinstance(found, RecursionError):
            raise self._error(
                f"{self._origin}: nested too deeply; expected flatter values; correct it"
            ) from None


def convert(content: object, kind: type[T]) -> T:
    """Read plain values as a dataclass, inside of others; raises a `Refusal`."""
    import msgspec

    try:
        made = msgspec.convert(content, kind, dec_hook=_read_own)
    except msgspec.ValidationError as error:
        raise _translated(error, content, kind) from None
    _look_over(content, made, kind, "")
    return made


def write(value: Any, kind: Any = None) -> Any:
    """Write a dataclass as plain values: what `read` reads as an equal one."""
    kind = _required(type(value) if kind is None else kind)
    if value is None:
        return None
    origin: Any = typing.get_origin(kind) or kind
    if issubclass(origin, Form):
        return origin.write(value)
    if origin is tuple:
        (inner, *_) = typing.get_args(kind)
        return [write(item, inner) for item in value]
    if origin is Mapping:
        _, inner = typing.get_args(kind)
        return {key: write(item, inner) for key, item in value.items()}
    if hasattr(origin, "__dataclass_fields__"):
        given = ((name, getattr(value, name), hint, default) for name, hint, default in _fields(kind))
        return {name: write(item, hint) for name, item, hint, default in given if item != default}
    if isinstance(value, enum.Enum):
        return value.value
    return str(value) if origin is Fraction else origin(value)  # numbers of numpy are plain ones, too


def build_schema(kind: type) -> JsonObject:
    """JSON Schema, draft 2020-12, of a dataclass, which refuses what `read` does; others are in ``$defs``."""
    import msgspec

    schema: JsonObject = msgspec.json.schema(kind, schema_hook=_own_schema)
    for name in schema["$defs"]:
        _close(schema["$defs"][name])
    return schema


def _close(schema: object) -> None:
    """Bound numbers and refuse other keys, which msgspec's schema does not."""
    if isinstance(schema, list):
        for item in schema:
            _close(item)
    if not isinstance(schema, dict):
        return
    schema.pop("title", None)
    schema.pop("default", None)
    match schema.get("type"):
        case "object" if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        case "integer" | "number":
            schema.update(minimum=schema.get("minimum", -LARGEST), maximum=schema.get("maximum", LARGEST))
    for item in (*schema.get("properties", {}).values(), *(schema.get(key) for key in _NESTING)):
        _close(item)


_NESTING = ("items", "additionalProperties", "anyOf", "prefixItems")


def _own_schema(kind: Any) -> dict[str, Any]:
    if kind is Fraction:
        return {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": f"^{_FRACTION}$"}]}
    return kind.schema  # type: ignore[no-any-return]


def _read_own(kind: Any, given: object) -> object:
    try:
        return read_fraction(given) if kind is Fraction else kind.read(given)
    except IdinfError as error:
        raise Refusal(f": {error}", given=given) from None
    except Refusal as refusal:
        raise Refusal(refusal.text, refusal.place, given) from None


def read_fraction(given: object) -> Fraction:
    """Read an integer or "a/b"; exact, a float is refused.

    Examples
    --------
    >>> read_fraction("-1/2")
    Fraction(-1, 2)
    """
    if type(given) is int:
        if given in _SMALL:
            return _SMALL[given]
        if given.bit_length() <= MOST_BITS:
            return Fraction(given)
    elif isinstance(given, str) and _NUMBER.fullmatch(given):
        return Fraction(given)
    refuse(given, f'an integer or a text "a/b" of at most {MOST_BITS} bits', "write 0.5 as the text 1/2")


def _look_over(given: object, made: Any, kind: Any, place: str) -> None:
    """Refuse keys and numbers that msgspec lets pass: those of no field, and those of no size."""
    kind = _required(kind)
    if kind in (Fraction, str) or (isinstance(kind, type) and issubclass(kind, Form)):
        return
    (*_, inner) = typing.get_args(kind) or (Any,)
    if isinstance(made, tuple) and isinstance(given, list | tuple):
        (inner, *_) = typing.get_args(kind) or (Any,)
        for number, (item, value) in enumerate(zip(given, made, strict=True)):
            _look_over(item, value, inner, f"{place}[{number}]")
    elif isinstance(given, Mapping) and hasattr(made, "__dataclass_fields__"):
        hints = _hints(kind)
        if unknown := unknown_key(given, hints, place):
            raise unknown
        for key, item in given.items():
            _look_over(item, getattr(made, key), hints[key], child(place, key))
    elif isinstance(given, Mapping) and isinstance(made, Mapping):
        for key, item in given.items():
            _look_over(item, made[key], inner, child(place, key))
    elif isinstance(made, int | float) and not abs(made) < LARGEST:
        refuse(given, "a number below 10^18", "write a smaller one", place)


def unknown_key(given: Mapping[Any, object], names: Iterable[str], place: str) -> Refusal | None:
    """The refusal of the first key that is no field."""
    known = tuple(names)
    key = next((key for key in given if key not in known), None)
    if key is None:
        return None
    hint = suggest(key, known) if isinstance(key, str) else ""
    text = f" is an unknown key; expected only {list_some(known, ', ')}; {hint or 'remove it'}"
    return Refusal(text, child(place, key))


def child(place: str, key: object) -> str:
    """Write the place of a key of an object.

    Examples
    --------
    >>> child("next", "a"), child("", "name"), child("embedding", "$")
    ('next.a', 'name', 'embedding["$"]')
    """
    if not isinstance(key, str) or not _IDENTIFIER.fullmatch(key):
        return f"{place}[{show_json(key)}]"
    return f"{place}.{key}" if place else key


def _translated(error: Exception, content: object, kind: Any) -> Refusal:
    """What msgspec refuses, with the key that it does not tell and the value."""
    found = _TOLD.fullmatch(str(error))
    assert found is not None
    told, steps = found[1], [name or at for name, at in _STEP.findall(found[2] or "")]
    if isinstance(cause := error.__cause__, Refusal):
        return cause.within(_locate(content, steps, lambda value: value is cause.given)[0])
    _, _, got = told.partition(", got ")
    place, value = _locate(
        content, steps, lambda value: not got or f"`{_NAMES.get(type(value), type(value).__name__)}`" == got
    )
    if missing := re.fullmatch(r"Object missing required field `(.*)`", told):
        hints = _hints(_kind_at(kind, steps))
        unknown = unknown_key(value, hints, place) if isinstance(value, Mapping) else None
        text = f" is missing; expected the keys {list_some(hints, ', ')}; add it"
        return unknown or Refusal(text, child(place, missing[1]))
    expected = re.sub(r"`([a-z| ]+)`", _in_words, told.partition(", got ")[0].removeprefix("Expected "))
    if told.startswith("Invalid enum value"):
        expected = " or ".join(f'"{name}"' for name in _choices(_kind_at(kind, steps)))
    elif told.startswith("Number out of range"):
        expected = "a number below 10^18"
    return Refusal(f" = {show_json(value)}; expected {expected}; correct it", place)


def _in_words(found: re.Match[str]) -> str:
    return " or ".join(_KINDS.get(name, name) for name in found[1].split(" | ") if name != "null")


def _locate(value: object, steps: list[str], is_it: Callable[[object], bool]) -> tuple[str, object]:
    """Follow a path of msgspec, in which "..." is some key: that of the first value that is the one."""
    every = list(_values(value, steps, ""))
    return next((found for found in every if is_it(found[1])), every[0] if every else ("", value))


def _values(value: object, steps: list[str], place: str) -> Iterable[tuple[str, object]]:
    if not steps:
        yield place, value
    elif isinstance(value, Mapping):
        for key in value if steps[0] == "..." else steps[:1]:
            if key in value:
                yield from _values(value[key], steps[1:], child(place, key))
    elif isinstance(value, list | tuple) and steps[0].isdigit() and int(steps[0]) < len(value):
        yield from _values(value[int(steps[0])], steps[1:], f"{place}[{steps[0]}]")


def _kind_at(kind: Any, steps: list[str]) -> Any:
    """The type of what stands at a path of msgspec."""
    for step in steps:
        kind = _required(kind)
        inner = typing.get_args(kind)
        kind = (inner[-1] if step == "..." else inner[0]) if inner else _hints(kind)[step]
    return _required(kind)


def _choices(kind: Any) -> tuple[str, ...]:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return tuple(member.value for member in kind)
    return typing.get_args(kind)


def _required(kind: Any) -> Any:
    """X of ``X | None``."""
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return next(inner for inner in typing.get_args(kind) if inner is not types.NoneType)
    return kind


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Any, object], ...]:
    """Name, type and default of every field."""
    defaults = (
        item.default if item.default_factory is MISSING else item.default_factory() for item in fields(kind)
    )
    return tuple(
        (item.name, _hints(kind)[item.name], d) for item, d in zip(fields(kind), defaults, strict=True)
    )
