"""Protocols that solve function composition of one or two maps, each by saying another thing in full.

For example L = 2. Player -1 wants z_2(w_1, i_1) with i_1 = z_1(z_0). In the first epoch player 2 sees w,
z_0 or z_1, with whomever it writes to, and never i_1. So something is sent in full before anybody knows
which part of it will matter:

- `reveal`: player 1 tells -1 all of z_1; in the second epoch player 2 tells -1 the one value that matters.
- `slice`: player 2 tells -1 all of z_2(w_1, ·); player 1 tells 0 the value i_1, and player 0 passes it on.
- `compose`: player 2 tells 1 all of z_2(·, z_1(·)); player 1, who then sees w and z_0 with -1, answers.

In `silent` nobody says anything, for any L, and the answer is 0; it is there to be shown wrong.

For L = 1 `reveal` sends z_1 and z_0, and nothing is better (`idinf.composition.least`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from idinf.composition.protocol import View
from idinf.composition.task import Sizes
from idinf.errors import CompositionError
from idinf.quoting import list_some, quote, suggest

#: A function of a protocol: what is said, as numbers below a bound.
_Said = Callable[[View], Iterable[int]]


@dataclass(frozen=True)
class _Rule:
    """What one message says: so many numbers, each below ``base``, written as one number."""

    base: int
    numbers: int
    said: _Said

    @property
    def bits(self) -> int:
        """Bits that it takes."""
        return count_bits(int(self.base**self.numbers))

    def write(self, view: View) -> str:
        """The bits."""
        number = 0
        for value in self.said(view):
            number = number * self.base + value
        return f"{number:0{self.bits}b}" if self.bits else ""

    def read(self, text: str, place: int = 0) -> int:
        """One of the numbers."""
        whole = int(text[: self.bits] or "0", 2)
        return int(whole // self.base ** (self.numbers - 1 - place) % self.base)


@dataclass(frozen=True)
class ShippedProtocol:
    """A protocol by its rules; a message without one is empty.

    Examples
    --------
    >>> from idinf.composition.protocol import simulate
    >>> from idinf.composition.task import SequentialComposition
    >>> sizes = Sizes(2, (2,))
    >>> task = SequentialComposition(sizes, 1, ((1, 0), (3, 2, 1, 0)), (1,))
    >>> [simulate(ship(name, sizes), task.inputs()).answer for name in SHIPPED]
    [1, 1, 1, 0]
    >>> [ship(name, sizes).bits for name in SHIPPED]
    [1, 2, 2, 0]
    """

    name: str
    sizes: Sizes
    rules: Mapping[tuple[int, int, int], _Rule]
    conclude: Callable[[View], int]

    @property
    def epochs(self) -> int:
        """L."""
        return self.sizes.layers

    @property
    def bits(self) -> int:
        """The least B in which all messages fit."""
        held = {-1: 1, 0: 1, **dict(enumerate(self.sizes.domains, start=1))}
        return max(
            (-(-rule.bits // (2 * held[receiver])) for (_, _, receiver), rule in self.rules.items()),
            default=0,
        )

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """What the rule of the message says."""
        rule = self.rules.get((epoch, sender, receiver))
        return "" if rule is None else rule.write(view)

    def answer(self, view: View) -> int:
        """i_L."""
        return self.conclude(view)


def count_bits(values: int) -> int:
    """How many bits tell so many values apart.

    Examples
    --------
    >>> [count_bits(values) for values in (1, 2, 3, 4, 5)]
    [0, 1, 2, 2, 3]
    """
    return (values - 1).bit_length()


def _start(view: View) -> Iterable[int]:
    return view.tokens(0)


def _first(view: View) -> Iterable[int]:
    return view.tokens(1)


def _reveal(sizes: Sizes) -> ShippedProtocol:
    m = sizes.m
    first, start = _Rule(m, m, _first), _Rule(m, 1, _start)

    def middle(view: View) -> int:
        return first.read(view.message(1, 1, -1), start.read(view.message(1, 0, -1)))

    rules = {(1, 1, -1): first, (1, 0, -1): start}
    if sizes.layers == 1:
        return ShippedProtocol("reveal", sizes, rules, middle)
    value = _Rule(
        sizes.domains[1], 1, lambda view: [view.tokens(2)[sizes.pair(1, view.tokens(-1)[0], middle(view))]]
    )
    return ShippedProtocol(
        "reveal",
        sizes,
        {**rules, (2, 2, -1): value},
        lambda view: value.read(view.message(2, 2, -1)),
    )


def _slice(sizes: Sizes) -> ShippedProtocol:
    m = sizes.m
    row = _Rule(
        sizes.domains[1],
        m,
        lambda view: (view.tokens(2)[sizes.pair(1, view.tokens(-1)[0], value)] for value in range(m)),
    )
    told = _Rule(m, 1, lambda view: [view.tokens(1)[view.tokens(0)[0]]])
    passed = _Rule(m, 1, lambda view: [told.read(view.message(1, 1, 0))])
    return ShippedProtocol(
        "slice",
        sizes,
        {(1, 2, -1): row, (1, 1, 0): told, (2, 0, -1): passed},
        lambda view: row.read(view.message(1, 2, -1), passed.read(view.message(2, 0, -1))),
    )


def _compose(sizes: Sizes) -> ShippedProtocol:
    m, n = sizes.m, sizes.n[0]
    size = sizes.domains[1]
    pairs = list(itertools.product(range(n), range(m)))
    start = _Rule(m, 1, _start)
    both = _Rule(
        size,
        n * m,
        lambda view: (view.tokens(2)[sizes.pair(1, part, view.tokens(1)[value])] for part, value in pairs),
    )
    answer = _Rule(
        size,
        1,
        lambda view: [
            both.read(view.message(1, 2, 1), view.tokens(-1)[0] * m + start.read(view.message(1, 0, -1)))
        ],
    )
    return ShippedProtocol(
        "compose",
        sizes,
        {(1, 2, 1): both, (1, 0, -1): start, (2, 1, -1): answer},
        lambda view: answer.read(view.message(2, 1, -1)),
    )


def _silent(sizes: Sizes) -> ShippedProtocol:
    return ShippedProtocol("silent", sizes, {}, lambda view: 0)


#: The protocols by name, with the numbers of maps for which each is right.
SHIPPED: Mapping[str, tuple[tuple[int, ...], Callable[[Sizes], ShippedProtocol]]] = {
    "reveal": ((1, 2), _reveal),
    "slice": ((2,), _slice),
    "compose": ((2,), _compose),
    "silent": ((), _silent),
}


def ship(name: str, sizes: Sizes) -> ShippedProtocol:
    """Make one of the shipped protocols for some sizes.

    Raises
    ------
    CompositionError
        If there is none of that name, or it is not for so many maps.
    """
    if name not in SHIPPED:
        hint = suggest(name, SHIPPED) or "take one of them, or a file that ends in .json"
        raise CompositionError(
            f"protocol {quote(name)} is not shipped; expected {list_some(SHIPPED, ', ')}; {hint}"
        )
    layers, make = SHIPPED[name]
    if layers and sizes.layers not in layers:
        raise CompositionError(
            f"protocol {quote(name)} is for L = {list_some(map(str, layers), ' or ')}, not {sizes.layers}; "
            "expected as many sizes n_l as it has, one less than L; give other sizes"
        )
    return make(sizes)


def ship_all(sizes: Sizes) -> list[ShippedProtocol]:
    """All shipped protocols that are right for some sizes; none for three maps or more."""
    return [make(sizes) for layers, make in SHIPPED.values() if sizes.layers in layers]
