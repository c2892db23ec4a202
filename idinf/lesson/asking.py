"""Questions asked in a terminal: the answer is read from a line and marked; the right one is shown."""

from __future__ import annotations

import select
import shutil
import sys
import textwrap
from collections.abc import Sequence
from functools import partial

import click

from idinf.base.quoting import escape_controls
from idinf.commands.terminal import as_it_is
from idinf.show.quiz import Form, Mark, Question
from idinf.translate.formulas.notation import Notation

#: Seconds within which a Ctrl-C at a prompt is noticed.
_BLINK_S = 0.1

#: Number of tries for an answer that can be read.
_TRIES = 3

#: Expected input, by the form of a question.
_EXPECTED = {
    Form.CHOICE: "Number of your choice",
    Form.NUMBER: "Number, or none",
    Form.WORD: "Word",
}


def can_ask() -> bool:
    """True if stdout and stdin are a terminal, so that somebody can answer."""
    return sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()


def ask(question: Question) -> Mark | None:
    """Ask a question and mark the answer; None if it is skipped or the input ended.

    After an answer that cannot be read it says so, and asks again.
    """
    say(write_question(question))
    for _ in range(_TRIES):
        line = read_line(f"{_name_expected(question)} (Enter skips): ")
        if line is None or not line.strip():
            return None
        mark = question.mark(line)
        say(mark.said)
        if mark.right is not None:
            return mark
    return None


def _name_expected(question: Question) -> str:
    """Name the expected input, with an example of a rule."""
    if question.form is not Form.RULE:
        return _EXPECTED[question.form]
    symbol = Notation(question.report.target.spec().alphabet).symbol(0)
    return f"Rule, as #{symbol} >= 2 or last = {symbol} and #{symbol} <= 3"


def write_question(question: Question) -> str:
    """Write a question, its options numbered."""
    options = [f"  {number}  {option.text}" for number, option in enumerate(question.options, start=1)]
    return "\n".join([question.text, *options])


def write_answer(question: Question) -> str:
    """Write the right answer and its explanation."""
    return f"Answer: {question.answer}\n{question.why}"


def say_answer(question: Question, mark: Mark | None) -> None:
    """Say the right answer, unless the reader has, and the reason."""
    say(question.why if mark is not None and mark.right else write_answer(question))


def ask_all(questions: Sequence[Question]) -> None:
    """Ask questions one after the other, and say how many were answered right."""
    right = answered = 0
    for number, question in enumerate(questions, start=1):
        say(f"{number} of {len(questions)}")
        mark = ask(question)
        say_answer(question, mark)
        say("")
        answered += mark is not None
        right += mark is not None and bool(mark.right)
    say(f"{right} right of {answered} answered, {len(questions) - answered} skipped")


def say(text: str) -> None:
    """Print a text that may hold input of a user, in lines that fit a terminal."""
    if sys.stdout.isatty():
        fill = partial(textwrap.fill, width=shutil.get_terminal_size().columns)
        lines = (fill(line, subsequent_indent="     " * line.startswith(" ")) for line in text.split("\n"))
        text = "\n".join(lines)
    click.echo(escape_controls(text), file=as_it_is(sys.stdout))


def read_line(prompt: str) -> str | None:
    """Read a line; None at the end of the input, or without one. Ctrl-C leaves, on a line of its own."""
    click.echo(prompt, nl=False)
    if sys.stdin is None:
        click.echo()
        return None
    try:
        # A Ctrl-C just before a blocking read would be noticed only after the line that it should spare.
        while sys.stdin.isatty() and not select.select([sys.stdin], [], [], _BLINK_S)[0]:
            pass
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        click.echo()
        raise
    if not line or not sys.stdin.isatty():
        click.echo()
    return line or None
