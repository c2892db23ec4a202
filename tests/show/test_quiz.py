"""Exercises: every one answered right and wrong, marked by the slow way round, and told why."""

import pytest

import idinf
from idinf.base.words import words_up_to
from idinf.show.exercises import list_exercises
from idinf.show.quiz import MODULO, Form, Question
from tests.show.reports import golden, opened

REPORTS = {
    "majority": (golden("majority"),),
    "parity": (golden("parity"),),
    "both": (golden("majority"), golden("parity")),
    "dyck-1": (golden("dyck-1"),),
    "open": (opened(),),
}

ASKED = [(name, question) for name, reports in REPORTS.items() for question in list_exercises(reports)]


def right_answer(question: Question) -> str:
    if question.form is not Form.CHOICE:
        return question.answer
    return str(1 + [option.text for option in question.options].index(question.answer))


@pytest.mark.parametrize(("name", "question"), ASKED)
def test_the_right_answer_is_right_and_others_have_a_reason(name: str, question: Question) -> None:
    assert question.mark(right_answer(question)).right is True
    for number, option in enumerate(question.options, start=1):
        mark = question.mark(str(number))
        assert mark.right is (option.text == question.answer)
        assert mark.right or mark.said == f"No: {option.reason}"
    for answer, reason in question.mistakes:
        assert question.mark(answer).right is False
        assert reason in question.mark(answer).said
    unread = {Form.CHOICE: "0", Form.NUMBER: "two", Form.WORD: "xyz", Form.RULE: "#"}[question.form]
    assert question.mark(unread).right is None


@pytest.mark.parametrize(("name", "question"), [each for each in ASKED if each[1].form is Form.WORD])
def test_words_are_marked_as_the_languages_say(name: str, question: Question) -> None:
    """On all words up to length 4, by comparing two languages of the library."""
    alphabet = question.report.target.alphabet
    own = idinf.target(question.record.formula, alphabet=alphabet)
    right = idinf.target(question.report.target.spec())
    words = ["".join(alphabet[code] for code in word) for word in words_up_to(len(alphabet), 4)]
    wrong = [word for word in words if (word in own) is not (word in right)]
    least = min(map(len, wrong), default=99)
    for word in words:
        assert question.mark(word or "ε").right is (word in wrong and len(word) == least)


def test_ten_are_made_of_one_report_or_two() -> None:
    assert [len(list_exercises(REPORTS[name])) for name in ("majority", "parity", "both")] == [10, 10, 10]
    assert len({question.text for question in list_exercises(REPORTS["both"])}) == 10


def test_a_rule_is_marked_up_to_the_length_asked() -> None:
    (rule,) = (question for question in list_exercises(REPORTS["majority"]) if question.form is Form.RULE)
    assert rule.until == 4
    for answer, right, said in (
        ("#1 >= #0", True, "Right, on all words up to length 13."),
        ('accept = # "0" <= # "1"', True, "Right, on all words up to length 13."),
        ("#1 >= 2 and #1 - #0 >= 0 or #1 - #0 >= 0 and #0 <= 1", True, "Right, on all words"),
        ("#1 >= #0 and #0 <= 2", True, "Right up to length 5; 000111 shows that it is wrong."),
        ("last = 1", False, "No: it is wrong on ε already."),
        ("#1 >= 1 or empty", False, "No: it is wrong on 001, and right on every shorter word."),
        ("#1 ≥ #0", True, "Right, on all words up to length 13."),
        ("2*#1 − 2·#0 ≥ 0", True, "Right, on all words up to length 13."),
        ("#1 mod 2 = 0", None, MODULO),
        ("#1 % 2 = 0", None, MODULO),
        ("#1 >=", None, "unexpected the end; expected"),
        ("#7 >= 1", None, "7"),
        ("1" * 5000, None, ""),
    ):
        mark = rule.mark(answer)
        assert mark.right is right, answer
        assert said in mark.said


def test_nothing_is_claimed_beyond_what_was_examined() -> None:
    """Of six 1s in a row nothing is seen up to n = 2, and n = 3 is bad."""
    report = idinf.identify("regex:(0|1)*111111(0|1)*", alphabet="01", max_n=2, layers=1, max_r=8)
    (asked,) = (question for question in list_exercises((report,)) if question.text.startswith("From which"))
    assert "From which n on is every n up to 2 good" in asked.text
    assert asked.why == "Of the n up to 2, all from 1 on are good; beyond, nothing is claimed."
    assert "finite R" not in asked.mark("none").said
