"""What messages and terminals show of an input."""

import time

import pytest

from idinf.base.files import show_path
from idinf.base.quoting import escape_controls, quote, shorten, suggest


@pytest.mark.parametrize("character", [*map(chr, range(32)), *map(chr, range(127, 160)), "\u061c", "\u202e"])
def test_controls_are_shown_as_escapes(character: str) -> None:
    expected = character if character in "\n\t" else f"\\u{ord(character):04x}"
    assert escape_controls(f"a{character}b") == f"a{expected}b"


def test_halves_of_characters_are_shown_as_escapes() -> None:
    assert escape_controls("a\ud800b\U0001f600") == "a\\ud800b\U0001f600"


def test_what_is_quoted_is_short() -> None:
    for value in ("x" * 10**6, 10**10**5, ["x" * 10**6] * 10**4, {"k" * 10**5: 1}, b"a" * 10**6):
        assert len(quote(value)) < 90


def test_a_text_loses_its_middle() -> None:
    text = "begin " + "\x1b" * 10**6 + " end"
    assert shorten(text, 40).startswith("begin \\u001b")
    assert shorten(text, 40).endswith(" end")
    assert len(shorten(text, 40)) == 40
    assert shorten("short\x07", 40) == "short\\u0007"


def test_a_path_keeps_its_end_on_one_line() -> None:
    assert show_path("a\nb\tc.toml") == "a\\u000ab\\u0009c.toml"
    assert show_path("x" * 500 + ".toml").endswith("x.toml")


def test_a_suggestion_takes_no_time() -> None:
    begin = time.perf_counter()
    assert suggest("a" * 10**7, ["a" * 10**7]) == ""
    assert suggest("majorty", ["x" * 10**7, "majority"]) == "did you mean 'majority'?"
    assert time.perf_counter() - begin < 5
