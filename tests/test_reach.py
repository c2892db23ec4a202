"""`make reach`: a seed gives the same languages, in their classes; faults are noticed; rows are kept."""

from __future__ import annotations

import re

import pytest

from idinf.experiments.spec import Kind
from idinf.report.files import report_to_dict
from idinf.targets.machine import accepts
from idinf.words import words_up_to
from tests.asked_for import few
from tests.perf import languages, reach
from tests.perf.languages import CLASSES, Language, draw_language, draw_languages
from tests.perf.second_look import find_contradictions

AB = "ab"
ODD = """states = ["even", "odd"]
start = "even"
accept = ["odd"]
[dfa.transitions]
even = { a = "odd", b = "odd" }
odd = { a = "even", b = "even" }"""


def regex(text):
    return Language(0, 0, Kind.REGEX, AB, text)


EVEN = regex("(aa)*").machine


@pytest.fixture(scope="module")
def drawn():
    return draw_languages(1, 3, most_draws=60)


@pytest.mark.slow
def test_a_seed_gives_the_same_languages(drawn):
    assert draw_languages(1, 3, most_draws=60) == drawn
    assert [draw_language(1, language.draw) for language in drawn] == drawn
    assert draw_language(2, drawn[0].draw) != drawn[0]


def test_classes_are_balanced_and_no_language_comes_twice(drawn):
    names = [language.class_name for language in drawn]
    assert {name: names.count(name) for name in CLASSES} == {
        **dict.fromkeys(CLASSES, 3),
        "undecided": 0,
    }
    assert len({languages._key(language) for language in drawn}) == len(drawn)
    assert not any(language.machine and languages.is_trivial(language.machine) for language in drawn)


def test_what_was_drawn_before_and_what_is_trivial_is_left_out():
    left = {language.draw for language in languages.iter_distinct(4, 16)}
    assert languages._key(draw_language(4, 6)) == languages._key(draw_language(4, 15))
    assert 6 in left
    assert 15 not in left
    trivial = [draw for draw in range(16) if languages.is_trivial(draw_language(4, draw).machine or EVEN)]
    assert trivial
    assert not left & {*trivial}


def test_what_is_drawn_is_small():
    for draw in range(150):
        language = draw_language(3, draw)
        assert language.letters in ("ab", "abc")
        if language.kind is Kind.REGEX:
            assert len(re.sub("[()]", "", language.text)) <= languages.MOST_SYMBOLS
        elif language.kind is Kind.DFA:
            assert 2 <= len(language.spec.definition.states) <= 5
        else:
            assert all(int(number) <= 3 for number in re.findall("[0-9]+", language.text))


def test_a_language_by_its_text_is_the_one_of_its_spec():
    for draw in range(few(20, 60)):
        language = draw_language(4, draw)
        machine = language.machine
        if machine is not None:
            member = language.membership
            for word in words_up_to(len(language.letters), 4):
                assert member(word) == accepts(machine, word)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        (regex("a*b*"), "crasp"),
        (regex("(aa)*|b"), "more"),
        (Language(0, 0, Kind.DFA, AB, ODD), "more"),
        (regex("(b|ab*a)*"), "outside"),
        (Language(0, 0, Kind.CRASP, AB, 'accept = # "a" < # "b"'), "counting"),
    ],
)
def test_the_class_of_a_language(language, name):
    assert language.class_name == name


def test_letters_are_renamed_before_languages_are_compared():
    keys = [languages._key(regex(text)) for text in ("a*b", "b*a", "a*a*b", "a*bb")]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    less, more = (Language(0, 0, Kind.CRASP, AB, f'accept = # "a" {sign} # "b"') for sign in "<>")
    assert languages._key(less) == languages._key(more)


@pytest.fixture(params=["identified", "bracketed"])
def report(request):
    return report_to_dict(request.getfixturevalue(request.param).report)


def has_as_many_1s(word):
    return 2 * sum(word) >= len(word)


def contradictions(report, member=has_as_many_1s):
    return list(find_contradictions(report, member, longest=5))


def test_a_report_that_is_right_has_no_contradiction(report):
    assert contradictions(report) == []


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


def fake_row(language, cpu=7, **changed):
    found = {"outcome": "identified", "n0": 2, "r_lower": 8.0, "r_upper": 8.0, "second_look": "agrees"}
    return reach._row(language, cpu, 1.5, **found | changed)


def test_rows_of_the_file_are_not_run_again(tmp_path, monkeypatch, capsys):
    both = [regex("a*"), Language(0, 1, Kind.CRASP, AB, 'accept = # "a" == # "b"')]
    rows = [fake_row(both[0]), fake_row(both[1], outcome="open", n0=None, r_upper=None, smaller="never")]
    other = fake_row(regex("(a|b)*a"))
    path = tmp_path / "reach.csv"
    reach.write_rows(path, [other, *rows])
    monkeypatch.setattr(reach, "measure", None)
    monkeypatch.setattr(reach, "draw_languages", lambda *asked: both)
    assert reach.main(["--cpu", "7", "-o", str(path)]) == 0
    assert capsys.readouterr().out.startswith(
        "class,languages,family,never,smaller,upper\ncrasp,1,100,0,0,100\ncounting,1,0,0,100,0\n"
    )
    assert reach.read_rows(path) == [other, *rows]


def test_only_the_languages_that_are_drawn_first(tmp_path, monkeypatch, capsys):
    both = [Language(0, draw, Kind.REGEX, AB, text) for draw, text in ((5, "a*b"), (2, "a*"))]
    reach.write_rows(tmp_path / "reach.csv", [fake_row(language) for language in both])
    monkeypatch.setattr(reach, "draw_languages", lambda *asked: both)
    assert reach.main(["--cpu", "7", "--limit-languages", "1", "-o", str(tmp_path / "reach.csv")]) == 0
    shown = capsys.readouterr()
    assert "crasp,1,100,0,0,100" in shown.out
    assert "crasp-2 family upper 1.5 s a*" in shown.err


@pytest.mark.parametrize(
    ("outcome", "smaller", "results"),
    [
        ("identified-for-all-n", (), ("family",)),
        ("identified", (), ("family",)),
        ("never", (), ("never",)),
        ("open", ("open", "identified"), ("smaller",)),
        ("open", ("open",), ()),
        ("not-identified", (), ()),
    ],
)
def test_an_answer_counts_for_the_space_that_it_is_about(outcome, smaller, results):
    report = None
    for inside in reversed((outcome, *smaller)):
        report = {"outcome": inside, "n0": None, "smaller": report}
    row = fake_row(regex("a*"), r_upper=None, n0=None, **told_of(report))
    assert row.results == results


def told_of(report):
    told = reach._told(list(reach._answers(report)))
    return {key: value for key, value in told.items() if key != "n0"}


def test_a_file_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "reach.csv"
    path.write_text("class_name,kind\n")
    with pytest.raises(SystemExit, match="other columns"):
        reach.read_rows(path)


def test_what_is_wrong_is_printed_with_its_seed(tmp_path, monkeypatch, capsys):
    language = regex("a*")
    path = tmp_path / "reach.csv"
    reach.write_rows(path, [fake_row(language, second_look="record 1 is wrong")])
    monkeypatch.setattr(reach, "draw_languages", lambda *asked: [language])
    assert reach.main(["--cpu", "7", "-o", str(path)]) == 1
    assert "wrong: seed 0, draw 0, a*: record 1 is wrong" in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_of_one_language(tmp_path):
    """A row with another limit is another run, and one that failed is run again."""
    language = regex("a*")
    path = tmp_path / "reach.csv"
    other = fake_row(language, cpu=8)
    reach.write_rows(path, [other, fake_row(language, cpu=30, outcome=reach.FAILED)])
    (row,) = reach.measure_all([language], path, cpu=30, jobs=1)
    assert (row.results, row.second_look, row.language, row.cpu) == (
        ("family", "upper"),
        "agrees",
        "a*",
        "30",
    )
    assert float(row.r_lower) == float(row.r_upper) == 8
    assert reach.read_rows(path) == [other, row]


def test_the_document_has_the_marks():
    text = reach.DOCUMENT.read_text(encoding="utf-8")
    assert text.count(reach.BEGIN) == text.count(reach.END) == 1
