from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from idinf.commands.words import iter_words
from idinf.errors import AlphabetMismatchError
from idinf.words import Alphabet

SIGMA = Alphabet(("a", "b"))


def read_stdin(text, alphabet=SIGMA):
    """What iter_words makes of a stdin."""
    seen = []

    @click.command()
    def command():
        seen.extend(iter_words(alphabet, ("-",)))

    result = CliRunner().invoke(command, input=text)
    if result.exception is not None:
        raise result.exception
    return seen


def test_arguments_in_order():
    assert list(iter_words(SIGMA, ("b", "", "ab"))) == [("b", (1,)), ("", ()), ("ab", (0, 1))]


@pytest.mark.parametrize(
    ("words", "message"),
    [((), "no word given; expected WORD... or -"), (("a", "-"), "stands beside other words")],
)
def test_usage_errors(words, message):
    with pytest.raises(click.UsageError, match=message):
        list(iter_words(SIGMA, words))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("\n", [()]),
        ("a\n\nba\n", [(0,), (), (1, 0)]),
        ("a\nb", [(0,), (1,)]),
        ("ab\r\n\r\n", [(0, 1), ()]),
        (b"\xef\xbb\xbfab\r\n", [(0, 1)]),
    ],
)
def test_lines_of_stdin(text, words):
    assert [word for _, word in read_stdin(text)] == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nx\n", "stdin, line 2: word 'x': symbol 'x' at position 1"),
        (" a\n", "stdin, line 1: word ' a': symbol ' '"),
        (b"a\n\xff\n", "stdin, line 2: not UTF-8 text"),
    ],
)
def test_bad_lines_are_named(text, message):
    with pytest.raises(AlphabetMismatchError, match=message):
        read_stdin(text)
