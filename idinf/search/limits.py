"""What a search may take: memory, as numbers of things, and time, as a function that may stop it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from idinf.search.exact_check.frontier import DEFAULT_MAX_STATES
from idinf.space.units import MAX_UNITS


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search."""

    #: Bound on the joint states of the exact check.
    max_states: int = DEFAULT_MAX_STATES
    #: Bound on every list of units or pairs of units.
    most: int = MAX_UNITS
    #: Called before every part of the work, here as wherever a checkpoint is asked for; may raise to stop.
    checkpoint: Callable[[], None] = lambda: None
    #: Called with their number in every worker process, before its work.
    enter: Callable[[int], None] = lambda sharers: None

    def shared(self, sharers: int) -> SearchLimits:
        """Those of one of several worker processes: a share of the memory, and no clock.

        Examples
        --------
        >>> SearchLimits(max_states=7, most=1).shared(3).max_states
        2
        """
        most, max_states = max(1, self.most // sharers), max(1, self.max_states // sharers)
        return replace(self, max_states=max_states, most=most, checkpoint=lambda: None)


#: Where nothing else is said: lists that fit a few gigabytes, and no clock.
DEFAULT_LIMITS = SearchLimits()
