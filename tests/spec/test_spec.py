"""The digest covers the content and nothing else; the text form of every kind."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from idinf.base.words import Alphabet
from idinf.spec.reader import parse_spec
from idinf.spec.spec import FiniteAutomaton, Kind, Spec, Verdict

SPEC = Spec("x", Alphabet(("a", "b")), Kind.REGEX, "a*")


def test_digest_ignores_comments_layout_and_place() -> None:
    first = parse_spec('name = "x"\nalphabet = "ab"\nregex = "a*"', "one.toml")
    second = parse_spec('# why\nregex = "a*"\n\nalphabet = ["a","b"]\nname = "x"', "two.toml")
    assert first.digest == second.digest == SPEC.digest
    assert len(first.digest) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"name": "y"},
        {"alphabet": Alphabet(("a", "b"), spaced=True)},
        {"definition": "a"},
        {"source": "s"},
        {"max_n": 3},
        {"expected": (("crasp", Verdict.YES),)},
    ],
)
def test_digest_sees_every_field(change: dict[str, object]) -> None:
    assert replace(SPEC, **change).digest != SPEC.digest


def test_text_of_an_automaton_is_its_table() -> None:
    automaton = FiniteAutomaton(("p", "q"), "p", ("q",), (("p", "a", "q"), ("p", "b", "p")))
    text = replace(SPEC, kind=Kind.DFA, definition=automaton).text
    assert json.loads(text) == {
        "states": ["p", "q"],
        "start": "p",
        "accept": ["q"],
        "transitions": {"p": {"a": "q", "b": "p"}},
    }
    assert "\n" not in text
