"""Dataclasses as JSON: there and back, and every key that is missing, unknown or of another kind is named."""

import dataclasses
import enum
import itertools
import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from idinf.base.documents import LARGEST, In, build_schemas, form, read, write
from idinf.errors import ReportFormatError
from tests.asked_for import few

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)

#: Types of fields, with values that they have.
TYPES: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(1 - LARGEST, LARGEST - 1),
    float: NUMBERS,
    str: st.text(),
    bool: st.booleans(),
}


class Colour(enum.Enum):
    """Stands as a text."""

    RED = "red"
    BLUE = "blue"


TYPES[Colour] = st.sampled_from(Colour)

TYPES[Fraction] = st.fractions(max_denominator=99)

#: Schemas of classes of one name and module have one name.
NUMBERED = itertools.count()

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
    made = make_dataclass(f"Made{next(NUMBERED)}", rows, frozen=True)
    return made, st.builds(made, *(values for _, values in chosen))


def filled(content: object, kind: Any) -> Any:
    return read(content, kind, "x.json", ReportFormatError)


def validator(kind: Any) -> Draft202012Validator:
    schemas = build_schemas(kind)
    schema = {"$ref": f"#/$defs/{kind.__name__}", "$defs": schemas}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@settings(max_examples=few(20, 300), deadline=None)
@given(st.data())
def test_random_dataclasses_come_back_and_fit_their_schema(data: st.DataObject) -> None:
    made, values = data.draw(classes())
    value = data.draw(values)
    content = json.loads(json.dumps(write(value)))
    assert filled(content, made) == value
    validator(made).validate(content)
    names = [item.name for item in dataclasses.fields(made)]
    assert list(content) == [name for name in names if name in content]
    for name in content:
        missing = {key: item for key, item in content.items() if key != name}
        item = next(item for item in dataclasses.fields(made) if item.name == name)
        if item.default_factory is dataclasses.MISSING:
            with pytest.raises(ReportFormatError, match=rf"^x\.json: {name} is missing"):
                filled(missing, made)
        else:
            assert getattr(filled(missing, made), name) == item.default_factory()
        # No type has both kinds of values, and none has one that is neither.
        with pytest.raises(ReportFormatError, match=rf"^x\.json: {name}\W"):
            filled(content | {name: object()}, made)
    with pytest.raises(ReportFormatError, match=r"^x\.json: zzz is an unknown key"):
        filled(content | {"zzz": 1}, made)


def read_word(given: Any) -> tuple[str, ...]:
    if not given:
        raise ReportFormatError("nothing")
    return tuple(given)


WORD = form(read_word, "".join, {"type": "string", "minLength": 1})


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
    pair: tuple[str, Fraction]
    word: In[tuple[str, ...], WORD] | None
    names: Mapping[str, str] = field(default_factory=dict)
    mode: typing.Literal["a", "b"] | None = None


PAIR = ("half", Fraction(1, 2))
OUTER = Outer(3, True, (Inner(1.5, Colour.RED), Inner(2.0, None)), PAIR, ("u", "v"), {"k": "v"}, "b")


def test_what_is_written() -> None:
    assert write(OUTER) == {
        "number": 3,
        "good": True,
        "rows": [{"size": 1.5, "colour": "red"}, {"size": 2.0, "colour": None}],
        "pair": ["half", "1/2"],
        "word": "uv",
        "names": {"k": "v"},
        "mode": "b",
    }
    assert filled(write(OUTER), Outer) == OUTER
    # Defaults are left out.
    assert list(write(Outer(3, True, (), PAIR, None))) == ["number", "good", "rows", "pair", "word"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("number",), True, "number = true; expected an integer; correct it"),
        (("number",), LARGEST, "number = 1000000000000000000; expected a number below 10^18"),
        (("good",), 1, "good = 1; expected true or false"),
        (("rows", 1), 3, "rows[1] = 3; expected a table"),
        (("rows", 1, "size"), 1e18, "rows[1].size = 1e+18; expected a number below 10^18"),
        (("rows", 1, "size"), 10**400, "rows[1].size = 1"),
        (("rows", 0, "taste"), 1, "rows[0].taste is an unknown key; expected only size, colour; remove it"),
        (("rows", 0, "colour"), "green", 'rows[0].colour = "green"; expected "red" or "blue"; correct it'),
        (("rows", 1, "colour"), ..., "rows[1].colour is missing; expected the keys size, colour; add it"),
        (("pair",), ["a"], 'pair = ["a"]; expected a list of length 2; correct it'),
        (("pair", 1), 0.5, 'pair[1] = 0.5; expected an integer or a text "a/b"'),
        (("word",), "", "word: nothing"),
        (("names", "a b"), 1, 'names["a b"] = 1; expected a text in quotes; correct it'),
        (("names",), {"k": "v", "l": 1}, "names.l = 1; expected a text in quotes; correct it"),
        (("mode",), "c", 'mode = "c"; expected "a" or "b"; correct it'),
        (("mood",), "a", "mood is an unknown key; expected only number, good, rows, "),
    ],
)
def test_what_is_wrong_is_named(path: tuple[str | int, ...], value: object, message: str) -> None:
    content = write(OUTER)
    place: Any = content
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    with pytest.raises(ReportFormatError, match=rf"^x\.json: {re.escape(message)}"):
        filled(content, Outer)
    assert not validator(Outer).is_valid(content)


def test_nests_end_in_one_line() -> None:
    nest: object = 1
    for _ in range(10**5):
        nest = [nest]
    with pytest.raises(ReportFormatError, match=r"^x\.json: number = "):
        filled(write(OUTER) | {"number": nest}, Outer)
    many = Fraction(2) ** 10**4
    with pytest.raises(ReportFormatError, match=r"pair\[1\] = .*at most 256 bits"):
        filled(write(OUTER) | {"pair": ["a", many.numerator]}, Outer)


def test_a_fault_of_a_form_is_no_fault_of_the_file() -> None:
    with pytest.raises(TypeError, match="not iterable"):
        filled(write(OUTER) | {"word": 3}, Outer)
