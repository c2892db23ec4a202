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
        ("abb", "xz"),
        ("a b b", "xyy"),
        ("(a|b)*\n  a+ b?", "(x|y)*x+y?"),
        ("()|a.", "()|x."),
        (r"\(*\*", "p*s"),
        ("((a))**", "((x))**"),
        ("a{2}b", "(xx)y"),
        ("a{0}", "()"),
        ("(a|b*){2}{1}?", "(((x|y*)(x|y*)))?"),
        ("b(ab){01}", "y((xy))"),
        ("(a+){2}", "((x+)(x+))"),
        ("ba+{2}", "y(x+x+)"),
        (r"\({2}", "(pp)"),
    ],
)
def test_symbols_become_letters(text: str, written: str) -> None:
    assert to_library_notation(text, LETTERS) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the regex is empty"),
        (" \n ", "line 1, column 1: the regex is empty"),
        ("ac", r"line 1, column 2: symbol 'c' is not in the alphabet; expected one of: a b bb \( \*"),
        ("a\n  $", r"line 2, column 3: '\$' is not an operator here"),
        ("[ab]", r"line 1, column 1: '\[' is not an operator here"),
        ("a{b}", r"line 1, column 2: '\{' is not an operator here"),
        ("a{2,3}", r"line 1, column 2: '\{' is not an operator here"),
        ("a{-1}", r"line 1, column 2: '\{' is not an operator here"),
        ("a{1000000000}", r"line 1, column 2: '\{' is not an operator here"),
        ("a}", r"line 1, column 2: '\}' is not an operator here"),
        ("{2}a", r"line 1, column 1: '\{2\}' has nothing before it"),
        ("a|{2}", r"line 1, column 3: '\{2\}' has nothing before it"),
        ("a{100}{100}", r"line 1, column 7: repetition \{100\} makes more than 10000"),
        ("a&b", "line 1, column 2: '&' is not an operator here"),
        ("a^", r"line 1, column 2: '\^' is not an operator here"),
        ("*a", r"line 1, column 1: '\*' has nothing before it"),
        ("(+)", r"line 1, column 2: '\+' has nothing before it"),
        ("a|?", r"line 1, column 3: '\?' has nothing before it"),
        ("|a", r"line 1, column 1: '\|' has nothing before it"),
        ("a||b", r"line 1, column 3: '\|' has nothing before it"),
        ("a|", r"line 1, column 2: '\|' has nothing after it"),
        ("(a|)", r"line 1, column 4: '\|' has nothing after it"),
        ("(a", r"line 1, column 1: '\(' is never closed"),
        ("a)", r"line 1, column 2: '\)' without '\('"),
        ("a\\", r"line 1, column 2: symbol '\\\\' is not in the alphabet"),
    ],
)
def test_one_fault_at_a_time(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=rf"^{message}"):
        to_library_notation(text, LETTERS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a|[ab]*",
            r"line 1, column 3: '\[' would be a symbol; .*; write \(a\|b\) for .*, or give --",
        ),
        ("a{2,3}", r"line 1, column 2: '\{' would be a symbol; .*; write aa\(a\)\? for"),
        ("a{2}|\nb|ε", r"line 2, column 3: 'ε' would be a symbol; .*; write \(\) for the empty word"),
        (r"\d*", r"line 1, column 1: \\d would be the symbol 'd'; .*; write \(0\|1\) for digits"),
        ("^ab", r"line 1, column 1: '\^' would be a symbol; .*; a regex is about whole words"),
        ("ab$", r"line 1, column 3: '\$' would be a symbol"),
        ("a + b", r"line 1, column 3: \+ before a symbol or a group may be a union; .*; write a\|b for"),
        ("c(0+1)*", r"line 1, column 4: \+ before a symbol .*a\+ b or \(a\+\)b for one or more, or give"),
        ("a+b", r"line 1, column 2: \+ before a symbol"),
        ("(ab)*+(ba)*", r"line 1, column 6: \+ before a symbol"),
        ("a|b\n +c", r"line 2, column 2: \+ before a symbol"),
        (".+a", r"line 1, column 2: \+ before a symbol"),
        ("a++b", r"line 1, column 3: \+ before a symbol"),
        (r"a+\[", r"line 1, column 2: \+ before a symbol"),
        ("~a", "line 1, column 1: '~' would be a symbol; .*; there is no complement"),
        ("a|¬b", "line 1, column 3: '¬' would be a symbol; .*; there is no complement"),
        ("Σ*aΣ*", "line 1, column 1: 'Σ' would be a symbol; .*; write . for any symbol"),
        ("a∗", "line 1, column 2: '∗' would be a symbol; .*; write \\* for"),
        ("a⋅b", "line 1, column 2: '⋅' would be a symbol; .*; write ab"),
        ("(a & b)", "line 1, column 4: '&' would be a symbol"),
    ],
)
def test_other_notations_are_refused_where_no_alphabet_is_given(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=rf"^{message}"):
        check_notation(text)
    with pytest.raises(SpecError, match=message):
        idinf.target(regex=text)


@pytest.mark.parametrize(
    "text",
    [
        "(a|b)*a{3}",
        "a+ b",
        "(a+)b",
        "(a+|b+)+",
        r"\[a\]",
        r"(\+)",
        r"\+a",
        "(1+) 0",
        "(ab)+",
        ". a+",
        "a +|b",
        "a+{2}",
        "a+\nb",
    ],
)
def test_the_own_notation_is_none_of_them(text: str) -> None:
    check_notation(text)
    assert idinf.target(regex=text).alphabet


def test_with_an_alphabet_they_are_symbols() -> None:
    assert "[ab]" in idinf.target(regex="[ab]*", alphabet="[]ab")
    assert "ε" in idinf.target(regex="ε", alphabet="aε")
    assert "~a" in idinf.target(regex="~a", alphabet="~a")
    assert "aab" in idinf.target(regex="a+b", alphabet="ab")


def test_a_brace_may_be_a_symbol() -> None:
    assert to_library_notation("{ 2 }", {"{": "x", "2": "y", "}": "z"}) == "xyz"
