"""Frozen dataclasses as JSON: read, written and put in a schema from one description.

The keys of an object are the fields of its dataclass in their order. A field with a default may be left out,
and is where it has that value. Reading refuses every other key and every value of another kind, with the
path of the key.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar

from idinf.json_cursor import LARGEST, Cursor
from idinf.json_text import JsonObject

T = TypeVar("T")

#: Key of the metadata of a field that has a form of its own.
FORM = "form"


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How values of one type stand in JSON."""

    read: Callable[[Cursor], T]  #: from a cursor; raises the error of the cursor
    write: Callable[[T], Any]  #: to plain values
    schema: Mapping[str, Any]  #: JSON Schema, draft 2020-12


def derive_form(kind: Any) -> Form[Any]:
    """Derive the form of a type: plain values, enums, ``X | None``, tuples, mappings and dataclasses.

    Examples
    --------
    >>> from idinf.errors import ReportFormatError
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: int
    ...     tags: tuple[str, ...] = ()
    >>> derive_form(Point).read(Cursor({"x": 1}, "p.json", ReportFormatError))
    Point(x=1, tags=())
    >>> derive_form(Point).read(Cursor({"x": 1, "tags": [2]}, "p.json", ReportFormatError))
    Traceback (most recent call last):
        ...
    idinf.errors.ReportFormatError: p.json: tags[0] = 2; expected a string; put it in quotes
    """
    if kind not in FORMS:
        FORMS[kind] = _derived(kind)
    return FORMS[kind]


def _derived(kind: Any) -> Form[Any]:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        (inner,) = (argument for argument in arguments if argument is not types.NoneType)
        return or_null(derive_form(inner))
    if origin is tuple and arguments[1:] == (...,):
        return list_of(derive_form(arguments[0]))
    if origin is Mapping:
        return mapping_of(derive_form(arguments[1]))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _enum(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        forms = {item.name: item.metadata.get(FORM) or derive_form(hints[item.name]) for item in fields(kind)}
        return object_form(kind, forms)
    raise TypeError(f"{kind} has no form; give it one in `FORMS`, or the field one in its metadata")


#: What is no dataclass, or not written as one, is put here before it is asked for.
FORMS: dict[Any, Form[Any]] = {
    int: Form(
        lambda cursor: cursor.integer(most=LARGEST),
        int,
        {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST},
    ),
    float: Form(
        Cursor.real, float, {"type": "number", "exclusiveMinimum": -LARGEST, "exclusiveMaximum": LARGEST}
    ),
    str: Form(Cursor.text, str, {"type": "string"}),
    bool: Form(Cursor.boolean, bool, {"type": "boolean"}),
}


def or_null(form: Form[Any]) -> Form[Any]:
    """Form of what may be missing."""
    return Form(
        lambda cursor: None if cursor.value is None else form.read(cursor),
        lambda value: None if value is None else form.write(value),
        {"anyOf": [form.schema, {"type": "null"}]},
    )


def list_of(form: Form[Any], what: str = "values") -> Form[Any]:
    """Form of a tuple; ``what`` names its values in messages."""
    return Form(
        lambda cursor: tuple(map(form.read, cursor.items(what))),
        lambda values: [form.write(value) for value in values],
        {"type": "array", "items": form.schema},
    )


def mapping_of(form: Form[Any]) -> Form[Any]:
    """Form of a mapping from texts."""
    return Form(
        lambda cursor: {key: form.read(item) for key, item in cursor.entries().items()},
        lambda values: {key: form.write(value) for key, value in values.items()},
        {"type": "object", "additionalProperties": form.schema},
    )


def one_of(*names: str) -> Form[str]:
    """Form of a text that is one of a few."""

    def read(cursor: Cursor) -> str:
        if not isinstance(cursor.value, str) or cursor.value not in names:
            cursor.fail(" or ".join(f'"{name}"' for name in names), "name one of them")
        return cursor.value

    return Form(read, str, {"enum": list(names)})


def _enum(kind: type[enum.Enum]) -> Form[Any]:
    form = one_of(*(member.value for member in kind))
    return Form(lambda cursor: kind(form.read(cursor)), lambda member: member.value, form.schema)


def object_form(kind: type, forms: Mapping[str, Form[Any]]) -> Form[Any]:
    """Form of a dataclass whose fields have these forms, in their order."""
    optional = {item.name: default for item in fields(kind) if (default := _default(item)) is not MISSING}
    required = [name for name in forms if name not in optional]

    def read(cursor: Cursor) -> object:
        given = cursor.fields(required, tuple(optional))
        return kind(**{name: forms[name].read(item) for name, item in given.items()})

    def write(value: Any) -> JsonObject:
        content = {name: getattr(value, name) for name in forms}
        return {
            name: forms[name].write(item)
            for name, item in content.items()
            if name not in optional or item != optional[name]
        }

    properties = {name: form.schema for name, form in forms.items()}
    return Form(read, write, build_object_schema(properties, required))


def build_object_schema(
    properties: Mapping[str, object], required: Sequence[str] | None = None
) -> JsonObject:
    """JSON Schema of an object with these keys and no others; all are required if nothing is said."""
    keys = list(properties if required is None else required)
    return {"type": "object", "properties": properties, "required": keys, "additionalProperties": False}


def untag(root: Cursor, content: Mapping[str, object], tag: str, remedy: str) -> Cursor:
    """An object without its key ``format``, which has to be ``tag``."""
    given = root.at(content.get("format"), f"{root.path}.format".lstrip("."))
    if given.value != tag:
        given.fail(f'"{tag}"', remedy)
    return root.at({key: value for key, value in content.items() if key != "format"}, root.path)


def _default(item: Field[Any]) -> object:
    return item.default if item.default_factory is MISSING else item.default_factory()
