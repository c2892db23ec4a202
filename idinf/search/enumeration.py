"""Complete enumeration of the space in slices of R, with the exact fail length of everything it returns.

One slice lists every hypothesis with low < R ≤ high that agrees with the target on all words up to a given
length, whatever its structure. Structures are visited by their floor.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from idinf.errors import SpecError
from idinf.experiments.bounds import SpaceBounds
from idinf.runtime.parallel import Workers
from idinf.runtime.units_of_work import UnitsOfWork
from idinf.search.ceiling import Ceiling
from idinf.search.certified import CertifiedSlice
from idinf.search.decided import FailLengths
from idinf.search.found import DEFAULT_LIMITS, Counts, Found, Mode, SearchLimits, Slice
from idinf.search.last_layer.exclusion import (
    Exclusion,
    SharedCertificate,
    SharedCertificates,
    choose_labels,
    share_certificates,
)
from idinf.search.last_layer.intervals import total_r
from idinf.search.last_layer.pair_exclusion import PairExclusion
from idinf.search.last_layer.refutation import Refutation
from idinf.search.last_layer.solver import FeaturesOver, LastLayerSolver
from idinf.search.lower_layers.builder import LowerLayersBuilder
from idinf.search.lower_layers.stacks import LowerLayers
from idinf.search.lower_layers.symmetry import Symmetry
from idinf.search.meter import Meter
from idinf.search.short_words.long_words import Witnesses
from idinf.search.short_words.prefix_trees import ShortWords, screening_length
from idinf.search.undecided import Decider, Undecided
from idinf.search.worthwhile import Worthwhile
from idinf.space.structures import Structure, StructureSource, StructureSpace, order_structures
from idinf.space.unit_lists import UnitLists
from idinf.space.units import BoolArray
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise
from idinf.transformers.regularizer import EPSILON, Aggregate
from idinf.words import Word

if TYPE_CHECKING:
    from idinf.runtime.journal import Journal

#: Sets of lower layers that known certificates are tried on together.
TOGETHER = 64

#: Lower layers over which candidates for the last lower layer are looked at together.
BATCH = 64

#: Hypotheses that a unit of work lists before it decides them, the cheapest first, about.
MOST_UNDECIDED = 20_000

#: What a unit of work gives: what was found and counted, words that refuted, and useful certificates.
_UnitResult = tuple[tuple[Found, ...], Counts, tuple[Word, ...], tuple[SharedCertificate, ...]]

#: What makes exclusions for labels and a precision.
_ExcludeBy = Callable[[BoolArray, int], Exclusion | PairExclusion]


@dataclass(frozen=True)
class _Learned:
    """What one unit of work learns; it changes what is looked at, never what is found."""

    exclusion: Exclusion | PairExclusion
    refutation: Refutation


class Search:
    """Enumerates one space against one target.

    Parameters
    ----------
    horizon : int
        Longest length that counts, 2 · max_n.
    screening : int, optional
        Longest word that is screened; chosen by the number of words if not given. No result depends on it.
    jobs : int
        Processes; the results are the same for any number.
    journal : Journal, optional
        Where finished units of work are kept and recalled.
    fail_lengths : FailLengths, optional
        Decides fail lengths beyond short words; may be shared, as it remembers. By default words do it alone.
    """

    def __init__(
        self,
        target: Target,
        bounds: SpaceBounds,
        horizon: int,
        aggregate: Aggregate = Aggregate.MAX,
        limits: SearchLimits = DEFAULT_LIMITS,
        screening: int | None = None,
        jobs: int = 1,
        journal: Journal | None = None,
        fail_lengths: FailLengths | None = None,
    ) -> None:
        self.target, self.horizon = supervise(target), horizon
        self.fail_lengths = FailLengths(self.target) if fail_lengths is None else fail_lengths
        self.aggregate, self.limits = aggregate, limits
        self.symbols = len(target.alphabet)
        logits = bounds.logit_max > 0
        every_N = self.target.everywhere and (logits or bounds.content_max > 0)
        length = screening or screening_length(self.symbols, horizon, logits)
        self.words = ShortWords.of(target, min(length, horizon), every_N)
        if not len(self.words.ends):
            raise SpecError(
                f"{self.target.named}: no word of length at most {self.words.length} counts anywhere; "
                "expected some short word, as hypotheses are screened on those; widen the domain, or what is "
                "supervise"
            )
        self.witnesses, self.repertoire = Witnesses(target, self.words), SharedCertificates()
        self.meter = Meter(lambda: self.limits.checkpoint())
        self.checkpoint = self.meter.count
        self.structures: StructureSource = StructureSpace(
            bounds, aggregate, self.symbols, self.target.answer, self.checkpoint
        )
        self._units_of_work = UnitsOfWork(
            Workers(jobs, lambda: self.limits.checkpoint(), self._enter_worker), journal
        )
        self._lists = UnitLists(lambda: self.limits.checkpoint())
        self.worthwhile = Worthwhile(self.target, aggregate)
        self._last = LastLayerSolver(self.target, aggregate, self.checkpoint)

    @property
    def counts(self) -> Counts:
        """What it has looked at so far."""
        return self.meter.counts

    def go_on_within(self, limits: SearchLimits) -> None:
        """Take other limits for everything that is asked from now on."""
        self.limits = limits

    def _enter_worker(self, sharers: int) -> None:
        self.limits.enter(sharers)
        self.go_on_within(self.limits.shared(sharers))

    def reached(self, high: float, mode: Mode) -> tuple[Structure, ...]:
        """Structures that can have R ≤ ``high``, by floor."""
        if mode.only is None:
            return self.structures.up_to(high)
        return order_structures(mode.only, self.aggregate, high)

    def slice(
        self,
        low: float,
        high: float,
        consistent: int,
        mode: Mode,
        structures: Iterable[Structure] | None = None,
        ends: Callable[[float], float | None] | None = None,
    ) -> Generator[Found, None, None]:
        """List every hypothesis with low < R ≤ high and fail > ``consistent``, structures by floor.

        Those that are wrong on some word of length ≤ ``consistent`` are left out, and nets without heads that
        are functions of less R. No batch is empty. All structures are visited unless some are given. ``ends``
        gives the largest R that matters once a hypothesis of some R is right up to the horizon; what has more
        may be left out then.

        Raises
        ------
        WorkDone
            If it takes more than the ``allowance``; what was listed before is then a part of the slice.
        """
        self.repertoire.fade()
        ceiling = Ceiling(high, ends)
        for structure in self.reached(high, mode) if structures is None else structures:
            self.checkpoint()
            if (useful := self.worthwhile.up_to(structure, consistent, mode)) > low:
                wanted = Slice(low, min(ceiling.high, useful), consistent, mode)
                if wanted.high >= structure.floor(self.aggregate) - EPSILON:
                    yield from self._over_structure(structure, wanted, ceiling)

    def _over_structure(self, structure: Structure, wanted: Slice, ceiling: Ceiling) -> Iterator[Found]:
        """The part of a slice with one structure, as units of work: groups of consecutive lower layers."""
        further = self._further(structure, wanted)
        words = self.witnesses.screen(further)
        if not self._last.possible(structure, words, wanted.consistent):
            return
        headless = wanted.mode.use_headless_bound and not structure.heads
        if headless and words.is_confused(structure.period, wanted.consistent):
            return
        key = None if wanted.key is None else (*wanted.key, structure, further)
        builder = self._builder(structure, wanted, words)

        def work() -> Callable[[tuple[tuple[LowerLayers, ...], ...]], _UnitResult]:
            exclude = self._exclude(structure, words, wanted)
            return partial(self._over_starts, builder, structure, wanted, ceiling.below(wanted.high), exclude)

        starts = self.meter.apart(_batches(builder.starts()))
        with closing(
            self._units_of_work.run(key, starts, work, lambda: ((), starts.end(), (), ()))
        ) as results:
            for batches, counts, refuting, excluding in results:
                self.meter.add(counts)
                self.witnesses.learn(refuting)
                self.repertoire.learn(excluding, structure)
                for found in batches:
                    ceiling.meet(found.r, found.fail)
                yield from batches

    def _exclude(self, structure: Structure, words: ShortWords, wanted: Slice) -> _ExcludeBy:
        """How a unit of work excludes lower layers: by what is known of one last unit, or of two."""
        pair, count = structure.layers[-1].units == 2, words.up_to(wanted.consistent)
        if not self.target.plain:
            return PairExclusion if pair else Exclusion
        if pair:
            return partial(PairExclusion, known=self.repertoire.known_splits(words, count, structure))
        return partial(Exclusion, known=self.repertoire.known(words, count, structure))

    def _further(self, structure: Structure, wanted: Slice) -> tuple[Word, ...]:
        """Longer words that are screened: none where chosen behaviours are given on short words.

        Nor where weights depend on N, since long words would need a tree for every N.
        """
        uniform = all(head.uniform for layer in structure.layers for head in layer.heads)
        mode = wanted.mode
        use = mode.use_refutation and mode.only is None and uniform and not self.words.every_N
        return self.witnesses.within(wanted.consistent, mode.use_pumped_words) if use else ()

    def _builder(self, structure: Structure, wanted: Slice, words: ShortWords) -> LowerLayersBuilder:
        return LowerLayersBuilder(
            words,
            structure,
            self.aggregate,
            wanted.high,
            wanted.consistent,
            not wanted.mode.raw,
            wanted.mode.use_conflicts,
            wanted.mode.allowed(structure),
            self.limits.most,
            self.checkpoint,
            self._symmetry(structure, wanted.mode),
            self._lists,
        )

    @cached_property
    def symmetry(self) -> Symmetry:
        """Renamings of symbols that keep the target; only for acceptance of every word."""
        if not self.target.plain:
            return Symmetry(self.words, (tuple(range(self.symbols)),))
        return Symmetry.of(self.target, self.words, self.horizon)

    def _symmetry(self, structure: Structure, mode: Mode) -> Symmetry | None:
        """What first layers are reduced by; chosen behaviours need not hold the least of an orbit."""
        use = mode.use_symmetry and mode.only is None and self.symmetry.acts_on(structure)
        return self.symmetry if use else None

    def _over_starts(
        self,
        builder: LowerLayersBuilder,
        structure: Structure,
        wanted: Slice,
        begin: Ceiling,
        exclude_by: _ExcludeBy,
        starts: tuple[tuple[LowerLayers, ...], ...],
    ) -> _UnitResult:
        """One unit of work: hypotheses over some lower layers, what was looked at, and what others may use.

        That is words that refuted some, and certificates. The same in any process.
        """
        with self.meter.unit() as before:
            ceiling = begin.below(wanted.high)
            below = replace(wanted, high=ceiling.high)
            return self._over_each(builder, structure, below, ceiling, exclude_by, starts, before)

    def _over_each(
        self,
        builder: LowerLayersBuilder,
        structure: Structure,
        wanted: Slice,
        ceiling: Ceiling,
        exclude_by: _ExcludeBy,
        starts: tuple[tuple[LowerLayers, ...], ...],
        before: Counts,
    ) -> _UnitResult:
        labels = builder.words.columns(builder.words.up_to(wanted.consistent))
        learned = _Learned(
            exclude_by(choose_labels(labels), structure.precision),
            Refutation(
                self.target, wanted.consistent, self.limits.max_states, self.words.every_N, self.checkpoint
            ),
        )
        certified = CertifiedSlice(structure, wanted, builder.words, self.aggregate, learned.exclusion)
        one_unit = certified.prunes_candidates
        exclude, sift = (certified.exclude, certified.sift) if one_unit else (None, None)
        decider = Decider(
            self.target,
            structure,
            wanted,
            ceiling,
            learned.refutation,
            self.fail_lengths,
            self.horizon,
            self.aggregate,
            self.limits.max_states,
            self.meter,
        )
        batches: list[Found] = []
        undecided: list[Undecided] = []

        def take(lower: LowerLayers, listed: Iterable[Found]) -> None:
            found = [batch.take((batch.fail > wanted.consistent) | (batch.fail < 0)) for batch in listed]
            found = [batch for batch in found if len(batch)]
            batches.extend(found)
            for renaming in builder.renamings(lower) if found else ():
                batches.extend(self.symmetry.renamed(batch, renaming) for batch in found)

        def decide() -> None:
            for item in sorted(undecided, key=lambda item: item.least_r):
                take(item.lower, decider.found(item))
            undecided.clear()

        lower_layers = (lower for batch in starts for lower in builder.finished(batch, exclude, sift))
        while chunk := list(itertools.islice(lower_layers, TOGETHER)):
            self.checkpoint()
            self.counts.lower_layers += len(chunk)
            for lower in certified.left(chunk):
                self.checkpoint()
                take(lower, self._over_lower_layers(structure, lower, undecided, wanted))
            if sum(len(item.fail) for item in undecided) > MOST_UNDECIDED:
                decide()
        decide()
        counts = self.counts.since(before)
        # Rows that are judged are words only where every word is judged at its end.
        handed_on = share_certificates(learned.exclusion.used(), builder.words) if self.target.plain else ()
        return tuple(batches), counts, tuple(learned.refutation.refuting), handed_on

    def _over_lower_layers(
        self, structure: Structure, lower: LowerLayers, undecided: list[Undecided], wanted: Slice
    ) -> Iterator[Found]:
        """Hypotheses over given lower layers that short words settle; others join what is undecided."""
        words, alone = lower.below.words, structure.layers[-1].units == 1
        count = max(words.up_to(wanted.consistent), 1) if alone else None
        features = FeaturesOver(structure, [lower], count).alone(0)
        last_layers, seen = self._last.right(structure, lower, features, wanted, self.limits.most)
        self.counts.enumerated += seen
        if not len(last_layers.r):
            return
        if count is not None:
            features = FeaturesOver(structure, [lower]).alone(0)
        outputs = last_layers.outputs(features)
        fail = words.first_difference(outputs)
        short_outputs = outputs[:, : len(self.words.labels)]  # short words come first
        packed = np.packbits(short_outputs.reshape(len(outputs), -1), axis=1)
        short = (fail >= 0) & (not wanted.mode.expand)
        settled = np.flatnonzero(short & (last_layers.r > wanted.low))
        if len(settled):
            part = last_layers.take(settled)
            yield part.found(structure, lower.layers, lower.lower_costs, fail[settled], packed[settled])
        rest = np.flatnonzero(~short)
        if len(rest):
            last_layers, base = last_layers.take(rest), structure.base(self.aggregate)
            for member in lower.members(structure, self.symbols + 1, self.aggregate):
                r = total_r(base, member.lower_costs, last_layers.choices.costs, self.aggregate)
                index = np.flatnonzero((r > wanted.low) & (r <= wanted.high))
                if len(index):
                    chosen = replace(last_layers, r=r).take(index)
                    undecided.append(Undecided(lower, member, chosen, fail[rest[index]], packed[rest[index]]))


def _batches(starts: Iterator[LowerLayers]) -> Iterator[tuple[LowerLayers, ...]]:
    """Consecutive lower layers in batches."""
    while batch := tuple(itertools.islice(starts, BATCH)):
        yield batch
