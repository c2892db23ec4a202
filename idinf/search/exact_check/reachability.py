"""Exact fail lengths, and agreement, by joint reachability of hypotheses and a target or each other.

A prefix is summarised by a few integers (sums that decide every later attention output, and the features of
the last τ positions) and by the target's state. Prefixes with equal summaries behave alike for ever and are
merged, so all words of a length are covered by the reachable summaries of that length: polynomially many
where there are 2^128 words.

Where lower units depend on N, a summary carries the set of those N of the block for which some word leads
to it, as the bits of one uint64: prefixes that behave alike for many N are stepped once. A unit whose answer
differs between the N of a summary splits it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from idinf.base.words import Alphabet, Word
from idinf.errors import PrecisionError, StatesExceeded
from idinf.search.exact_check.nets import (
    JointLayer,
    NetBatch,
    RecentCodes,
    answers,
    joint_layers,
)
from idinf.search.exact_check.saturation import Cuts, Dominance
from idinf.search.exact_check.summaries import (
    DEFAULT_SIZES,
    CheckSizes,
    LayerReader,
    LinearForms,
    Prefixes,
    Steps,
    Summaries,
    union,
    word_of,
)
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, list_members_of_groups, sort_distinct
from idinf.space.units import BoolArray
from idinf.targets.machine import NEVER, Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import supervise

MAX_BLOCK = 64  #: values of N of one block, at most: the bits of a uint64


def blocks(horizon: int) -> list[range]:
    """Split N = 1..horizon + 1 into blocks, short ones first: most hypotheses fail early.

    >>> [(block[0], block[-1]) for block in blocks(128)]
    [(1, 8), (9, 24), (25, 88), (89, 129)]
    """
    begins = [1, 9, *range(25, horizon + 2, MAX_BLOCK), horizon + 2]
    return [range(begin, min(end, horizon + 2)) for begin, end in pairwise(begins) if begin <= horizon + 1]


def split(now: Prefixes, out: BoolArray, begin: int, units: slice) -> Prefixes:
    """One prefix for every answer of a layer, (S, B, units), that occurs among the N of a prefix.

    B are the N of the block from ``begin`` on.
    """
    each = np.arange(out.shape[2])
    codes = out @ (1 << each)  # (S, B)
    bits = np.uint64(1) << np.arange(begin, begin + out.shape[1], dtype=np.uint64)
    found = []
    for value in sort_distinct(codes):
        masks = ((codes == value) @ bits) & now.masks
        index = np.flatnonzero(masks)
        found.append((index, masks[index], np.full(len(index), value)))
    prefix, masks, values = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(prefix, kind="stable")
    split = replace(now.take(prefix[order]), masks=masks[order])
    split.bits[:, units] = values[order][:, None] >> each & 1
    return split


#: Merged summaries of one length, at most, before the check gives up and says so.
DEFAULT_MAX_STATES = 4_000_000
TRAIL_PER_STATE = 10  #: steps of a trail that take about as much memory as a summary


#: A length; of each hypothesis the least length of a word that it gets wrong at this position, (N,), `NEVER`
#: if there is none; and with a trail the least word of the last length that is wrong at this position.
Step: TypeAlias = tuple[int, IntArray, Word | None]


class Frontier:
    """One breadth-first run over summaries. Mutable: hypotheses are dropped as they fail.

    One list of nets is compared with the target, or two, of one hypothesis each, with each other; then the
    target says which words and positions count, as it must for next symbols, without one the ends of all
    words. Two may differ in everything but the alphabet. The sums decide the attention of all layers. The
    ``nets`` of one list read the same values.
    """

    def __init__(
        self,
        nets: Sequence[NetBatch],
        target: Target | None,
        max_states: int = DEFAULT_MAX_STATES,
        checkpoint: Callable[[], None] = lambda: None,
        sizes: CheckSizes = DEFAULT_SIZES,
    ) -> None:
        self.space, lower, last = joint_layers(nets)
        if target is None:
            symbols = Alphabet(tuple(map(str, range(self.space.symbols))), spaced=True)
            target = RegularTarget(symbols, np.zeros((1, len(symbols)), np.int64), np.zeros(1, np.bool_))
        self.target, self.nets, self.max_states = supervise(target), nets, max_states
        self.checkpoint, self.sizes, self._layers = checkpoint, sizes, [*lower, *last]
        self.summary = LinearForms(self.space, self._layers)
        self.lower = self._readers(lower)
        self.last_layers = self._readers(last)
        judging = self._layers if self.target.everywhere else lower
        self.depends_on_N = not all(layer.uniform for layer in judging)
        self._recent = RecentCodes(self.space, self._layers)
        self._widths = np.cumsum([len(self.summary.largest), self._recent.reach])
        self._cuts: Cuts | None = None
        self._dominance: Dominance | None = None
        self._has_content = any(head.logits is not None for layer in self._layers for head in layer.heads)
        if len(nets) == 1 and self.target.plain and not self.target.by_logits and not self._has_content:
            self._dominance = Dominance(self.space, self._layers, nets[0], self.summary)

    def fail_lengths(self, horizon: int, beat: Callable[[int], None] = lambda length: None) -> IntArray:
        """Length of a shortest word on which each hypothesis is wrong, (N,), −1 if none up to ``horizon``.

        ``beat`` is called with every length at which no hypothesis fails. Raises StatesExceeded only while
        some hypothesis is undecided.
        """
        fails = np.full(len(self.nets[0]), NEVER)
        alive = np.arange(len(fails))
        waiting: list[range | None] = [*reversed(blocks(horizon))] if self.depends_on_N else [None]
        while waiting and len(alive):
            block = waiting.pop()
            try:
                for length, wrong, _ in self.steps(horizon, block):
                    fails[alive] = np.minimum(fails[alive], wrong)
                    if (wrong == NEVER).all():
                        beat(length)
                    # Words of which later positions are a part are longer than this one.
                    open_ = fails[alive] > length
                    if not open_.all():
                        alive = alive[open_]
                        if not len(alive):
                            break
                        self.keep(np.flatnonzero(open_))
            except StatesExceeded as full:
                left = range(0) if block is None else range(full.exact_to + 2, block[-1] + 1)
                if len(left) <= 1:
                    raise
                # Fewer N at a time keep fewer summaries.
                middle = (len(left) + 1) // 2
                waiting += left[middle:], left[:middle]
        return np.where(fails == NEVER, -1, fails)

    def least_word(self, length: int) -> Word:
        """Least word on which the one hypothesis is wrong, of its fail length.

        Summaries are kept in the order of their least word, so the first wrong one has the least word; the
        steps that lead to it are remembered. Raises StatesExceeded. Raises RuntimeError if the fail length is
        not that of the hypothesis.
        """
        word = self.find_word(length, only_last=False)
        if word is None:
            raise RuntimeError(f"internal error: a word of length {length} was wrong, now none is")
        return word

    def find_word(self, length: int, only_last: bool = True) -> Word | None:
        """As `least_word`, or None; shorter words that are wrong do not count with ``only_last``."""
        block = range(length + 1, length + 2) if only_last or self.depends_on_N else None
        found = [word for _, _, word in self.steps(length, block, trail=True)]
        # All are of one length, one for each position that is wrong first.
        return min((word for word in found if word is not None), default=None)

    def _readers(self, layers: Sequence[JointLayer]) -> list[LayerReader]:
        return [LayerReader(self.space, layer, self.summary, self.sizes) for layer in layers]

    def keep(self, index: IntArray) -> None:
        """Go on with the hypotheses at the given places only."""
        self.nets = [nets.take(index) for nets in self.nets]
        self.last_layers = self._readers(joint_layers(self.nets)[2])

    def steps(self, horizon: int, block: range | None, trail: bool = False) -> Iterator[Step]:
        """Run over all words of a set of lengths.

        Those are N − 1 for the N of a block; without one all up to ``horizon``, where no lower unit depends
        on N, and no unit at all if every position counts. With a trail the steps to all summaries are kept,
        and the least wrong word of the last length is yielded; only for one hypothesis, and blocks of one N
        or None. Then all shorter words are known to be right; otherwise all words of less N are. Raises
        StatesExceeded if more than ``max_states`` summaries remain after a length was yielded. Raises
        PrecisionError if a sum could leave int64.

        Summaries are extended in chunks, and the arrivals of a chunk are merged before the next chunk is
        extended: memory follows the merged ones. Chunks are left out only once more than ``max_states``
        distinct summaries are held, never for arrivals that are not merged yet.
        """
        self._guard(horizon)
        sizes, steps = self.sizes, list[Steps]()
        last = horizon if block is None else block[-1] - 1
        known = last - 1 if trail else -1 if block is None else block[0] - 2
        now, self._cuts = self._start(block), None
        for length in range(last + 1):
            fails: IntArray = np.full(len(self.nets[0]), NEVER)
            least: Word | None = None
            parts: list[Summaries] = []
            checked = block is None or length + 1 in block or self.target.everywhere
            if self._cuts is None and not self._has_content and len(now) > sizes.cuts_from:
                self._cuts = Cuts(self.space, self._layers, self.summary, last, self.checkpoint, sizes)
            for start in range(0, len(now), sizes.chunk):
                self.checkpoint()
                arrived = self._arrived(now.take(slice(start, start + sizes.chunk)), start, length, block)
                for end, judged, wrong in self._judged(arrived, length, last, block) if checked else ():
                    fails = np.where(wrong.any(axis=0), np.minimum(fails, end), fails)
                    if trail and least is None and end == last and wrong.any():
                        one = judged.take(np.flatnonzero(wrong[:, 0])[:1])
                        least = word_of(steps, int(one.source[0]), int(one.tokens[0]) - 1)
                        least = (*least, *self.target.completion(one.states, end - length))
                if length < last and not (parts and len(parts[0]) > self.max_states):
                    parts.append(self._extended(arrived, length, last, block))
                    spare = max(0, self.max_states - len(parts[0])) + sizes.waiting
                    if sum(map(len, parts[1:])) > min(spare, max(len(parts[0]), sizes.waiting)):
                        parts = [union(parts)]
            if checked:
                yield length, fails, least
            if length == last:
                return
            now = union(parts) if len(parts) > 1 else parts[0]
            if not len(now):  # no word of the domain is longer
                return
            if trail:
                steps.append(now.steps)
                if (number := sum(map(len, steps))) > TRAIL_PER_STATE * self.max_states:
                    raise self._exceeded(length, number, known)
            elif self._dominance and len(now) > sizes.dominated_from:
                states = now.rows[:, self._widths[-1] :].astype(np.int64)
                verdicts = self.target.foretold(states, last - length)
                now = now.take(self._dominance.undominated(now.rows, now.masks, verdicts))
            if len(now) > self.max_states:
                raise self._exceeded(length, len(now), known)

    def _exceeded(self, length: int, states: int, known: int) -> StatesExceeded:
        exact_to = max(length, known)
        return StatesExceeded(
            f"exact check at length {length}: {states} joint states, more than the {self.max_states} that "
            f"fit the memory bound (all words up to length {exact_to} were decided); raise --memory or "
            "lower --max-n",
            exact_to,
        )

    def _start(self, block: range | None) -> Summaries:
        """The summary of no position at all."""
        rows = np.concatenate([np.zeros((1, self._widths[1]), np.int64), self.target.start()], axis=1)
        masks = np.array([(1 << len(block or range(1))) - 1], dtype=np.uint64)
        return Summaries(rows, masks, np.zeros((1, 2), dtype=np.int32))

    def _arrived(self, now: Summaries, start: int, length: int, block: range | None) -> Prefixes:
        """Extend summaries, the first of which has the place ``start``, by SOS or every symbol.

        Lower units are computed, and prefixes split where N matters.
        """
        kept, recent, states = np.split(now.rows.astype(np.int64), self._widths, axis=1)
        codes = range(self.space.symbols) if length else [-1]
        stepped = [self.target.step(states, code) if length else states for code in codes]
        each = np.repeat(np.arange(len(now)), len(codes))
        read = Prefixes(
            length,
            np.tile(np.array(codes) + 1, len(now)),
            kept[each],
            recent[each],
            np.zeros((len(each), self.space.units), dtype=np.int64),
            np.stack(stepped, axis=1).reshape(len(each), -1),
            now.masks[each],
            start + each,
        )
        begin = 0 if block is None else max(0, length + 1 - block[0])
        for reader in self.lower:
            units = slice(reader.layer.first, reader.layer.first + len(reader.layer))
            if reader.layer.uniform:
                read.bits[:, units] = reader.outputs(read, (1,))[:, 0]
            else:
                read = split(read, reader.outputs(read, block or (1,), begin), begin, units)
        return read

    def _guard(self, horizon: int) -> None:
        read = [
            array for layer in self._layers for array in (layer.own, *(head.values for head in layer.heads))
        ]
        largest = max((int(np.abs(array).max(initial=0)) for array in read), default=0)
        if largest * self.space.size * (horizon + 1) >= 2**60:
            raise PrecisionError(
                f"an accumulator of a unit with the parameter {largest} could leave 60 bits; expected "
                f"parameters below 2^{60 - (self.space.size * (horizon + 1)).bit_length()} units of 4^-p; "
                "lower --precision, --max-n or --max-r"
            )

    def _judged(
        self, arrived: Prefixes, length: int, last: int, block: range | None
    ) -> Iterator[tuple[int, Prefixes, BoolArray]]:
        """Lengths of words, prefixes that count in them, and which hypothesis gets which wrong, (S, N)."""
        most = max(1, self.sizes.cells // max(1, self.nets[0].signs.size))
        for end, counted in self._counted(arrived, length, last, block):
            for start in range(0, len(counted), most):
                part = counted.take(slice(start, start + most))
                yield end, part, self._wrong(part, end)

    def _counted(
        self, arrived: Prefixes, length: int, last: int, block: range | None
    ) -> Iterator[tuple[int, Prefixes]]:
        """Arrivals with the length of a word they count in: the shortest one, or every one of a block."""
        target = self.target
        if block is None:
            due = target.due(arrived.states)
            for further in sort_distinct(due[due <= last - length]).tolist():
                yield length + further, arrived.where(due == further)
            return
        for N in range(max(length + 1, block[0]), block[-1] + 1) if target.everywhere else (length + 1,):
            counts = target.counts(arrived.states, N - 1 - length)
            counts &= arrived.masks & np.uint64(1 << (N - block[0])) != 0
            yield N - 1, arrived.where(counts)

    def _wrong(self, arrived: Prefixes, end: int) -> BoolArray:
        """Mask of arrivals that a hypothesis gets wrong in words of length ``end``, (S, N)."""
        answered = []
        for reader, nets in zip(self.last_layers, self.nets, strict=True):
            # (arrivals, one N, all units) as (arrivals, hypotheses, units of each)
            bits = reader.outputs(arrived, (end + 1,))[:, 0]
            bits = bits.reshape(len(arrived), len(nets), nets.signs.shape[-1])
            answered.append(
                answers(bits, nets.signs, nets.threshold, nets.structure.answer, self.target.by_logits)
            )
        if len(answered) == 1:
            answered.append(self.target.labels(arrived.states)[:, None])
        wrong = answered[0] != answered[1]
        return np.asarray(wrong if wrong.ndim == 2 else wrong.any(axis=2))  # over the next symbols

    def _extended(self, arrived: Prefixes, length: int, last: int, block: range | None) -> Summaries:
        """Summaries after a length, each once."""
        goes_on = self.target.distance(arrived.states) <= last - length
        if block is not None and length + 1 in block:  # words of this length end here
            arrived.masks[:] &= ~np.uint64(1 << (length + 1 - block[0]))
            goes_on &= arrived.masks != 0
        arrived = arrived.where(goes_on)
        features, place = arrived.features(self.space)
        kept = arrived.kept + self.summary.increments(features)[place]
        if self._cuts:
            kept = self._cuts.merged(kept, length)
        recent = self._recent.shifted(arrived.recent, arrived.codes(self.space))
        states = self.target.settled(arrived.states, last - length)
        steps = np.stack([arrived.source, arrived.tokens - 1], axis=1).astype(np.int32)
        rows = np.concatenate([kept, recent, states], axis=1)
        return union([Summaries(rows, arrived.masks, steps)])


def fail_lengths(
    target: Target,
    nets: NetBatch,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> IntArray:
    """Length of a shortest word on which each hypothesis differs from the target.

    Gives (N,) lengths, -1 where there is no difference up to ``horizon``. The checkpoint is called several
    times for every length; it may raise to stop. Raises StatesExceeded if more summaries of one length than
    ``max_states`` would have to be kept; it says up to which length all words were decided.

    Implements fail of [HYB25] Definition 6: exact integer arithmetic. Where the units of the lower layers do
    not depend on N (uniform heads), one pass over the positions serves words of all lengths; otherwise one
    pass serves a block of N = length + 1, and blocks follow each other until every hypothesis has failed.
    Cost is linear in the number of summaries, at most O(n^(independent sums)) of them per length.
    """
    fails = np.full(len(nets), -1, dtype=np.int64)
    limit, stopped = horizon, None
    # Hypotheses that read the same values have the same sums.
    _, group = group_rows(np.concatenate([units.values for units in nets.top], axis=1))
    for members in list_members_of_groups(group, int(group.max(initial=-1)) + 1):
        frontier = Frontier([nets.take(members)], target, max_states, checkpoint, sizes)
        try:
            fails[members] = frontier.fail_lengths(limit)
        except StatesExceeded as error:
            limit, stopped = min(limit, error.exact_to), error
    if stopped is not None:
        raise stopped
    return fails
