"""Protocols for function composition: `reveal`, which is right, and `silent`, which is wrong.

For example L = 2. Player -1 wants z_2(w_1, i_1) with i_1 = z_1(z_0). In the first epoch player 2 sees w,
z_0 or z_1, with whomever it writes to, and never i_1. So something is said in full before anybody knows
which part of it will matter: in `reveal` player 1 tells -1 all of z_1, and in the second epoch player 2 tells
-1 the one value that matters. For more maps one player l after the other tells -1 the value i_l.

In `silent` nobody says anything, for any L, and the answer is 0; it is there to be shown wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from idinf.errors import CompositionError
from idinf.labs.composition.protocol import View
from idinf.labs.composition.task import Sizes
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
    >>> from idinf.labs.composition.protocol import simulate
    >>> from idinf.labs.composition.task import SequentialComposition
    >>> sizes = Sizes(2, (2,))
    >>> task = SequentialComposition(sizes, 1, ((1, 0), (3, 2, 1, 0)), (1,))
    >>> [simulate(ship(name, sizes), task.inputs()).answer for name in SHIPPED]
    [1, 0]
    >>> [ship(name, sizes).bits for name in SHIPPED]
    [1, 0]
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


def _heard(rule: _Rule, place: tuple[int, int, int], view: View) -> int:
    return rule.read(view.message(*place))


def _reveal(sizes: Sizes) -> ShippedProtocol:
    m = sizes.m
    start = _one(m, lambda view: view.tokens(0)[0])
    first = _Rule(m, m, lambda view: view.tokens(1))
    rules = {(1, 0, -1): start, (1, 1, -1): first}

    def known(view: View) -> int:
        return first.read(view.message(1, 1, -1), start.read(view.message(1, 0, -1)))

    for level in range(2, sizes.layers + 1):
        place = (level, level, -1)
        rules[place] = rule = _value(sizes, level, known)
        known = partial(_heard, rule, place)
    return ShippedProtocol("reveal", sizes, rules, known)


def _silent(sizes: Sizes) -> ShippedProtocol:
    return ShippedProtocol("silent", sizes, {}, lambda view: 0)


#: The protocols by name.
SHIPPED: Mapping[str, Callable[[Sizes], ShippedProtocol]] = {"reveal": _reveal, "silent": _silent}


def ship(name: str, sizes: Sizes) -> ShippedProtocol:
    """Make one of the shipped protocols for some sizes.

    Raises
    ------
    CompositionError
        If there is none of that name.
    """
    if name not in SHIPPED:
        hint = suggest(name, SHIPPED) or "take one of them"
        raise CompositionError(
            f"protocol {quote(name)} is not shipped; expected {list_some(SHIPPED, ', ')}; {hint}"
        )
    return SHIPPED[name](sizes)
