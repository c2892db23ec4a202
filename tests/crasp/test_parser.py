"""Shape of the tree (precedence, places) and texts that do not parse."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.crasp import syntax as s
from idinf.crasp.parser import parse
from idinf.crasp.scanner import MAX_DEPTH
from idinf.crasp.syntax import format_program
from idinf.errors import ProgramError


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [
        ("a || b && c", "a || (b && c)"),
        ("# a && b", "(# a) && b"),
        ("a + 2 * b", "a + (2 * b)"),
        ("!a && b", "(!a) && b"),
        ("#[j = i-1] a <= b + 1", "(#[j == i - 1] (a)) <= (b + 1)"),
        ("i mod 3 == 1 && a", "(i mod 3 == 1) && a"),
        ("iffy + maximum", "(iffy) + (maximum)"),
    ],
)
def test_precedence(text: str, bracketed: str) -> None:
    one, other = (parse(f"x = {it}").definitions[0].expression for it in (text, bracketed))
    assert placeless(one) == placeless(other)


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


# What is printed parses to the same tree, without needless brackets


HERE = s.TextPlace(1, 1)

_RELATIONS = st.sampled_from(s.Relation)
#: Of predicates: the parser writes masks, which are strict, as differences.
_KEPT = st.sampled_from([relation for relation in s.Relation if relation not in ("<", "<=")])
_PREDICATES = st.none() | st.builds(
    s.Predicate, st.just("j"), _KEPT, st.just("i"), st.integers(-3, 3), st.just(HERE)
)
_LEAVES = st.one_of(
    st.builds(s.Name, st.sampled_from(["x", "y_1"]), st.just(HERE)),
    st.builds(s.Symbol, st.sampled_from(["a", "//", "left"]), st.just(HERE)),
    st.builds(s.Truth, st.booleans(), st.just(HERE)),
    st.builds(s.Number, st.integers(0, 20), st.just(HERE)),
    st.builds(s.Periodic, st.just("i"), st.integers(0, 4), _RELATIONS, st.integers(0, 4), st.just(HERE)),
)


def _composed(inner: st.SearchStrategy[s.Expression]) -> st.SearchStrategy[s.Expression]:
    place = st.just(HERE)
    return st.one_of(
        st.builds(s.Negated, inner, place),
        st.builds(s.Conjunction, inner, inner, place),
        st.builds(s.Disjunction, inner, inner, place),
        st.builds(s.Comparison, _RELATIONS, inner, inner, place),
        st.builds(s.Count, _PREDICATES, inner, place),
        st.builds(s.Added, st.sampled_from([1, -1]), inner, inner, place),
        st.builds(s.Multiplied, inner, inner, place),
        st.builds(s.Negative, inner, place),
        st.builds(s.Conditional, inner, inner, inner, place),
        st.builds(s.Extremum, st.booleans(), inner, inner, place),
    )


def placeless(expression: object) -> str:
    return re.sub(r"Place\(line=\d+, column=\d+\)", "", repr(expression))


@given(st.recursive(_LEAVES, _composed, max_leaves=12))
def test_printing_and_parsing_is_the_identity(expression: s.Expression) -> None:
    text = format_program(
        s.ProgramTree((s.Definition("z", expression, HERE), s.Definition("w", expression, HERE)))
    )
    found = parse(text)
    assert [placeless(definition.expression) for definition in found.definitions] == [
        placeless(expression)
    ] * 2
    assert format_program(found) == text
