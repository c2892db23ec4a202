"""Words on a command line, or on stdin, whatever the sizes of batches."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from idinf.base.words import Alphabet
from idinf.commands import words as words_module
from idinf.commands.words import iter_words
from idinf.errors import AlphabetMismatchError

SIGMA = Alphabet(("a", "b"))


def read_stdin(text, alphabet=SIGMA):
    """What iter_words makes of a stdin, and its complaint."""
    seen = []

    @click.command()
    def command():
        seen.extend(iter_words(alphabet, ("-",)))

    return seen, CliRunner().invoke(command, input=text).exception


def test_arguments_in_order():
    assert list(iter_words(SIGMA, ("b", "", "ab"))) == [("b", (1,)), ("", ()), ("ab", (0, 1))]


@pytest.mark.parametrize(
    ("words", "message"),
    [((), "no word given; expected WORD... or -"), (("a", "-"), "stands beside other words")],
)
def test_usage_errors(words, message):
    with pytest.raises(click.UsageError, match=message):
        list(iter_words(SIGMA, words))


@pytest.mark.parametrize("cells", [1, 4, 2**21])
@pytest.mark.parametrize(
    ("text", "words", "fault"),
    [
        ("", [], ""),
        ("\n", [()], ""),
        ("a\n\nba\nbbbb\na\nb", [(0,), (), (1, 0), (1, 1, 1, 1), (0,), (1,)], ""),
        ("ab\r\n\r\n", [(0, 1), ()], ""),
        (b"\xef\xbb\xbfab\r\n", [(0, 1)], ""),
        ("a\nb\nx\na", [(0,), (1,)], "stdin, line 3: word 'x': symbol 'x' at position 1"),
        (" a\n", [], "stdin, line 1: word ' a': symbol ' '"),
        (b"a\nb\na\n\xff\n", [(0,), (1,), (0,)], "stdin, line 4: not UTF-8 text"),
    ],
)
def test_lines_of_stdin(monkeypatch, cells, text, words, fault):
    monkeypatch.setattr(words_module, "CELLS", cells)
    seen, complaint = read_stdin(text)
    assert [word for _, word in seen] == words
    assert isinstance(complaint, AlphabetMismatchError) if fault else complaint is None
    assert str(complaint or "").startswith(fault)


def test_words_with_blanks():
    seen, complaint = read_stdin("one two\n\n two   one \nthree\n", Alphabet(("one", "two"), spaced=True))
    assert seen == [("one two", (0, 1)), ("", ()), ("two one", (1, 0))]
    assert str(complaint).startswith("stdin, line 4: word 'three'")
