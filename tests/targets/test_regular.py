"""Regular machines against Python's `re` on every short word; minimality, numbering, degenerate languages."""

import re

import numpy as np
import pytest
from automata.fa.dfa import DFA
from hypothesis import given
from hypothesis import strategies as st

import idinf
from idinf.base.words import Alphabet, words_up_to
from idinf.errors import SpecError
from idinf.spec.catalogue import load
from idinf.spec.spec import FiniteAutomaton
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regex import check_notation, to_library_notation
from idinf.targets.regular import RegularTarget, draw_pumped_words
from tests.languages.classification.classes_by_definition import minimal
from tests.search.random_nets import random_dfa

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


# The regex notation: what is refused, and where


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


# Words drawn from automata: what they are for, their lengths and number, always the same


def test_equal_states_are_merged_at_any_start() -> None:
    """Against automata-lib, which also minimises; also where no state, or every one, accepts."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        states, size = rng.integers(1, 12), rng.integers(1, 5)
        table = np.minimum(*rng.integers(0, states, (2, states, size)))
        accepting, start = rng.random(states) < rng.choice((0, 0.2, 0.5, 1)), int(rng.integers(states))
        alphabet = Alphabet(tuple("abcd"[:size]))
        rows = {
            state: dict(zip(alphabet.symbols, row, strict=True)) for state, row in enumerate(table.tolist())
        }
        final = set(np.flatnonzero(accepting).tolist())
        judge = DFA(
            states=set(rows),
            input_symbols=set(alphabet.symbols),
            transitions=rows,
            initial_state=start,
            final_states=final,
        ).minify()
        found = RegularTarget.minimal(alphabet, table, accepting, start)
        assert len(found.table) == len(judge.states)
        assert list(dict.fromkeys([0, *found.table.ravel().tolist()])) == list(range(len(found.table)))
        for word in words_up_to(len(alphabet), 3):
            assert accepts(found, word) is judge.accepts_input(alphabet.decode(word))


def test_a_long_chain_is_minimised_in_time() -> None:
    """Not in the square of its length; ten thousand states that differ far away."""
    size = 10_000
    table = np.minimum(np.arange(size)[:, None] + [1, 0], size - 1)
    found = RegularTarget.minimal(AB, table, np.arange(size) == size - 1)
    assert len(found.table) == size


@pytest.mark.parametrize("seed", range(12))
def test_lengths_and_number_are_kept(seed):
    target = random_dfa(np.random.default_rng(seed), 1 + seed % 3, 2 + seed % 5)
    words = draw_pumped_words(target, 3, 9, 12)
    assert words == draw_pumped_words(target, 3, 9, 12)
    assert len(set(words)) == len(words) <= 12
    assert list(words) == sorted(words, key=lambda word: (len(word), word))
    assert all(3 <= len(word) <= 9 and set(word) <= set(range(1 + seed % 3)) for word in words)
    assert set(words) <= set(draw_pumped_words(target, 3, 9, 10**6))


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
        idinf.target(f"regex:{text}")


def test_the_word_that_tells_deep_dyck_languages_apart_is_drawn():
    d_12, dyck = (build_target(load(name)) for name in ("d-12", "dyck-1"))
    words = draw_pumped_words(d_12, 12, 26, 40)
    assert {accepts(d_12, word) for word in words} == {False, True}
    assert (0,) * 13 + (1,) * 13 in words
    assert any(accepts(d_12, word) != accepts(dyck, word) for word in words)
