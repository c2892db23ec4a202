"""Parsed JSON and TOML as frozen dataclasses, and frozen dataclasses as JSON: msgspec's work, in our words.

The keys of an object are the fields of its dataclass in their order. A field with a default may be left out,
and is where it has that value. A value whose JSON is not that of its class has a `Form` in its annotation.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from idinf.base.json_text import JsonObject, show_json
from idinf.base.quoting import list_some, shorten, suggest
from idinf.errors import BudgetError, IdinfError

__all__ = ["In"]  # all else that is imported from here is defined here

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

#: Names of the kinds of values in msgspec, and in messages.
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
    """A fault of a value, with its place inside of the document; no error of a user yet."""

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
        return True  # a value of `Form.read` has the class that the form names


class Form(metaclass=_Anything):
    """Form of a value in JSON, if it is not that of its dataclass."""

    read: ClassVar[Callable[[Any], Any]]
    write: ClassVar[Callable[[Any], Any]]
    schema: ClassVar[Mapping[str, Any]]


def form(read: Callable[[Any], Any], write: Callable[[Any], Any], schema: Mapping[str, Any]) -> type[Form]:
    """Make a form of functions from and to plain values, and a JSON Schema.

    The former raises a `Refusal`, or an error of idinf that names a place itself.
    """
    return type("OwnForm", (Form,), {"read": read, "write": write, "schema": schema})


if TYPE_CHECKING:
    from typing import Annotated as In
else:

    class In:
        """``In[X, F]`` is X for a reader of the code, and the form F of X for a reader of a document."""

        def __class_getitem__(cls, pair: tuple[object, type[Form]]) -> type[Form]:
            return pair[1]


def read(content: object, kind: type[T], origin: str, error: type[IdinfError], whole: str = "the file") -> T:
    """Read plain values as a dataclass; ``whole`` names all of them in messages.

    Raises `IdinfError`: ``error``, with the file ``origin``, key, value, expectation and remedy.

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


@contextlib.contextmanager
def telling(origin: str, error: type[IdinfError], whole: str = "the file") -> Iterator[None]:
    """Turn a refusal inside of a block into an error that names its file; ``whole`` as of `read`."""
    try:
        yield
    except Refusal as found:
        place = shorten(found.place) or ("" if found.text.startswith(": ") else whole)
        raise error(f"{origin}: {f'{place}{found.text}'.removeprefix(': ')}") from None
    except RecursionError:
        raise error(f"{origin}: nested too deeply; expected flatter values; correct it") from None
    except BudgetError:
        raise
    except IdinfError as found:
        raise found if str(found).startswith(f"{origin}: ") else error(f"{origin}: {found}") from None


def convert(content: object, kind: type[T]) -> T:
    """Read plain values as a dataclass, inside of others; raises a `Refusal`."""
    import msgspec

    try:
        made = msgspec.convert(content, kind, dec_hook=_read_own)
    except msgspec.ValidationError as error:
        if not isinstance(error.__cause__, Refusal | None):
            raise error.__cause__ from None  # a fault of ours
        raise _translated(error, content, kind) from None
    _look_over(content, made, kind, "")
    return made


def write(value: Any, kind: Any = None) -> Any:
    """Write a dataclass as plain values, which `read` reads as an equal one."""
    is_optional = kind is not (kind := _required(type(value) if kind is None else kind))
    if (value is None and is_optional) or typing.get_origin(kind) is typing.Literal:
        return value
    origin: Any = typing.get_origin(kind) or kind
    if issubclass(origin, Form):
        return origin.write(value)
    if origin is tuple:
        inner = typing.get_args(kind)
        if inner[0] is Fraction:
            return [*map(_plain, value)]
        return [write(item, _inside(inner, place)) for place, item in enumerate(value)]
    if origin is Mapping:
        _, of_values = typing.get_args(kind)
        return {key: write(item, of_values) for key, item in value.items()}
    if hasattr(origin, "__dataclass_fields__"):
        given = ((name, getattr(value, name), hint, default) for name, hint, default in _fields(kind))
        return {name: write(item, hint) for name, item, hint, default in given if item != default}
    if isinstance(value, enum.Enum):
        return value.value
    return _plain(value) if origin is Fraction else origin(value)  # numbers of numpy are plain ones, too


def _plain(number: Fraction) -> int | str:
    return number.numerator if number.denominator == 1 else str(number)


def build_schemas(*kinds: type) -> dict[str, JsonObject]:
    """Build the JSON Schemas, draft 2020-12, of dataclasses and their parts, by the names of the classes.

    They refer to each other as ``#/$defs/…`` and refuse the same values as `read`.
    """
    import msgspec

    _, schemas = msgspec.json.schema_components(kinds, schema_hook=_own_schema)
    _close(schemas)
    return schemas


def build_object_schema(
    required: Mapping[str, object], optional: Mapping[str, object] | None = None
) -> JsonObject:
    """JSON Schema of an object with these keys and no others."""
    properties = {**required, **(optional or {})}
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


def _close(schema: Any) -> None:
    """Bound numbers and refuse other keys, which msgspec's schemas do not; forms do so themselves."""
    if isinstance(schema, dict) and not schema.pop(_OWN, False):
        for key in ("title", "description"):
            if isinstance(schema.get(key), str):  # else it is a key of an object
                del schema[key]
        schema.pop("default", None)
        if "additionalProperties" not in schema and isinstance(schema.get("type"), str):
            schema.update(_MORE.get(schema["type"], {}))
        for item in schema.values():
            _close(item)
    elif isinstance(schema, list):
        for item in schema:
            _close(item)


#: Mark of the schema that a form has of its own.
_OWN = "$own"

_MORE: dict[str, JsonObject] = {
    "integer": {"minimum": 1 - LARGEST, "maximum": LARGEST - 1},
    "number": {"exclusiveMinimum": -LARGEST, "exclusiveMaximum": LARGEST},
    "object": {"additionalProperties": False},
}


def _own_schema(kind: Any) -> dict[str, Any]:
    if kind is Fraction:
        return {_OWN: True, "type": ["integer", "string"], "pattern": f"^{_FRACTION}$"}
    return {_OWN: True, **kind.schema}


def _read_own(kind: Any, given: object) -> object:
    try:
        return read_fraction(given) if kind is Fraction else kind.read(given)
    except IdinfError as error:
        raise Refusal(f": {error}", given=given) from None
    except Refusal as refusal:
        raise Refusal(refusal.text, refusal.place, given) from None


def read_fraction(given: object) -> Fraction:
    """Read an integer or "a/b"; exact, a float is refused.

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
    inner = typing.get_args(kind) or (Any,)
    if isinstance(made, tuple) and isinstance(given, list | tuple):
        if inner[0] is Fraction:
            return
        for number, (item, value) in enumerate(zip(given, made, strict=True)):
            _look_over(item, value, _inside(inner, number), f"{place}[{number}]")
    elif isinstance(given, Mapping) and hasattr(made, "__dataclass_fields__"):
        hints = _hints(kind)
        if unknown := unknown_key(given, hints, place):
            raise unknown
        for key, item in given.items():
            _look_over(item, getattr(made, key), hints[key], child(place, key))
    elif isinstance(given, Mapping) and isinstance(made, Mapping):
        for key, item in given.items():
            _look_over(item, made[key], inner[-1], child(place, key))
    elif isinstance(made, int | float) and not abs(made) < LARGEST:
        refuse(given, "a number below 10^18", "write a smaller one", place)


def untag(content: Any, tag: str, remedy: str) -> JsonObject:
    """An object without its key ``format``, which has to be ``tag``."""
    if not isinstance(content, Mapping):
        refuse(content, f"an object of the format {tag}", remedy)
    if content.get("format") != tag:
        refuse(content.get("format"), f'"{tag}"', remedy, "format")
    return {key: value for key, value in content.items() if key != "format"}


def check_keys(given: Any, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Refuse an object that lacks one of its keys, or has another."""
    if not isinstance(given, Mapping):
        refuse(given, "a table of keys and values", "correct it")
    if unknown := unknown_key(given, (*required, *optional), ""):
        raise unknown
    if missing := next((key for key in required if key not in given), None):
        raise Refusal(f" is missing; expected the keys {list_some(required, ', ')}; add it", missing)


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

    >>> child("next", "a"), child("", "name"), child("embedding", "$")
    ('next.a', 'name', 'embedding["$"]')
    """
    if not isinstance(key, str) or not _IDENTIFIER.fullmatch(key):
        return f"{place}[{show_json(key)}]"
    return f"{place}.{key}" if place else key


def _translated(error: Exception, content: object, kind: Any) -> Refusal:
    """Refusal of msgspec, with the key and the value that its message leaves out."""
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
    """The type of the value at a path of msgspec."""
    for step in steps:
        kind = _required(kind)
        inner = typing.get_args(kind)
        kind = _hints(kind)[step] if not inner else _inside(inner, -1 if step == "..." else int(step))
    return _required(kind)


def _inside(inner: tuple[Any, ...], place: int) -> Any:
    """The type of an entry of a tuple; ``inner`` are the arguments of its type."""
    return inner[0] if inner[-1] is ... else inner[min(place, len(inner) - 1)]


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
