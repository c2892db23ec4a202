"""What a slice is asked for, takes and gives: mode, limits, counts, hypotheses as arrays, its ceiling.

Above the *ceiling* nothing in a slice matters, once a right hypothesis is met. A hypothesis that is right up
to the horizon bounds every R*_n from above, so nothing with more R than the largest end of a window can be
selected. And once the first hypothesis is met that is right on all words that count, more words count above
it: the slice may end there, and the next one looks for less. The cheapest hypotheses of a slice are decided
first, and those above the ceiling are left out: the exact check takes longest on right ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import AttentionPattern
from idinf.nets.regularizer import EPSILON
from idinf.search.exact_check.nets import NetBatch, NetLayer, answers
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
    """What a slice has to list; every value gives the same fail lengths and the same least R."""

    #: Tell exact functions apart even where they differ from the target on a short word. Otherwise such
    #: hypotheses come once per behaviour on short words.
    expand: bool = False
    raw: bool = False  #: keep every realisation, not only the cheapest ones of each exact function
    use_certificates: bool = True  #: prune by certificates of the last layer
    #: Slices up to this R take less time than loading what proposes certificates.
    certified_above: float = 9.0
    #: Leave out structures without heads where the last symbol and its residue do not tell words apart.
    use_confusion: bool = True
    use_longer_words: bool = True  #: screen longer words that are drawn, and try those that refuted others
    #: Try to prove hypotheses right on all words before they are compared on long ones.
    use_proofs: bool = True
    #: Leave out what cannot be selected any more once a right hypothesis is met in a slice.
    use_ceiling: bool = True
    #: Judge the attention patterns of a shape together, not structure by structure.
    use_patterns_as_costs: bool = True
    #: Structures to visit, and for every layer of them the behaviours its units may have.
    only: dict[Structure, tuple[frozenset[bytes], ...]] | None = None

    def certifies(self, high: float) -> bool:
        """Whether certificates prune a slice that ends at some R."""
        return self.use_certificates and high > self.certified_above

    def allowed(self, structure: Structure) -> tuple[frozenset[bytes], ...] | None:
        """Behaviours that the units of each layer may have; None for all."""
        return None if self.only is None else self.only[structure]


class WorkDone(Exception):
    """A part of a search would take more work than it is allowed; nothing of that part counts."""


@dataclass
class Counts:
    """What a search has looked at. Mutable: it grows with every slice."""

    #: Value vectors and unit parameter vectors whose behaviour on all short words was computed.
    enumerated: int = 0
    lower_layers: int = 0  #: distinct lower layers that certificates did not exclude
    exact: int = 0  #: hypotheses whose fail length was decided on words beyond the short ones
    work: float = 0  #: steps of about a millisecond: what a budget is given in

    def add(self, other: Counts) -> None:
        """Take in what a unit of work did."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def copy(self) -> Counts:
        """The present counts, which no longer grow."""
        return replace(self)

    def since(self, before: Counts) -> Counts:
        """What was done after a copy was taken."""
        names = [item.name for item in fields(self)]
        return Counts(**{name: getattr(self, name) - getattr(before, name) for name in names})


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
    #: (N, B): answers on all short words, packed, all K of a prefix for next symbols: tells functions apart.
    outputs: NDArray[np.uint8]

    def nets(self, symbols: int) -> NetBatch:
        """As the exact check takes them, over the first realisation of every lower layer."""
        structure = self.structure
        lower = zip(self.lower, structure.hidden, strict=True)
        return NetBatch(
            symbols,
            structure.period,
            structure.precision,
            tuple(NetLayer(shape.heads, layer.units).take(slice(0, 1)) for layer, shape in lower),
            NetLayer(structure.layers[-1].heads, self.top.units),
            self.signs,
            self.threshold,
            structure.answer,
        )


def read_layers(
    words: ShortWords, structure: Structure, layers: tuple[LayerChoices, ...]
) -> Iterator[Features]:
    """What each layer reads on given words over the first realisation of every lower layer."""
    inputs = Inputs.first(words, structure.period)
    for layer, shape in zip(layers, structure.hidden, strict=True):
        inputs, features = inputs.hidden(shape.heads, structure.precision)
        yield features
        first = [unit_outputs(units.take(slice(0, 1)), features)[0] for units in layer.units]
        inputs = inputs.extend(np.stack(first))
    yield inputs.top(structure.layers[-1].heads, structure.precision)


def last_layer_features(
    words: ShortWords, structure: Structure, layers: tuple[LayerChoices, ...]
) -> Features:
    """What the last layer reads on given words over the first realisation of every lower layer."""
    return [*read_layers(words, structure, layers)][-1]


def list_behaviours(found: HypothesisBatch, words: ShortWords) -> tuple[frozenset[bytes], ...]:
    """For every layer of a batch the behaviours of its units on all short words, packed."""
    read = read_layers(words, found.structure, found.lower)
    layers = zip((*found.lower, found.top), read, strict=True)
    outputs = ([unit_outputs(units, features) for units in layer.units] for layer, features in layers)
    return tuple(
        frozenset(row.tobytes() for row in np.packbits(np.concatenate(bits), axis=1)) for bits in outputs
    )


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of the space: low < R ≤ high, right on all words up to length ``consistent``."""

    low: float
    high: float
    consistent: int
    mode: Mode

    @property
    def judges(self) -> bool:
        """Whether attention patterns are judged; where not even ε counts nothing can be left out."""
        return self.mode.use_patterns_as_costs and self.consistent >= 0

    @property
    def key(self) -> tuple[float | int | bool, ...] | None:
        """What tells slices of one search apart; None if chosen behaviours do, too many for a key."""
        if self.mode.only is not None:
            return None
        shortcuts = [getattr(self.mode, item.name) for item in fields(self.mode) if item.name != "only"]
        return self.low, self.high, self.consistent, *shortcuts


@dataclass(frozen=True, slots=True, eq=False)
class SearchLimits:
    """What a search may take: memory, as numbers of things, and time, as a function that may stop it."""

    max_states: int = DEFAULT_MAX_STATES  #: bound on the joint states of the exact check
    most: int = MAX_UNITS  #: bound on every list of units or pairs of units
    #: Called before every part of the work, here as wherever a checkpoint is asked for; may raise to stop.
    checkpoint: Callable[[], None] = lambda: None
    #: Called with their number in every worker process, before its work.
    enter: Callable[[int], None] = lambda sharers: None

    def shared(self, sharers: int) -> SearchLimits:
        """Those of one of several worker processes: a share of the memory, and no clock.

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
class Ceiling:
    """R up to which hypotheses matter. Mutable: it falls when one is met that says where the slice may end.

    A right one bounds what matters from above. The first one that lasts at the n that is looked for has R*_n:
    beyond the window of n other words count, and above one that fails at n + 1 at once, as it settles n.

    >>> import numpy as np
    >>> ceiling = Ceiling(9.0, known=8.0, reach=0.25)
    >>> ceiling.meet(np.array([8.5, 8.125, 7.0]), np.array([-1, -1, 5]))
    >>> round(ceiling.high, 6)
    8.375
    >>> ceiling = Ceiling(9.0, known=7.5, reach=0.25, needed=2, is_open=True)
    >>> ceiling.meet(np.array([8.25]), np.array([5]))  # its window is that of n = 2
    >>> round(ceiling.high, 6)
    8.5
    >>> ceiling.meet(np.array([8.3125]), np.array([3]))  # wrong at 3, so n = 2 is settled
    >>> round(ceiling.high, 6)
    8.3125
    """

    high: float  #: where it begins
    #: End of the widest window of the n whose R*_n is known; infinite: it never falls.
    known: float = math.inf
    reach: float = -math.inf  #: widest window of all other n, −∞ where there is none
    needed: int = 0  #: the n that is looked for
    is_open: bool = False  #: whether R*_n is unknown there
    settles: bool = False  #: whether an early fail settles it
    _right: float = math.inf  #: least R of the right hypotheses that were met

    @property
    def falls(self) -> bool:
        """Whether hypotheses lower it."""
        return self.known < math.inf

    @property
    def last(self) -> float:
        """R up to which this slice and later ones look, where a right hypothesis says it; else `high`."""
        if not self.falls or self._right == math.inf:
            return self.high
        return max(self.high, self._stop_bound(self._right) + EPSILON)

    def _stop_bound(self, r: float) -> float:
        """R up to which a right hypothesis leaves anything to look for, in this slice or in later ones."""
        return max(self.known, r + self.reach)

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
                end = self._stop_bound(least) if each < 0 else math.inf
            self.high = min(self.high, end + EPSILON)  # what ties with it counts
            self._right = min(self._right, least) if each < 0 else self._right
