"""Complete enumeration of the space in slices of R, with the exact fail length of everything it returns.

One slice lists every hypothesis with low < R ≤ high that agrees with the target on all words up to a given
length, whatever its structure. Structures are visited by their floor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from idinf.search.certificates import LastCosts
from idinf.search.exclusion import Exclusion, Known
from idinf.search.features import Features, Inputs
from idinf.search.found import Counts, Found, Mode, Slice
from idinf.search.last_layer import LastLayer, total_r
from idinf.search.nets import Nets, ScaledUnits
from idinf.search.normal_form import exact_numbers, normal_forms
from idinf.search.parallel import Workers
from idinf.search.reachability import DEFAULT_MAX_STATES, fail_lengths
from idinf.search.readings import ReadingScreen
from idinf.search.refutation import Refutation
from idinf.search.repertoire import Lesson, Repertoire, lessons
from idinf.search.shards import Shards
from idinf.search.short_words import ShortWords, screening_length
from idinf.search.stack_reading import StackReading
from idinf.search.stacks import Member, Stack, StackBuilder
from idinf.search.symmetry import Symmetry
from idinf.search.tables import TableRegistry, unit_outputs
from idinf.search.tops import Tops
from idinf.search.witnesses import Witnesses
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices, LayerFilter, layer_choices
from idinf.space.rows import group_rows
from idinf.space.structures import Cost, Structure, StructureSpace
from idinf.space.units import MAX_UNITS, BoolArray
from idinf.spec.bounds import SpaceBounds
from idinf.targets.machine import Target
from idinf.transformers.regularizer import Aggregate
from idinf.words import Word

__all__ = ["Search"]


#: Slices up to this R take less time than the solver that proposes certificates takes to load.
CHEAP = 9.0

#: Stacks that known certificates are tried on together.
TOGETHER = 64


@dataclass(frozen=True)
class _Learned:
    """What one unit of work learns; it changes what is looked at, never what is found."""

    exclusion: Exclusion
    refutation: Refutation


class Search:
    """Enumerates one space against one target.

    Parameters
    ----------
    target : Target
    bounds : SpaceBounds
    horizon : int
        Longest length that counts, 2 · max_n.
    aggregate : Aggregate
    max_states : int
        Bound on the joint states of the exact check.
    checkpoint : callable
        Called before every stack; may raise to stop the search.
    screening : int, optional
        Longest word that is screened; chosen by the number of words if not given. No result depends on it.
    most : int
        Bound on every list of units or pairs of units.
    """

    def __init__(
        self,
        target: Target,
        bounds: SpaceBounds,
        horizon: int,
        aggregate: Aggregate = Aggregate.MAX,
        max_states: int = DEFAULT_MAX_STATES,
        checkpoint: Callable[[], None] = lambda: None,
        screening: int | None = None,
        most: int = MAX_UNITS,
    ) -> None:
        self.target, self.horizon, self.aggregate, self.max_states = target, horizon, aggregate, max_states
        self.symbols = len(target.alphabet)
        length = screening or screening_length(self.symbols, horizon, bounds.logit_max > 0)
        self.words = ShortWords.of(target, min(length, horizon))
        self.witnesses, self.repertoire = Witnesses(target, self.words), Repertoire()
        self.structures = StructureSpace(bounds, aggregate, self.symbols)
        self.counts = Counts()
        self.checkpoint = checkpoint
        self.most = most
        self.shards = Shards(Workers(1))

    def reached(self, high: float, mode: Mode) -> Iterator[Structure]:
        """Structures that can have R ≤ ``high``, by floor."""
        for structure in self.structures.up_to(high):
            if mode.only is None or structure in mode.only:
                yield structure

    def slice(self, low: float, high: float, consistent: int, mode: Mode) -> Generator[Found, None, None]:
        """List every hypothesis with low < R ≤ high and fail > ``consistent``.

        Parameters
        ----------
        low, high : float
        consistent : int
            Hypotheses that differ from the target on a word of length ≤ ``consistent`` are left out.
        mode : Mode

        Yields
        ------
        Found
            Non-empty, structures by floor.
        """
        wanted = Slice(low, high, consistent, mode)
        self.repertoire.fade()
        for structure in self.reached(high, mode):
            yield from self._over_structure(structure, wanted)

    def _over_structure(self, structure: Structure, wanted: Slice) -> Iterator[Found]:
        """The part of a slice with one structure, as units of work: groups of consecutive stacks."""
        further = self._further(structure, wanted)
        words = self.witnesses.screen(further)
        key = None if wanted.key is None else (*wanted.key, structure, further)
        builder = self._builder(structure, wanted, words)
        known = self.repertoire.known(words, words.up_to(wanted.consistent))
        work = partial(self._over_starts, builder, structure, wanted, known)
        with closing(self.shards.run(key, builder.starts(), work)) as results:
            for batches, counts, refuting, excluding in results:
                self.counts.add(counts)
                self.witnesses.learn(refuting)
                self.repertoire.learn(excluding)
                yield from batches

    def _further(self, structure: Structure, wanted: Slice) -> tuple[Word, ...]:
        """Longer words that are screened: none where chosen behaviours are given on short words.

        Nor where weights depend on N, since long words would need a tree for every N.
        """
        uniform = all(head.uniform for layer in structure.layers for head in layer.heads)
        use = wanted.mode.use_refutation and wanted.mode.only is None and uniform
        return self.witnesses.within(wanted.consistent) if use else ()

    def _builder(self, structure: Structure, wanted: Slice, words: ShortWords) -> StackBuilder:
        return StackBuilder(
            words,
            structure,
            self.aggregate,
            wanted.high,
            wanted.consistent,
            not wanted.mode.raw,
            wanted.mode.use_conflicts,
            wanted.mode.allowed(structure),
            self.most,
            lambda: self.checkpoint(),
            self._symmetry(structure, wanted.mode),
        )

    @cached_property
    def symmetry(self) -> Symmetry:
        """Renamings of symbols that keep the target."""
        return Symmetry.of(self.target, self.words, self.horizon)

    def _symmetry(self, structure: Structure, mode: Mode) -> Symmetry | None:
        """What first layers are reduced by; chosen behaviours need not hold the least of an orbit."""
        use = mode.use_symmetry and mode.only is None and self.symmetry.acts_on(structure)
        return self.symmetry if use else None

    def _over_starts(
        self,
        builder: StackBuilder,
        structure: Structure,
        wanted: Slice,
        known: Known,
        starts: tuple[Stack, ...],
    ) -> tuple[tuple[Found, ...], Counts, tuple[Word, ...], tuple[Lesson, ...]]:
        """One unit of work: hypotheses over some stacks, what was looked at, and what later units may use.

        That is words that refuted some, and certificates. The same in any process.
        """
        before = replace(self.counts)
        labels = builder.words.labels[: builder.words.up_to(wanted.consistent)]
        learned = _Learned(
            Exclusion(labels, structure.precision, known),
            Refutation(self.target, wanted.consistent, self.max_states),
        )
        listed: list[list[Found]] = [[] for _ in starts]
        stacks = ((k, stack) for k, start in enumerate(starts) for stack in builder.finished(start))
        while chunk := list(itertools.islice(stacks, TOGETHER)):
            self.checkpoint()
            self.counts.stacks += len(chunk)
            excluded = self._excluded(structure, [stack for _, stack in chunk], learned.exclusion, wanted)
            for (k, stack), useless in zip(chunk, excluded, strict=True):
                if useless:
                    continue
                self.checkpoint()
                for found in self._over_stack(structure, stack, learned, wanted):
                    kept = found.take((found.fail > wanted.consistent) | (found.fail < 0))
                    if len(kept):
                        listed[k].append(kept)
        batches = []
        for start, of_start in zip(starts, listed, strict=True):
            batches += of_start
            for renaming in builder.renamings(start):
                batches += [self.symmetry.renamed(found, renaming) for found in of_start]
        counts, self.counts = self.counts.since(before), before
        handed_on = lessons(learned.exclusion.used(), builder.words)
        return tuple(batches), counts, tuple(learned.refutation.refuting), handed_on

    def _over_stack(
        self, structure: Structure, stack: Stack, learned: _Learned, wanted: Slice
    ) -> Iterator[Found]:
        """Hypotheses over one stack: settled by short words, or else split into exact members."""
        features = StackReading(structure, [stack]).alone(0)
        tops = self._tops(structure, stack, features, wanted)
        if not len(tops.r):
            return
        outputs = tops.outputs(features)
        fail = stack.below.words.first_difference(outputs)
        packed = np.packbits(outputs[:, : len(self.words.labels)], axis=1)  # short words come first
        short = (fail >= 0) & (not wanted.mode.expand)
        settled = np.flatnonzero(short & (tops.r > wanted.low))
        if len(settled):
            part = tops.take(settled)
            yield part.found(structure, stack.layers, stack.fronts, fail[settled], packed[settled])
        rest = np.flatnonzero(~short)
        if len(rest):
            for member in stack.members(structure, self.symbols + 1, self.aggregate):
                yield from self._exact(
                    structure, member, tops.take(rest), fail[rest], packed[rest], learned, wanted
                )

    def _excluded(
        self, structure: Structure, stacks: list[Stack], exclusion: Exclusion, wanted: Slice
    ) -> BoolArray:
        """Over which stacks certificates prove that no last unit is right within the budget."""
        top = structure.layers[-1]
        if not wanted.mode.use_certificates or wanted.high <= CHEAP or not structure.hidden or top.units > 1:
            return np.zeros(len(stacks), dtype=np.bool_)
        budget = wanted.high - structure.base(self.aggregate)
        costs = [LastCosts(stack.fronts, budget, len(top.heads), self.aggregate) for stack in stacks]
        count = stacks[0].below.words.up_to(wanted.consistent)
        return exclusion.excluded(StackReading(structure, stacks, count), costs)

    def behaviours(self, found: Found) -> tuple[frozenset[bytes], ...]:
        """For every layer of a batch the behaviours of its units on all short words, packed."""
        structure, layers = found.structure, []
        inputs = Inputs.first(self.words, structure.period)
        for layer, shape in zip(found.lower, structure.hidden, strict=True):
            inputs, features = inputs.hidden(shape.heads, structure.precision)
            outputs = [unit_outputs(units, features) for units in layer.units]
            layers.append(_packed_rows(outputs))
            inputs = inputs.extend(np.stack([bits[0] for bits in outputs]))
        features = inputs.top(structure.layers[-1].heads, structure.precision)
        layers.append(_packed_rows([unit_outputs(units, features) for units in found.top.units]))
        return tuple(layers)

    def _tops(self, structure: Structure, stack: Stack, features: Features, wanted: Slice) -> Tops:
        """Last layers over a stack that are right on the screened words, whatever their lower bound of R.

        The least R of a stack says nothing about the members it still has to be split into.
        """
        if structure.layers[-1].units == 1:
            return self._single_tops(structure, stack, features, wanted)
        return self._several_tops(structure, stack, features, wanted)

    def _single_tops(self, structure: Structure, stack: Stack, features: Features, wanted: Slice) -> Tops:
        words = stack.below.words
        count = words.up_to(wanted.consistent)
        layer = LastLayer(structure, self.aggregate, self.symbols, wanted.high, stack.fronts)
        units = layer.solve(features.take(slice(count)), words.labels[:count])
        self.counts.enumerated += len(layer.values(features.size)[1])
        signs = np.where(units.complement, -1, 1)[:, None]
        choices = LayerChoices(
            (units.units,),
            np.full((len(units), 1), -1),
            np.zeros((len(units), 1, layer.heads), dtype=np.int64),
            units.units.costs(self.aggregate),
        )
        return Tops(choices, signs, np.where(units.complement, -1, 0), units.r)

    def _several_tops(self, structure: Structure, stack: Stack, features: Features, wanted: Slice) -> Tops:
        shape = structure.layers[-1]
        registry = TableRegistry(features, self.checkpoint)
        screen = ReadingScreen(stack.below.words, registry, wanted.consistent, shape.units)
        base = structure.base(self.aggregate)
        allowed = wanted.mode.allowed(structure)
        choices = layer_choices(
            shape,
            features.size,
            structure.precision,
            wanted.high - base,
            Cost(*map(float, stack.fronts.min(axis=0))),
            self.aggregate,
            LayerFilter(
                registry.number,
                lambda units: exact_numbers(units, shape.heads, self.symbols + 1, structure.period),
                screen.alone if allowed is None else partial(registry.among, allowed=allowed[-1]),
                screen.together,
                not wanted.mode.raw,
                self.most,
            ),
        )
        self.counts.enumerated += registry.seen
        r = total_r(base, stack.fronts, choices.costs, self.aggregate)
        parts = []
        for reading in screen.readings:
            right = screen.right(reading, choices.tables)
            index = np.flatnonzero(right & (r <= wanted.high))
            signs = np.tile(np.array(reading.signs), (len(index), 1))
            parts.append(Tops(choices.take(index), signs, np.full(len(index), reading.threshold), r[index]))
        return Tops.concatenate(parts)

    def _exact(
        self,
        structure: Structure,
        member: Member,
        tops: Tops,
        fail: IntArray,
        packed: NDArray[np.uint8],
        learned: _Learned,
        wanted: Slice,
    ) -> Iterator[Found]:
        """Hypotheses over one exact member, with the fail lengths that short words left open."""
        base = structure.base(self.aggregate)
        r = total_r(base, member.fronts, tops.choices.costs, self.aggregate)
        index = np.flatnonzero((r > wanted.low) & (r <= wanted.high))
        if not len(index):
            return
        tops, fail, packed, r = tops.take(index), fail[index].copy(), packed[index], r[index]
        heads = structure.layers[-1].heads
        forms = [
            normal_forms(ScaledUnits.of(units), heads, self.symbols + 1, structure.period)
            for units in tops.choices.units
        ]
        keys = np.concatenate([*forms, tops.signs, tops.threshold[:, None]], axis=1)
        _, group = group_rows(keys)
        order = np.lexsort((r, group))
        first = order[np.r_[True, np.diff(group[order]) != 0]]  # the cheapest of each function
        open_ = first[fail[first] < 0]
        if len(open_) and wanted.mode.use_refutation:
            fail[open_] = learned.refutation.wrong(structure, member.layers, tops.take(open_))
            open_ = open_[fail[open_] < 0]
        if len(open_):
            self.counts.exact += len(open_)
            part = tops.take(open_)
            nets = Nets(
                self.symbols,
                structure.period,
                structure.precision,
                member.lower,
                part.layer(structure),
                part.signs,
                part.threshold,
            )
            fail[open_] = fail_lengths(self.target, nets, self.horizon, self.max_states, self.checkpoint)
            learned.refutation.learn(nets, fail[open_])
        fail = fail[first][group]
        keep = np.arange(len(r)) if wanted.mode.raw else np.sort(first)
        tops = replace(tops.take(keep), r=r[keep])
        yield tops.found(structure, member.layers, member.fronts, fail[keep], packed[keep])


def _packed_rows(outputs: list[BoolArray]) -> frozenset[bytes]:
    return frozenset(row.tobytes() for bits in outputs for row in np.packbits(bits, axis=1))
