"""The frontier of a joint reachability: all summaries of the prefixes of one length, for many N at once.

Where lower units depend on N, a summary carries the set of those N of the block for which some word leads
to it, as the bits of one uint64: prefixes that behave alike for many N are stepped once. A unit whose answer
differs between the N of a summary splits it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.errors import PrecisionError
from idinf.search.joint_layers import FeatureSpace, JointLayer, Readout
from idinf.search.layer_reader import INT64_EXACT, LayerReader, Prefixes
from idinf.search.merging import merge_rows
from idinf.search.recent import RecentCodes
from idinf.search.summaries import Summary
from idinf.space.grid import IntArray
from idinf.space.units import BoolArray
from idinf.targets.machine import Target

__all__ = ["DEFAULT_MAX_STATES", "Frontier", "FrontierFull", "Step", "blocks"]

#: Merged summaries of one length, at most, before the check gives up and says so; about 100 bytes each.
DEFAULT_MAX_STATES = 4_000_000

#: Values of N of one block, at most: the bits of a uint64.
MAX_BLOCK = 64

#: Numbers that one reading of the last layer may hold, prefixes × units.
READOUT_CELLS = 1 << 22

Masks = NDArray[np.uint64]


class FrontierFull(Exception):
    """More summaries than the bound at some length; internal, never shown.

    ``hopeless`` says that the least N whose words were not all decided has as many by itself.
    """

    def __init__(self, length: int, states: int, hopeless: bool) -> None:
        super().__init__(length, states, hopeless)
        self.length, self.states, self.hopeless = length, states, hopeless


@dataclass(frozen=True)
class Step:
    """What a length showed: index of the first wrong arrival for each hypothesis, -1 if none, (N,)."""

    length: int
    first_wrong: IntArray


@dataclass(frozen=True)
class _Arrivals:
    """Prefixes extended by one symbol; ``source`` is the summary that each of them extends."""

    read: Prefixes
    states: IntArray
    masks: Masks | None
    source: IntArray


def blocks(horizon: int) -> list[range]:
    """Split N = 1..horizon + 1 into blocks, short ones first: most hypotheses fail early.

    Examples
    --------
    >>> [(block[0], block[-1]) for block in blocks(128)]
    [(1, 8), (9, 24), (25, 88), (89, 129)]
    """
    out, begin, size = [], 1, 8
    while begin <= horizon + 1:
        out.append(range(begin, min(begin + size, horizon + 2)))
        begin += size
        size = min(MAX_BLOCK, 2 * size if size < 16 else MAX_BLOCK)
    return out


class Frontier:
    """One breadth-first run over summaries. Mutable: hypotheses are dropped as they fail.

    Parameters
    ----------
    space : FeatureSpace
    lower : sequence of JointLayer
    readouts : sequence of Readout
        One, compared with the target, or two of one hypothesis each, compared with each other.
    summary : Summary
        Decides the attention of all these layers.
    target : Target, optional
        None with two readouts.
    max_states : int
    """

    def __init__(
        self,
        space: FeatureSpace,
        lower: Sequence[JointLayer],
        readouts: Sequence[Readout],
        summary: Summary,
        target: Target | None,
        max_states: int,
    ) -> None:
        self.space, self.summary, self.target, self.max_states = space, summary, target, max_states
        self.lower = [LayerReader(space, layer, summary) for layer in lower]
        self.readouts = list(readouts)
        self.tops = [LayerReader(space, readout.layer, summary) for readout in readouts]
        self.depends_on_N = not all(layer.uniform for layer in lower)
        self._recent = RecentCodes(space, [*lower, *(readout.layer for readout in readouts)])

    def keep(self, index: IntArray) -> None:
        """Go on with the hypotheses at the given places only."""
        self.readouts = [readout.take(index) for readout in self.readouts]
        self.tops = [LayerReader(self.space, readout.layer, self.summary) for readout in self.readouts]

    def steps(
        self, horizon: int, block: range | None, trail: list[tuple[IntArray, IntArray]] | None = None
    ) -> Iterator[Step]:
        """Run over all words of a set of lengths.

        Parameters
        ----------
        horizon : int
            Longest length.
        block : range or None
            The values of N of one pass; its lengths are N − 1. None: all lengths up to ``horizon``, where no
            lower unit depends on N.
        trail : list, optional
            Receives (parent, symbol) of the arrivals of every length; then arrivals are in the order of their
            least words. Only for blocks of one N, or None.

        Raises
        ------
        FrontierFull
            If more than ``max_states`` summaries remain after a length was yielded.
        PrecisionError
            If a sum could leave int64.
        """
        self._guard(horizon)
        last = horizon if block is None else block[-1] - 1
        symbols = range(self.space.symbols)
        kept = np.zeros((1, len(self.summary.largest)), dtype=np.int64)
        recent = np.zeros((1, self._recent.reach), dtype=np.int64)
        states = np.zeros((1, 0), dtype=np.int64) if self.target is None else self.target.start()
        masks = None if block is None or len(block) == 1 else _all_of(block)
        origin = np.zeros(1, dtype=np.int64)
        for length in range(last + 1):
            arrivals = []
            for code in symbols if length else [-1]:
                stepped = states
                if length and self.target is not None:
                    stepped = self.target.step(states, code)
                arrivals.append(self._read(kept, recent, stepped, masks, code + 1, length, block))
            order = _interleaved(arrivals) if trail is not None else None
            if length and trail is not None and order is not None:
                parents = np.concatenate([origin[a.source] for a in arrivals])
                read = np.concatenate([np.full(len(a.source), a.read.token - 1) for a in arrivals])
                trail.append((parents[order], read[order]))
            if block is None or length + 1 in block:
                yield Step(length, self._first_wrong(arrivals, length, block, order))
            if length == last:
                return
            kept, recent, states, masks, origin = self._merged(arrivals, length, block, order)
            if len(kept) > self.max_states:
                raise FrontierFull(length, len(kept), self._hopeless(masks, length, block))

    def _hopeless(self, masks: Masks | None, length: int, block: range | None) -> bool:
        if masks is None or block is None:
            return True
        bit = np.uint64(1 << max(0, length + 2 - block[0]))
        return int(np.count_nonzero(masks & bit)) > self.max_states

    def _guard(self, horizon: int) -> None:
        layers = [*(reader.layer for reader in self.lower), *(readout.layer for readout in self.readouts)]
        read = [array for layer in layers for array in (layer.own, *(head.values for head in layer.heads))]
        largest = max((int(np.abs(array).max(initial=0)) for array in read), default=0)
        if largest * self.space.size * (horizon + 1) >= INT64_EXACT:
            raise PrecisionError(
                f"an accumulator of a unit with the parameter {largest} could leave 62 bits; expected "
                f"parameters below 2^{62 - (self.space.size * (horizon + 1)).bit_length()} units of 4^-p; "
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
    ) -> _Arrivals:
        """Compute the lower units of one more position with a token, splitting summaries where N matters."""
        bits = np.zeros((len(kept), self.space.units), dtype=np.int64)
        now = _Arrivals(Prefixes(position, token, kept, recent, bits), states, masks, np.arange(len(kept)))
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
                now = _split(now, out, group, now.masks, begin, units)
        return now

    def _first_wrong(
        self, arrivals: list[_Arrivals], length: int, block: range | None, order: IntArray | None
    ) -> IntArray:
        """Index of the first wrong arrival for each hypothesis, -1 if there is none."""
        number = len(self.readouts[0].threshold)
        if order is not None:
            wrong = np.concatenate([self._wrong(a, length, block) for a in arrivals])[order]
            return np.where(wrong.any(axis=0), np.argmax(wrong, axis=0), -1)
        seen = np.zeros(number, dtype=np.bool_)
        most = max(1, READOUT_CELLS // max(1, number))
        for arrived in arrivals:
            for start in range(0, len(arrived.source), most):
                whole = len(arrived.source) <= most
                part = arrived if whole else _part(arrived, slice(start, start + most))
                seen |= self._wrong(part, length, block).any(axis=0)
        return np.where(seen, 0, -1)

    def _wrong(self, arrived: _Arrivals, length: int, block: range | None) -> BoolArray:
        """Which hypothesis gets which arrival wrong at N = length + 1, (S, N)."""
        if arrived.masks is not None and block is not None:
            bit = np.uint64(1 << (length + 1 - block[0]))
            arrived = _part(arrived, np.flatnonzero(arrived.masks & bit))
        answers = []
        for reader, readout in zip(self.tops, self.readouts, strict=True):
            units = reader.outputs(arrived.read, (1,) if reader.layer.uniform else (length + 1,))
            shape = (len(arrived.source), *readout.signs.shape)
            total = (units[:, 0].reshape(shape) * readout.signs).sum(axis=2)
            answers.append(total > readout.threshold)
        if self.target is None:
            return np.asarray(answers[0] != answers[1])
        return np.asarray(answers[0] != self.target.labels(arrived.states)[:, None])

    def _merged(
        self, arrivals: list[_Arrivals], length: int, block: range | None, order: IntArray | None
    ) -> tuple[IntArray, IntArray, IntArray, Masks | None, IntArray]:
        """Summaries after a length, each once, and the arrival each of them stands for."""
        rows, masks = [], []
        for arrived in arrivals:
            read, states = arrived.read, arrived.states
            if arrived.masks is not None and block is not None:
                over = np.uint64(1 << (length + 1 - block[0]) if length + 1 in block else 0)
                left = arrived.masks & ~over
                arrived = _part(arrived, np.flatnonzero(left))
                read, states = arrived.read, arrived.states
                masks.append(left[left != 0])
            codes = read.codes(self.space)
            kept = read.kept + self._increments(read)
            rows.append(np.concatenate([kept, self._recent.shifted(read.recent, codes), states], axis=1))
        joint = np.concatenate(rows)
        if order is not None:
            joint = joint[order]
        first, merged = merge_rows(joint, np.concatenate(masks) if masks else None, order is not None)
        joint = joint[first]
        widths = np.cumsum([len(self.summary.largest), self._recent.reach])
        kept, recent, states = np.split(joint, widths, axis=1)
        return kept, recent, states, merged, first

    def _increments(self, read: Prefixes) -> IntArray:
        """What this position adds to the kept sums; by a table where that is smaller."""
        space = self.space
        if 1 << space.units > min(256, len(read)):
            return self.summary.increments(space.rows(read.token, read.position, read.bits))
        bits = (np.arange(1 << space.units)[:, None] >> np.arange(space.units)) & 1
        table = self.summary.increments(space.rows(read.token, read.position, bits))
        return table[read.codes(space) // space.tokens]


def _all_of(block: range) -> Masks:
    return np.array([(1 << len(block)) - 1], dtype=np.uint64)


def _part(arrived: _Arrivals, index: IntArray | slice) -> _Arrivals:
    masks = None if arrived.masks is None else arrived.masks[index]
    return _Arrivals(arrived.read.take(index), arrived.states[index], masks, arrived.source[index])


def _split(
    now: _Arrivals, out: BoolArray, group: IntArray, masks: Masks, begin: int, units: slice
) -> _Arrivals:
    """One summary for every answer of a layer, ``out[group]``, that occurs among the N of a summary."""
    parts, places = [], []
    for answer in range(1 << out.shape[2]):
        wanted = (answer >> np.arange(out.shape[2])) & 1
        agreeing = _packed((out == wanted.astype(np.bool_)).all(axis=2)) << np.uint64(begin)
        agreeing = agreeing[group] & masks
        index = np.flatnonzero(agreeing)
        if len(index):
            places.append((index, wanted))
            parts.append(agreeing[index])
    index = np.concatenate([found for found, _ in places])
    split = _part(now, index)
    split.read.bits[:, units] = np.concatenate([np.tile(w, (len(found), 1)) for found, w in places])
    return _Arrivals(split.read, split.states, np.concatenate(parts), split.source)


def _packed(flags: BoolArray) -> Masks:
    """Rows of at most 64 flags as the bits of one integer, the first one lowest."""
    padded = np.zeros((len(flags), MAX_BLOCK), dtype=np.bool_)
    padded[:, : flags.shape[1]] = flags
    packed = np.packbits(padded, axis=1, bitorder="little").view("<u8")[:, 0]
    return packed.astype(np.uint64)


def _interleaved(arrivals: list[_Arrivals]) -> IntArray:
    """Arrivals by state, then by symbol: the order of their least words."""
    size = len(arrivals[0].source)
    return np.arange(size * len(arrivals)).reshape(len(arrivals), size).T.reshape(-1)
