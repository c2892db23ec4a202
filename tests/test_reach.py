"""`make reach`: a seed gives the same languages, in their classes; faults are noticed."""

import pytest

from idinf.base.words import words_up_to
from idinf.report.files import report_to_dict
from idinf.targets.machine import accepts
from tests.asked_for import few
from tools import languages
from tools.languages import CLASSES, draw_language, draw_languages
from tools.second_look import find_contradictions


@pytest.fixture(scope="module")
def drawn():
    return draw_languages(1, 2, most_draws=40)


def test_classes_are_balanced_and_no_language_comes_twice(drawn):
    names = [language.class_name for language in drawn]
    assert {name: names.count(name) for name in CLASSES} == {**dict.fromkeys(CLASSES, 2), "undecided": 0}
    assert len({languages._key(language) for language in drawn}) == len(drawn)
    assert not any(language.machine and languages.is_trivial(language.machine) for language in drawn)


def test_a_language_by_its_text_is_the_one_of_its_spec():
    for draw in range(few(8, 60)):
        language = draw_language(4, draw)
        machine = language.machine
        if machine is not None:
            member = language.membership
            for word in words_up_to(len(language.letters), 4):
                assert member(word) == accepts(machine, word)


@pytest.fixture(params=["identified", "bracketed"])
def report(request):
    return report_to_dict(request.getfixturevalue(request.param).report)


def has_as_many_1s(word):
    return 2 * sum(word) >= len(word)


def contradictions(report, member=has_as_many_1s):
    return list(find_contradictions(report, member, longest=5))


@pytest.mark.parametrize("fail", [1, 4, None])
def test_a_record_with_another_fail_is_noticed(report, fail):
    records = report["records"]
    number = next(number for number in (2, 1) if records[number - 1]["fail"] != fail)
    records[number - 1] |= {"fail": fail, "counterexample": None}
    assert any(f"record {number} says fail {fail}" in text for text in contradictions(report))


def test_a_record_with_another_hypothesis_is_noticed(report):
    report["records"][-1]["hypothesis"] = report["records"][0]["hypothesis"]
    assert any("first wrong word" in text for text in contradictions(report))


@pytest.mark.parametrize("word", ["1", "00"])
def test_a_counterexample_that_is_right_or_longer_is_noticed(report, word):
    assert report["records"][0]["counterexample"] == "0"
    report["records"][0]["counterexample"] = word
    assert len(contradictions(report)) == 1


def test_a_language_that_differs_on_one_long_word_is_noticed(report):
    found = contradictions(report, lambda word: has_as_many_1s(word) or word == (0, 1, 0, 1, 0))
    assert any("length 5" in text for text in found)


def test_an_upper_end_that_is_wrong_is_noticed(bracketed):
    report = report_to_dict(bracketed.report)
    report["bracket"]["hypothesis"] = report["records"][0]["hypothesis"]
    assert any("upper end" in text for text in contradictions(report))
