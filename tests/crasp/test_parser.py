"""Shape of the tree (precedence, places) and texts that do not parse."""

from __future__ import annotations

import pytest

from idinf.crasp import syntax as s
from idinf.crasp.parser import parse
from idinf.crasp.scanner import MAX_DEPTH
from idinf.errors import ProgramError


def bracketed(expression: s.Expression) -> str:
    """Fully bracketed text, so that precedence is visible."""
    inner = [bracketed(child) for child in s.list_children(expression)]
    match expression:
        case s.Name(name):
            return name
        case s.Symbol(symbol):
            return f'"{symbol}"'
        case s.Truth(value):
            return str(value).lower()
        case s.Number(value):
            return str(value)
        case s.Periodic(variable, modulus, relation, residue):
            return f"({variable} mod {modulus} {relation} {residue})"
        case s.Negated():
            return f"(!{inner[0]})"
        case s.Negative():
            return f"(-{inner[0]})"
        case s.Count(None):
            return f"(#{inner[0]})"
        case s.Count(s.Predicate(variable, relation, anchor, offset)):
            return f"(#[{variable}{relation}{anchor}{offset:+d}]{inner[0]})"
        case s.Conjunction():
            return f"({inner[0]} && {inner[1]})"
        case s.Disjunction():
            return f"({inner[0]} || {inner[1]})"
        case s.Comparison(relation):
            return f"({inner[0]} {relation} {inner[1]})"
        case s.Added(sign):
            return f"({inner[0]} {'+' if sign > 0 else '-'} {inner[1]})"
        case s.Multiplied():
            return f"({inner[0]} * {inner[1]})"
        case s.Conditional():
            return f"({inner[0]} if {inner[1]} else {inner[2]})"
        case s.Extremum(largest):
            return f"{'max' if largest else 'min'}({inner[0]}, {inner[1]})"
    raise AssertionError(expression)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("a || b && c", "(a || (b && c))"),
        ("# a && b", "((#a) && b)"),
        ("a + 2 * b", "(a + (2 * b))"),
        ("(a if b else c) <= d", "((a if b else c) <= d)"),
        ("#[j = i-1] a", "(#[j==i-1]a)"),
        ("(i mod 3 == 1) && a", "((i mod 3 == 1) && a)"),
        ("a != b", "(a != b)"),
        ("iffy + maximum", "(iffy + maximum)"),
    ],
)
def test_precedence(text: str, shape: str) -> None:
    (definition,) = parse(f"x = {text}").definitions
    assert bracketed(definition.expression) == shape


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the program has no operation"),
        ("x = a)", "line 1, column 6: unexpected '\\)'"),
        ("x = a\n= b", "line 2, column 1: unexpected '='"),
        ("x = #[j = i-k] a", "line 1, column 13: unexpected 'k'; expected a number"),
        ("#import next\nx = a", "line 1, column 1: '#import next' is an unknown predicate; .*#\\[j = i-k\\]"),
        ("x = " + "!" * (MAX_DEPTH + 1) + "a", rf"line 1, column \d+: nested more than {MAX_DEPTH} deep"),
        ("x = (a b)", "line 1, column 8: unexpected 'b'; expected a comparison or .*'\\*' or '\\)'"),
        ("x = __import__('os')", "line 1, column 15: unexpected '\\('"),
    ],
)
def test_texts_that_do_not_parse(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"^{message}") as caught:
        parse(text)
    assert "\n" not in str(caught.value)
