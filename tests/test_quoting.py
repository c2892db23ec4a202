"""What messages and terminals show of an input."""

from __future__ import annotations

import time

import pytest

from idinf.files import shown_path
from idinf.quoting import quoted, shortened, suggestion, visible


@pytest.mark.parametrize("character", [*map(chr, range(32)), *map(chr, range(127, 160)), "\u061c", "\u202e"])
def test_controls_are_shown_as_escapes(character: str) -> None:
    expected = character if character in "\n\t" else f"\\u{ord(character):04x}"
    assert visible(f"a{character}b") == f"a{expected}b"


def test_halves_of_characters_are_shown_as_escapes() -> None:
    assert visible("a\ud800b\U0001f600") == "a\\ud800b\U0001f600"


def test_what_is_quoted_is_short() -> None:
    for value in ("x" * 10**6, 10**10**5, ["x" * 10**6] * 10**4, {"k" * 10**5: 1}, b"a" * 10**6):
        assert len(quoted(value)) < 90


def test_a_text_loses_its_middle() -> None:
    text = "begin " + "\x1b" * 10**6 + " end"
    assert shortened(text, 40).startswith("begin \\u001b")
    assert shortened(text, 40).endswith(" end")
    assert len(shortened(text, 40)) == 40
    assert shortened("short\x07", 40) == "short\\u0007"


def test_a_path_keeps_its_end_on_one_line() -> None:
    assert shown_path("a\nb\tc.toml") == "a\\u000ab\\u0009c.toml"
    assert shown_path("x" * 500 + ".toml").endswith("x.toml")


def test_a_suggestion_takes_no_time() -> None:
    begin = time.perf_counter()
    assert suggestion("a" * 10**7, ["a" * 10**7]) == ""
    assert suggestion("majorty", ["x" * 10**7, "majority"]) == "did you mean 'majority'?"
    assert time.perf_counter() - begin < 5
