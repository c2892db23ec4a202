"""Exact fail lengths, and agreement, by joint reachability of hypotheses and a target or each other.

A prefix is summarised by a few integers (sums that decide every later attention output, and the features of
the last τ positions) and by the target's state. Prefixes with equal summaries behave alike for ever and are
merged, so all words of a length are covered by the reachable summaries of that length: polynomially many
where there are 2^128 words.

Where lower units depend on N, a summary carries the set of those N of the block for which some word leads
to it, as the bits of one uint64: prefixes that behave alike for many N are stepped once. A unit whose answer
differs between the N of a summary splits it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace

import numpy as np

from idinf.base.words import Word
from idinf.errors import PrecisionError, StatesExceeded
from idinf.nets.one_hot import OneHotTransformer
from idinf.search.exact_check.merging import (
    DEFAULT_SIZES,
    CheckSizes,
    Masks,
    MergedRows,
    Steps,
    union,
    word_of,
)
from idinf.search.exact_check.nets import (
    FeatureSpace,
    JointLayer,
    NetBatch,
    Readout,
    RecentCodes,
    answers,
    joint_layers,
    nets_of,
)
from idinf.search.exact_check.saturation import Cuts, Dominance
from idinf.search.exact_check.summaries import LayerReader, LinearForms, Prefixes
from idinf.space.grid import IntArray
from idinf.space.rows import ArrayRecord, group_rows, list_members_of_groups
from idinf.space.units import BoolArray
from idinf.targets.machine import NEVER, Target
from idinf.targets.supervised import supervise

MAX_BLOCK = 64  #: values of N of one block, at most: the bits of a uint64


@dataclass(frozen=True, eq=False)
class Arrivals(ArrayRecord):
    """Prefixes extended by one symbol; ``source`` is the summary that each of them extends."""

    read: Prefixes
    states: IntArray
    masks: Masks | None
    source: IntArray


def blocks(horizon: int) -> list[range]:
    """Split N = 1..horizon + 1 into blocks, short ones first: most hypotheses fail early.

    >>> [(block[0], block[-1]) for block in blocks(128)]
    [(1, 8), (9, 24), (25, 88), (89, 129)]
    """
    out, begin, size = [], 1, 8
    while begin <= horizon + 1:
        out.append(range(begin, min(begin + size, horizon + 2)))
        begin += size
        size = min(MAX_BLOCK, 2 * size if size < 16 else MAX_BLOCK)
    return out


def all_of(block: range) -> Masks:
    """The set of all N of a block."""
    return np.array([(1 << len(block)) - 1], dtype=np.uint64)


def split(now: Arrivals, out: BoolArray, group: IntArray, masks: Masks, begin: int, units: slice) -> Arrivals:
    """One summary for every answer of a layer, ``out[group]``, that occurs among the N of a summary."""
    parts, places = [], []
    for answer in range(1 << out.shape[2]):
        wanted = (answer >> np.arange(out.shape[2])) & 1
        # (prefixes, N, units): a prefix agrees for an N if all units do.
        agreeing = _packed((out == wanted.astype(np.bool_)).all(axis=2)) << np.uint64(begin)
        agreeing = agreeing[group] & masks
        index = np.flatnonzero(agreeing)
        if len(index):
            places.append((index, wanted))
            parts.append(agreeing[index])
    index = np.concatenate([found for found, _ in places])
    split = now.take(index)
    split.read.bits[:, units] = np.concatenate([np.tile(w, (len(found), 1)) for found, w in places])
    return Arrivals(split.read, split.states, np.concatenate(parts), split.source)


def _packed(flags: BoolArray) -> Masks:
    """Rows of at most 64 flags as the bits of one integer, the first one lowest."""
    padded = np.zeros((len(flags), MAX_BLOCK), dtype=np.bool_)
    padded[:, : flags.shape[1]] = flags
    packed = np.packbits(padded, axis=1, bitorder="little").view("<u8")[:, 0]
    return packed.astype(np.uint64)


#: Merged summaries of one length, at most, before the check gives up and says so.
DEFAULT_MAX_STATES = 4_000_000
TRAIL_PER_STATE = 10  #: steps of a trail that take about as much memory as a summary

Trail = list[Steps]  #: the steps to the summaries of every length from 0 on


class FrontierFull(Exception):
    """More summaries than the bound at some length; internal, never shown.

    ``hopeless`` says that the least N whose words were not all decided has as many by itself.
    """

    def __init__(self, length: int, states: int, hopeless: bool) -> None:
        super().__init__(length, states, hopeless)
        self.length, self.states, self.hopeless = length, states, hopeless


@dataclass(frozen=True, eq=False)
class FrontierStep:
    """What a length showed."""

    length: int
    #: (N,): least length of a word that each hypothesis gets wrong at this position, `NEVER` if there is
    #: none. It is the length of the step where the last position alone counts.
    fails: IntArray
    #: With a trail, the least word of the last length that is wrong at this position: place of the prefix
    #: before among the summaries, the symbol that follows, the rest.
    least: tuple[int, int, Word] | None = None


class Frontier:
    """One breadth-first run over summaries. Mutable: hypotheses are dropped as they fail.

    One readout is compared with the target, or two, of one hypothesis each, with each other; then without a
    target the end of every word counts. The summary decides the attention of all layers.
    """

    def __init__(
        self,
        space: FeatureSpace,
        lower: Sequence[JointLayer],
        readouts: Sequence[Readout],
        summary: LinearForms,
        target: Target | None,
        max_states: int,
        checkpoint: Callable[[], None] = lambda: None,
        sizes: CheckSizes = DEFAULT_SIZES,
    ) -> None:
        self.space, self.summary, self.max_states = space, summary, max_states
        self.checkpoint, self.sizes = checkpoint, sizes
        self.target = None if target is None else supervise(target)
        self.lower = [LayerReader(space, layer, summary, sizes) for layer in lower]
        self.readouts = list(readouts)
        self.last_layers = [LayerReader(space, readout.layer, summary, sizes) for readout in readouts]
        self._everywhere = self.target is not None and self.target.everywhere
        self._by_logits = self.target is not None and self.target.by_logits
        top_layers = [readout.layer for readout in readouts] if self._everywhere else []
        self.depends_on_N = not all(layer.uniform for layer in (*lower, *top_layers))
        self._recent = RecentCodes(space, [*lower, *(readout.layer for readout in readouts)])
        self._widths = np.cumsum([len(summary.largest), self._recent.reach])
        self._cuts: Cuts | None = None
        self._dominance = self._find_dominance()

    @property
    def _layers(self) -> list[JointLayer]:
        """All of them, the last ones last."""
        return [*(reader.layer for reader in self.lower), *(readout.layer for readout in self.readouts)]

    def _find_dominance(self) -> Dominance | None:
        """Which summaries dominate others; None where no sum counts in one direction only."""
        layers = self._layers
        plain = self.target is not None and self.target.plain and not self._by_logits
        if not plain or any(head.logits is not None for layer in layers for head in layer.heads):
            return None
        found = Dominance(self.space, layers[:-1], self.readouts[0], self.summary)
        return found if found else None

    def keep(self, index: IntArray) -> None:
        """Go on with the hypotheses at the given places only."""
        self.readouts = [readout.take(index) for readout in self.readouts]
        self.last_layers = [
            LayerReader(self.space, readout.layer, self.summary, self.sizes) for readout in self.readouts
        ]

    def steps(self, horizon: int, block: range | None, trail: Trail | None = None) -> Iterator[FrontierStep]:
        """Run over all words of a set of lengths.

        Those are N − 1 for the N of a block; without one all up to ``horizon``, where no lower unit depends
        on N, and no unit at all if every position counts. A trail receives (parent, symbol) of the summaries
        of every length, which then are in the order of their least words; only for one hypothesis, and blocks
        of one N or None. Raises FrontierFull if more than ``max_states`` summaries remain after a length was
        yielded. Raises PrecisionError if a sum could leave int64.

        Summaries are extended in chunks, and the arrivals of a chunk are merged before the next chunk is
        extended: memory follows the merged ones. Chunks are left out only once more than ``max_states``
        distinct summaries are held, never for arrivals that are not merged yet.
        """
        self._guard(horizon)
        sizes = self.sizes
        last = horizon if block is None else block[-1] - 1
        now, self._cuts = self._start(block), None
        for length in range(last + 1):
            fails: IntArray = np.full(len(self.readouts[0].threshold), NEVER)
            least: tuple[int, int, Word] | None = None
            parts: list[MergedRows] = []
            checked = block is None or length + 1 in block or self._everywhere
            if self._cuts is None and len(now) > sizes.cuts_from:
                self._cuts = Cuts(self.space, self._layers, self.summary, last, self.checkpoint, sizes)
            for start in range(0, len(now), sizes.chunk):
                self.checkpoint()
                arrivals = self._arrivals(now.take(slice(start, start + sizes.chunk)), start, length, block)
                if checked and trail is None:
                    fails = np.minimum(fails, self._fails_of(arrivals, length, last, block))
                elif checked and least is None:
                    least = self._least_wrong(arrivals, length, last, block)
                    fails = fails if least is None else np.minimum(fails, last)
                if length < last and not (parts and len(parts[0]) > self.max_states):
                    parts.append(self._extended(arrivals, length, last, block, trail is not None))
                    spare = max(0, self.max_states - len(parts[0])) + sizes.waiting
                    if _size(parts[1:]) > min(spare, max(len(parts[0]), sizes.waiting)):
                        parts = [union(parts)]
            if checked:
                yield FrontierStep(length, fails, least)
            if length == last:
                return
            self.checkpoint()
            now = union(parts)
            if not len(now):  # no word of the domain is longer
                return
            if trail is None and len(now) > sizes.dominated_from:
                now = self._undominated(now, last - length)
            if len(now) > self.max_states:
                raise FrontierFull(length, len(now), self._hopeless(now.masks, length, block))
            if trail is not None and now.steps is not None:
                trail.append(now.steps)
                if _size(trail) > TRAIL_PER_STATE * self.max_states:
                    raise FrontierFull(length, _size(trail), hopeless=True)
                now = replace(now, steps=None)

    def _undominated(self, now: MergedRows, left: int) -> MergedRows:
        """Summaries without those that others dominate, by what is sure of up to ``left`` more symbols."""
        if self._dominance is None or self.target is None:
            return now
        verdicts = self.target.foretold(now.rows[:, self._widths[-1] :].astype(np.int64), left)
        kept = self._dominance.undominated(now.rows, now.masks, verdicts)
        return now if len(kept) == len(now) else now.take(kept)

    def _start(self, block: range | None) -> MergedRows:
        """The summary of no position at all."""
        states = np.zeros((1, 0), dtype=np.int64) if self.target is None else self.target.start()
        rows = np.zeros((1, self._widths[1]), dtype=np.int64)
        masks = None if block is None or len(block) == 1 else all_of(block)
        return MergedRows(np.concatenate([rows, states], axis=1), masks)

    def _arrivals(self, now: MergedRows, start: int, length: int, block: range | None) -> list[Arrivals]:
        """Extend summaries, the first of which has the place ``start``, by SOS or every symbol."""
        kept, recent, states = np.split(now.rows.astype(np.int64), self._widths, axis=1)
        arrivals = []
        for code in range(self.space.symbols) if length else [-1]:
            stepped = states if self.target is None or not length else self.target.step(states, code)
            arrived = self._read(kept, recent, stepped, now.masks, code + 1, length, block)
            arrivals.append(replace(arrived, source=arrived.source + start))
        return arrivals

    def _hopeless(self, masks: Masks | None, length: int, block: range | None) -> bool:
        if masks is None or block is None:
            return True
        bit = np.uint64(1 << max(0, length + 2 - block[0]))
        return int(np.count_nonzero(masks & bit)) > self.max_states

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

    def _read(
        self,
        kept: IntArray,
        recent: IntArray,
        states: IntArray,
        masks: Masks | None,
        token: int,
        position: int,
        block: range | None,
    ) -> Arrivals:
        """Compute the lower units of one more position with a token, splitting summaries where N matters."""
        bits = np.zeros((len(kept), self.space.units), dtype=np.int64)
        now = Arrivals(Prefixes(position, token, kept, recent, bits), states, masks, np.arange(len(kept)))
        values = (1,) if block is None else tuple(block)
        begin = 0 if block is None else max(0, position + 1 - block[0])
        for reader in self.lower:
            layer = reader.layer
            units = slice(layer.first, layer.first + len(layer))
            if layer.uniform:
                now.read.bits[:, units] = reader.outputs(now.read, (1,))[:, 0]
                continue
            first, group = reader.alike(now.read)
            out = reader.outputs(now.read.take(first), values, begin)
            if now.masks is None:
                now.read.bits[:, units] = out[group, 0]
            else:
                now = split(now, out, group, now.masks, begin, units)
        return now

    def _fails_of(self, arrivals: list[Arrivals], length: int, last: int, block: range | None) -> IntArray:
        """Least length of a word that each hypothesis gets wrong at some arrival, (N,)."""
        readout = self.readouts[0]
        number = len(readout.threshold)
        fails: IntArray = np.full(number, NEVER)
        most = max(1, self.sizes.readout_cells // max(1, readout.signs.size))
        for arrived in arrivals:
            for end, counted in self._counted(arrived, length, last, block):
                for start in range(0, len(counted.source), most):
                    part = counted.take(slice(start, start + most))
                    wrong = self._wrong(part, end).any(axis=0)  # over the arrivals
                    fails = np.where(wrong, np.minimum(fails, end), fails)
        return fails

    def _counted(
        self, arrived: Arrivals, length: int, last: int, block: range | None
    ) -> Iterator[tuple[int, Arrivals]]:
        """Arrivals with the length of a word they count in: the shortest one, or every one of a block."""
        if block is None:
            if self.target is None or self.target.domain is None:
                yield length, arrived
                return
            due = self.target.due(arrived.states)
            for further in np.unique(due[due <= last - length]).tolist():
                yield length + further, arrived.take(np.flatnonzero(due == further))
            return
        for N in range(max(length + 1, block[0]), block[-1] + 1) if self._everywhere else (length + 1,):
            counted = arrived
            if counted.masks is not None:
                counted = counted.take(np.flatnonzero(counted.masks & np.uint64(1 << (N - block[0]))))
            if self.target is not None and self.target.domain is not None:
                counts = self.target.counts(counted.states, N - 1 - length)
                counted = counted.take(np.flatnonzero(counts))
            yield N - 1, counted

    def _least_wrong(
        self, arrivals: list[Arrivals], length: int, last: int, block: range | None
    ) -> tuple[int, int, Word] | None:
        """Source and symbol of the least arrival that the only hypothesis gets wrong, and what follows."""
        best: tuple[int, int, Word] | None = None
        for arrived in arrivals:
            for end, counted in self._counted(arrived, length, last, block):
                if end != last or not len(counted.source):
                    continue
                wrong = np.flatnonzero(self._wrong(counted, end)[:, 0])
                if len(wrong):  # sources are in order
                    source, symbol = int(counted.source[wrong[0]]), arrived.read.token - 1
                    if best is None or (source, symbol) < best[:2]:
                        rest: Word = ()
                        if self.target is not None:
                            rest = self.target.completion(counted.states[wrong[:1]], end - length)
                        best = (source, symbol, rest)
        return best

    def _wrong(self, arrived: Arrivals, end: int) -> BoolArray:
        """Which hypothesis gets which arrival wrong in words of length ``end``, (S, N)."""
        answered = []
        for reader, readout in zip(self.last_layers, self.readouts, strict=True):
            units = reader.outputs(arrived.read, (1,) if reader.layer.uniform else (end + 1,))
            # (arrivals, one N, all units) as (arrivals, hypotheses, units of each)
            bits = units[:, 0].reshape(len(arrived.source), len(readout.threshold), readout.signs.shape[-1])
            rule = readout.signs, readout.threshold, readout.answer, self._by_logits
            answered.append(answers(bits, *rule))
        if len(answered) > 1:
            wrong = answered[0] != answered[1]
        else:
            labels = self.target.labels(arrived.states)[:, None] if self.target else np.zeros((0, 1))
            wrong = answered[0] != labels
        return np.asarray(wrong if wrong.ndim == 2 else wrong.any(axis=2))  # over the next symbols

    def _extended(
        self, arrivals: list[Arrivals], length: int, last: int, block: range | None, ordered: bool
    ) -> MergedRows:
        """Summaries after a length, each once; ordered by their least words if asked for."""
        parts = []
        for arrived in arrivals:
            masks = None
            if self.target is not None and self.target.domain is not None:
                begun = self.target.distance(arrived.states) <= last - length
                arrived = arrived.take(np.flatnonzero(begun))
            if arrived.masks is not None and block is not None:
                over = np.uint64(1 << (length + 1 - block[0]) if length + 1 in block else 0)
                arrived = arrived.take(np.flatnonzero(arrived.masks & ~over))
                masks = None if arrived.masks is None else arrived.masks & ~over
            read, states = arrived.read, arrived.states
            kept = read.kept + self._increments(read)
            if self._cuts:
                kept = self._cuts.merged(kept, length)
            if self.target is not None:
                states = self.target.settled(states, last - length)
            codes = read.codes(self.space)
            rows = np.concatenate([kept, self._recent.shifted(read.recent, codes), states], axis=1)
            symbols = np.full(len(rows), read.token - 1)
            steps = np.stack([arrived.source, symbols], axis=1).astype(np.int32) if ordered else None
            parts.append(MergedRows(rows, masks, steps))
        return union(parts)

    def _increments(self, read: Prefixes) -> IntArray:
        """What this position adds to the kept sums; by a table where that is smaller."""
        space = self.space
        if 1 << space.units > min(256, len(read)):
            return self.summary.increments(space.rows(read.token, read.position, read.bits))
        table = self.summary.increments(space.rows(read.token, read.position, space.unit_outputs()))
        return table[read.codes(space) // space.tokens]


def _size(parts: Sequence[Sized]) -> int:
    return sum(map(len, parts))


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
    space, lower, [readout] = joint_layers([nets])
    limit, stopped = horizon, None
    for group, summary in _by_values(space, lower, readout):
        frontier = Frontier(
            space, lower, [readout.take(group)], summary, target, max_states, checkpoint, sizes
        )
        try:
            fails[group] = decide(frontier, len(group), limit)
        except StatesExceeded as error:
            limit, stopped = min(limit, error.exact_to), error
    if stopped is not None:
        raise stopped
    return fails


def least_mistake(
    target: Target,
    net: NetBatch,
    fail: int,
    max_states: int = DEFAULT_MAX_STATES,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> Word:
    """Least word on which one hypothesis of known fail length differs from the target.

    Summaries are kept in the order of their least word, so the first wrong one has the least word; the steps
    that lead to it are remembered. Raises StatesExceeded as `fail_lengths`. Raises RuntimeError if the fail
    length is not that of the hypothesis.
    """
    space, lower, readouts = joint_layers([net])
    summary = LinearForms(space, [*lower, readouts[0].layer])
    frontier = Frontier(space, lower, readouts, summary, target, max_states, checkpoint, sizes)
    block = range(fail + 1, fail + 2) if frontier.depends_on_N else None
    trail: Trail = []
    words: list[Word] = []
    try:
        for step in frontier.steps(fail, block, trail):
            if step.least is not None:
                *least, rest = step.least
                words.append((*word_of(trail, *least), *rest))
    except FrontierFull as full:
        raise _exceeded(full, full.length, max_states) from None
    if not words:
        raise RuntimeError(f"internal error: a word of length {fail} was wrong, now none is")
    return min(words)  # all of one length, one for each position that is wrong first


def decide(frontier: Frontier, number: int, horizon: int) -> IntArray:
    """Fail lengths of the ``number`` hypotheses of a frontier, (number,), -1 if none up to ``horizon``.

    Raises StatesExceeded only while some hypothesis is undecided.
    """
    fails = np.full(number, NEVER)
    alive = np.arange(number)
    waiting: list[range | None] = [*reversed(blocks(horizon))] if frontier.depends_on_N else [None]
    while waiting and len(alive):
        block = waiting.pop()
        try:
            for step in frontier.steps(horizon, block):
                fails[alive] = np.minimum(fails[alive], step.fails)
                # Words that later positions belong to are longer than this one.
                open_ = fails[alive] > step.length
                if not open_.all():
                    alive = alive[open_]
                    if not len(alive):
                        break
                    frontier.keep(np.flatnonzero(open_))
        except FrontierFull as full:
            # Every N up to that of the length reached is decided.
            left = range(0) if block is None else range(max(block[0], full.length + 2), block[-1] + 1)
            if full.hopeless:
                exact_to = left[0] - 2 if left else full.length
                raise _exceeded(full, exact_to, frontier.max_states) from None
            # Fewer N at a time keep fewer summaries.
            middle = (len(left) + 1) // 2
            waiting += [part for part in (left[middle:], left[:middle]) if part]
    return np.where(fails == NEVER, -1, fails)


def _exceeded(full: FrontierFull, exact_to: int, max_states: int) -> StatesExceeded:
    decided = f"all words up to length {exact_to} were decided" if exact_to >= 0 else "no word was decided"
    return StatesExceeded(
        f"exact check at length {full.length}: {full.states} joint states, more than the {max_states} that "
        f"fit the memory bound ({decided}); raise --memory or lower --max-n",
        exact_to,
    )


def _by_values(
    space: FeatureSpace, lower: list[JointLayer], readout: Readout
) -> Iterator[tuple[IntArray, LinearForms]]:
    """Hypotheses that read the same values together, and their sums: each kind gets a pass of its own."""
    number = len(readout.threshold)
    values = [head.values.reshape(number, -1) for head in readout.layer.heads]
    keys = np.concatenate([np.zeros((number, 1), dtype=np.int64), *values], axis=1)
    _, group = group_rows(keys)
    for members in list_members_of_groups(group, int(group.max(initial=-1)) + 1):
        yield members, LinearForms(space, [*lower, readout.take(members[:1]).layer])


def agree(
    one: OneHotTransformer | NetBatch,
    other: OneHotTransformer | NetBatch,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    target: Target | None = None,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> bool:
    """Whether two hypotheses over one alphabet answer alike on every word up to length ``horizon``; exact.

    They may differ in everything else, period and precision too. A target says which words and positions
    count, as it must for next symbols; without one the ends of all words do. Raises StatesExceeded if the
    joint summaries are more than ``max_states`` before a difference is met.

    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> def more_b(weight, precision):
    ...     head = OneHotHead(((0, -weight, weight),))
    ...     unit = OneHotUnit(((0, 0, 2**precision),), s=(0, 0, 0), b=0)
    ...     layer = OneHotLayer((head,), (unit,))
    ...     return OneHotTransformer(Alphabet(("a", "b")), precision, (layer,), (1,), 0)
    >>> agree(more_b(1, 0), more_b(3, 1), 40)
    True
    """
    nets = [each if isinstance(each, NetBatch) else nets_of(each) for each in (one, other)]
    space, lower, readouts = joint_layers(nets)
    summary = LinearForms(space, [*lower, *(readout.layer for readout in readouts)])
    frontier = Frontier(space, lower, readouts, summary, target, max_states, checkpoint, sizes)
    return bool(decide(frontier, 1, horizon)[0] < 0)
