"""All words of a task up to a length, asked of a model: a walk through the tree of their prefixes.

Words share prefixes, and the keys and values that a decoder keeps of a prefix do not depend on later
tokens. So each prefix is read once, at all offsets together, and only prefixes are read from which a word of
the task can still be reached: of Dyck-1 or (ab)* these are few. Blocks of prefixes are finished before
their siblings, as the keys and values of a whole length would not fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.base.words import Word
from idinf.spec.spec import Answer
from idinf.targets.machine import NEVER, BoolArray, IntArray, Target
from idinf.trained.decoder import Array, Cache, Decoder
from idinf.trained.task import BOS, SEP, AnswerReader, step_each

#: Numbers that keys and values of a block may have: 8 MB of float64, which stay in the cache of a processor.
MOST_NUMBERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Count:
    """All words of one length."""

    length: int
    words: int  #: of the task
    wrong: int  #: those of them with a wrong answer at some offset
    #: The least margin of an answer in a word, as `AnswerReader.read` says it; None where there is no word.
    margin: float | None
    differing: int  #: words with an answer that float32 and float64 give differently at some offset


@dataclass(frozen=True, slots=True)
class Rival:
    """Something else that answers the task: a record of a report."""

    name: str
    machine: Target


@dataclass(frozen=True, slots=True)
class FirstDisagreement:
    """The shortest word on which a model and a rival answer differently, or None up to a length."""

    length: int | None
    prefix: Word = ()  #: behind which they do; of acceptance the word itself
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """Results of a walk to some length."""

    counts: tuple[Count, ...]  #: of the lengths 0, 1, ...
    wrong: tuple[
        tuple[Word, int], ...
    ]  #: of each length with a wrong word the first one and its least offset
    differing: tuple[tuple[Word, int], ...]  #: the first words that float32 and float64 answer differently
    partings: tuple[FirstDisagreement, ...]  #: one for each rival


@dataclass(frozen=True, eq=False)
class _Block:
    """Prefixes of one length, in lexicographic order, at O offsets."""

    words: NDArray[np.uint16]  #: codes; (R, n)
    states: IntArray  #: of the target; (R, k)
    rivals: tuple[IntArray, ...]  #: states of each rival
    caches: tuple[Cache, ...]  #: of each precision, their rows (R · O,)
    logits: tuple[Array, ...]  #: behind the prefix, of each precision; (R, O, V)
    wrong: BoolArray  #: True if an answer was wrong so far; (R, O)
    differs: BoolArray  #: (R, O)
    margin: NDArray[np.float64]  #: (R, O)

    def take(self, rows: IntArray) -> _Block:
        """Some of the prefixes."""
        places = _places(rows, self.wrong.shape[1])
        return _Block(
            self.words[rows],
            self.states[rows],
            tuple(states[rows] for states in self.rivals),
            tuple(cache.take(places) for cache in self.caches),
            tuple(logits[rows] for logits in self.logits),
            self.wrong[rows],
            self.differs[rows],
            self.margin[rows],
        )


def _places(rows: IntArray, offsets: int, kept: int | None = None) -> IntArray:
    """Rows of arrays that hold every prefix at all offsets, of which the first ``kept`` remain."""
    return np.asarray((rows[:, None] * offsets + np.arange(offsets if kept is None else kept)).ravel())


class Walk:
    """Asks a model about all words of a task. Mutable while it walks: it collects results.

    Parameters
    ----------
    model : Decoder
        In float64; the walk makes the same in float32.
    speech : AnswerReader
        The reading of its logits.
    offsets : sequence of int
        Ascending; at each length those are asked that leave room for a word.
    rivals : sequence of Rival
        Rivals whose answers are compared, too.
    beat : callable
        Called before every block with the length that the walk goes to; may raise to end it.
    """

    def __init__(
        self,
        model: Decoder,
        speech: AnswerReader,
        offsets: Sequence[int] = (0,),
        rivals: Sequence[Rival] = (),
        beat: Callable[[int], None] = lambda length: None,
    ) -> None:
        self.models = (model, model.astype(np.float32))
        self.speech, self.task, self.rivals, self.beat = speech, speech.task, rivals, beat
        self.offsets = np.array(offsets, dtype=np.int64)
        self.symbols = speech.tokens.list_numbers(self.task.alphabet)

    def count_prefixes(self, most: int) -> Iterator[float]:
        """Numbers of prefixes at offsets that walks to length 0, 1, ... read, while at most ``most``."""
        target, met = self.task.target, list[tuple[IntArray, NDArray[np.float64]]]()  # (S,) distances, rows
        states: IntArray = target.start()
        numbers = np.ones(1)
        for length in range(NEVER):
            offsets = len(self.list_offsets(length))
            if not offsets:
                return
            met.append((target.distance(states), numbers * offsets))
            total = sum(float(rows[far <= length - k].sum()) for k, (far, rows) in enumerate(met))
            if total > most:
                return
            yield total
            alive = target.distance(states) < NEVER
            after = np.concatenate([target.step(states[alive], code) for code in range(len(self.symbols))])
            states, places = np.unique(after, axis=0, return_inverse=True)
            weights = np.tile(numbers[alive], len(self.symbols))
            numbers = np.bincount(places.ravel(), weights, len(states)).astype(np.float64)

    def list_offsets(self, length: int) -> IntArray:
        """The offsets that leave room for a word; (O,)."""
        model = self.models[0]
        if not model.has_positions:
            return self.offsets[:1]
        return self.offsets[self.offsets + length + self.task.extra <= model.shape.positions]

    def to(self, length: int) -> Survey:
        """Ask all words up to a length; cost O(prefixes · offsets · length).

        Raises the errors of `beat`; the results of a length are then not complete.
        """
        self._last = length
        self._words, self._wrong, self._differing = np.zeros((3, length + 1), dtype=np.int64)
        self._margin = np.full(length + 1, np.inf)
        self._first: dict[int, tuple[Word, int]] = {}
        self._differ: list[tuple[Word, int]] = []
        self._parted = [FirstDisagreement(None)] * len(self.rivals)
        waiting = [iter((self._start(),))]  # blocks whose words are not walked through, of each length
        while waiting:
            if (block := next(waiting[-1], None)) is None:
                waiting.pop()
            else:
                waiting.append(self._descend(block, len(waiting) - 1))
        counts = tuple(
            Count(n, words, wrong, None if margin == np.inf else margin, differing)
            for n, (words, wrong, margin, differing) in enumerate(
                zip(*(each.tolist() for each in self._numbers), strict=True)
            )
        )
        first = tuple(self._first[n] for n in sorted(self._first))
        ordered = sorted(self._differ, key=lambda found: (len(found[0]), found))
        return Survey(counts, first, tuple(ordered[:MOST_SHOWN]), tuple(self._parted))

    @property
    def _numbers(self) -> tuple[NDArray[np.generic], ...]:
        return self._words, self._wrong, self._margin, self._differing

    def _start(self) -> _Block:
        """The empty prefix: logits of the models behind the token that begins words."""
        offsets = self.list_offsets(0)
        size = len(offsets)
        tokens = np.full((size, 1), self.speech.tokens.number(BOS))
        read = [model.read(model.start(size), tokens, offsets) for model in self.models]
        return _Block(
            np.zeros((1, 0), dtype=np.uint16),
            self.task.target.start(),
            tuple(rival.machine.start() for rival in self.rivals),
            tuple(cache for _, cache in read),
            tuple(logits.reshape(1, size, -1) for logits, _ in read),
            np.zeros((1, size), dtype=np.bool_),
            np.zeros((1, size), dtype=np.bool_),
            np.full((1, size), np.inf),
        )

    def _descend(self, block: _Block, length: int) -> Iterator[_Block]:
        """Judge a block, and give those of one symbol more, in lexicographic order."""
        self.beat(self._last)
        block = self._judge(block, length)
        if length == self._last:
            return
        target, symbols = self.task.target, len(self.symbols)
        after = np.stack([target.step(block.states, code) for code in range(symbols)], axis=1)
        alive = target.distance(after.reshape(-1, after.shape[2])) < self._last - length
        children = np.flatnonzero(alive)
        shape = self.models[0].shape
        offsets = max(1, len(self.list_offsets(length + 1)))
        size = max(1, MOST_NUMBERS // (2 * shape.layers * shape.width * (length + 2) * offsets))
        for begin in range(0, len(children), size):
            chosen = children[begin : begin + size]
            yield self._extend(block, *np.divmod(chosen, symbols), after)

    def _extend(self, block: _Block, rows: IntArray, codes: IntArray, after: IntArray) -> _Block:
        """Read one symbol behind some prefixes."""
        length = block.words.shape[1] + 1
        offsets, before = self.list_offsets(length), block.wrong.shape[1]
        room = len(offsets)
        places = _places(rows, before, room)
        tokens = np.repeat(self.symbols[codes], room)[:, None]
        at = np.tile(offsets, len(rows))
        read = [
            model.read(cache.take(places), tokens, at)
            for model, cache in zip(self.models, block.caches, strict=True)
        ]
        return _Block(
            np.concatenate([block.words[rows], codes[:, None].astype(np.uint16)], axis=1),
            after[rows, codes],
            tuple(
                step_each(rival.machine, states[rows], codes)
                for rival, states in zip(self.rivals, block.rivals, strict=True)
            ),
            tuple(cache for _, cache in read),
            tuple(logits.reshape(len(rows), room, -1) for logits, _ in read),
            block.wrong[rows, :room],
            block.differs[rows, :room],
            block.margin[rows, :room],
        )

    def _judge(self, block: _Block, length: int) -> _Block:
        """Compare the answers behind the prefixes with the right ones, and count the words among them."""
        task = self.task
        asked, ends = task.is_asked(block.states), task.target.distance(block.states) == 0
        if not asked.any():
            wrong, differs, margin = block.wrong, block.differs, block.margin
        else:
            logits = block.logits if task.answer is not Answer.ACCEPT else self._separate(block, length)
            for model, each in zip(self.models, logits, strict=True):
                self.speech.check(model, each[asked], block.words[asked])
            (said, ahead), (rough, _) = (self.speech.read(each) for each in logits)
            due = asked[:, None]
            wrong = block.wrong | (due & (said != task.labels(block.states)[:, None]).any(axis=2))
            differs = block.differs | (due & (said != rough).any(axis=2))
            margin = np.where(due, np.minimum(block.margin, ahead), block.margin)
            self._compare(block, said, asked, length)
        if task.answer is Answer.ACCEPT:  # an answer on a word says nothing about longer words
            nothing = np.zeros_like(wrong)
            judged = _Block(
                block.words,
                block.states,
                block.rivals,
                block.caches,
                block.logits,
                nothing,
                nothing,
                block.margin,
            )
        else:
            judged = _Block(
                block.words, block.states, block.rivals, block.caches, block.logits, wrong, differs, margin
            )
        if ends.any():
            self._words[length] += int(ends.sum())
            self._margin[length] = min(self._margin[length], float(margin[ends].min()))
            offsets = self.list_offsets(length)
            number, found = list_flagged(wrong, ends, block.words, offsets)
            self._wrong[length] += number
            if found:
                self._first.setdefault(length, found[0])
            number, found = list_flagged(differs, ends, block.words, offsets)
            self._differing[length] += number
            self._differ += found
        return judged

    def _separate(self, block: _Block, length: int) -> tuple[Array, ...]:
        """The logits behind the separator, which is read after every prefix and forgotten."""
        rows, columns = block.wrong.shape
        tokens = np.full((rows * columns, 1), self.speech.tokens.number(SEP))
        at = np.tile(self.list_offsets(length), rows)
        read = (
            model.read(cache, tokens, at)[0] for model, cache in zip(self.models, block.caches, strict=True)
        )
        return tuple(logits.reshape(rows, columns, -1) for logits in read)

    def _compare(self, block: _Block, said: BoolArray, asked: BoolArray, length: int) -> None:
        """Find where the answers part from those of rivals: in the shortest word with the prefix."""
        task, positions = self.task, self.models[0].shape.positions
        far = task.target.distance(block.states) if task.answer is not Answer.ACCEPT else np.zeros(len(asked))
        offsets = self.list_offsets(length)
        room = offsets + far[:, None] + length + task.extra <= positions
        if not self.models[0].has_positions:
            room[:] = True
        for number, (rival, states) in enumerate(zip(self.rivals, block.rivals, strict=True)):
            labels = rival.machine.labels(states).reshape(len(states), -1)
            own = said[..., -2:-1] if task.is_derived else said[..., :-1]
            other = (own != labels[:, None]).any(axis=2)
            if task.answer is Answer.ACCEPT:
                other |= said[..., -1]  # neither yes nor no
            rows, columns = np.nonzero(other & asked[:, None] & room)
            if len(rows):
                best = int(np.argmin(far[rows]))
                found = length + int(far[rows[best]])
                known = self._parted[number].length
                if known is None or found < known:
                    word = tuple(block.words[rows[best]].tolist())
                    self._parted[number] = FirstDisagreement(found, word, int(offsets[columns[best]]))


#: Words that are listed, at most.
MOST_SHOWN = 20


def list_flagged(
    flags: BoolArray, ends: BoolArray, words: NDArray[np.uint16], offsets: IntArray
) -> tuple[int, list[tuple[Word, int]]]:
    """Number of words that are flagged at some offset, and the first of them, each with its least offset."""
    rows = np.flatnonzero(flags.any(axis=1) & ends)
    shown = rows[:MOST_SHOWN]
    places = offsets[flags[shown].argmax(axis=1)]
    return len(rows), [
        (tuple(word), at) for word, at in zip(words[shown].tolist(), places.tolist(), strict=True)
    ]
