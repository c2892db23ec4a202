"""Dataclasses as JSON: there and back, and every key that is missing, unknown or of another kind is named."""

from __future__ import annotations

import dataclasses
import enum
import json
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from idinf.errors import ReportFormatError
from idinf.json_cursor import LARGEST, Cursor
from idinf.json_forms import FORM, derive_form, one_of, or_null
from tests.asked_for import few

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)

#: Types of fields, with values that they have.
TYPES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-LARGEST, LARGEST),
    float: NUMBERS,
    str: st.text(),
    bool: st.booleans(),
}


class Colour(enum.Enum):
    """Stands as a text."""

    RED = "red"
    BLUE = "blue"


TYPES[Colour] = st.sampled_from(Colour)

NAMES = st.from_regex(r"[a-z][a-z_]{0,6}x", fullmatch=True)


@st.composite
def kinds(draw: st.DrawFn, depth: int = 2) -> tuple[Any, st.SearchStrategy[Any]]:
    """A type with its values: plain, optional, a tuple, a mapping, or a dataclass of others."""
    shape = (
        draw(st.sampled_from(["plain", "optional", "tuple", "mapping", "dataclass"])) if depth else "plain"
    )
    if shape == "plain":
        return draw(st.sampled_from(list(TYPES.items())))
    if shape == "dataclass":
        return draw(classes(depth - 1))
    kind, values = draw(kinds(depth - 1))
    match shape:
        case "optional":
            # Of X | None there is only one: it is not optional twice.
            if isinstance(kind, types.UnionType):
                return kind, values
            return kind | None, st.none() | values
        case "tuple":
            return tuple[kind, ...], st.lists(values, max_size=3).map(tuple)
        case _:
            return Mapping[str, kind], st.dictionaries(st.text(max_size=5), values, max_size=3)


@st.composite
def classes(draw: st.DrawFn, depth: int = 2) -> tuple[Any, st.SearchStrategy[Any]]:
    """A frozen dataclass with its values; some fields have a default."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    chosen = [draw(kinds(depth)) for _ in names]
    with_default = draw(st.integers(0, len(names)))
    rows: list[Any] = []
    for place, (name, (kind, values)) in enumerate(zip(names, chosen, strict=True)):
        default = draw(values) if place >= with_default else None
        more = (field(default_factory=lambda default=default: default),) if place >= with_default else ()
        rows.append((name, kind, *more))
    made = make_dataclass("Made", rows, frozen=True)
    return made, st.builds(made, *(values for _, values in chosen))


def cursor(content: object) -> Cursor:
    return Cursor(content, "x.json", ReportFormatError)


@settings(max_examples=few(20, 300), deadline=None)
@given(st.data())
def test_random_dataclasses_come_back_and_fit_their_schema(data: st.DataObject) -> None:
    made, values = data.draw(classes())
    value = data.draw(values)
    content = json.loads(json.dumps(derive_form(made).write(value)))
    assert derive_form(made).read(cursor(content)) == value
    Draft202012Validator.check_schema(derive_form(made).schema)
    Draft202012Validator(derive_form(made).schema).validate(content)
    names = [item.name for item in dataclasses.fields(made)]
    assert list(content) == [name for name in names if name in content]
    for name in content:
        missing = {key: item for key, item in content.items() if key != name}
        item = next(item for item in dataclasses.fields(made) if item.name == name)
        if item.default_factory is dataclasses.MISSING:
            with pytest.raises(ReportFormatError, match=rf"^x\.json: {name} is missing"):
                derive_form(made).read(cursor(missing))
        else:
            assert getattr(derive_form(made).read(cursor(missing)), name) == item.default_factory()
        # No type has both kinds of values, and none has one that is neither.
        with pytest.raises(ReportFormatError, match=rf"^x\.json: {name}\W"):
            derive_form(made).read(cursor(content | {name: object()}))
    with pytest.raises(ReportFormatError, match=r"^x\.json: zzz is an unknown key"):
        derive_form(made).read(cursor(content | {"zzz": 1}))


@dataclass(frozen=True)
class Inner:
    """Of a list."""

    size: float
    colour: Colour | None


@dataclass(frozen=True)
class Outer:
    """Every kind of field."""

    number: int
    good: bool
    rows: tuple[Inner, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    mode: str | None = field(default=None, metadata={FORM: or_null(one_of("a", "b"))})


OUTER = Outer(3, True, (Inner(1.5, Colour.RED), Inner(2.0, None)), {"k": "v"}, "b")


def test_what_is_written() -> None:
    assert derive_form(Outer).write(OUTER) == {
        "number": 3,
        "good": True,
        "rows": [{"size": 1.5, "colour": "red"}, {"size": 2.0, "colour": None}],
        "names": {"k": "v"},
        "mode": "b",
    }
    # Defaults are left out.
    assert list(derive_form(Outer).write(Outer(3, True, ()))) == ["number", "good", "rows"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("number",), True, "number = true; expected an integer"),
        (("good",), 1, "good = 1; expected true or false"),
        (("rows", 1), 3, "rows[1] = 3; expected an object"),
        (("rows", 1, "size"), 1e18, "rows[1].size = 1e+18; expected a finite number"),
        (("rows", 1, "size"), 10**400, "rows[1].size = 1"),
        (("rows", 0, "taste"), 1, "rows[0].taste is an unknown key; expected only size, colour; remove it"),
        (("names", "a b"), 1, 'names["a b"] = 1; expected a string'),
        (("rows", 1, "colour"), ..., "rows[1].colour is missing"),
    ],
)
def test_what_is_wrong_is_named(path: tuple[str | int, ...], value: object, message: str) -> None:
    content = derive_form(Outer).write(OUTER)
    place: Any = content
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    with pytest.raises(ReportFormatError, match=rf"^x\.json: {re.escape(message)}"):
        derive_form(Outer).read(cursor(content))
    # A schema holds 3.0 for an integer, and no bound of what is not finite.
    if message not in ("number = 3.0; expected an integer", "rows[1].size = NaN; expected a finite number"):
        assert list(Draft202012Validator(derive_form(Outer).schema).iter_errors(content))


def test_a_type_without_a_form_is_a_fault_of_the_program() -> None:
    with pytest.raises(TypeError, match="has no form"):
        derive_form(complex)
