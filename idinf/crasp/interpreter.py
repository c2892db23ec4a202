"""The semantics of C-RASP on arrays: every operation at every position of many words at once.

A value is an array whose axes are positions (0 is SOS) and words; what is the same for all words, or at
all positions, has an axis of length 1. No position reads a later one, so words of different lengths share a
batch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from idinf.base.numbers import align
from idinf.base.quoting import shorten
from idinf.base.words import SOS, Alphabet, Word
from idinf.crasp import syntax as s
from idinf.crasp.checker import Sort, check, find_window
from idinf.crasp.syntax import format_expression, list_needed_definitions


@dataclass(frozen=True, slots=True)
class WordBatch:
    """Words of any lengths, one per row.

    `codes`: codes of symbols; what stands beyond the end of a word is not read by anything before it.
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
    """
    if alphabet.spaced:
        return lay_out_words([alphabet.encode(text) for text in texts])
    foreign = len(alphabet)
    known = zip(alphabet.letters, alphabet.encode(alphabet.letters), strict=True)
    table = defaultdict(lambda: foreign, {ord(letter): code for letter, code in known})
    coding, dtype = ("latin-1", np.uint8) if foreign < 256 else ("utf-32-le", np.uint32)
    written = "".join(texts).translate(table).encode(coding, "surrogatepass")
    codes, lengths = np.frombuffer(written, dtype=dtype), np.array([len(text) for text in texts], np.int64)
    if len(codes) and codes.max() == foreign:
        first = np.searchsorted(np.cumsum(lengths), np.argmax(codes == foreign), side="right")
        alphabet.encode(texts[int(first)])  # says which symbol, and where
    return _padded(codes, lengths)


def _padded(flat: NDArray[Any], lengths: NDArray[np.int64]) -> WordBatch:
    longest = int(lengths.max(initial=0))
    if len(lengths) and (lengths == longest).all():
        return WordBatch(flat.reshape(len(lengths), longest), lengths)
    codes = np.zeros((len(lengths), longest), dtype=flat.dtype)
    codes[np.arange(longest) < lengths[:, None]] = flat
    return WordBatch(codes, lengths)


#: Cells of a chunk, positions times words: arrays of a few megabytes, so that memory stays bounded.
CHUNK_CELLS = 2**20

#: Words from which on positions are added up one after the other, all words at once.
WIDE = 64


@dataclass(frozen=True, slots=True)
class OperationValues:
    """The values ``at`` SOS and positions 1..n of one operation on one word; Booleans are 0 and 1."""

    name: str
    sort: Sort
    at: tuple[int, ...]


def compute_labels(program: s.ProgramTree, alphabet: Alphabet, batch: WordBatch) -> NDArray[np.bool_]:
    """Value of the last operation at the last position of every word.

    `program`: checked over `alphabet`. `batch`: of codes of `alphabet`. The empty word is judged at position
    0, SOS: every count ranges over no position and is 0, Q_σ is false, a periodic predicate sees i = 0.

    Exact: counts are kept in integers that hold every value of the program on words of that length.
    Implements Definition 8 of [HYB25]_ with ∨, all six comparisons, min, max and integer coefficients
    written out. Linear in the length of the words, also for local counts.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> majority = read_program('accept = # "0" <= # "1"', sigma)
    >>> compute_labels(majority, sigma, lay_out_words([(), (0,), (0, 1)]))
    array([ True, False,  True])
    """
    found = [np.zeros(0, dtype=np.bool_)]
    for chunk, last in _run(program, alphabet, batch):
        found.append(last[chunk.lengths, np.arange(len(chunk))])
    return np.concatenate(found)


def compute_prefix_labels(
    program: s.ProgramTree, alphabet: Alphabet, batch: WordBatch
) -> Iterator[NDArray[np.bool_]]:
    """The value of the last operation on every prefix of every word, chunk by chunk of the words.

    What stands beyond the end of a word is of no meaning.
    """
    for _, last in _run(program, alphabet, batch):
        yield last


def _run(
    program: s.ProgramTree, alphabet: Alphabet, batch: WordBatch
) -> Iterator[tuple[WordBatch, NDArray[Any]]]:
    """Chunks of words, and the last operation at every position of theirs."""
    size = check(program, alphabet).size
    needed = list_needed_definitions(program)
    last_reader = {name: k for k, row in enumerate(needed) for name in s.find_names(row.expression)}
    for chunk in batch.chunks(CHUNK_CELLS):
        run = _Evaluation.start(chunk, alphabet, size)
        for place, definition in enumerate(needed):
            run.table[definition.name] = run.value(definition.expression)
            for name in [name for name in run.table if last_reader.get(name, len(needed)) <= place]:
                del run.table[name]
        yield chunk, run.full(run.table[needed[-1].name])


def compute_values(program: s.ProgramTree, alphabet: Alphabet, word: Word) -> tuple[OperationValues, ...]:
    """Every operation of a checked program at every position of one word."""
    facts = check(program, alphabet)
    run = _Evaluation.start(lay_out_words([word]), alphabet, facts.size)
    for definition in program.definitions:
        run.table[definition.name] = run.value(definition.expression)
    return tuple(
        OperationValues(row.name, row.sort, tuple(map(int, run.full(run.table[row.name])[:, 0])))
        for row in facts.operations
    )


def choose_count_dtype(size: int, length: int) -> DTypeLike:
    """The narrowest integers that hold ±size · (length + 1); Python's own where 64 bits do not."""
    bound = size * (length + 1)
    for dtype in (np.int16, np.int32, np.int64):
        if bound <= np.iinfo(dtype).max:
            return dtype
    return object


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """A batch and the values of the operations so far."""

    codes: NDArray[Any]  # positions × words, SOS left out
    alphabet: Alphabet
    dtype: DTypeLike
    table: dict[str, NDArray[Any]] = field(default_factory=dict)

    @classmethod
    def start(cls, batch: WordBatch, alphabet: Alphabet, size: int) -> _Evaluation:
        codes = np.ascontiguousarray(batch.codes.T)
        return cls(codes, alphabet, choose_count_dtype(size, batch.codes.shape[1]))

    def full(self, value: NDArray[Any]) -> NDArray[Any]:
        """A value written out for all positions and words."""
        length, words = self.codes.shape
        return np.broadcast_to(value, (length + 1, words))

    def value(self, expression: s.Expression) -> Any:
        """An array: values at all positions; bool for Booleans, `dtype` for counts."""
        match expression:
            case s.Name(name):
                return self.table[name]
            case s.Symbol(symbol):
                held = np.zeros((len(self.codes) + 1, self.codes.shape[1]), dtype=np.bool_)
                np.equal(self.codes, self.alphabet.symbols.index(symbol), out=held[1:])
                return held
            case s.Truth(truth):
                return np.full((1, 1), truth)
            case s.Periodic(_, modulus, _, residue):
                return (np.arange(len(self.codes) + 1) % modulus == residue)[:, None]
            case s.Negated(operand):
                return np.logical_not(self.value(operand))
            case s.Conjunction(left, right):
                return np.logical_and(self.value(left), self.value(right))
            case s.Disjunction(left, right):
                return np.logical_or(self.value(left), self.value(right))
            case s.Comparison(relation, left, right):
                held = s.COMPARE[relation](self.value(left), self.value(right))
                return np.asarray(held, dtype=np.bool_)
            case s.Number(number):
                return np.full((1, 1), number, dtype=self.dtype)
            case s.Count(predicate, operand):
                return self._counted(predicate, self.value(operand))
            case s.Added(sign, left, right):
                join = np.add if sign > 0 else np.subtract
                return join(self.value(left), self.value(right), dtype=self.dtype)
            case s.Multiplied(left, right):
                return np.multiply(self.value(left), self.value(right), dtype=self.dtype)
            case s.Negative(operand):
                return np.negative(self.value(operand))
            case s.Conditional(then, condition, otherwise):
                return np.where(self.value(condition), self.value(then), self.value(otherwise))
            case s.Extremum(largest, left, right):
                return (np.maximum if largest else np.minimum)(self.value(left), self.value(right))

    def _counted(self, predicate: s.Predicate | None, held: NDArray[np.bool_]) -> NDArray[Any]:
        """Positions 1..i, within the window, where a Boolean holds: differences of running sums."""
        sums = self._running(np.broadcast_to(held, (len(self.codes) + 1, held.shape[1])))
        if predicate is None:
            return sums
        low, high = find_window(predicate)
        if low > high:
            return np.zeros((1, 1), dtype=self.dtype)
        # Positions i − high .. i − low: the sum up to i − low less the sum up to i − high − 1.
        local = np.zeros_like(sums)
        length = len(sums)
        if low < length:
            local[low:] = sums[: length - low]
        if high + 1 < length:
            local[high + 1 :] -= sums[: length - high - 1]
        return local

    def _running(self, held: NDArray[np.bool_]) -> NDArray[Any]:
        sums = held.astype(self.dtype if self.dtype is not object else np.int64)
        sums[0] = 0  # SOS is never counted
        if sums.shape[1] < WIDE:
            sums = np.ascontiguousarray(np.cumsum(sums.T, axis=1, dtype=sums.dtype).T)
        else:
            for place in range(1, len(sums)):
                sums[place] += sums[place - 1]
        return sums.astype(object) if self.dtype is object else sums


@dataclass(frozen=True, slots=True)
class Trace:
    """Values of the operations of a program on a word; the last one decides."""

    word: str  # as its alphabet writes it
    symbols: tuple[str, ...]  # SOS, then those of the word: one for each column
    rows: tuple[OperationValues, ...]

    @property
    def accepted(self) -> bool:
        """The last operation at the last position."""
        return bool(self.rows[-1].at[-1])

    def __repr__(self) -> str:
        answer = "accepted" if self.accepted else "rejected"
        return f"<Trace of {shorten(self.word, 60) or 'ε'}: {len(self.rows)} operations, {answer}>"

    def __str__(self) -> str:
        """Write a table in aligned columns, and the verdict."""
        rows = [("position", *map(str, range(len(self.symbols)))), ("symbol", *self.symbols)]
        for row in self.rows:
            shown = ("FT"[value] if row.sort is Sort.BOOLEAN else str(value) for value in row.at)
            rows.append((row.name, *shown))
        verdict = "accept" if self.accepted else "reject"
        return "\n".join([*align(rows, "<" + ">" * len(self.symbols)), "", f"{self.word or 'ε'}\t{verdict}"])


def trace_of(program: s.ProgramTree, alphabet: Alphabet, word: Word, parts: bool = False) -> Trace:
    """Run a checked program on a word and keep everything.

    With `parts` the parts of an operation have rows of their own above it, called by their text.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("0", "1"))
    >>> trace = trace_of(read_program('accept = # "0" <= # "1"', sigma), sigma, (0, 1), parts=True)
    >>> [(row.name, row.at) for row in trace.rows][-2:]
    [('# "1"', (0, 0, 1)), ('accept', (1, 0, 1))]
    """
    shown = s.ProgramTree(tuple(_with_parts(program))) if parts else program
    symbols = (SOS, *(alphabet.symbols[code] for code in word))
    return Trace(alphabet.decode(word), symbols, compute_values(shown, alphabet, word))


def _with_parts(program: s.ProgramTree) -> Iterator[s.Definition]:
    """Definitions, each after one for every part that is not shown yet; equal texts have equal values."""
    seen: set[str] = set()
    for definition in program.definitions:
        for part in _inner(definition.expression):
            text = format_expression(part)
            if text not in seen and not isinstance(part, s.Name | s.Number | s.Truth):
                seen.add(text)
                yield s.Definition(text, part, part.place)
        yield definition


def _inner(expression: s.Expression) -> Iterator[s.Expression]:
    """Everything inside an expression, parts before what they are parts of."""
    for child in s.list_children(expression):
        yield from _inner(child)
        yield child
