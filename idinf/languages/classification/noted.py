"""An automaton whose states show the last symbols and the length modulo D, as predicates do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from idinf.targets.explored import explore
from idinf.targets.machine import IntArray

#: Most states with notes that are followed.
MAX_NOTED = 1_500


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """What local and periodic predicates show of a prefix.

    `residue`: its length modulo D. `past`: codes of its last symbols, at most k of them, the last one at the
    end.
    """

    residue: int
    past: tuple[int, ...]

    def symbol(self, lag: int) -> int | None:
        """The code of the symbol so many places from the end, from 1 on; None before the first one."""
        return self.past[-lag] if lag <= len(self.past) else None


@dataclass(frozen=True, slots=True)
class NotedAutomaton:
    """States with notes; number 0 is the start.

    `states`: the state without its note. `table`: the successors, by code. `modulus`: D.
    """

    states: tuple[int, ...]
    notes: tuple[Note, ...]
    table: tuple[tuple[int, ...], ...]
    modulus: int


def annotate_states(
    table: IntArray, window: int, modulus: int, most: int = MAX_NOTED
) -> NotedAutomaton | None:
    """The states reached with their notes; None if there are more than ``most``.

    `table`: state 0 is the start. `window, modulus`: how many of the last symbols are noted, k, and D.

    >>> import numpy as np
    >>> found = annotate_states(np.array([[1], [0]]), 0, 4)
    >>> found.states, found.table
    ((0, 1, 0, 1), ((1,), (2,), (3,), (0,)))
    """
    rows = table.tolist()

    def successors(found: list[tuple[int, Note]]) -> Iterator[list[tuple[int, Note]]]:
        for state, note in found:
            yield [
                (target, Note((note.residue + 1) % modulus, (*note.past, code)[-window:] if window else ()))
                for code, target in enumerate(rows[state])
            ]

    found, edges, is_complete = explore((0, Note(0, ())), successors, most)
    if not is_complete:
        return None
    states, notes = zip(*found, strict=True)
    return NotedAutomaton(states, notes, tuple(map(tuple, edges)), modulus)
