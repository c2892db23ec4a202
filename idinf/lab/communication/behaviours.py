"""How many first halves a target tells apart: the rows of its communication matrix that differ.

Words u, u' of length m behave alike if f(uv) = f(u'v) for every v of length n − m. A message from the party
that has u must differ between words that do not: with fewer than log₂(rows) bits some answer is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.base.numbers import format_amount
from idinf.errors import BudgetError
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

#: States of all lengths from the midpoint on that are kept at once.
MAX_STATES = 1_000_000


@dataclass(frozen=True, slots=True)
class Growth:
    """What is proved about the number of behaviours for every n."""

    #: ``"constant"``: the number is bounded; ``"logarithmic"``: its log₂ is at most c · log n;
    #: ``"linear"``: its log₂ is at least c · n for infinitely many n; or ``"unknown"``.
    kind: str
    reason: str


def count_behaviours(
    target: Target, length: int, split: int | None = None, max_states: int = MAX_STATES
) -> int:
    """The number of distinct rows f(u·) over all u of length `split`, by default ⌊n/2⌋ for n = `length`.

    The lower side of Corollary 13 of [HYB25]_. Exact: states reached jointly by all words are merged where no
    suffix of length n − m tells them apart. Raises BudgetError if more states than `max_states` would be
    kept.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> [count_behaviours(build_target(load("dyck-1")), n) for n in (2, 4, 8, 16)]   # heights, and "broken"
    [2, 3, 4, 6]
    """
    split = length // 2 if split is None else split
    states = target.start()
    kept = len(states)
    steps: list[NDArray[np.int64]] = []
    for place in range(length):
        before, left = len(states), length - place - 1
        after = np.concatenate([target.step(states, code) for code in range(len(target.alphabet))])
        if left:
            after = target.settled(after, left)
        # where every symbol leads every state, (|Σ| · S,)
        states, following = np.unique(after, axis=0, return_inverse=True)
        kept = len(states) if place < split else kept + len(states)
        if kept > max_states:
            raise BudgetError(
                f"behaviours of words of length {length}: more than {max_states} states; expected fewer; "
                "lower --max-n"
            )
        if place >= split:
            steps.append(following.reshape(-1, before).T)  # (S, |Σ|)
    classes = target.labels(states).astype(np.int64)
    for following in reversed(steps):
        # two states are alike iff every symbol leads them to states that are
        _, numbers = np.unique(classes[following], axis=0, return_inverse=True)
        classes = numbers.reshape(-1)
    return len(np.unique(classes))


def prove_growth(target: Target) -> Growth:
    """What a machine proves about its behaviours at every n.

    >>> from idinf.base.words import Alphabet
    >>> prove_growth(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    Growth(kind='constant', reason='a finite automaton of 3 states')
    """
    if isinstance(target, RegularTarget):
        return Growth("constant", f"a finite automaton of {format_amount(len(target.table), 'state')}")
    if isinstance(target, CountingTarget):
        counters = sum(cap is None for cap in target.layout.caps)
        if not counters:
            return Growth("constant", "a machine whose counters are all bounded")
        return Growth("logarithmic", f"a machine of {format_amount(counters, 'counter')}, each at most c · n")
    return Growth("unknown", "nothing is proved about this machine")
