"""Regular machines against Python's `re` on every short word; minimality, numbering, degenerate languages."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet, words_up_to
from idinf.spec.spec import FiniteAutomaton
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.languages.classification.classes_by_definition import minimal

AB = Alphabet(("a", "b"))


def regexes() -> st.SearchStrategy[str]:
    """Regexes that mean the same to `re`: every operand of a postfix operator is a group."""
    leaf = st.sampled_from(["a", "b", "()", "."])
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map("".join),
            st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
            st.tuples(inner, st.sampled_from("*+?")).map(lambda pair: f"({pair[0]}){pair[1]}"),
        ),
        max_leaves=8,
    )


@given(regexes())
def test_a_regex_means_what_re_means(text: str) -> None:
    target = RegularTarget.from_regex(text, AB)
    pattern = re.compile(text)
    for word in words_up_to(2, 5):
        assert accepts(target, word) is (pattern.fullmatch(AB.decode(word)) is not None)


@given(regexes())
def test_machines_are_minimal_complete_and_numbered_breadth_first(text: str) -> None:
    target = RegularTarget.from_regex(text, AB)
    least, _ = minimal(tuple(map(tuple, target.table.tolist())), tuple(target.accepting.tolist()))
    assert len(least) == len(target.table)
    first_seen = list(dict.fromkeys([0, *target.table.ravel().tolist()]))
    assert first_seen == list(range(len(target.table)))


def test_the_empty_language() -> None:
    nothing = FiniteAutomaton(("p", "q"), "p", (), (("p", "a", "q"), ("q", "b", "p")))
    target = RegularTarget.from_automaton(nothing, AB)
    assert target.table.tolist() == [[0, 0]]
    assert not any(accepts(target, word) for word in words_up_to(2, 4))


def test_missing_transitions_go_to_a_sink_and_dead_states_vanish() -> None:
    automaton = FiniteAutomaton(
        ("p", "q", "never"), "p", ("q", "never"), (("p", "a", "q"), ("q", "a", "p"), ("never", "a", "q"))
    )
    target = RegularTarget.from_automaton(automaton, AB)
    assert len(target.table) == 3
    for word in words_up_to(2, 5):
        assert accepts(target, word) is (1 not in word and len(word) % 2 == 1)
