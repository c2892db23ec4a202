"""Hypotheses that short words did not settle: their exact fail lengths, each function decided once.

A few longer words that refuted others are tried first: hypotheses that are right on all short words often
fail a little later, and on the same words. The others are compared on all words up to some length, then a
proof is looked for. A hypothesis that is right on all words costs the exact check the most, since nothing
ends it before the horizon; a proof that it is right on words of every length costs the same whatever the
horizon is.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from idinf.base.words import Word
from idinf.errors import PrecisionError, StatesExceeded
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, Aggregate
from idinf.search.exact_check.nets import NetBatch, scaled
from idinf.search.exact_check.reachability import DEFAULT_MAX_STATES, Frontier, fail_lengths
from idinf.search.hypotheses import first_hypothesis
from idinf.search.lower_layers.normal_form import normal_forms
from idinf.search.meter import Meter
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import HypothesisBatch, Slice, UsefulR
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows
from idinf.targets.machine import Target
from idinf.targets.supervised import SupervisedTarget

#: Classes of a last position up to which last layers are compared class by class.
MOST_CLASSES = 64

#: True if a hypothesis is proved right on words of every length; it may raise to stop, by the second.
Prove: TypeAlias = Callable[[OneHotTransformer, Callable[[], None]], bool]


@dataclass(eq=False)
class FailLengths:
    """Decides fail lengths against one target. Mutable: it remembers.

    Exact: nets with equal normal forms in all layers are one function (`normal_forms`), so what is known of
    one holds for the other, and a proof holds for all lengths.

    *Lemma (classes).* The answer of a net at a position depends on the lower layers, on N and the prefix, and
    on the function of its last layer for the class of the position. So a net is right if for each class its
    function is that of some right net over the same lower layers. Nets that differ in M come in hundreds,
    and hardly any of them has a column of M that none of the others has: of 403 functions of
    (a|c)*b(a|b)* words decide 72, and without the lemma they do not get through in 100 s.
    """

    target: Target
    prove: Prove | None = None  #: without it words decide everything
    #: Up to which length words are compared before a proof, of nets without lower units and of all others:
    #: about the time of a proof. With a horizon below twice that length, words decide everything.
    flat: int = 16
    deep: int = 128
    failures: int = 8  #: how often a proof may be looked for in vain before none is any more
    remembered: int = 1 << 14  #: functions, at most
    #: Of each function its fail length, or −1 and up to which length it is right.
    known: dict[bytes, tuple[int, float]] = field(default_factory=dict)

    def decide(
        self,
        nets: NetBatch,
        hypothesis: Callable[[int], OneHotTransformer],
        horizon: int,
        max_states: int = DEFAULT_MAX_STATES,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> IntArray:
        """Fail length of each of the N hypotheses, (N,), −1 if there is none up to ``horizon``; exact.

        ``hypothesis`` writes the one at a place; it is called where a proof is looked for. The checkpoint is
        called several times for every length; it may raise to stop. Raises StatesExceeded as `fail_lengths`,
        for hypotheses that are not proved.
        """
        if len(self.known) > self.remembered:
            self.known.clear()
        names, classes = name_functions(nets), name_classes(nets)
        for place in self._open(names, horizon):
            right = min((self.known.get(each, (-1, -1))[1] for each in classes[place]), default=-1)
            if right > self.known.get(names[place], (-1, -1))[1]:
                self.known[names[place]] = -1, right

        def by_words(length: int) -> None:
            if places := self._open(names, length):
                chosen = nets.take(np.array(places))
                fails = fail_lengths(self.target, chosen, length, max_states, checkpoint).tolist()
                for place, fail in zip(places, fails, strict=True):
                    self.known[names[place]] = fail, length

        first = self.deep if nets.lower else self.flat
        if self.prove is not None and 2 * first <= horizon:
            with suppress(StatesExceeded):  # no fewer states are there up to the horizon
                by_words(first)
                for place in self._open(names, horizon):
                    if self.failures <= 0:
                        break
                    if self.prove(hypothesis(place), checkpoint):
                        self.known[names[place]] = -1, math.inf
                    else:
                        self.failures -= 1
        by_words(horizon)
        for name, of_net in zip(names, classes, strict=True):
            fail, right = self.known[name]
            for each in of_net if fail < 0 else ():
                self.known[each] = -1, max(right, self.known.get(each, (-1, -1))[1])
        fails = np.array([self.known[name][0] for name in names], dtype=np.int64)
        return np.where(fails <= horizon, fails, -1)

    def _open(self, names: Sequence[bytes], length: int) -> list[int]:
        """Places of the functions that are not known to be right up to a length, or to be wrong."""
        facts = (self.known.get(name, (-1, -1)) for name in names)
        return [place for place, (fail, right) in enumerate(facts) if fail < 0 and right < length]


def name_functions(nets: NetBatch) -> list[bytes]:
    """A name of each of the N hypotheses; those of one name are proved to be one function."""
    name = _name_lower(nets) + repr(nets.structure.layers[-1].heads).encode()
    return [name + row.tobytes() for row in _last_layers(nets)]


def _last_layers(nets: NetBatch) -> IntArray:
    """Normal forms of N last layers with their readings, (N, K); over equal lower layers equal functions."""
    heads, space = nets.structure.layers[-1].heads, nets.space
    top = [normal_forms(units, heads, space.tokens, space.period) for units in nets.top]
    return np.concatenate([*top, nets.signs.reshape(len(nets), -1), nets.threshold[:, None]], axis=1)


def _name_lower(nets: NetBatch) -> bytes:
    """Name of the lower layers of nets: their structure and the normal forms of their units."""
    structure, tokens, period = nets.structure, nets.space.tokens, nets.space.period
    parts = [repr((tokens, period, structure.precision, structure.answer, nets.signs.shape[1:])).encode()]
    for shape, layer in zip(structure.hidden, nets.lower, strict=True):
        forms = [normal_forms(units, shape.heads, tokens, period) for units in layer]
        parts += [repr((shape, forms[0].shape)).encode(), *(each.tobytes() for each in forms)]
    return b"".join(parts)


def name_classes(nets: NetBatch) -> list[list[bytes]]:
    """Names of the functions of N last layers with an M, one for each class; none for other layers.

    Names hold v_k + y of each unit for each class of a key, only its sign where no weight matters, and the
    logits of those keys whose weight a unit feels (`idinf.space.idle`).
    """
    heads, number, space = nets.structure.layers[-1].heads, len(nets), nets.space
    if len(heads) != 1 or not heads[0].logits or space.num_classes > MOST_CLASSES:
        return [[] for _ in range(number)]
    (values, own), rows = scaled(nets.top, space.tokens), space.all_rows()  # (C, f)
    logits = rows @ np.array(heads[0].logits) @ rows.T  # by key and query
    terms = (rows @ values.T)[:, None] + (rows @ own.T)  # (C, C, N·t)
    starts = rows[:, 0] > 0  # `$` sees itself alone
    terms[np.ix_(starts, starts)] *= np.eye(int(starts.sum()), dtype=np.int64)[..., None]
    terms[np.ix_(~starts, starts)] = 0
    mixed = (terms > 0).any(axis=0) & (terms < 0).any(axis=0)
    terms = np.where(mixed, terms, np.sign(terms)).reshape(*logits.shape, number, -1)
    felt = ((terms != 0) & mixed.reshape(len(rows), number, -1)).any(axis=3)
    computed = np.concatenate([np.where(felt, logits[..., None], -1)[..., None], terms], axis=3)
    computed = np.ascontiguousarray(computed.transpose(2, 1, 0, 3))  # (N, C, C, 1 + t), by query and key
    readout = np.concatenate([nets.signs.reshape(number, -1), nets.threshold[:, None]], axis=1)
    name = _name_lower(nets) + repr(("class", heads[0].phi)).encode()
    return [
        [name + bytes([q]) + row.tobytes() + each.tobytes() for q, each in enumerate(of_net)]
        for row, of_net in zip(readout, computed, strict=True)
    ]


MOST = 48  #: words of the pool of a slice; a word costs an exact check

#: Steps of work that an exact check counts as, and lengths of words in it that count as one more. Its time
#: depends on earlier decisions of its process, and the same work has to count the same everywhere.
WORK_OF_CHECK, LENGTHS_OF_STEP = 32, 32


def order_undecided(undecided: Iterable[HypothesisBatch]) -> list[HypothesisBatch]:
    """Batches by their least R; of equal ones, first the batch with most names that no earlier one has.

    Names are those of `name_classes`. So few have to be decided by words: 72 of (a|c)*b(a|b)* in place of
    88. The number of new names of a batch never grows, so it is counted again only at the top of the heap.
    """
    items, ordered, seen = [*undecided], list[HypothesisBatch](), set[bytes]()
    names = [{*itertools.chain(*name_classes(item.nets))} for item in items]
    heap = [(round(float(item.r.min()), 9), -len(names[k]), k) for k, item in enumerate(items)]
    heapq.heapify(heap)
    while heap:
        r, _, place = heapq.heappop(heap)
        now = r, -len(names[place] - seen), place
        if heap and now > heap[0]:
            heapq.heappush(heap, now)
        else:
            seen |= names[place]
            ordered.append(items[place])
    return ordered


@dataclass(eq=False)
class Decider:
    """Decides hypotheses of a slice, up to a ceiling that falls meanwhile. Mutable: it learns.

    It has a pool of words that count, each a refutation of the hypotheses wrong on it. Without it 3,719
    functions of a run on D_4 in the space of its spec are decided exactly instead of 58, in 2.3 times the
    time.
    """

    target: SupervisedTarget
    whole: Slice
    ceiling: UsefulR
    fail_lengths: FailLengths
    horizon: int
    aggregate: Aggregate
    max_states: int
    meter: Meter
    every_N: bool  #: True if words are judged for every N, as those that are screened
    _pool: tuple[Word, ...] = ()
    _words: ShortWords | None = None  #: those of the pool and their prefixes

    def know(self, words: Sequence[Word]) -> None:
        """Take words into the pool, from which the oldest fall out."""
        if words:
            self._pool = tuple(dict.fromkeys((*self._pool, *words)))[-MOST:]
            self._words = ShortWords.and_prefixes(self.target, self._pool, self.every_N)

    def wrong(self, batch: HypothesisBatch) -> IntArray:
        """Length of some word of the pool on which each of some hypotheses is wrong, or −1; (N,).

        Their lower layers are realisations of one exact behaviour each.
        """
        with suppress(PrecisionError):  # longer words have larger numbers; the exact check needs no floats
            if self._words is not None:
                return batch.first_wrong(self._words)
        return np.full(len(batch), -1)

    def found(self, undecided: HypothesisBatch) -> tuple[tuple[HypothesisBatch, ...], tuple[Word, ...]]:
        """The hypotheses up to the ceiling with fail lengths, one of each function unless all are asked.

        The second result has least words that refute some of them, if short. They stand over one exact member
        of some lower layers; fail lengths by short words are −1 where those do not decide it.
        """
        batch = undecided.take(undecided.r <= self.ceiling.high)
        if not len(batch):
            return (), ()
        fail, r, mode = batch.fail.copy(), batch.r, self.whole.mode
        _, group = group_rows(_last_layers(batch.nets))
        order = np.lexsort((r, group))
        first = order[np.r_[True, np.diff(group[order]) != 0]]  # the cheapest of each function
        open_ = first[fail[first] < 0]
        if len(open_) and mode.use_longer_words:
            fail[open_] = self.wrong(batch.take(open_))
            open_ = open_[fail[open_] < 0]
        open_ = open_[np.argsort(r[open_], kind="stable")]
        # The cheapest one first: if it is right, the others may not matter.
        words = list[Word]()
        for part in (open_[:1], open_[1:]) if self.ceiling.falls else (open_,):
            part = part[r[part] <= self.ceiling.high]
            if not len(part):
                continue
            fail[part] = self._decided(batch.take(part))
            wrong = part[(fail[part] >= 0) & (fail[part] <= self.whole.consistent)]
            if len(wrong):
                one = wrong[[np.argmin(fail[wrong])]]
                run = Frontier([batch.take(one).nets], self.target, self.max_states, self.meter.count)
                words.append(run.least_word(int(fail[one[0]])))
            self.ceiling.meet(r[part], fail[part])
        fail = fail[first][group]
        keep = np.arange(len(r)) if mode.raw else np.sort(first)
        keep = keep[r[keep] <= self.ceiling.high]
        return (replace(batch, fail=fail).take(keep),), tuple(words)

    def _decided(self, batch: HypothesisBatch) -> IntArray:
        """Fail lengths of hypotheses over one exact member, (N,)."""
        self.meter.counts.exact += len(batch)
        self.meter.count(WORK_OF_CHECK * len(batch))
        alphabet, ends = self.target.alphabet, batch.r + EPSILON
        fail = self.fail_lengths.decide(
            batch.nets,
            lambda k: first_hypothesis(batch, np.array([k]), ends[k], alphabet, self.aggregate),
            self.horizon,
            self.max_states,
            self.meter.beat,
        )
        self.meter.count(int(np.where(fail < 0, self.horizon, fail).sum()) / LENGTHS_OF_STEP)
        return fail
