"""Positions where a target judges a hypothesis: the last one of every word, or 0..n of words of a domain.

A target of acceptance is judged at the last position of every word. Three things change that. With next
symbols the outputs are K = |Σ| + 1 truth values, the symbols and then end-of-string, and every position 0..n
of a word counts. With a *domain* D only the words of a regular language count. With *places* J, any
language, answers count only after prefixes that are in J: what follows the others is left open, as before the
separator of a task. So a prefix p counts for the lengths n of the words of the domain that it is judged
in: for next symbols all that begin with p if p is in J, p itself for acceptance. The fail length is the least
such n over the prefixes after which the answer is wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.crasp.interpreter import WordBatch
from idinf.errors import SpecError
from idinf.spec.spec import END, Answer
from idinf.targets.machine import (
    NEVER,
    BoolArray,
    IntArray,
    RelabelledTarget,
    SideBySide,
    Target,
    explore_states,
    find_least_word,
    read_word,
)
from idinf.targets.regular import RegularTarget

#: Prefixes that a target is asked about at once, roughly.
ROWS = 2**15

#: What a target says after one prefix: the next symbols, or None where it does not judge.
Sets = tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class SupervisedTarget(SideBySide):
    """A target with the positions at which it judges; itself a target.

    A state is one of the machine, followed by one of the places and one of the domain. The machine says what
    is right after a prefix: ``labels`` are (S,) for acceptance, (S, K) for next symbols, of which with
    `Answer.SYMBOL` just one is true where the prefix counts. Without a domain every word counts, without
    places every prefix. Places are for next symbols and stand only beside a domain, which may be
    `RegularTarget.every_word`: where nothing is left out, the search asks less. Raises `ValueError` if there
    are places without a domain, or for acceptance.

    Of 1*, judged on words of even length: a 1 alone counts for words of length 2.

    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> even = RegularTarget.from_regex("((0|1)(0|1))*", sigma)
    >>> target = SupervisedTarget(RegularTarget.from_regex("1*", sigma), Answer.ACCEPT, even)
    >>> after_1 = target.step(target.start(), 1)
    >>> bool(target.labels(after_1)[0]), int(target.distance(after_1)[0])
    (True, 1)
    >>> bool(target.due(after_1)[0] < NEVER)
    False
    """

    machine: Target
    answer: Answer = Answer.ACCEPT
    domain: RegularTarget | None = None
    places: Target | None = None
    #: Where the domain and the places were written, with what, for messages.
    named: str = field(default="domain, judged", compare=False)
    #: Whether the output of acceptance has to be the number 1 or 0, and not only above 0 or not.
    by_logits: bool = False

    def __post_init__(self) -> None:
        if self.places is not None and (self.domain is None or not self.everywhere):
            raise ValueError("places that are judged; expected next symbols and a domain beside them")

    @property
    def everywhere(self) -> bool:
        """True if every position counts, not the last one alone."""
        return self.answer is not Answer.ACCEPT

    @property
    def plain(self) -> bool:
        """True if the target is acceptance of every word."""
        return self.answer is Answer.ACCEPT and self.domain is None

    @property
    def outputs(self) -> int:
        """K, the truth values of a label: 1 for acceptance, else |Σ| + 1."""
        return len(self.alphabet) + 1 if self.everywhere else 1

    @cached_property
    def machines(self) -> tuple[Target, ...]:
        """The machine, the places and the domain as far as there are any."""
        return tuple(m for m in (self.machine, self.places, self.domain) if m is not None)

    def labels(self, states: IntArray) -> BoolArray:
        """Right answers after a prefix; (S, k) → (S,), for next symbols (S, K); no meaning off the places."""
        return self.machine.labels(states[:, self.columns[0]])

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label of acceptance after any 1 to ``left`` more symbols, or −1; (S, k) → (S,)."""
        return self.machine.foretold(states, left)

    def distance(self, states: IntArray) -> IntArray:
        """Least number of further symbols to a word of the domain, or `NEVER`; (S, k) → (S,)."""
        if self.domain is None:
            return np.zeros(len(states), dtype=np.int64)
        return np.asarray(self.domain.distances[states[:, -1]])

    def due(self, states: IntArray) -> IntArray:
        """The number of symbols to the shortest word that a prefix counts in, or `NEVER`; (S, k) → (S,)."""
        distance = self.distance(states)
        return np.where(self.is_place(states) if self.everywhere else distance == 0, distance, NEVER)

    def counts(self, states: IntArray, left: int) -> BoolArray:
        """True if a prefix counts in some word that is ``left`` symbols longer; (S, k) → (S,)."""
        if left and not self.everywhere:
            return np.zeros(len(states), dtype=np.bool_)
        if self.domain is None:
            return np.ones(len(states), dtype=np.bool_)
        return np.asarray(self._ends(left)[states[:, -1]] & self.is_place(states))

    def completion(self, states: IntArray, left: int) -> Word:
        """The least continuation by ``left`` symbols of one prefix that counts there; (1, k)."""
        codes: list[int] = []
        for rest in range(left - 1, -1, -1):
            steps = (self.step(states, code) for code in range(len(self.alphabet)))
            code, states = next(item for item in enumerate(steps) if self._leads(item[1], rest))
            codes.append(code)
        return tuple(codes)

    def is_counted(self, word: Word) -> bool:
        """True if a word is in the domain."""
        return bool(self.distance(read_word(self, word))[0] == 0)

    def next_symbols(self, word: Word) -> tuple[tuple[str, ...] | None, ...]:
        """The right next symbols after every prefix of a word, ε first; only with next symbols.

        None where the target does not judge.
        """
        states = self.start()
        named: list[tuple[str, ...] | None] = []
        for symbol in (*word, None):
            named.append(self._named(states) if self.is_place(states)[0] else None)
            states = states if symbol is None else self.step(states, symbol)
        return tuple(named)

    def asked(self, prefix: Word) -> tuple[str, ...] | None:
        """The right next symbols after a prefix; None where no word that counts is judged there."""
        states = read_word(self, prefix)
        return self._named(states) if self.due(states)[0] < NEVER else None

    def _named(self, states: IntArray) -> tuple[str, ...]:
        """The next symbols of one state; (1, k)."""
        labels = self.labels(states)[0].tolist()
        return tuple(s for s, holds in zip((*self.alphabet.symbols, END), labels, strict=True) if holds)

    def is_place(self, states: IntArray) -> BoolArray:
        """True for prefixes that are judged in words of the domain that begin with them; (S, k) → (S,)."""
        if self.places is None:
            return np.ones(len(states), dtype=np.bool_)
        return self.places.labels(states[:, self.columns[1]])

    def _leads(self, states: IntArray, left: int) -> bool:
        return self.domain is None or bool(self._ends(left)[states[0, -1]])

    @cached_property
    def _reached(self) -> list[BoolArray]:
        """For k = 0, 1, … from which states of the domain some k symbols lead to acceptance."""
        return [] if self.domain is None else [self.domain.accepting]

    def _ends(self, left: int) -> BoolArray:
        while self.domain is not None and len(self._reached) <= left:
            self._reached.append(np.asarray(self._reached[-1][self.domain.table].any(axis=1)))
        return self._reached[left]


def supervise(target: Target) -> SupervisedTarget:
    """Any target with the positions at which it judges: a plain one at the end of every word."""
    return target if isinstance(target, SupervisedTarget) else SupervisedTarget(target)


@dataclass(frozen=True, eq=False)
class Continuations(RelabelledTarget):
    """Legal continuations of a regular language.

    Of a prefix w these are the symbols a such that wa begins a word of it, and end-of-string iff w is one. A
    prefix that begins no word has none.
    """

    machine: RegularTarget

    def labels(self, states: IntArray) -> BoolArray:
        """True for next symbols that are legal; (S, 1) → (S, K)."""
        return np.asarray(self._legal[states[:, 0]])

    @cached_property
    def _legal(self) -> BoolArray:
        """Of every state of the language."""
        table, accepting = self.machine.table, self.machine.accepting
        alive = self.machine.distances < NEVER
        return np.concatenate([alive[table], accepting[:, None]], axis=1)


@dataclass(frozen=True, eq=False)
class Operations(SideBySide):
    """One target for each next symbol, None for one that never is; states of all stand side by side."""

    parts: tuple[Target | None, ...]

    @cached_property
    def machines(self) -> tuple[Target, ...]:
        """The parts that are not None."""
        return tuple(part for part in self.parts if part is not None)

    def labels(self, states: IntArray) -> BoolArray:
        """True for operations that hold; (S, k) → (S, K)."""
        labels = np.zeros((len(states), len(self.parts)), dtype=np.bool_)
        columns = iter(self.columns)
        for place, part in enumerate(self.parts):
            if part is not None:
                labels[:, place] = part.labels(states[:, next(columns)])
        return labels


@dataclass(frozen=True, eq=False)
class SingleSymbol(RelabelledTarget):
    """One next symbol: the first that a set holds; the first of all where it holds none, as of equal rows."""

    machine: Continuations | Operations

    def labels(self, states: IntArray) -> BoolArray:
        """The one next symbol; (S, k) → (S, K), one of each row true."""
        first = self.machine.labels(states).argmax(axis=1)
        return np.asarray(first[:, None] == np.arange(len(self.alphabet) + 1))


def check_single(target: SupervisedTarget) -> None:
    """Refuse `Continuations` without one legal continuation of every prefix that is judged.

    Raises `SpecError` with a least prefix that has none or several.
    """
    states, table, _ = explore_states(target)
    numbers = target.labels(states).sum(axis=1)
    wrong = np.flatnonzero((numbers != 1) & (target.due(states) < NEVER))
    if len(wrong):
        prefix = target.alphabet.decode(find_least_word(table, int(wrong[0]))) or "ε"
        raise SpecError(
            f"output = 'symbol': the prefix {quote(prefix)} has {numbers[wrong[0]]} legal "
            'next symbols; expected exactly one; use output = "set", another domain, or name the '
            "prefixes that are judged"
        )


def check_places(target: SupervisedTarget) -> None:
    """Refuse places that no word of the domain has, of a target with finitely many states.

    Raises `SpecError`.
    """
    if (target.due(explore_states(target)[0]) >= NEVER).all():
        raise SpecError(
            "judged: no prefix of a word of the domain matches it; expected one that does, else every "
            "hypothesis is right; correct judged or domain"
        )


def read_words(machine: Target, batch: WordBatch) -> Iterator[tuple[IntArray, IntArray, int]]:
    """Read all words together: at every position, from 0 on, the words that are as long, with their states.

    Gives the numbers of these words, (S,), their states, (S, k), and how many go on: those come first.

    >>> from idinf.crasp.interpreter import lay_out_words
    >>> from idinf.targets.regular import RegularTarget
    >>> from idinf.base.words import Alphabet
    >>> ends_in_a = RegularTarget.from_regex(".*a", Alphabet(("a", "b")))
    >>> [(words.tolist(), states[:, 0].tolist(), goes_on)
    ...  for words, states, goes_on in read_words(ends_in_a, lay_out_words([(), (0, 1)]))]
    [([1, 0], [0, 0], 1), ([1], [1], 1), ([1], [0], 0)]
    """
    order = np.argsort(-batch.lengths, kind="stable")
    codes, lengths = batch.codes[order], batch.lengths[order]
    states = np.repeat(machine.start(), len(batch), axis=0)
    for place in range(int(lengths.max(initial=0)) + 1):
        going = int(np.searchsorted(-lengths, -place))  # those with more symbols than this position
        yield order[: len(states)], states, going
        if not going:
            return
        states, column = states[:going], codes[:going, place]
        after = np.empty_like(states)
        for code in np.flatnonzero(np.bincount(column)).tolist():
            rows = np.flatnonzero(column == code)
            after[rows] = machine.step(states[rows], code)
        states = after


def answer_words(target: SupervisedTarget, batch: WordBatch) -> tuple[list[bool], list[bool]]:
    """Truths for each word: a target of acceptance accepts it, and it is in the domain."""
    accepted, counted = np.zeros((2, len(batch)), dtype=np.bool_)
    for words, states, going in read_words(target, batch):
        accepted[words[going:]] = target.labels(states[going:])
        counted[words[going:]] = target.distance(states[going:]) == 0
    return accepted.tolist(), counted.tolist()


def name_next(target: SupervisedTarget, batch: WordBatch) -> tuple[list[Sets], IntArray, list[bool]]:
    """The right next symbols after every prefix of every word, and which words are in the domain.

    Gives different sets, which of them stands after each prefix, (words, longest length + 1), with −1
    behind the end of a word, and whether each word counts. The same as `SupervisedTarget.next_symbols` and
    `SupervisedTarget.is_counted` of each word.
    """
    marks = target.outputs + 1  # a truth value for each output, and whether the target judges at all
    packed = np.zeros((len(batch), batch.codes.shape[1] + 1, -(-marks // 8)), dtype=np.uint8)
    counted = np.zeros(len(batch), dtype=np.bool_)
    met: list[tuple[IntArray, IntArray, int]] = []
    for place, (words, states, going) in enumerate(read_words(target, batch)):
        if going < len(words):
            counted[words[going:]] = target.distance(states[going:]) == 0
        met.append((words, states, place))
        if going and len(words) * len(met) < ROWS:
            continue
        after = np.concatenate([states for _, states, _ in met])
        judged = target.is_place(after)[:, None]
        bits = np.packbits(np.hstack([judged, target.labels(after) & judged]), axis=1)
        places = np.repeat([place for _, _, place in met], [len(words) for words, _, _ in met])
        packed[np.concatenate([words for words, _, _ in met]), places] = bits
        met.clear()
    rows = packed.reshape(-1, packed.shape[2])
    numbers = _number_rows(rows)
    examples = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    examples[numbers] = np.arange(len(rows))
    symbols = (*target.alphabet.symbols, END)
    unpacked = np.unpackbits(rows[examples], axis=1, count=marks).tolist()
    sets = [tuple(itertools.compress(symbols, labels)) if judged else None for judged, *labels in unpacked]
    numbers = numbers.reshape(packed.shape[:2])
    numbers[np.arange(numbers.shape[1]) > batch.lengths[:, None]] = -1
    return sets, numbers, counted.tolist()


def _number_rows(rows: NDArray[np.uint8]) -> IntArray:
    """Number rows of bytes from 0 on, equal ones alike; (S, bytes) → (S,)."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        numbers = numbers * 256 + column
        found = np.flatnonzero(np.bincount(numbers))
        places = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
        places[found] = np.arange(len(found))
        numbers = places[numbers]
    return numbers
