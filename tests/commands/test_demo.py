"""``idinf demo``: what it tells, and its pages."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import idinf
from idinf.show.quiz import Question
from tests.commands.refusals import runner

#: The command line with its standard input as controlling terminal, so that a Ctrl-C there is a signal.
IN_TERMINAL = """
import fcntl, signal, termios
from idinf.commands import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started the tests with &
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
main(prog_name="idinf")
"""
PROMPT = re.compile(rb"Enter: (?:go on|exercises) |\(Enter skips\): ")
#: Runs of tenths of a second.
SMALL = ("--max-n", "4", "--max-r", "8.9")

run = runner("demo")


def test_parity_keeps_rising() -> None:
    text = " ".join(run("parity", "--plain", "--max-r", "9.3", "--max-n", "4").stdout.split())
    assert "The word 111 rules out 'accept iff #1 != 1'." in text
    assert "R*_n > 9.3 for every n >= 3: every hypothesis" in text
    assert "No run finds an n0, however far it looks." in text


def test_a_limit_ends_the_search_and_what_is_known_is_told() -> None:
    result = run("dyck-1", "--time-limit", "0.000001")
    note = "Note: the time limit of 1e-06 s ended the run; what follows is what was known then\n"
    assert (result.exit_code, result.stderr) == (4, note)
    text = " ".join(result.stdout.split())
    assert "Not decided: the time limit of 1e-06 s ended the run" in text
    assert "A run up to the budget R = 10 looks further." in text


def in_terminal(arguments: list[str], keys: list[bytes]) -> tuple[int, str]:
    """Run the command in a pseudo terminal; every prompt is answered by the next keys, or the last ones."""
    front, back = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-c", IN_TERMINAL, "demo", *arguments],
        stdin=back,
        stdout=back,
        stderr=back,
        close_fds=True,
        env=environment,
        start_new_session=True,
    )
    os.close(back)
    shown = b""
    answered = 0
    deadline = time.monotonic() + 120
    with process:
        try:
            while select.select([front], [], [], max(0.0, deadline - time.monotonic()))[0]:
                try:
                    shown += os.read(front, 65536)
                except OSError:  # the other end is closed
                    break
                if len(PROMPT.findall(shown)) > answered:
                    os.write(front, keys[min(answered, len(keys) - 1)])
                    answered += 1
            # Closing the terminal earlier would end a program that is still on its way out.
            return process.wait(timeout=240), shown.decode("utf-8").replace("\r\n", "\n")
        finally:
            process.kill()
            os.close(front)


def test_it_asks_before_it_tells() -> None:
    typed = ("4", "", "3", "", "1", "", "#1 >= #0", "", "001", "", "2", "")
    code, shown = in_terminal(["majority", *SMALL], [f"{answer}\n".encode() for answer in typed])
    assert (code, "Traceback" in shown) == (0, False)
    text, place = " ".join(shown.split()), 0
    for said in (
        "How many of them does majority accept?",
        "Answer: 5 Accepted: ε, 1, 01, 10, 11.",
        "The labels begin like this",
        "Which of these fits them, and has the least R?",
        "Number of your choice (Enter skips): 3 Right. R*_1 = 5.",
        "rules out 'accept iff true'",
        "No: both accept 1. Answer: 10 Of all words that show it, the learner sees 10 first.",
        "Right, on all words up to length 13.",
        "'accept iff empty or #1 >= 1' is wrong?",
        "Right: 001 is rejected by the target alone.",
        "n = 2 is bad.",
        "From which n on is every n good for majority?",
        "No: n = 2 is bad: 'accept iff empty or #1 >= 1' is selected, and is wrong on 001. It costs no more",
        "Answer: 3",
        "every n from 3 to 4 is good",
        "Enter: exercises",
        "0 right of 0 answered, 10 skipped",
    ):
        place = text.index(said, place)


def test_ctrl_c_leaves_cleanly() -> None:
    code, shown = in_terminal(["majority", *SMALL], [b"\n", b"\x03"])
    assert code == 130
    assert shown.count("Enter: go on") == 1
    assert shown.endswith("\n")
    assert "Traceback" not in shown
    assert "Error" not in shown


def test_the_real_page_takes_a_report(tmp_path: Path) -> None:
    page = tmp_path / "pair.html"
    result = run("--open", "--no-browser", "-o", str(page), *SMALL)
    assert result.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "<h1>majority beside parity</h1>" in text
    assert "parity is outside C-RASP[periodic, local], so no n₀ is expected." in text


def give_answer(question: Question) -> str:
    """The right answer as it is typed: of a choice its number."""
    texts = [option.text for option in question.options]
    return str(texts.index(question.answer) + 1) if texts else question.answer


def test_exercises_are_printed_or_answered_by_lines() -> None:
    printed = run("majority", "--exercises", "--plain", *SMALL)
    assert (printed.exit_code, printed.stderr) == (0, "")
    questions = idinf.exercises(idinf.identify("majority", space="spec", max_n=4, max_r=8.9))
    for number, question in enumerate(questions, start=1):
        assert f"{number}. {question.text}" in printed.stdout
        assert f"{number}. Answer: {question.answer}" in printed.stdout
    lines = "".join(f"{give_answer(question)}\n" for question in questions)
    answered = run("majority", "--exercises", *SMALL, input=lines)
    assert f"{len(questions)} right of {len(questions)} answered, 0 skipped" in answered.stdout
    assert "parity" in run("--exercises", "--plain", *SMALL).stdout  # of both where none is named
