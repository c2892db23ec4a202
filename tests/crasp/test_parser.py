"""Shape of the tree (precedence, places) and texts that do not parse."""

from __future__ import annotations

import pytest

from idinf.crasp import syntax as s
from idinf.crasp.parser import parse
from idinf.crasp.parsing import MAX_DEPTH
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
        ("a && b && c", "((a && b) && c)"),
        ("!a && b", "((!a) && b)"),
        ("!a <= b", "(!(a <= b))"),
        ("# !a <= b", "((#(!a)) <= b)"),
        ("! # a <= b", "(!((#a) <= b))"),
        ("# a && b", "((#a) && b)"),
        ("# (a && b)", "(#(a && b))"),
        ("a - b - c", "((a - b) - c)"),
        ("a + 2 * b", "(a + (2 * b))"),
        ("2 * # a + b <= c", "(((2 * (#a)) + b) <= c)"),
        ("-a + b", "((-a) + b)"),
        ("- # a", "(-(#a))"),
        ("a if b else c if d else e", "(a if b else (c if d else e))"),
        ("a + 1 if b || c else d", "((a + 1) if (b || c) else d)"),
        ("(a if b else c) <= d", "((a if b else c) <= d)"),
        ("min(a, max(b, 1))", "min(a, max(b, 1))"),
        ("#[j = i-1] a", "(#[j==i-1]a)"),
        ("#[j == i - 12] !a", "(#[j==i-12](!a))"),
        ("#[j >= i-2] a", "(#[j>=i-2]a)"),
        ("#[j=i] a", "(#[j==i+0]a)"),
        ("#[p] a", "(#[p==+0]a)"),
        ("(i mod 2 == 0)", "(i mod 2 == 0)"),
        ("(i mod 3 == 1) && a", "((i mod 3 == 1) && a)"),
        ('#"//" >= 1 // a comment "b"', '((#"//") >= 1)'),
        ("a == b", "(a == b)"),
        ("a != b", "(a != b)"),
        ("((a) + b) <= (c)", "((a + b) <= c)"),
        ("!(i mod 2 == 0) || (a)", "((!(i mod 2 == 0)) || a)"),
        ("if + else - mod", "((if + else) - mod)"),
        ("true", "true"),
        ("falsehood", "falsehood"),
        ("iffy + maximum", "(iffy + maximum)"),
    ],
)
def test_precedence(text: str, shape: str) -> None:
    (definition,) = parse(f"x = {text}").definitions
    assert bracketed(definition.expression) == shape


def test_layout_is_free_and_places_are_kept() -> None:
    program = parse('// first\n\nx =\n  # "a"\r\n\ty = x\n    <= 3\n')
    assert [(d.name, str(d.place)) for d in program.definitions] == [
        ("x", "line 3, column 1"),
        ("y", "line 5, column 2"),
    ]
    comparison = program.definitions[1].expression
    assert isinstance(comparison, s.Comparison)
    assert str(comparison.right.place) == "line 6, column 8"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the program has no operation"),
        ("// only words\n", "line 1, column 1: the program has no operation"),
        ("a", "line 1, column 2: unexpected the end; expected '='"),
        ("x = 1\ny = x +\n", "line 2, column 8: unexpected the end; expected an expression"),
        ("x = (a", "line 1, column 7: unexpected the end; expected .*'\\)'"),
        ("x = a)", "line 1, column 6: unexpected '\\)'"),
        ("x = a <= b <= c", "line 1, column 12: unexpected '<='"),
        ("x = a & b", "line 1, column 7: unexpected '&'"),
        ("x = a\n= b", "line 2, column 1: unexpected '='"),
        ('x = "a', "line 1, column 5: unexpected '\"'"),
        ("x = 'a' <= 2", 'line 1, column 5: unexpected "\'"; expected an expression; write # "a" to count a'),
        ("x = # 'ab' <= 2", 'line 1, column 7: unexpected "\'"; expected an expression; write # "ab" to'),
        ("x = min(a)", "line 1, column 10: unexpected '\\)'; expected .*','"),
        ("x = #[j = i-k] a", "line 1, column 13: unexpected 'k'; expected a number"),
        ("x = a if b", "line 1, column 11: unexpected the end; expected .*'else'"),
        ("x := a", "line 1, column 3: unexpected ':'; expected '='"),
        ("#import next\nx = a", "line 1, column 1: '#import next' is an unknown predicate; .*#\\[j = i-k\\]"),
        ("x = 1\n#import pos_odd\n", "line 2, column 1: '#import pos_odd' is an unknown predicate"),
        ("#import 3", "line 1, column 9: unexpected '3'; expected a name"),
        ("#importpred\nx = a", "line 1, column 1: unexpected '#'; expected a name"),
        ("x = " + "9" * 5000, "line 1, column 5: a number of 5000 digits"),
        ("x = " + "!" * (MAX_DEPTH + 1) + "a", rf"line 1, column \d+: nested more than {MAX_DEPTH} deep"),
        ("x = " + "1 + (" * 5000, rf"line 1, column \d+: nested more than {MAX_DEPTH} deep"),
        ("x = " + "a if b else " * 5000, rf"line 1, column \d+: nested more than {MAX_DEPTH} deep"),
        ("x = (a b)", "line 1, column 8: unexpected 'b'; expected a comparison or .*'\\*' or '\\)'"),
        ("x = a b", "line 1, column 7: unexpected 'b'; expected an operator, or a new line"),
        ("x = a <= b if c if d", "line 1, column 17: unexpected 'if'; expected .*'else'"),
        (
            "x = i mod 2 == 0 == a",
            "line 1, column 18: unexpected '=='; expected a name or 'if' or '\\|\\|' or",
        ),
        ("x = !a + !b", "line 1, column 10: unexpected '!'; expected an expression"),
        ("x = __import__('os')", "line 1, column 15: unexpected '\\('"),
    ],
)
def test_texts_that_do_not_parse(text: str, message: str) -> None:
    with pytest.raises(ProgramError, match=rf"^{message}") as caught:
        parse(text)
    assert "\n" not in str(caught.value)


def test_brackets_are_not_depth() -> None:
    (definition,) = parse("x = " + "(" * 5000 + "a" + ")" * 5000).definitions
    assert bracketed(definition.expression) == "a"
