"""Which inputs of the upper player sound alike to all others, epoch by epoch.

For example L = 2 and m = n_1 = 2. Before the first epoch all 256 maps z_2 are alike to the players -1, 0 and
1. If player 2 then tells -1 its two values for w_1, 16 of them still are: the messages of the epoch are the
same with each of them. As long as two of them have different answers, what was said does not settle it.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.composition.protocol import MOST_RUNS, Communication, Transcript, simulate
from idinf.composition.task import SequentialComposition, show_count
from idinf.errors import CompositionError


@dataclass(frozen=True)
class Alike:
    """What the players below L cannot tell after an epoch, with their own inputs fixed.

    Attributes
    ----------
    epoch : int
        From 0, before anything is said.
    count : int
        How many inputs of player L give the same messages up to here, its own among them.
    total : int
        How many it could hold.
    twin : SequentialComposition or None
        One of them whose answer differs, alike for as long as any, with as few other values as any; None if
        there is none.
    """

    epoch: int
    count: int
    total: int
    twin: SequentialComposition | None


def list_alike(protocol: Communication, task: SequentialComposition) -> tuple[Alike, ...]:
    """Go through all inputs of player L, and say after each epoch which sound alike.

    Raises
    ------
    CompositionError
        If there are more than `MOST_RUNS` of them, or as `simulate`.

    Examples
    --------
    >>> from idinf.composition.shipped import ship
    >>> from idinf.composition.task import Sizes
    >>> sizes = Sizes(2, (2,))
    >>> task = SequentialComposition(sizes, 1, ((1, 0), (3, 2, 1, 0)), (1,))
    >>> [(one.epoch, one.count, one.twin is None) for one in list_alike(ship("slice", sizes), task)]
    [(0, 256, False), (1, 16, True), (2, 16, True)]
    """
    sizes, top = task.sizes, task.sizes.layers
    if (total := sizes.count_alternatives(top)) > MOST_RUNS:
        raise CompositionError(
            f"player {top} has {show_count(total)} inputs; expected at most {MOST_RUNS}, which are all run; "
            "choose smaller sizes"
        )
    own = _by_epoch(simulate(protocol, task.inputs()), top)
    lasting: list[tuple[int, SequentialComposition]] = []
    for tokens in sizes.alternatives(top):
        other = sizes.assemble({**task.inputs(), top: tokens})
        theirs = _by_epoch(simulate(protocol, other.inputs()), top)
        equal = [mine == said for mine, said in zip(own, theirs, strict=True)]
        lasting.append(((*equal, False).index(False), other))
    found = []
    for epoch in range(top + 1):
        alike = [(last, other) for last, other in lasting if last >= epoch]
        twins = [(last, other) for last, other in alike if other.solve() != task.solve()]
        _, twin = max(
            twins, key=lambda pair: (pair[0], -_count_differences(task, pair[1])), default=(0, None)
        )
        found.append(Alike(epoch, len(alike), total, twin))
    return tuple(found)


def _by_epoch(transcript: Transcript, epochs: int) -> list[tuple[str, ...]]:
    """What is heard in each epoch; player L hears nothing."""
    return [tuple(m.whole for m in transcript.messages if m.epoch == epoch + 1) for epoch in range(epochs)]


def _count_differences(one: SequentialComposition, other: SequentialComposition) -> int:
    return sum(a != b for a, b in zip(one.maps[-1], other.maps[-1], strict=True))
