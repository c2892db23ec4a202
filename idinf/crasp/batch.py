"""Many words as one array of codes, so that a program runs on all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Alphabet, Word


@dataclass(frozen=True, slots=True)
class WordBatch:
    """Words of any lengths, one per row.

    `codes`: codes of symbols; what stands beyond the end of a word is not read by anything before it.

    >>> lay_out_words([(), (0, 1)]).lengths
    array([0, 2])
    """

    codes: NDArray[Any]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def chunks(self, cells: int) -> Iterator[WordBatch]:
        """Consecutive rows of at most so many cells, SOS counted; a longer word is a chunk of its own."""
        rows = max(1, cells // (self.codes.shape[1] + 1))
        for start in range(0, len(self), rows):
            lengths = self.lengths[start : start + rows]
            yield WordBatch(self.codes[start : start + rows, : lengths.max()], lengths)


def lay_out_words(words: Sequence[Word]) -> WordBatch:
    """Lay words out as rows.

    >>> lay_out_words([(1,), (0, 1)]).codes
    array([[1, 0],
           [0, 1]], dtype=uint32)
    """
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    flat = np.fromiter((code for word in words for code in word), dtype=np.uint32, count=lengths.sum())
    return _padded(flat, lengths)


def read_texts(alphabet: Alphabet, texts: Sequence[str]) -> WordBatch:
    """Read written words; the same as `Alphabet.encode` on each, at the speed of arrays.

    Raises `AlphabetMismatchError` at the first word with a symbol outside the alphabet.

    >>> read_texts(Alphabet(("a", "b")), ["ba", "b"]).codes
    array([[1, 0],
           [1, 0]], dtype=uint8)
    """
    if alphabet.spaced:
        return lay_out_words([alphabet.encode(text) for text in texts])
    points = _code_points("".join(texts))
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    known = [ord(symbol) for symbol in alphabet.symbols]
    foreign = len(known)
    width = np.uint8 if foreign < 256 else np.uint32
    beyond = max(known) + 1
    table = np.full(beyond + 1, foreign, dtype=width)
    table[known] = np.arange(foreign)
    if beyond <= np.iinfo(points.dtype).max:
        points = np.minimum(points, beyond)
    codes = table[points]
    if len(codes) and codes.max() == foreign:
        first = np.searchsorted(np.cumsum(lengths), np.argmax(codes == foreign), side="right")
        alphabet.encode(texts[int(first)])  # says which symbol, and where
    return _padded(codes, lengths)


def _code_points(text: str) -> NDArray[Any]:
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8)
    except UnicodeEncodeError:
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _padded(flat: NDArray[Any], lengths: NDArray[np.int64]) -> WordBatch:
    longest = int(lengths.max(initial=0))
    if len(lengths) and (lengths == longest).all():
        return WordBatch(flat.reshape(len(lengths), longest), lengths)
    codes = np.zeros((len(lengths), longest), dtype=flat.dtype)
    codes[np.arange(longest) < lengths[:, None]] = flat
    return WordBatch(codes, lengths)
