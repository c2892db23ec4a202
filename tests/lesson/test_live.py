"""A question under way, without a notebook: pieces as they come, a stop, a killed child, bad input."""

import time
from dataclasses import replace

import pytest

from idinf.api.sources import read_source
from idinf.inference.run import run
from idinf.lesson import answer as answering
from idinf.lesson.answer import answer
from idinf.lesson.bounds import in_steps, small_settings
from idinf.lesson.live import Question, Seen, follow
from idinf.lesson.messages import Asked, Message, Refusal
from idinf.proofs.check.report_check import check_report
from idinf.work.limits import Limits, StopReason

#: One whose search takes seconds, and nobody tuned anything for.
LONG = Asked("regex:(ab|c)*a", "abc", max_r=11.0)


def followed(question: Question, stops: bool = False) -> list[Seen]:
    """All that is seen of a question; with ``stops`` it is stopped once a step is known."""
    seen = list[Seen]()

    def show(now: Seen) -> None:
        seen.append(now)
        if stops and now.known is not None:
            question.stop()

    follow(question, show, lambda: False)
    return seen


def told(asked: Asked) -> list[Message]:
    """What is told in this process."""
    messages = list[Message]()
    answer(asked, messages.append)
    return messages


def test_records_appear_before_the_end() -> None:
    seen = followed(Question(Asked("majority")))
    early = next(now.known for now in seen if now.known is not None)
    assert not early.is_last
    assert early.complete == "up to R = 8.5"
    assert [record[1] for record in early.records] == ["0", "10", "-"]
    last = seen[-1]
    assert last.is_over
    assert last.refusal == ""
    assert last.known is not None
    assert (last.known.n0, last.known.is_last, last.known.is_stopped) == (3, True, False)
    assert last.page is not None
    assert last.page.html.startswith("<!doctype html>")
    assert last.page.name == "majority.html"
    assert last.program is not None
    assert last.program.note == "It defines the language; compiled, it costs R = 8.414213562."


def test_a_stop_ends_it_with_what_is_known() -> None:
    began = time.monotonic()
    seen = followed(Question(LONG), stops=True)[-1]
    assert time.monotonic() - began < 20
    assert seen.known is not None
    assert seen.known.is_stopped
    assert "Not decided: interrupted." in seen.known.sentences
    assert seen.known.complete.startswith("up to R = ")
    assert any(text.startswith("R*_n > ") for text in seen.known.sentences)
    assert seen.page is not None
    assert seen.refusal == ""


def test_a_killed_child_is_a_sentence() -> None:
    question = Question(LONG)
    seen = question.seen
    while seen.known is None:
        seen = question.wait(seen, 30)
    assert question._heard.process is not None
    question._heard.process.kill()
    seen = question.wait_for_end()
    assert seen.refusal.startswith("The process of the search ended without an answer (killed by signal 9)")
    assert "Below stands what the last step proved." in seen.refusal
    assert seen.known is not None


def test_it_ends_where_nobody_holds_its_pipe_as_after_a_kill() -> None:
    question = Question(LONG)
    process = question._heard.process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(20) == 1


def test_who_leaves_stops_it() -> None:
    question = Question(LONG)
    assert not follow(question, lambda seen: None, lambda: True).is_over
    assert question.wait_for_end().known is None


BAD = {
    "invalid regex": (Asked("regex:(ab"), "(ab: line 1, column 1: '(' is never closed; add ')'"),
    "no empty set": (Asked("regex:∅"), "there is no empty set"),
    "empty text": (Asked(" "), "nothing is written; expected a language, such as regex:(ab)* or majority"),
    "no symbol": (Asked("regex:()"), "no symbol is named; expected an alphabet"),
    "alphabet that lacks one": (Asked("regex:(ab|c)*a", "ab"), "symbol 'c' is not in the alphabet"),
    "alphabet of a name": (Asked("majority", "ab"), "an alphabet is given, but majority has its own"),
    "unknown name": (Asked("majorty"), "did you mean 'majority'?"),
    "huge regex": (Asked("regex:" + "(a|b)" * 3000, "ab"), "more than 10000 symbols and operators"),
    "program that ends early": (Asked("accept = "), "unexpected the end"),
    "family": (Asked("ge-k-j"), "a family with the parameters k, j; expected a single target"),
    "too little R": (Asked("majority", max_r=1.0), "the space is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_a_sentence(name: str) -> None:
    asked, said = BAD[name]
    *_, refusal = told(asked)
    assert isinstance(refusal, Refusal)
    assert said in refusal.text
    assert "internal error" not in refusal.text
    assert "\n" not in refusal.text


def test_what_nobody_foresaw_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "classify", lambda *given, **more: 1 // 0)
    *_, refusal = told(Asked("majority"))
    assert isinstance(refusal, Refusal)
    assert refusal.text.startswith("internal error: ZeroDivisionError")


def test_a_step_that_was_ended_early_leaves_the_one_before() -> None:
    settings = small_settings(read_source("regex:(ab|c)*a").spec, max_n=4)
    first, second, *_ = in_steps(settings)
    known, later = run(first, Limits()).report, run(second, Limits()).report
    assert answering._take_further(known, later) is later
    ended = replace(later, stop=StopReason.INTERRUPTED, stop_reason="interrupted", complete_up_to_r=4.0)
    kept = replace(answering._take_further(known, ended), space=settings.bounds)
    assert (kept.complete_up_to_r, kept.stop) == (8.5, StopReason.INTERRUPTED)
    assert check_report(kept, 4).right
