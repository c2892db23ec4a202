"""What a search may take: memory, as numbers of things, and time, as a function that may stop it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from idinf.search.exact_check.reachability import DEFAULT_MAX_STATES
from idinf.space.units import MAX_UNITS

__all__ = ["DEFAULT_LIMITS", "SearchLimits"]


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search.

    Attributes
    ----------
    max_states : int
        Bound on the joint states of the exact check.
    most : int
        Bound on every list of units or pairs of units.
    checkpoint : callable
        Called before every part of the work; may raise to stop the search.
    enter : callable
        Called with their number in every worker process, before its work.
    """

    max_states: int = DEFAULT_MAX_STATES
    most: int = MAX_UNITS
    checkpoint: Callable[[], None] = lambda: None
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
