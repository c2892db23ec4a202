"""Complete enumeration of the space in slices of R, with the exact fail length of everything it returns.

One slice lists every hypothesis with low < R ≤ high that agrees with the target on all words up to a given
length, of all structures. Structures are visited by their floor.

A unit of work begins with the knowledge that earlier units gave, such as certificates. This changes which
hypotheses it looks at, and its time, but never its results. It must not depend on the number of processes,
so it comes from the units of all earlier waves, in their order. Hypotheses that short words do not settle
are decided between waves, in one process: that takes long for few targets, and each right one spares others.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, TypeAlias

from idinf.base.words import Word
from idinf.errors import SpecError
from idinf.nets.attention import Attention
from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.search.fail_lengths import Decider, FailLengths, order_undecided
from idinf.search.last_layer.certificates import (
    Exclusion,
    Known,
    SharedCertificate,
    SharedCertificates,
    load_solver,
)
from idinf.search.last_layer.solver import LastLayerSolver, screen_last_layers
from idinf.search.lower_layers.builder import Lists, LowerLayersBuilder, Starts
from idinf.search.meter import Meter
from idinf.search.patterned.shapes import PatternedShapes
from idinf.search.short_words.features import Behaviours
from idinf.search.short_words.prefix_trees import ShortWords, screening_length
from idinf.search.slice_types import (
    DEFAULT_LIMITS,
    Counts,
    Given,
    HypothesisBatch,
    Mode,
    SearchLimits,
    Slice,
    UsefulR,
)
from idinf.space.structures import Structure, StructureSpace, list_attentions, order_structures
from idinf.spec.bounds import ZERO, SpaceBounds
from idinf.targets.machine import Target
from idinf.targets.supervised import supervise
from idinf.work.deterministic_map import Remembered, UnitsOfWork, WorkList, digest_arrays
from idinf.work.parallel import Workers

if TYPE_CHECKING:
    from idinf.work.journal import Journal


#: Result of a unit of work: hypotheses, counts, useful certificates, and hypotheses that short words did
#: not settle.
UnitResult: TypeAlias = tuple[
    tuple[HypothesisBatch, ...],
    Counts,
    tuple[SharedCertificate, ...],
    tuple[HypothesisBatch, ...],
]


#: Sets of lower layers that known certificates are tried on together.
TOGETHER = 64

#: Lower layers of a unit of work: candidates for the last one are looked at together over them. Where
#: behaviours are given there are few, and each may have many realisations.
BATCH, BATCH_OF_GIVEN = 64, 4

#: Structures of a shape that are visited again rather than judged by more words.
FEW_LEFT = 256

#: The last judgement of a shape: the R up to which it went, the length of its words, and what was left.
JudgedShape: TypeAlias = tuple[float, int, dict[Structure, Behaviours | None]]
Judged: TypeAlias = dict[tuple[object, ...], JudgedShape]

#: A structure that may hold a right hypothesis, with the possible behaviours of its lower layers if known.
_Visit: TypeAlias = tuple[Structure, Behaviours | None]

#: A group of lower layers of a structure, with the work of listing it; None at the end of the list.
_CountedStarts: TypeAlias = tuple[Starts | None, float]
_Part = WorkList[_CountedStarts, UnitResult]


class Search:
    """Enumerates one space against one target.

    ``horizon`` is the longest length that counts, 2 · max_n. Words up to ``screening`` are screened; it is
    chosen by the number of words if not given, and no result depends on it. ``jobs`` are processes; the
    results are the same for any number. Finished units of work are kept in the journal and recalled from it.
    ``fail_lengths`` decide beyond short words and remember, so searches may share them; by default words
    decide alone. Searches for one target in several spaces may share ``judged``, the shapes judged so far.
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
        journal: Journal | Remembered | None = None,
        fail_lengths: FailLengths | None = None,
        judged: Judged | None = None,
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
        self.repertoire = SharedCertificates()
        self.meter = Meter(beat := lambda: self.limits.checkpoint())  # other limits may be set later
        self.checkpoint = self.meter.count
        self.structures = StructureSpace(bounds, aggregate, self.symbols, self.target.answer, self.checkpoint)
        self._lists: Lists = {}
        self.workers = Workers(jobs, beat, self._enter_worker)
        self._units_of_work = UnitsOfWork(self.workers, journal)
        self._slice_s = 0.0  #: seconds of the last slice; nothing but where work is done depends on it
        at_zero = bounds.threshold == ZERO
        #: Judges the attention patterns of a shape together; None where such judging is not possible.
        self.patterns: PatternedShapes | None = None
        self.bounds = bounds
        self._judged = {} if judged is None else judged
        if self.target.plain and aggregate is Aggregate.MAX and not at_zero:
            self.patterns = PatternedShapes(target, bounds, self.checkpoint)
        #: True if certificates are used: for words that are judged at their end, where terms of R are maxima.
        #: For next symbols they save no time, and with sums they cost more time than they save.
        self._certifies = self.target.plain and aggregate is Aggregate.MAX
        self._last = LastLayerSolver(self.target, aggregate, self.checkpoint, at_zero)

    @property
    def counts(self) -> Counts:
        """Counts of the units, hypotheses and steps of this search so far."""
        return self.meter.counts

    def _enter_worker(self, sharers: int) -> None:
        self.limits.enter(sharers)
        self.limits = self.limits.shared(sharers)

    def _visited(
        self, whole: Slice, shapes: list[tuple[float, Structure]], attention: Attention, ceiling: UsefulR
    ) -> Iterator[_Visit]:
        """Structures of one attention that may hold hypotheses of a slice up to a ceiling, by floor.

        Beside each stand the possible behaviours of its lower layers, if judging found them, else None.
        """
        listed, judged = list[tuple[float, Structure]](), dict[Structure, float]()
        high = ceiling.high
        last = max(high, min(ceiling.last, self.bounds.max_r + EPSILON))  # a later slice may go up to there
        if attention is Attention.UNIFORM:
            listed += self._headless(whole)
        patterns = self.patterns if whole.judges else None
        for floor, shape in shapes:
            if floor > high + EPSILON:
                continue
            ends = (end for end in (last, high) if patterns and patterns.judges(shape, end - floor))
            if (end := next(ends, None)) is not None:
                judged[shape] = end
            else:
                listed += self.structures.with_patterns((floor, shape), high, attention)
        visited: dict[Structure, Behaviours | None] = dict.fromkeys(structure for _, structure in listed)
        known = {shape: self._recall_structures(shape, attention, whole, high) for shape in judged}
        unknown = [(shape, judged[shape]) for shape, left in known.items() if left is None]
        key = "left", attention.value, whole.consistent, digest_arrays(unknown)
        judge = partial(self._judge_structures, attention, whole.consistent)
        judging = WorkList(key, iter(unknown), lambda: judge)
        with closing(self._units_of_work.run(iter([judging]))) as results:
            for (shape, end), (left, work) in zip(unknown, results, strict=True):
                self.meter.add(Counts(work=work))
                known[shape] = dict(left)
                asked = self._judgement_key(shape, attention)
                if end >= self._judged.get(asked, (0.0, 0, {}))[0]:  # else a larger space knows more
                    self._judged[asked] = end, whole.consistent, dict(left)
        for of_shape in known.values():
            visited |= of_shape or {}
        alike = (structure for structure in visited if structure.attention is attention)
        for structure in order_structures(alike, self.aggregate, high):
            yield structure, visited[structure]

    def _shapes(self, whole: Slice) -> Iterator[tuple[float, Structure]]:
        """The shapes of a slice that the words that count do not rule out, for any attention patterns."""
        confuses = self.patterns.is_confused if self.patterns and whole.judges else None
        for floor, shape in self.structures.shapes(whole.high):
            if confuses is None or not confuses(shape, whole.consistent):
                yield floor, shape

    def _recall_structures(
        self, shape: Structure, attention: Attention, whole: Slice, high: float
    ) -> dict[Structure, Behaviours | None] | None:
        """Structures that the last judgement of a shape left; None if it does not cover this slice.

        A structure that was dropped for fewer words within a larger R is dropped here, too.
        """
        end, consistent, left = self._judged.get(self._judgement_key(shape, attention), (0.0, 0, {}))
        is_enough = consistent == whole.consistent or len(left) <= FEW_LEFT
        return left if end >= high and consistent <= whole.consistent and is_enough else None

    def _judgement_key(self, shape: Structure, attention: Attention) -> tuple[object, ...]:
        """Key of a judgement: the shape, the attention, and those bounds that limit such patterns."""
        bounds = (self.bounds.reach, self.bounds.logit_max, self.bounds.content_max)
        return shape, attention, bounds[: (0, 2, 3)[attention]]

    def _headless(self, whole: Slice) -> Iterator[tuple[float, Structure]]:
        """Structures without heads of the periods whose words that count leave some net."""
        for period in range(1, self.bounds.period + 1):
            if not (whole.mode.use_confusion and self.words.is_confused(period, whole.consistent)):
                yield from self.structures.headless(whole.high, period)

    def _judge_structures(
        self, attention: Attention, consistent: int, asked: tuple[Structure, float]
    ) -> tuple[tuple[_Visit, ...], float]:
        """Structures of a shape, up to an R, that may hold a right hypothesis; and the work of judging."""
        shape, high = asked
        assert self.patterns is not None
        with self.meter.unit() as counts:
            left = tuple(self.patterns.left(shape, attention, high, consistent))
        return left, counts.work

    def slice(
        self,
        low: float,
        high: float,
        consistent: int,
        mode: Mode,
        given: Given | None = None,
        ceiling: UsefulR | None = None,
    ) -> Generator[HypothesisBatch, None, None]:
        """List every hypothesis with low < R ≤ high and fail > ``consistent``, structures by floor.

        Nets without heads are left out if they are functions of less R. No batch is empty. Given structures
        are visited alone; by default every structure is visited that may hold such a hypothesis. Hypotheses
        above the ``ceiling`` are left out, and it falls as right hypotheses are met.

        Raises WorkDone beyond the ``allowance`` of work; the hypotheses listed until then are a part of all.
        """
        self.repertoire.fade()
        ceiling = ceiling or UsefulR(high)
        whole, started = Slice(low, high, consistent, mode, given), time.perf_counter()
        bounds = self.horizon, self.aggregate, self.limits.max_states, self.meter, self.words.every_N
        decider = Decider(self.target, whole, ceiling, self.fail_lengths, *bounds)
        wave = list[UnitResult]()  #: results of the present wave, which no unit of it may know yet

        def learn() -> Iterator[UnitResult]:
            undecided = list[HypothesisBatch]()
            for found, _, certificates, rest in wave:
                self.repertoire.learn(certificates)
                for batch in found:
                    ceiling.meet(batch.r, batch.fail)
                undecided += rest
            wave.clear()
            for item in order_undecided(undecided):
                yield self._decided(decider, item)

        if self._certifies and self.workers.jobs > 1 and whole.certifies:
            load_solver()
        try:
            shapes = list(self._shapes(whole)) if given is None else []
            kinds = list_attentions(self.bounds)
            visits: Iterable[Iterable[_Visit]] = (self._visited(whole, shapes, k, ceiling) for k in kinds)
            if given is not None:
                visits = [[(structure, None) for structure in order_structures(given, self.aggregate, high)]]
            # Hypotheses found where patterns are few bound R where patterns are many.
            for visited in visits:
                parts = self._work_lists(visited, whole, ceiling)
                with closing(self._units_of_work.run(parts, learn, spent=self._slice_s)) as results:
                    for result in results:
                        self.meter.add(result[1])
                        wave.append(result)
                        yield from result[0]
            if isinstance(self._units_of_work.journal, Remembered):
                self._units_of_work.journal.clear()  # a finished slice is never recalled
        finally:
            self._slice_s = time.perf_counter() - started

    def _decided(self, decider: Decider, item: HypothesisBatch) -> UnitResult:
        """Right ones of some hypotheses that short words did not settle, decided in this process."""
        whole = decider.whole
        key = None if whole.key is None else (*whole.key, decider.ceiling.high, digest_arrays(item))

        def decide() -> tuple[tuple[HypothesisBatch, ...], Counts, tuple[Word, ...]]:
            with self.meter.unit() as counts:
                found, words = decider.found(item)
            return tuple(self._filter_consistent(found, whole)), counts, words

        found, counts, words = self._units_of_work.once(key, decide)
        decider.know(words)
        for batch in found:
            decider.ceiling.meet(batch.r, batch.fail)
        return found, counts, (), ()

    def _filter_consistent(
        self, listed: Iterable[HypothesisBatch], wanted: Slice
    ) -> Iterator[HypothesisBatch]:
        """Hypotheses among some that a slice has to list: right up to its length."""
        for batch in listed:
            found = batch.take((batch.fail > wanted.consistent) | (batch.fail < 0))
            if len(found):
                yield found

    def _work_lists(self, structures: Iterable[_Visit], whole: Slice, ceiling: UsefulR) -> Iterator[_Part]:
        """Parts of a slice that may hold a hypothesis below the ceiling, structure by structure."""
        for structure, said in structures:
            self.checkpoint(1 / 8)
            if ceiling.high >= structure.floor(self.aggregate) - EPSILON:
                part = self._part(structure, said, replace(whole, high=ceiling.high), ceiling)
                if part is not None:
                    yield part

    def _part(
        self, structure: Structure, said: Behaviours | None, wanted: Slice, ceiling: UsefulR
    ) -> _Part | None:
        """The part of a slice with one structure, as units of work: groups of consecutive lower layers.

        Where the possible behaviours of lower layers are given they are few, and certificates do not pay.
        """
        if said is not None and said.length > self.words.length:
            said = None  # its words are longer than those screened, as over one letter
        if said is not None:
            wanted = replace(wanted, mode=replace(wanted.mode, certified_above=math.inf))
        builder = self._builder(structure, wanted, said)
        if not self._last.possible(structure, builder.words, wanted.consistent):
            return None
        key = None if wanted.key is None else (*wanted.key, structure, digest_arrays(said))
        count = builder.words.up_to(wanted.consistent)

        def begin_wave() -> Callable[[_CountedStarts], UnitResult]:
            within = replace(wanted, high=min(wanted.high, ceiling.high))
            # The certificates that units of work begin with are chosen once, when first needed: that is slow.
            known = lru_cache(maxsize=1)(partial(self.repertoire.known, count))
            return partial(self._over_starts, builder, within, known)

        size = BATCH if wanted.given is None else BATCH_OF_GIVEN
        starts = builder.batches(size)
        return WorkList(key, self._counted(starts), begin_wave)

    def _counted(self, starts: Iterator[Starts]) -> Iterator[_CountedStarts]:
        """Groups of lower layers, None at the end, each with the work that listing it took."""
        while True:
            with self.meter.unit() as counts:
                batch = next(starts, None)
            yield batch, counts.work
            if batch is None:
                return

    def _builder(
        self, structure: Structure, wanted: Slice, said: Behaviours | None = None
    ) -> LowerLayersBuilder:
        mode, only, on = wanted.mode, wanted.allowed(structure), None
        # Where weights depend on N longer words would need a tree for every N.
        has_longer = wanted.consistent > self.words.length and mode.use_longer_words and not wanted.given
        words = self._longer if has_longer and structure.attention is Attention.UNIFORM else self.words
        if said is not None and self.patterns is not None:
            only = tuple(frozenset(row.tobytes() for row in rows) for rows in said.layers)
            on = self.patterns.ends(structure.period, said.length).words
        asked = wanted.high, wanted.consistent, not mode.raw, only, on
        shared = self.limits.most, self.checkpoint, self.meter.beat, self._lists
        return LowerLayersBuilder(words, structure, self.aggregate, *asked, *shared)

    @cached_property
    def _longer(self) -> ShortWords:
        """Short words and drawn ones, for hypotheses that have to be right on longer words."""
        return self.words.with_drawn(self.target)

    def _over_starts(
        self,
        builder: LowerLayersBuilder,
        wanted: Slice,
        certificates: Callable[[], Known],
        counted: _CountedStarts,
    ) -> UnitResult:
        """One unit of work: hypotheses over some lower layers, counts, and certificates.

        The same in any process.
        """
        starts, listing = counted
        if starts is None:
            return (), Counts(work=listing), (), ()
        with self.meter.unit() as counts:
            structure, exclusion = builder.structure, None
            if self._certifies:
                exclusion = Exclusion.of(structure, wanted, builder.words, certificates, self.checkpoint)
            found: list[HypothesisBatch] = []
            undecided: list[HypothesisBatch] = []
            lower_layers = builder.finished(starts, exclusion)
            while chunk := list(itertools.islice(lower_layers, TOGETHER)):
                for lower in exclusion.left(chunk) if exclusion else chunk:
                    self.counts.lower_layers += 1
                    self.checkpoint()
                    settled, rest, seen = screen_last_layers(
                        self._last, structure, lower, wanted, self.words, self.limits.most
                    )
                    self.counts.enumerated += seen
                    found += self._filter_consistent(settled, wanted)
                    undecided += rest
        counts.work += listing
        handed_on = exclusion.shared() if exclusion else ()
        return tuple(found), counts, handed_on, tuple(undecided)
