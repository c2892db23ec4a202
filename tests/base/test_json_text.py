"""JSON from outside: one kind of refusal, whatever is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.json_text import NotJson, dump_json, parse_json, show_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_parsed_back_it_is_the_same(value: dict[str, object]) -> None:
    text = dump_json(value)
    assert json.loads(text) == parse_json(text) == value
    assert list(json.loads(text)) == list(value)
    assert text.endswith("\n")
    assert text.isascii()


def test_numbers_that_json_lacks_are_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump_json({"r": float("nan")})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"not JSON \(Input data was truncated\)"),
        ('{"a": 1,\n"b": é}', r"invalid character, line 2, column 6\)"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"a": 1}, {"b": 1, "b": 1}]', 'the key "b" stands twice in one object'),
        ("NaN", r"invalid character, line 1, column 1\)"),
        ('{"a": ' + "1" * 5000 + "}", r"\(Integer value out of range\)"),
        (r'{"\udfff": 1}', "invalid utf-16 surrogate pair"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotJson, match=message) as caught:
        parse_json(text)
    assert len(str(caught.value)) < 150


def test_what_is_read() -> None:
    deep = "[" * 250 + "]" * 250
    for text in (deep, '{"a": [1, 2.5, null, "\\ud83d\\ude00"], "b": {}}', "3", '"x"'):
        assert parse_json(text) == json.loads(text)


def test_a_value_is_shown_as_json() -> None:
    assert [show_json(value) for value in (True, None, "\x1b", [1, "a"])] == [
        "true",
        "null",
        '"\\u001b"',
        '[1, "a"]',
    ]
    assert len(show_json("x" * 10**6)) == 61
    assert show_json(10**5000) == "a int"
