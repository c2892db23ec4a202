"""The task of [CPW24]: function composition in L steps, each but the first with a query of its own.

For example L = 2, m = 2, n_1 = 2. A map z_1 of [2] takes z_0 to i_1; the map z_2 of [4] takes the pair (w_1,
i_1) to i_2, which is the answer. The source counts from 1; here every number begins at 0, so that [N] is
0..N-1 and the pair (w_l, i_l) is the number w_l·N_{l-1} + i_l: for w_1 = 1 and i_1 = 0 it is 2.

The lower bound of the source is about larger sizes. For L = 2 and H = d = p = 1 they are K = 2^32, m = K^10 =
2^320 and n_1 = K^4 = 2^128, so that z_2 has N_1 = 2^448 values. A prompt shorter than that holds no instance,
and Theorem 1.1 says nothing of it.
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
        """Number of instances of these sizes."""
        return math.prod(map(self.count_alternatives, range(-1, self.layers + 1)))

    def count_alternatives(self, player: int) -> int:
        """Number of inputs that a player may hold, |A_i| of the source."""
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
        """Inputs of the players of the communication model: N_{l-1} tokens of z_l, one of z_0, one of w."""
        weights = itertools.accumulate(self.sizes.n, lambda size, part: size * part, initial=1)
        query = sum(part * weight for part, weight in zip(self.w, weights, strict=False))
        return {-1: (query,), 0: (self.z0,), **dict(enumerate(self.maps, start=1))}

    def tokens(self) -> tuple[str, ...]:
        """The prompt, in the order z_L … z_1, z_0, w: each token names a value and its place."""
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


#: Layers, at most: the sizes of five take a million bits.
MOST_LAYERS = 5

#: H, d and p, at most; and bits of n.
MOST_PART, MOST_N_BITS = 2**64, 2**22

#: Verdicts of the theorem on a decoder with a prompt of n tokens.
EXCLUDED, NOT_COVERED, OUT_OF_RANGE = "excluded", "not covered", "out of range"


@dataclass(frozen=True)
class Parameters:
    """K, m, n_l and N_l of a decoder with L layers, H heads of dimension d, and p bits a number.

    Implements the sizes below Definition 2.1 of [CPW24]_: K = (HdpL)^8 · 8^(2L²), m = K^(Σ_{l<L} 8^l + 1) and
    n_l = K^(4·8^(L-l-1)). All are powers of K; the attributes called exponents are those of K.

    Raises
    ------
    CompositionError
        If a number is not in its range.

    Examples
    --------
    >>> two = Parameters(layers=2, heads=1, width=1, precision=1)
    >>> two.k == 2**32, two.m_exponent, two.n_exponents, two.domain_exponents
    (True, 10, (4,), (10, 14))
    >>> two.prompt_length == 2**448 + 2**320 + 2
    True
    """

    layers: int
    heads: int
    width: int
    precision: int

    def __post_init__(self) -> None:
        for name, value, most in (
            ("L", self.layers, MOST_LAYERS),
            ("H", self.heads, MOST_PART),
            ("d", self.width, MOST_PART),
            ("p", self.precision, MOST_PART),
        ):
            if not 1 <= value <= most:
                raise CompositionError(
                    f"{name} = {quote(value)}; expected 1..{most}; the sizes of larger ones are not "
                    "written out, "
                    "choose a smaller one"
                )

    @property
    def b(self) -> int:
        """B = H·d·p, the bits of a message for each token, halved."""
        return self.heads * self.width * self.precision

    @property
    def k(self) -> int:
        """K = (HdpL)^8 · 8^(2L²)."""
        return int((self.b * self.layers) ** 8 * 8 ** (2 * self.layers**2))

    @property
    def m_exponent(self) -> int:
        """The exponent of m, as it is printed: Σ 8^l + 1 over l < L."""
        return int(sum(8**level for level in range(self.layers))) + 1

    @property
    def x_exponents(self) -> tuple[int, ...]:
        """Exponents of x_0 … x_{L-1}, how many inputs of each player the proof keeps: 8^(L-l-1)."""
        return tuple(8 ** (self.layers - level - 1) for level in range(self.layers))

    @property
    def n_exponents(self) -> tuple[int, ...]:
        """Exponents of n_1 … n_{L-1}: 4·8^(L-l-1), so that n_l = x_l^4."""
        return tuple(4 * exponent for exponent in self.x_exponents[1:])

    @property
    def domain_exponents(self) -> tuple[int, ...]:
        """Exponents of N_0 … N_{L-1}."""
        return tuple(self.m_exponent + sum(self.n_exponents[:level]) for level in range(self.layers))

    @property
    def prompt_length(self) -> int:
        """Tokens of an instance: N_{L-1} + … + N_0 for the maps, one for z_0 and one for w."""
        return int(sum(self.k**exponent for exponent in self.domain_exponents)) + 2

    def judge(self, n: int) -> str:
        """Give the verdict of Theorem 1.1 of [CPW24]_ on such decoders with prompts of n tokens.

        ``excluded``: Hdp ≤ n^(2^-4L), and an instance of these sizes fits into n tokens, so no such decoder
        solves it. ``not covered``: Hdp is larger. ``out of range``: Hdp is small enough, but no instance
        fits; the theorem needs an L of at most the order of log log n, and no constant is known.

        Examples
        --------
        >>> two = Parameters(2, 1, 1, 1)
        >>> two.judge(2**449), two.judge(10**6), Parameters(1, 8, 64, 16).judge(10**6)
        ('excluded', 'out of range', 'not covered')
        """
        if not 1 <= n <= 1 << MOST_N_BITS:
            raise CompositionError(
                f"n = {quote(n)}; expected 1 to 2^{MOST_N_BITS}, tokens of a prompt; choose another"
            )
        if not at_most_root(self.b, n, 16**self.layers):
            return NOT_COVERED
        return EXCLUDED if self.prompt_length <= n else OUT_OF_RANGE


def at_most_root(value: int, n: int, degree: int) -> bool:
    """True if ``value`` ≤ n^(1/degree), that is value^degree ≤ n; powers are made only if it is close.

    >>> at_most_root(2, 256, 8), at_most_root(2, 255, 8), at_most_root(3, 2**12, 10**9)
    (True, False, False)
    """
    bits = value.bit_length()
    if (bits - 1) * degree >= n.bit_length():  # value ≥ 2^(bits-1), n < 2^(its bits)
        return False
    if bits * degree < n.bit_length():
        return True
    return bool(value**degree <= n)
