"""Indistinguishable decompositions: inputs of the upper players that the lower ones cannot tell apart yet.

For example a protocol for L = 2 in which nobody says anything. Take all 256 maps z_2 as R, and all inputs of
the players -1, 0 and 1 as Z: whatever these hold, what they hear does not depend on which map of R player 2
holds. Two of the maps differ at some argument (w_1, i_1) that is reached, so the protocol is wrong on one of
them.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from idinf.base.quoting import quote
from idinf.errors import CompositionError
from idinf.lab.composition.protocol import Communication, simulate
from idinf.lab.composition.task import SequentialComposition, Sizes, show_count

#: Runs of a protocol, and choices of Z, at most.
MOST_RUNS, MOST_CHOICES = 2**16, 2**12

#: Inputs of some players, one after the other; each is a tuple of tokens.
Inputs = tuple[tuple[int, ...], ...]

#: For each input of the lower players, and each of the upper ones, the messages between them.
Heard = dict[Inputs, dict[Inputs, tuple[str, ...]]]


@dataclass(frozen=True)
class Decomposition:
    """R_{≥l} and Z_{<l} of a level l from 2 to L."""

    level: int
    upper: tuple[Inputs, ...]  #: R, each the inputs of players l … L
    lower: tuple[Inputs, ...]  #: Z_0 … Z_{l-1}, what is kept of each player's inputs; Z_{-1} is every query


@dataclass(frozen=True)
class Difference:
    """A message that tells two inputs of R apart, so that a decomposition is not indistinguishable."""

    first: SequentialComposition
    second: SequentialComposition
    epoch: int
    sender: int
    receiver: int

    def __str__(self) -> str:
        return f"epoch {self.epoch}: message {self.sender} -> {self.receiver} differs"


@dataclass(frozen=True)
class Fooled:
    """Two instances with one answer of the protocol and two right ones, which Lemma 4.3 promises."""

    first: SequentialComposition
    second: SequentialComposition
    answer: int


@dataclass(frozen=True)
class Largest:
    """A maximal R for some Z, and how many values of i_{l-1} the kept inputs reach, |I(Z)|."""

    decomposition: Decomposition
    cover: int

    @property
    def kept(self) -> tuple[int, ...]:
        """|Z_0| … |Z_{l-1}|."""
        return tuple(map(len, self.decomposition.lower))

    def is_wrong(self, sizes: Sizes) -> bool:
        """Whether R is larger than Lemma 4.3 allows of a protocol that is right."""
        return len(self.decomposition.upper) > count_allowed(sizes, self.cover)


@dataclass(frozen=True, repr=False)
class ProtocolStudy:
    """How a protocol does on all instances of some sizes, and what its lower players cannot tell apart."""

    protocol: Communication
    sizes: Sizes
    level: int
    right: int  #: answers
    total: int
    most_bits: int  #: of all messages of a run
    rows: tuple[Largest, ...]  #: the largest R for each number of inputs kept and each cover
    fooled: Fooled | None  #: if a row is larger than Lemma 4.3 allows

    def __repr__(self) -> str:
        return f"<ProtocolStudy {self.protocol.name}: {self.right} of {self.total} right>"


def study_protocol(protocol: Communication, sizes: Sizes, level: int = 2) -> ProtocolStudy:
    """Run a protocol on all instances of some sizes, and find its largest indistinguishable decompositions.

    Raises
    ------
    CompositionError
        If the sizes are too large, or the protocol is for others or breaks a rule.

    Examples
    --------
    >>> from idinf.lab.composition.protocol import ship
    >>> found = study_protocol(ship("silent", Sizes(2, (1,))), Sizes(2, (1,)))
    >>> found, found.fooled.first.solve(), found.fooled.second.solve()
    (<ProtocolStudy silent: 16 of 32 right>, 0, 1)
    """
    own = getattr(protocol, "sizes", sizes)
    if own != sizes:
        raise CompositionError(
            f"protocol {quote(protocol.name)} is for m = {own.m} and n = {quote(list(own.n))}; expected "
            f"that, not m = {sizes.m} and n = {quote(list(sizes.n))}; give the same sizes"
        )
    rows = search_largest(protocol, sizes, level)
    right = total = most = 0
    for task in sizes.instances():
        run = simulate(protocol, task.inputs())
        right, total = right + (run.answer == task.solve()), total + 1
        most = max(most, run.total_bits)
    wrong = [row for row in rows if level == sizes.layers and row.is_wrong(sizes)]
    fooled = fool(protocol, sizes, wrong[-1].decomposition) if wrong else None
    return ProtocolStudy(protocol, sizes, level, right, total, most, tuple(rows), fooled)


def find_difference(protocol: Communication, sizes: Sizes, decomposition: Decomposition) -> Difference | None:
    """Find a message that tells two inputs of R apart; None if the decomposition is indistinguishable.

    Implements the definition of indistinguishable decompositions of [CPW24]_ with all its quantifiers: for
    every query (Z_{-1} = A_{-1}), every kept z_0 … z_{l-1}, all pairs of R, every epoch l' ≤ l and all
    players i ≤ l-1 < l ≤ j, the message from j to i is the same. Being the same is transitive, so the first
    input of R is compared with each of the others.
    """
    level, (reference, *others) = decomposition.level, decomposition.upper
    kept = (len(decomposition.upper), *map(len, decomposition.lower))
    _check_runs(sizes.count_alternatives(-1) * math.prod(kept))
    for low in _lower_inputs(sizes, decomposition.lower):
        expected = _heard(protocol, _joined(low, level, reference), level)
        for other in others:
            heard = _heard(protocol, _joined(low, level, other), level)
            for place, bits in expected.items():
                if heard[place] != bits:
                    first, second = (sizes.assemble(_joined(low, level, up)) for up in (reference, other))
                    return Difference(first, second, *place)
    return None


def search_largest(protocol: Communication, sizes: Sizes, level: int = 2) -> list[Largest]:
    """Find the largest R for each choice of Z_0 … Z_{l-1}, and keep the best for each number of inputs kept.

    All nonempty sets are tried. For given Z, having the same messages is an equivalence, so the maximal R are
    its classes and the largest class is the answer. Of all Z with the same sizes and the same cover the first
    with the largest R is kept; rows are sorted by sizes and cover.
    """
    if not 2 <= level <= sizes.layers:
        raise CompositionError(
            f"level = {quote(level)}; expected 2..L with L = {sizes.layers}; choose another, or more sizes"
        )
    _check_runs(sizes.count())
    kinds = [tuple(sizes.alternatives(player)) for player in range(level)]
    if (choices := math.prod(2 ** len(kind) - 1 for kind in kinds)) > MOST_CHOICES:
        raise CompositionError(
            f"there are {show_count(choices)} choices of Z; expected at most {MOST_CHOICES}; choose "
            "smaller sizes"
        )
    heard = _hear_all(protocol, sizes, level, kinds)
    best: dict[tuple[int, ...], Largest] = {}
    for lower in itertools.product(*map(_subsets, kinds)):
        found = _take_largest(heard, sizes, level, lower)
        key = (*found.kept, found.cover)
        if key not in best or len(found.decomposition.upper) > len(best[key].decomposition.upper):
            best[key] = found
    return [best[key] for key in sorted(best)]


def _hear_all(protocol: Communication, sizes: Sizes, level: int, lower: Iterable[Inputs]) -> Heard:
    """What the players below a level hear from those above it, for all inputs that these may hold."""
    uppers = list(itertools.product(*(sizes.alternatives(j) for j in range(level, sizes.layers + 1))))
    return {
        low: {upper: tuple(_heard(protocol, _joined(low, level, upper), level).values()) for upper in uppers}
        for low in _lower_inputs(sizes, lower)
    }


def _take_largest(heard: Heard, sizes: Sizes, level: int, lower: tuple[Inputs, ...]) -> Largest:
    """Sort the inputs of the upper players by what is heard of them with Z, and take the largest class."""
    classes: dict[object, list[Inputs]] = defaultdict(list)
    rows = [heard[low] for low in _lower_inputs(sizes, lower)]
    for upper in rows[0]:
        classes[tuple(row[upper] for row in rows)].append(upper)
    largest = max(classes.values(), key=len)
    return Largest(Decomposition(level, tuple(largest), lower), len(reached(sizes, lower)))


def reached(sizes: Sizes, lower: Iterable[Inputs]) -> set[int]:
    """I(Z): all values of i_{l-1} that some query and some kept inputs of the players 0 … l-1 reach."""
    return {_last_value(sizes, low) for low in _lower_inputs(sizes, lower)}


def count_allowed(sizes: Sizes, cover: int) -> int:
    """How large R may be while all of it agrees wherever ``cover`` values of i_{L-1} lead.

    That many maps z_L agree with a given one on all n_{L-1}·cover arguments (w_{L-1}, i_{L-1}): it is |A_L| /
    N_{L-1}^(n_{L-1}·cover). An R that is larger, strictly, holds two maps that differ at one of them; one
    that is just as large need not.

    >>> count_allowed(Sizes(2, (2,)), 1), count_allowed(Sizes(2, (2,)), 2)
    (16, 1)
    """
    domain = sizes.domains[-1]
    return int(domain ** (domain - sizes.n[-1] * cover))


def fool(protocol: Communication, sizes: Sizes, decomposition: Decomposition) -> Fooled | None:
    """Show by Lemma 4.3 of [CPW24]_ that a protocol is wrong; None if its counting does not apply.

    The lemma asks for an indistinguishable decomposition at level L with |R| > `count_allowed`. Then two maps
    of R differ at an argument that is reached; players below L hear the same of both, so player -1 answers
    the same. Raises CompositionError if a message tells two inputs of R apart.
    """
    if (difference := find_difference(protocol, sizes, decomposition)) is not None:
        raise CompositionError(
            f"{difference}; expected the same for all of R; take an indistinguishable decomposition"
        )
    if len(decomposition.upper) <= count_allowed(sizes, len(reached(sizes, decomposition.lower))):
        return None
    for low in _lower_inputs(sizes, decomposition.lower):
        tasks = [sizes.assemble(_joined(low, sizes.layers, upper)) for upper in decomposition.upper]
        for task in tasks[1:]:
            if task.solve() != tasks[0].solve():
                return Fooled(tasks[0], task, simulate(protocol, task.inputs()).answer)
    raise AssertionError("more maps than agree on these arguments, and all of them agree")


def _heard(
    protocol: Communication, inputs: Mapping[int, tuple[int, ...]], level: int
) -> dict[tuple[int, int, int], str]:
    """What players below a level hear from players above it up to the epoch of that number."""
    return {
        (m.epoch, m.sender, m.receiver): m.whole
        for m in simulate(protocol, inputs).messages
        if m.epoch <= level and m.receiver < level <= m.sender
    }


def _lower_inputs(sizes: Sizes, lower: Iterable[Inputs]) -> Iterator[Inputs]:
    return itertools.product(sizes.alternatives(-1), *lower)


def _joined(low: Inputs, level: int, upper: Inputs) -> dict[int, tuple[int, ...]]:
    return {**dict(enumerate(low, start=-1)), **dict(enumerate(upper, start=level))}


def _last_value(sizes: Sizes, low: Inputs) -> int:
    """i_{l-1} of inputs of the players -1 … l-1."""
    (query,), (value,), *maps = low
    value = maps[0][value]
    for level, (part, map_) in enumerate(zip(sizes.unpack_query(query), maps[1:], strict=False), start=1):
        value = map_[sizes.pair(level, part, value)]
    return value


def _subsets(kind: Inputs) -> Iterator[Inputs]:
    for size in range(1, len(kind) + 1):
        yield from itertools.combinations(kind, size)


def _check_runs(count: int) -> None:
    """Refuse to run a protocol too often; CompositionError."""
    if count > MOST_RUNS:
        raise CompositionError(
            f"the protocol would be run {show_count(count)} times; expected at most {MOST_RUNS}; choose "
            "smaller sizes"
        )
