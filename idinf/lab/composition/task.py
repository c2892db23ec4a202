"""The task of [CPW24]: function composition in L steps, each but the first with a query of its own.

For example L = 2, m = 2, n_1 = 2. A map z_1 of [2] takes z_0 to i_1; the map z_2 of [4] takes the pair (w_1,
i_1) to i_2, which is the answer. The source counts from 1; here every number begins at 0, so that [N] is
0..N-1 and the pair (w_l, i_l) is the number w_l·N_{l-1} + i_l: for w_1 = 1 and i_1 = 0 it is 2.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from idinf.base.quoting import quote
from idinf.errors import CompositionError

#: Tokens of an instance, at most: the values of all its maps, z_0 and w.
MOST_TOKENS = 2**16


@dataclass(frozen=True)
class Sizes:
    """The numbers m and n_1 … n_{L-1}, which decide how large everything else is.

    Attributes
    ----------
    m : int
        How many values z_0 can have.
    n : tuple of int
        n_1 … n_{L-1}, how many values each part of the query w can have; empty for L = 1.

    Examples
    --------
    >>> Sizes(2, (2,)).domains, Sizes(2, (2,)).count()
    ((2, 4), 4096)
    """

    m: int
    n: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, value in (("m", self.m), *((f"n[{place}]", value) for place, value in enumerate(self.n))):
            if value < 1:
                raise CompositionError(
                    f"{name} = {quote(value)}; expected at least 1, a number of values; raise it"
                )
        if (tokens := sum(self.domains) + 2) > MOST_TOKENS:
            raise CompositionError(
                f"m and n make {show_count(tokens)} tokens; expected at most {MOST_TOKENS}; choose smaller "
                "ones"
            )

    @property
    def layers(self) -> int:
        """L, the number of maps."""
        return len(self.n) + 1

    @cached_property
    def domains(self) -> tuple[int, ...]:
        """N_0 … N_{L-1}: N_0 = m and N_l = N_{l-1}·n_l; z_l maps the numbers below N_{l-1} to themselves."""
        return tuple(itertools.accumulate(self.n, lambda size, part: size * part, initial=self.m))

    def count(self) -> int:
        """How many instances have these sizes."""
        return math.prod(map(self.count_alternatives, range(-1, self.layers + 1)))

    def count_alternatives(self, player: int) -> int:
        """How many inputs a player may hold, |A_i| of the source."""
        if player > 0:
            return int(self.domains[player - 1] ** self.domains[player - 1])
        return self.m if player == 0 else math.prod(self.n)

    def alternatives(self, player: int) -> Iterator[tuple[int, ...]]:
        """All tokens that a player may hold, A_i of the source, in order: -1 has w, 0 has z_0, l has z_l."""
        if player > 0:
            size = self.domains[player - 1]
            return itertools.product(range(size), repeat=size)
        return ((value,) for value in range(self.count_alternatives(player)))

    def instances(self) -> Iterator[SequentialComposition]:
        """All instances: those with the same maps stand together, z_L before z_1 before z_0 before w."""
        players = range(self.layers, -2, -1)
        for tokens in itertools.product(*map(self.alternatives, players)):
            yield self.assemble(dict(zip(players, tokens, strict=True)))

    def assemble(self, inputs: dict[int, tuple[int, ...]]) -> SequentialComposition:
        """Make the instance whose players hold these tokens, the inverse of ``inputs`` of an instance."""
        maps = tuple(inputs[player] for player in range(1, self.layers + 1))
        for player in (-1, 0):
            _check_length(f"the input of player {player}", inputs[player], 1, "one token")
        return SequentialComposition(self, inputs[0][0], maps, self.unpack_query(inputs[-1][0]))

    def unpack_query(self, number: int) -> tuple[int, ...]:
        """The parts w_1 … w_{L-1} of a query that is one token; w_1 counts fastest."""
        parts = []
        for size in self.n:
            number, part = divmod(number, size)
            parts.append(part)
        return tuple(parts)

    def pair(self, level: int, part: int, value: int) -> int:
        """The number of the pair (w_l, i_l), an argument of z_{l+1}."""
        return part * self.domains[level - 1] + value


@dataclass(frozen=True)
class SequentialComposition:
    """An instance of L-sequential function composition, Definition 2.1 of [CPW24]_ with numbers from 0.

    >>> task = SequentialComposition(Sizes(2, (2,)), 1, ((1, 0), (3, 2, 1, 0)), (1,))
    >>> task.chain(), task.solve()
    ((1, 0, 1), 1)
    >>> " ".join(task.tokens())
    'z2(0)=3 z2(1)=2 z2(2)=1 z2(3)=0 z1(0)=1 z1(1)=0 z0=1 w=1'
    """

    sizes: Sizes
    z0: int  #: where the chain begins, below m
    maps: tuple[tuple[int, ...], ...]  #: ``maps[l-1][k]`` is z_l(k)
    w: tuple[int, ...] = ()  #: the query

    def __post_init__(self) -> None:
        sizes = self.sizes
        _check_length("z", self.maps, sizes.layers, "a map for each of 1..L")
        _check_length("w", self.w, len(sizes.n), "a number for each of n")
        _check_range("z0", self.z0, sizes.m)
        for level, (map_, size) in enumerate(zip(self.maps, sizes.domains, strict=True)):
            _check_length(f"z[{level}]", map_, size, f"a value for each argument of z_{level + 1}")
            for place, value in enumerate(map_):
                _check_range(f"z[{level}][{place}]", value, size)
        for place, (part, size) in enumerate(zip(self.w, sizes.n, strict=True)):
            _check_range(f"w[{place}]", part, size)

    def chain(self) -> tuple[int, ...]:
        """i_0, i_1 … i_L."""
        values = [self.z0, self.maps[0][self.z0]]
        for level, (part, map_) in enumerate(zip(self.w, self.maps[1:], strict=True), start=1):
            values.append(map_[self.sizes.pair(level, part, values[-1])])
        return tuple(values)

    def solve(self) -> int:
        """i_L, the answer."""
        return self.chain()[-1]

    def inputs(self) -> dict[int, tuple[int, ...]]:
        """What each player of the communication model holds: N_{l-1} tokens of z_l, one of z_0, one of w."""
        weights = itertools.accumulate(self.sizes.n, lambda size, part: size * part, initial=1)
        query = sum(part * weight for part, weight in zip(self.w, weights, strict=False))
        return {-1: (query,), 0: (self.z0,), **dict(enumerate(self.maps, start=1))}

    def tokens(self) -> tuple[str, ...]:
        """The prompt, in the order z_L … z_1, z_0, w: each token says which value it is of what."""
        maps = [
            f"z{level}({place})={value}"
            for level in range(self.sizes.layers, 0, -1)
            for place, value in enumerate(self.maps[level - 1])
        ]
        return (*maps, f"z0={self.z0}", "w=" + ",".join(map(str, self.w)))

    def line(self) -> str:
        r"""The instance and its chain as a line of JSON.

        >>> SequentialComposition(Sizes(2), 1, ((1, 0),)).line()
        '{"m": 2, "n": [], "z0": 1, "z": [[1, 0]], "w": [], "chain": [1, 0]}\n'
        """
        own = {"m": self.sizes.m, "n": self.sizes.n, "z0": self.z0, "z": self.maps, "w": self.w}
        return json.dumps({**own, "chain": self.chain()}) + "\n"


def draw(sizes: Sizes, seed: int) -> Iterator[SequentialComposition]:
    """Draw instances without end, all values uniformly; the same seed gives the same ones.

    Examples
    --------
    >>> next(draw(Sizes(2, (2,)), seed=1)).solve()
    3
    """
    source = random.Random(seed)
    while True:
        z0 = source.randrange(sizes.m)
        maps = tuple(tuple(source.randrange(size) for _ in range(size)) for size in sizes.domains)
        yield SequentialComposition(sizes, z0, maps, tuple(source.randrange(size) for size in sizes.n))


def show_count(count: int) -> str:
    """Write a number that may be long, for a message.

    >>> show_count(4096), show_count(3**1000)
    ('4096', 'at least 2^1584')
    """
    return str(count) if count.bit_length() < 64 else f"at least 2^{count.bit_length() - 1}"


def _check_length(name: str, values: tuple[object, ...], size: int, meaning: str) -> None:
    if len(values) != size:
        raise CompositionError(
            f"{name} has {len(values)}; expected {size}, {meaning}; add or remove what differs"
        )


def _check_range(name: str, value: int, size: int) -> None:
    if not 0 <= value < size:
        raise CompositionError(
            f"{name} = {quote(value)}; expected 0..{size - 1}; numbers begin at 0, correct it"
        )
