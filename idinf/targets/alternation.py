"""How often a regular language changes its mind along words u y^k.

For example, of the words (ab)^k the language (abab)* has every second one.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from idinf.targets.machine import IntArray
from idinf.targets.regular import RegularTarget

#: Longest y, and how many are tried at most; fewer where that times the states is too much.
LONGEST_LOOP, MOST_LOOPS, MOST_TRIED = 4, 200, 100_000


def count_changes(target: RegularTarget, length: int, period: int) -> dict[int, int]:
    """For numbers q the most changes of membership along u y^r, u y^2r, ... with q = |y^r|, up to a length.

    Each q is the least common multiple of |y| and ``period``. All states are tried as the one after u, with
    a shortest u, and all short y.

    Examples
    --------
    >>> from idinf.words import Alphabet
    >>> target = RegularTarget.from_regex("(abab)*", Alphabet(("a", "b")))
    >>> count_changes(target, 64, 1)[2], count_changes(target, 64, 4)[4]
    (31, 0)
    """
    table, accepting = target.table, target.accepting
    access = _depths(target)
    loops = itertools.chain.from_iterable(
        itertools.product(range(table.shape[1]), repeat=size) for size in range(1, LONGEST_LOOP + 1)
    )
    most: dict[int, int] = {}
    for loop in itertools.islice(loops, min(MOST_LOOPS, MOST_TRIED // len(table))):
        q = math.lcm(len(loop), period)
        once = np.arange(len(table))
        for code in loop * (q // len(loop)):
            once = table[once, code]
        changes = np.zeros(len(table), dtype=np.int64)
        state = once
        for k in range(2, length // q + 1):
            following = once[state]
            changes += (accepting[following] != accepting[state]) & (access + k * q <= length)
            state = following
        most[q] = max(most.get(q, 0), int(changes.max()))
    return most


def _depths(target: RegularTarget) -> IntArray:
    """Length of a shortest word to every state, (num_states,); every state is reached."""
    depths = np.full(len(target.table), len(target.table))
    depths[0], level, depth = 0, np.zeros(1, dtype=np.int64), 0
    while len(level):
        depth += 1
        following = np.unique(target.table[level])
        level = following[depths[following] > depth]
        depths[level] = np.minimum(depths[level], depth)
    return depths
