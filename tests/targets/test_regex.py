"""The regex notation: what is refused, and where."""

from __future__ import annotations

import pytest

import idinf
from idinf.errors import SpecError
from idinf.targets.regex import check_notation, to_library_notation

LETTERS = {"a": "x", "b": "y", "bb": "z", "(": "p", "*": "s"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a b", "xy"),
        ("a b b", "xyy"),
        ("()|a.", "()|x."),
        ("((a))**", "((x))**"),
        ("a{2}b", "(xx)y"),
        ("(a|b*){2}{1}?", "(((x|y*)(x|y*)))?"),
        ("(a+){2}", "((x+)(x+))"),
        (r"\({2}", "(pp)"),
    ],
)
def test_symbols_become_letters(text: str, written: str) -> None:
    assert to_library_notation(text, LETTERS) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the regex is empty"),
        ("a{b}", r"line 1, column 2: '\{' is not an operator here"),
        ("a|{2}", r"line 1, column 3: '\{2\}' has nothing before it"),
        ("a&b", "line 1, column 2: '&' is not an operator here"),
        ("a||b", r"line 1, column 3: '\|' has nothing before it"),
        ("a\\", r"line 1, column 2: symbol '\\\\' is not in the alphabet"),
    ],
)
def test_one_fault_at_a_time(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=rf"^{message}"):
        to_library_notation(text, LETTERS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a|[ab]*", r"line 1, column 3: '\[' would be a symbol; .*; write \(a\|b\) for .*, or give --"),
        ("a+b", r"line 1, column 2: \+ before a symbol"),
        (".+a", r"line 1, column 2: \+ before a symbol"),
        ("(a & b)", "line 1, column 4: '&' would be a symbol"),
    ],
)
def test_other_notations_are_refused_where_no_alphabet_is_given(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=rf"^{message}"):
        check_notation(text)
    with pytest.raises(SpecError, match=message):
        idinf.target(regex=text)
