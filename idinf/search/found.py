"""What a slice is asked for, takes and gives: mode, limits, counts, and found hypotheses as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from idinf.nets.attention import AttentionPattern
from idinf.search.exact_check.frontier import DEFAULT_MAX_STATES
from idinf.space.array_record import SHARED, ArrayRecord
from idinf.space.grid import IntArray
from idinf.space.layers import LayerChoices
from idinf.space.structures import Cost, LayerShape, Structure
from idinf.space.units import MAX_UNITS, FloatArray, Units
from idinf.spec.spec import Answer


@dataclass(frozen=True, slots=True)
class Mode:
    """What a slice has to list; every value gives the same fail lengths and the same least R."""

    #: Tell exact functions apart even where they differ from the target on a short word. Otherwise such
    #: hypotheses come once per behaviour on short words.
    expand: bool = False
    raw: bool = False  #: keep every realisation, not only the cheapest ones of each exact function
    use_conflicts: bool = True  #: prune by the conflict filter
    use_certificates: bool = True  #: prune by certificates of the last layer
    #: Slices up to this R take less time than loading what proposes certificates, and lists pairs.
    certified_above: float = 9.0
    #: Leave out structures with heads in one layer at most where counts of symbols do not tell words apart.
    use_confusion: bool = True
    use_hard_words: bool = True  #: list pairs of last units by a word that few units serve
    use_refutation: bool = True  #: try longer words that refuted others before an exact check
    #: Try to prove hypotheses right on all words before they are compared on long ones.
    use_proofs: bool = True
    #: Screen words that are drawn from the automaton of a regular target from the start.
    use_pumped_words: bool = True
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
    lower_layers: int = 0  #: distinct lower layers that passed the conflict filter
    exact: int = 0  #: hypotheses whose fail length was decided on words beyond the short ones
    #: Steps of all kinds that were counted, about as many a second on any machine: what a budget is given in.
    work: int = 0

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
class HypothesisBatch(ArrayRecord):
    """N hypotheses of one structure over the same lower layers."""

    structure: Structure = field(metadata=SHARED)
    #: Realisations of each lower layer; all of one list behave alike (exactly alike when expanded).
    lower: tuple[LayerChoices, ...] = field(metadata=SHARED)
    lower_costs: FloatArray = field(metadata=SHARED)  #: (F, 4): Pareto costs of the lower layers
    top: LayerChoices  #: the last layer, one realisation per hypothesis
    signs: IntArray  #: (N, t) or (N, K, t): the row U, or the K rows of next symbols
    threshold: IntArray  #: (N,)
    r: FloatArray  #: (N,): R over the cheapest lower layers
    fail: IntArray  #: (N,): exact fail length, -1 if there is none up to the horizon
    #: (N, B): answers on all short words, packed, all K of a prefix for next symbols: tells functions apart.
    outputs: NDArray[np.uint8]


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
    Cost,
    Counts,
    HypothesisBatch,
    LayerChoices,
    LayerShape,
    Structure,
    Units,
)
