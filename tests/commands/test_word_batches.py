"""Batches hold the words that iter_words gives, in order."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from idinf.commands import words as words_module
from idinf.commands.words import iter_batches, iter_words
from idinf.words import Alphabet

SIGMA = Alphabet(("a", "b"))
TOKENS = Alphabet(("one", "two"), spaced=True)


def read(reader, alphabet, text):
    """What a reader yields of a stdin before it ends or complains, and the complaint."""
    seen = []

    @click.command()
    def command():
        seen.extend(reader(alphabet, ("-",)))

    return seen, CliRunner().invoke(command, input=text).exception


def words_of(batches):
    return [
        (text, tuple(codes[:length].tolist()))
        for texts, batch in batches
        for text, codes, length in zip(texts, batch.codes, batch.lengths, strict=True)
    ]


@pytest.mark.parametrize("cells", [1, 4, 2**21])
@pytest.mark.parametrize(
    ("alphabet", "text"),
    [
        (SIGMA, ""),
        (SIGMA, "\n"),
        (SIGMA, "a\n\nba\r\nbbbb\na\nb\na\nab"),
        (SIGMA, "a\nab\nx\na"),
        (SIGMA, "x"),
        (SIGMA, b"a\nb\na\nb\n\xff\na\n"),
        (SIGMA, b"\xff\n"),
        (TOKENS, "one two\n\n two   one \nthree\n"),
    ],
)
def test_as_one_word_at_a_time(monkeypatch, cells, alphabet, text):
    monkeypatch.setattr(words_module, "CELLS", cells)
    batches, fault = read(iter_batches, alphabet, text)
    singles, expected = read(iter_words, alphabet, text)
    assert words_of(batches) == singles
    assert (type(fault), str(fault)) == (type(expected), str(expected))
