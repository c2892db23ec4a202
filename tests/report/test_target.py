"""What a report says is asked: the same target again, and refusals."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from idinf.experiments.catalogue import load, names
from idinf.experiments.reader import parse_spec
from idinf.report.comparison import ReportFormatError
from idinf.report.keys import unknown_key
from idinf.report.target import asked_lines, asked_target, count_words
from idinf.report.writer import target_object
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget
from idinf.words import words_up_to

DFA = (
    'name = "x"\nalphabet = "yes no"\ntokens = "space"\nmode = "next"\njudged = "."\n'
    '[dfa]\nstates = ["p", "q"]\nstart = "p"\naccept = ["q"]\ntransitions = { p = { yes = "q" } }\n'
)
DOMAIN = 'name = "x"\nalphabet = "ab"\nregex = "a*"\ndomain = "(aa|b)*"\n'
SPECS = {name: load(name) for name in names() if name.endswith("-next")}
SPECS |= {"automaton": parse_spec(DFA), "acceptance in a domain": parse_spec(DOMAIN)}


@pytest.mark.parametrize("name", SPECS)
def test_a_report_gives_the_target_again(name: str) -> None:
    spec = SPECS[name]
    want, found = build_target(spec), asked_target({"target": target_object(spec)})
    assert isinstance(want, SupervisedTarget)
    assert found is not None
    assert unknown_key({"target": target_object(spec)}) is None
    for word in words_up_to(len(spec.alphabet), 3):
        assert found.is_counted(word) is want.is_counted(word)
        assert found.next_symbols(word) == want.next_symbols(word) if want.everywhere else True


def test_acceptance_of_every_word_asks_nothing_more() -> None:
    target = target_object(load("majority"))
    assert list(target) == ["name", "alphabet", "kind", "source", "digest"]
    assert asked_target({"target": target}) is None
    assert list(asked_lines(target)) == []


@pytest.mark.parametrize("name", ["majority-next", "tomita-2-next", "copy-unique-next", "dyck-1-next"])
def test_words_that_count_are_counted(name: str) -> None:
    spec = SPECS[name]
    target = asked_target({"target": target_object(spec)})
    assert target is not None
    for length in range(5):
        words = itertools.takewhile(
            lambda word, length=length: len(word) <= length, words_up_to(len(spec.alphabet), length)
        )
        assert count_words(len(spec.alphabet), target, length) == sum(map(target.is_counted, words))


def test_what_is_asked_in_words() -> None:
    assert list(asked_lines(target_object(SPECS["copy-unique-next"]))) == [
        "Asked after every prefix that matches (a|b)*#(a|b)*: the next symbol.",
        "Only words of #|a#a|b#b|ab#ab|ba#ba count.",
    ]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("kind", None, r"target\.kind = None; expected crasp, regex or dfa.*write the report again"),
        ("kind", "prose", r"target\.kind = 'prose'; expected crasp, regex or dfa"),
        ("domain", "(", r"domain: line 1, column 1: '\(' is never closed"),
        ("domain", 3, r"domain = 3; expected a text"),
        ("judged", ["a"], r"judged = \['a'\]; expected a text"),
        ("output", "all", r"output = 'all'; expected"),
        ("alphabet", [], r"."),
        ("name", None, r"name = None; expected a text"),
        ("next", {"a": "b"}, r"next: expected it with"),
    ],
)
def test_a_broken_target_is_refused(key: str, value: Any, message: str) -> None:
    target = target_object(SPECS["copy-unique-next"]) | {key: value}
    with pytest.raises(ReportFormatError, match=message):
        asked_target({"target": target})


def test_a_broken_automaton_is_refused() -> None:
    target = target_object(SPECS["automaton"]) | {"source": "{"}
    with pytest.raises(ReportFormatError, match="write the report again"):
        asked_target({"target": target})
