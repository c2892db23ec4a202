"""Settings and results of a slice: mode, limits, counts, hypotheses as arrays, and the ceiling.

Above the *ceiling* nothing in a slice matters, once a right hypothesis is met. A hypothesis that is right up
to the horizon bounds every R*_n from above, so nothing with more R than the largest end of a window can be
selected. And once the first hypothesis is met that is right on all words that count, more words count above
it: the slice may end there, and the next one looks for less. The cheapest hypotheses of a slice are decided
first, and those above the ceiling are left out: the exact check takes longest on right ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, fields
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import AttentionPattern
from idinf.nets.regularizer import EPSILON
from idinf.search.exact_check.nets import NetBatch, answers
from idinf.search.exact_check.reachability import DEFAULT_MAX_STATES
from idinf.search.short_words.features import Behaviours, Features, Inputs, unit_outputs
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.rows import SHARED, ArrayRecord
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import MAX_UNITS, BoolArray, FloatArray, Units
from idinf.spec.spec import Answer


@dataclass(frozen=True, slots=True)
class Mode:
    """Switches of a search; every value gives the same fail lengths and the same least R."""

    #: List every exact function, even those that differ from the target on a short word. Otherwise such
    #: hypotheses come once per behaviour on short words.
    expand: bool = False
    raw: bool = False  #: keep every realisation, not only the cheapest ones of each exact function
    #: Certificates of the last layer prune slices above this R; lower slices take less time than loading
    #: the solver of certificates. Infinite: they prune none.
    certified_above: float = 9.0
    #: Leave out structures without heads if words with equal last symbol and residue have different labels.
    use_confusion: bool = True
    use_longer_words: bool = True  #: screen longer words that are drawn, and try those that refuted others
    #: Try to prove hypotheses right on all words before they are compared on long ones.
    use_proofs: bool = True
    #: Leave out hypotheses that cannot be selected any more once a right one is met in a slice.
    use_ceiling: bool = True
    #: Judge the attention patterns of a shape together, not structure by structure.
    use_patterns_as_costs: bool = True


class WorkDone(Exception):
    """A part of a search would take more work than it is allowed; nothing of that part counts."""


@dataclass
class Counts:
    """Numbers of units, lower layers, hypotheses and steps of a search. Mutable: they grow."""

    #: Value vectors and unit parameter vectors whose behaviour on all short words was computed.
    enumerated: int = 0
    lower_layers: int = 0  #: distinct lower layers that certificates did not exclude
    exact: int = 0  #: hypotheses whose fail length was decided on words beyond the short ones
    work: float = 0  #: steps of about a millisecond, the unit of a budget

    def add(self, other: Counts) -> None:
        """Add the counts of a unit of work."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))


@dataclass(frozen=True, eq=False)
class LastLayers(ArrayRecord):
    """N last layers of one structure with their readings and least R."""

    structure: Structure = field(metadata=SHARED)
    top: LayerChoices  #: the last layer, one realisation each
    signs: IntArray  #: (N, t) or (N, K, t): the row U on the units, or the K rows of next symbols
    threshold: IntArray  #: (N,)
    r: FloatArray  #: (N,): R over the cheapest lower layers

    def answers_on(self, features: Features, logits: BoolArray | None = None) -> BoolArray:
        """Answers on the W rows of some features, (N, W) or (N, W, K).

        Where ``logits``, (W,), have to be given as numbers, the answer is that label or its opposite.
        """
        bits, answer = [unit_outputs(units, features) for units in self.top.units], self.structure.answer
        if len(bits) == 1 and answer is Answer.ACCEPT:
            return bits[0] ^ (self.signs < 0)
        stacked = np.stack(bits, axis=2).swapaxes(0, 1)
        answered = answers(stacked, self.signs, self.threshold, answer, logits is not None).swapaxes(0, 1)
        return np.asarray(answered if logits is None else logits ^ (answered != logits))


@dataclass(frozen=True, eq=False)
class HypothesisBatch(LastLayers):
    """N hypotheses of one structure over the same lower layers."""

    #: Realisations of each lower layer; all of one list behave alike (exactly alike when expanded).
    lower: tuple[LayerChoices, ...] = field(metadata=SHARED)
    lower_costs: FloatArray = field(metadata=SHARED)  #: (F, 4): Pareto costs of the lower layers
    fail: IntArray  #: (N,): exact fail length, -1 if there is none up to the horizon
    #: (N, B): answers on all short words, packed, all K of a prefix for next symbols; equal functions agree.
    outputs: NDArray[np.uint8]

    @property
    def nets(self) -> NetBatch:
        """As the exact check takes them, over the first realisation of every lower layer."""
        lower = (tuple(units.take(slice(0, 1)) for units in layer.units) for layer in self.lower)
        return NetBatch(self.structure, tuple(lower), self.top.units, self.signs, self.threshold)

    def read_on(self, words: ShortWords) -> Iterator[Features]:
        """Features that each layer reads on given words, over the first realisation of every lower layer."""
        structure, inputs = self.structure, Inputs.first(words, self.structure.period)
        for layer, shape in zip(self.lower, structure.hidden, strict=True):
            inputs, features = inputs.hidden(shape.heads, structure.precision)
            yield features
            first = [unit_outputs(units.take(slice(0, 1)), features)[0] for units in layer.units]
            inputs = inputs.extend(np.stack(first))
        yield inputs.top(structure.layers[-1].heads, structure.precision)

    def first_wrong(self, words: ShortWords, by_logits: bool = False) -> IntArray:
        """Length of a shortest one of given words on which each is wrong, also as numbers if asked, or −1."""
        *_, features = self.read_on(words)
        return words.first_difference(self.answers_on(features, words.labels if by_logits else None))

    def behaviours(self, words: ShortWords) -> tuple[frozenset[bytes], ...]:
        """For every layer the behaviours of its units on all short words, packed."""
        layers = zip((*self.lower, self.top), self.read_on(words), strict=True)
        outputs = ([unit_outputs(units, features) for units in layer.units] for layer, features in layers)
        return tuple(
            frozenset(row.tobytes() for row in np.packbits(np.concatenate(bits), axis=1)) for bits in outputs
        )


#: Structures to visit, and the behaviours that the units of each of their layers may have; None for all.
Given: TypeAlias = Mapping[Structure, tuple[frozenset[bytes], ...] | None]


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the space: low < R ≤ high, right on all words up to length ``consistent``."""

    low: float
    high: float
    consistent: int
    mode: Mode
    given: Given | None = None  #: without it all structures are visited

    @property
    def certifies(self) -> bool:
        """True if certificates prune it."""
        return self.high > self.mode.certified_above

    @property
    def judges(self) -> bool:
        """True if attention patterns are judged; where not even ε counts nothing can be left out."""
        return self.mode.use_patterns_as_costs and self.consistent >= 0

    @property
    def key(self) -> tuple[float | int | bool, ...] | None:
        """Key of this slice in its search; None if behaviours are given, which are too many for a key."""
        return None if self.given else (self.low, self.high, self.consistent, *astuple(self.mode))

    def allowed(self, structure: Structure) -> tuple[frozenset[bytes], ...] | None:
        """Behaviours that the units of each layer may have; None for all."""
        return self.given[structure] if self.given else None


@dataclass(frozen=True, slots=True, eq=False)
class SearchLimits:
    """Limits of a search: memory, as numbers of states and units; time, as a function that may stop it."""

    max_states: int = DEFAULT_MAX_STATES  #: bound on the joint states of the exact check
    most: int = MAX_UNITS  #: bound on every list of units or pairs of units
    #: Called before every part of the work, as every argument ``checkpoint`` is; may raise to stop.
    checkpoint: Callable[[], None] = lambda: None
    #: Called with their number in every worker process, before its work.
    enter: Callable[[int], None] = lambda sharers: None

    def shared(self, sharers: int) -> SearchLimits:
        """Limits of one worker process: its share of the memory, and no clock.

        >>> SearchLimits(max_states=7, most=1).shared(3).max_states
        2
        """
        most, max_states = max(1, self.most // sharers), max(1, self.max_states // sharers)
        return SearchLimits(max_states, most)


DEFAULT_LIMITS = SearchLimits()  #: where nothing else is said: lists that fit a few gigabytes, and no clock


#: Classes of which a journal can keep values. A new class in a unit of work has to be added here.
STORED: tuple[type, ...] = (
    Answer,
    AttentionPattern,
    Behaviours,
    Cost,
    Counts,
    HypothesisBatch,
    LayerChoices,
    LayerShape,
    Structure,
    Units,
)


@dataclass(eq=False)
class UsefulR:
    """Largest R of hypotheses that matter in a slice. Mutable: it falls when certain hypotheses are met.

    A right hypothesis bounds R*_n from above for all n. The first one that fits at the ``needed`` n has R*_n:
    more words count beyond the window of n, or at once above it if it fails at n + 1, as it settles n.

    >>> import numpy as np
    >>> ceiling = UsefulR(9.0, known=8.0, reach=0.25)
    >>> ceiling.meet(np.array([8.5, 8.125, 7.0]), np.array([-1, -1, 5]))
    >>> round(ceiling.high, 6)
    8.375
    >>> ceiling = UsefulR(9.0, known=7.5, reach=0.25, needed=2, is_open=True)
    >>> ceiling.meet(np.array([8.25]), np.array([5]))  # its window is that of n = 2
    >>> round(ceiling.high, 6)
    8.5
    >>> ceiling.meet(np.array([8.3125]), np.array([3]))  # wrong at 3, so n = 2 is settled
    >>> round(ceiling.high, 6)
    8.3125
    """

    high: float  #: where it begins
    #: End of the widest window of the n whose R*_n is known; infinite: the ceiling never falls.
    known: float = math.inf
    reach: float = -math.inf  #: widest window of all other n, −∞ where there is none
    needed: int = 0  #: the n whose R*_n is searched
    is_open: bool = False  #: True if R*_n is unknown for it
    settles: bool = False  #: True if a fail at n + 1 settles it
    _right: float = math.inf  #: least R of the right hypotheses that were met

    @property
    def falls(self) -> bool:
        """True if hypotheses lower the ceiling."""
        return self.known < math.inf

    @property
    def last(self) -> float:
        """R up to which this slice and later ones look, where a right hypothesis says it; else `high`."""
        if not self.falls or self._right == math.inf:
            return self.high
        return max(self.high, self.known + EPSILON, self._right + self.reach + EPSILON)

    def meet(self, r: FloatArray, fail: IntArray) -> None:
        """Take note of hypotheses with their fail lengths, −1 for right ones; (N,) each."""
        for each in set(fail.tolist()) if self.falls else ():
            least = float(r[fail == each].min())
            if 0 <= each <= self.needed:  # wrong on a word that counts, so it says nothing
                continue
            if each == self.needed + 1 and (self.is_open or self.settles):
                end = least
            elif self.is_open:
                end = least + self.reach
            else:
                end = max(self.known, least + self.reach) if each < 0 else math.inf
            self.high = min(self.high, end + EPSILON)  # hypotheses that tie with it count
            self._right = min(self._right, least) if each < 0 else self._right
