"""What is printed parses to the same tree, without needless brackets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.crasp import syntax as s
from idinf.crasp.parser import parse
from idinf.crasp.syntax import format_expression, format_program

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


@pytest.mark.parametrize(
    "text",
    [
        "a || b && !c",
        "!(a && b)",
        "# !a >= 1",
        "a - b - (c - d)",
        "2 * (a + b) * -c",
        "a if b else c if d else e",
        "(a if b else c) if d else e",
        "!(i mod 2 == 0) || i mod 3 == 1",
    ],
)
def test_no_needless_brackets(text: str) -> None:
    shown = format_expression(parse(f"x = {text}").definitions[0].expression)
    assert shown == text.replace("!(i mod 2 == 0)", "!i mod 2 == 0")
