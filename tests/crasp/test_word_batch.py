"""Words as arrays: the same codes as one by one, any lengths, any symbols."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idinf.base.words import Alphabet
from idinf.crasp.interpreter import WordBatch, lay_out_words, read_texts


def rows(batch: WordBatch) -> list[tuple[int, ...]]:
    return [tuple(codes[:length].tolist()) for codes, length in zip(batch.codes, batch.lengths, strict=True)]


ALPHABETS = [
    Alphabet(("a", "b")),
    Alphabet(("b", "a", "é")),
    Alphabet(("(", "→", "𝔸")),
    Alphabet(("left", "right", "x"), spaced=True),
]


@pytest.mark.parametrize("alphabet", ALPHABETS, ids=lambda alphabet: " ".join(alphabet.symbols))
@given(data=st.data())
def test_texts_are_read_as_alphabets_do(alphabet: Alphabet, data: st.DataObject) -> None:
    word = st.lists(st.integers(0, len(alphabet) - 1), max_size=6)
    words = [tuple(codes) for codes in data.draw(st.lists(word, max_size=5))]
    texts = [alphabet.decode(word) for word in words]
    assert rows(read_texts(alphabet, texts)) == words
    assert rows(lay_out_words(words)) == words
