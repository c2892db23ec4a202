"""Exact fail lengths, and agreement, by joint reachability of hypotheses and a target or each other.

A prefix is summarised by a few integers (sums that decide every later attention output, and the features of
the last τ positions) and by the target's state. Prefixes with equal summaries behave alike for ever and are
merged, so all words of a length are covered by the reachable summaries of that length: polynomially many
where there are 2^128 words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from idinf.base.words import Word
from idinf.errors import StatesExceeded
from idinf.nets.one_hot import OneHotTransformer
from idinf.search.exact_check.frontier import DEFAULT_MAX_STATES, Frontier, FrontierFull, Trail, blocks
from idinf.search.exact_check.joint_layers import FeatureSpace, JointLayer, Readout, joint_layers
from idinf.search.exact_check.merging import DEFAULT_SIZES, CheckSizes, word_of
from idinf.search.exact_check.nets import Nets, nets_of
from idinf.search.exact_check.summaries import LinearForms
from idinf.space.grid import IntArray
from idinf.space.rows import group_rows, list_members_of_groups
from idinf.targets.machine import NEVER, Target


def fail_lengths(
    target: Target,
    nets: Nets,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> IntArray:
    """Length of a shortest word on which each hypothesis differs from the target.

    Gives (N,) lengths, -1 where there is no difference up to ``horizon``. The checkpoint is called several
    times for every length; it may raise to stop. Raises StatesExceeded if more summaries of one length than
    ``max_states`` would have to be kept; it says up to which length all words were decided.

    Implements fail of [HYB25] Definition 6: exact integer arithmetic. Where the units of the lower layers do
    not depend on N (uniform heads), one pass over the positions serves words of all lengths; otherwise one
    pass serves a block of N = length + 1, and blocks follow each other until every hypothesis has failed.
    Cost is linear in the number of summaries, at most O(n^(independent sums)) of them per length.
    """
    fails = np.full(len(nets), -1, dtype=np.int64)
    space, lower, [readout] = joint_layers([nets])
    limit, stopped = horizon, None
    for group, summary in _by_values(space, lower, readout):
        frontier = Frontier(
            space, lower, [readout.take(group)], summary, target, max_states, checkpoint, sizes
        )
        try:
            fails[group] = decide(frontier, len(group), limit)
        except StatesExceeded as error:
            limit, stopped = min(limit, error.exact_to), error
    if stopped is not None:
        raise stopped
    return fails


def least_mistake(
    target: Target,
    net: Nets,
    fail: int,
    max_states: int = DEFAULT_MAX_STATES,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> Word:
    """Least word on which one hypothesis of known fail length differs from the target.

    Summaries are kept in the order of their least word, so the first wrong one has the least word; the steps
    that lead to it are remembered. Raises StatesExceeded as `fail_lengths`. Raises RuntimeError if the fail
    length is not that of the hypothesis.
    """
    space, lower, readouts = joint_layers([net])
    summary = LinearForms(space, [*lower, readouts[0].layer])
    frontier = Frontier(space, lower, readouts, summary, target, max_states, checkpoint, sizes)
    block = range(fail + 1, fail + 2) if frontier.depends_on_N else None
    trail: Trail = []
    words: list[Word] = []
    try:
        for step in frontier.steps(fail, block, trail):
            if step.least is not None:
                *least, rest = step.least
                words.append((*word_of(trail, *least), *rest))
    except FrontierFull as full:
        raise _exceeded(full, full.length, max_states) from None
    if not words:
        raise RuntimeError(f"internal error: a word of length {fail} was wrong, now none is")
    return min(words)  # all of one length, one for each position that is wrong first


def decide(frontier: Frontier, number: int, horizon: int) -> IntArray:
    """Fail lengths of the ``number`` hypotheses of a frontier, (number,), -1 if none up to ``horizon``.

    Raises StatesExceeded only while some hypothesis is undecided.
    """
    fails = np.full(number, NEVER)
    alive = np.arange(number)
    waiting: list[range | None] = [*reversed(blocks(horizon))] if frontier.depends_on_N else [None]
    while waiting and len(alive):
        block = waiting.pop()
        try:
            for step in frontier.steps(horizon, block):
                fails[alive] = np.minimum(fails[alive], step.fails)
                # Words that later positions belong to are longer than this one.
                open_ = fails[alive] > step.length
                if not open_.all():
                    alive = alive[open_]
                    if not len(alive):
                        break
                    frontier.keep(np.flatnonzero(open_))
        except FrontierFull as full:
            # Every N up to that of the length reached is decided.
            left = range(0) if block is None else range(max(block[0], full.length + 2), block[-1] + 1)
            if full.hopeless:
                exact_to = left[0] - 2 if left else full.length
                raise _exceeded(full, exact_to, frontier.max_states) from None
            # Fewer N at a time keep fewer summaries.
            middle = (len(left) + 1) // 2
            waiting += [part for part in (left[middle:], left[:middle]) if part]
    return np.where(fails == NEVER, -1, fails)


def _exceeded(full: FrontierFull, exact_to: int, max_states: int) -> StatesExceeded:
    decided = f"all words up to length {exact_to} were decided" if exact_to >= 0 else "no word was decided"
    return StatesExceeded(
        f"exact check at length {full.length}: {full.states} joint states, more than the {max_states} that "
        f"fit the memory bound ({decided}); raise --memory or lower --max-n",
        exact_to,
    )


def _by_values(
    space: FeatureSpace, lower: list[JointLayer], readout: Readout
) -> Iterator[tuple[IntArray, LinearForms]]:
    """Hypotheses that read the same values together, and their sums: each kind gets a pass of its own."""
    number = len(readout.threshold)
    values = [head.values.reshape(number, -1) for head in readout.layer.heads]
    keys = np.concatenate([np.zeros((number, 1), dtype=np.int64), *values], axis=1)
    _, group = group_rows(keys)
    for members in list_members_of_groups(group, int(group.max(initial=-1)) + 1):
        yield members, LinearForms(space, [*lower, readout.take(members[:1]).layer])


def agree(
    one: OneHotTransformer | Nets,
    other: OneHotTransformer | Nets,
    horizon: int,
    max_states: int = DEFAULT_MAX_STATES,
    target: Target | None = None,
    checkpoint: Callable[[], None] = lambda: None,
    sizes: CheckSizes = DEFAULT_SIZES,
) -> bool:
    """Whether two hypotheses over one alphabet answer alike on every word up to length ``horizon``; exact.

    They may differ in everything else, period and precision too. A target says which words and positions
    count, as it must for next symbols; without one the ends of all words do. Raises StatesExceeded if the
    joint summaries are more than ``max_states`` before a difference is met.

    >>> from idinf.nets.one_hot import OneHotHead, OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> def more_b(weight, precision):
    ...     head = OneHotHead(((0, -weight, weight),))
    ...     unit = OneHotUnit(((0, 0, 2**precision),), s=(0, 0, 0), b=0)
    ...     layer = OneHotLayer((head,), (unit,))
    ...     return OneHotTransformer(Alphabet(("a", "b")), precision, (layer,), (1,), 0)
    >>> agree(more_b(1, 0), more_b(3, 1), 40)
    True
    """
    nets = [each if isinstance(each, Nets) else nets_of(each) for each in (one, other)]
    space, lower, readouts = joint_layers(nets)
    summary = LinearForms(space, [*lower, *(readout.layer for readout in readouts)])
    frontier = Frontier(space, lower, readouts, summary, target, max_states, checkpoint, sizes)
    return bool(decide(frontier, 1, horizon)[0] < 0)
