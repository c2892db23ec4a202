"""Protocols that solve function composition, each by saying another thing in full.

For example L = 2. Player -1 wants z_2(w_1, i_1) with i_1 = z_1(z_0). In the first epoch player 2 sees w,
z_0 or z_1, with whomever it writes to, and never i_1. So something is sent in full before anybody knows
which part of it will matter:

- `reveal`: player 1 tells -1 all of z_1; in the second epoch player 2 tells -1 the one value that matters.
- `slice`: player 2 tells -1 all of z_2(w_1, ·); player 1 tells 0 the value i_1, and player 0 passes it on.
- `compose`: player 2 tells 1 all of z_2(·, z_1(·)); player 1, who then sees w and z_0 with -1, answers.

For more maps there are more epochs, too. One player l after the other tells -1 the value i_l, which takes an
epoch each; what is sent in full saves the one that is missing: z_1 by `reveal`, z_L by the other two.

In `silent` nobody says anything, for any L, and the answer is 0; it is there to be shown wrong.

For L = 1 `reveal` sends z_1 and z_0, and nothing is better (`idinf.composition.counting`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

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


#: What a player reads a number from, once it has heard it.
_Known = Callable[[View], int]

_Rules = dict[tuple[int, int, int], _Rule]


def _one(base: int, known: _Known) -> _Rule:
    return _Rule(base, 1, lambda view: [known(view)])


def _value(sizes: Sizes, level: int, before: _Known) -> _Rule:
    """Player l tells -1 the value i_l, once -1 knows i_{l-1} of ``before``; l is 2 or more."""

    def said(view: View) -> int:
        return view.tokens(level)[sizes.pair(level - 1, _part(sizes, level - 1, view), before(view))]

    return _one(sizes.domains[level - 1], said)


def _part(sizes: Sizes, level: int, view: View) -> int:
    """w_l, which player -1 holds."""
    return sizes.unpack_query(view.tokens(-1)[0])[level - 1]


def _chain(sizes: Sizes, last: int) -> tuple[_Rules, _Known]:
    """Let -1 know i_last after epoch last + 1; player 0 hears i_1 and passes it on first."""
    m = sizes.m
    if last == 0:
        start = _one(m, lambda view: view.tokens(0)[0])
        return {(1, 0, -1): start}, lambda view: start.read(view.message(1, 0, -1))
    told = _one(m, lambda view: view.tokens(1)[view.tokens(0)[0]])
    passed = _one(m, lambda view: told.read(view.message(1, 1, 0)))
    rules = {(1, 1, 0): told, (2, 0, -1): passed}
    return _go_on(sizes, rules, lambda view: passed.read(view.message(2, 0, -1)), last, 1)


def _go_on(sizes: Sizes, rules: _Rules, known: _Known, last: int, later: int) -> tuple[_Rules, _Known]:
    """Go on from i_1 to i_last: player l tells -1 in epoch l, or as many ``later``."""
    for level in range(2, last + 1):
        place = (level + later, level, -1)
        rules[place] = rule = _value(sizes, level, known)
        known = partial(_heard, rule, place)
    return rules, known


def _heard(rule: _Rule, place: tuple[int, int, int], view: View) -> int:
    return rule.read(view.message(*place))


def _reveal(sizes: Sizes) -> ShippedProtocol:
    m = sizes.m
    rules, start = _chain(sizes, 0)
    rules[1, 1, -1] = first = _Rule(m, m, lambda view: view.tokens(1))
    known = _go_on(
        sizes, rules, lambda view: first.read(view.message(1, 1, -1), start(view)), sizes.layers, 0
    )
    return ShippedProtocol("reveal", sizes, *known)


def _slice(sizes: Sizes) -> ShippedProtocol:
    top, size = sizes.layers, sizes.domains[-2]

    def said(view: View) -> Iterable[int]:
        begin = sizes.pair(top - 1, _part(sizes, top - 1, view), 0)
        return view.tokens(top)[begin : begin + size]

    rules, known = _chain(sizes, top - 1)
    rules[1, top, -1] = row = _Rule(sizes.domains[-1], size, said)
    return ShippedProtocol(
        "slice", sizes, rules, lambda view: row.read(view.message(1, top, -1), known(view))
    )


def _compose(sizes: Sizes) -> ShippedProtocol:
    top, size = sizes.layers, sizes.domains[-2]

    def said(view: View) -> Iterable[int]:
        upper, lower = view.tokens(top), view.tokens(top - 1)
        return (upper[sizes.pair(top - 1, part, i)] for part in range(sizes.n[-1]) for i in lower)

    rules, known = _chain(sizes, top - 2)
    rules[1, top, top - 1] = both = _Rule(sizes.domains[-1], sizes.n[-1] * size, said)

    def answer(view: View) -> int:
        value = known(view)  # i_{L-2}, and with w_{L-2} the argument of z_{L-1}
        argument = value if top == 2 else sizes.pair(top - 2, _part(sizes, top - 2, view), value)
        return both.read(view.message(1, top, top - 1), _part(sizes, top - 1, view) * size + argument)

    rules[top, top - 1, -1] = last = _one(sizes.domains[-1], answer)
    return ShippedProtocol("compose", sizes, rules, lambda view: last.read(view.message(top, top - 1, -1)))


def _silent(sizes: Sizes) -> ShippedProtocol:
    return ShippedProtocol("silent", sizes, {}, lambda view: 0)


#: The protocols by name, with the least L for which each is right; None for never.
SHIPPED: Mapping[str, tuple[int | None, Callable[[Sizes], ShippedProtocol]]] = {
    "reveal": (1, _reveal),
    "slice": (2, _slice),
    "compose": (2, _compose),
    "silent": (None, _silent),
}


def ship(name: str, sizes: Sizes) -> ShippedProtocol:
    """Make one of the shipped protocols for some sizes.

    Raises
    ------
    CompositionError
        If there is none of that name, or it is for more maps.
    """
    if name not in SHIPPED:
        hint = suggest(name, SHIPPED) or "take one of them, or a file that ends in .json"
        raise CompositionError(
            f"protocol {quote(name)} is not shipped; expected {list_some(SHIPPED, ', ')}; {hint}"
        )
    least, make = SHIPPED[name]
    if least is not None and sizes.layers < least:
        raise CompositionError(
            f"protocol {quote(name)} is for L >= {least}, not {sizes.layers}; expected as many sizes n_l as "
            "it has, one less than L; give more sizes"
        )
    return make(sizes)


def ship_all(sizes: Sizes) -> list[ShippedProtocol]:
    """All shipped protocols that are right for some sizes."""
    return [make(sizes) for least, make in SHIPPED.values() if least is not None and least <= sizes.layers]
