"""The autoregressive communication model of [CPW24]: players, epochs, and who may read what.

For example L = 2. Players -1, 0, 1, 2 hold w, z_0, z_1, z_2. In each of two epochs every player j sends every
player i < j a message Π_{j,i}. It may depend on what j and i had collected before the epoch, X_j and X_i, and
on nothing else. Player i adds it to X_i, while j forgets what it has seen of i: otherwise player 2 would
learn w, z_0 and z_1 in the first epoch and the answer would need a single message in the second. At the end
player -1 answers.

So a protocol must keep nothing between its messages: each is asked of a copy of the object, unless that is
a frozen dataclass, and what a `View` shows is read-only. What a function keeps outside of its object, such as
in a global variable, is not seen; there the simulator trusts it.

A message to a player with m_i tokens has 2B·m_i bits. A protocol may write fewer, which are counted; the
receiver gets zeros behind them, so that the length of a message says nothing.

Two protocols are shipped. Player -1 wants z_2(w_1, i_1) with i_1 = z_1(z_0). In the first epoch player 2 sees
w, z_0 or z_1, with whomever it writes to, and never i_1. So something is said in full before anybody knows
which part of it will matter: in `reveal` player 1 tells -1 all of z_1, and in the second epoch player 2 tells
-1 the one value that matters. For more maps one player l after the other tells -1 the value i_l. In `silent`
nobody says anything, for any L, and the answer is 0; it is there to be shown wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import NoReturn, Protocol

from idinf.base.numbers import format_amount
from idinf.base.quoting import list_some, quote, shorten, suggest
from idinf.errors import CompositionError
from idinf.lab.composition.task import Sizes


@dataclass(frozen=True)
class Knowledge:
    """X_i, what a player has collected: its own tokens, and the messages that it received."""

    tokens: tuple[int, ...]
    #: The bits of each message, by epoch and sender, with zeros up to 2B·m_i.
    heard: Mapping[tuple[int, int], str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class View:
    """What one function of a protocol may read: X_i of one or two players, before some epoch.

    >>> view = View("epoch 1, message 1 -> 0", {1: Knowledge((1, 0)), 0: Knowledge((1,))})
    >>> view.tokens(1)
    (1, 0)
    >>> view.tokens(2)
    Traceback (most recent call last):
        ...
    idinf.errors.CompositionError: epoch 1, message 1 -> 0: it reads the input of player 2; expected what \
players 1 and 0 know by then; leave it out
    """

    asker: str  #: who reads, as a message names it
    known: Mapping[int, Knowledge]  #: X_i by player

    def tokens(self, player: int) -> tuple[int, ...]:
        """The input of a player; a CompositionError if it may not be read here."""
        if player not in self.known:
            self._refuse(f"the input of player {player}")
        return self.known[player].tokens

    def message(self, epoch: int, sender: int, receiver: int) -> str:
        """All 2B·m_i bits of a message received in an earlier epoch; raises what `tokens` raises."""
        if receiver not in self.known or (epoch, sender) not in self.known[receiver].heard:
            self._refuse(f"message {sender} -> {receiver} of epoch {epoch}")
        return self.known[receiver].heard[epoch, sender]

    def _refuse(self, what: str) -> NoReturn:
        players = " and ".join(map(str, self.known))
        raise CompositionError(
            f"{self.asker}: it reads {what}; expected what player{'s' * (len(self.known) > 1)} "
            f"{players} know{'s' * (len(self.known) == 1)} by then; leave it out"
        )


class Communication(Protocol):
    """A deterministic protocol: what is said, and what the answer is. Any object with these will do."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def epochs(self) -> int:
        """L, the number of epochs; players are -1 … L."""

    @property
    def bits(self) -> int:
        """B: a message to a player with m_i tokens has at most 2B·m_i bits."""

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """Π_{j,i} of an epoch (from 1) as a text of 0 and 1; empty if nothing is said."""

    def answer(self, view: View) -> int:
        """What player -1 says at the end, from X_{-1}."""


@dataclass(frozen=True)
class Message:
    """A message that was sent, with the number of bits that it might have had."""

    epoch: int
    sender: int
    receiver: int
    bits: str
    room: int

    @property
    def whole(self) -> str:
        """What arrives: the bits, and zeros behind them."""
        return self.bits.ljust(self.room, "0")


@dataclass(frozen=True)
class Transcript:
    """What was said in a run, by epochs, receivers from -1 up and senders above them, and the answer."""

    messages: tuple[Message, ...]
    answer: int

    @property
    def total_bits(self) -> int:
        """Bits of all messages."""
        return sum(len(message.bits) for message in self.messages)


def simulate(protocol: Communication, inputs: Mapping[int, tuple[int, ...]]) -> Transcript:
    """Run a protocol on the tokens of its players -1 … L.

    Raises CompositionError if it reads what it may not, or a message is no text of bits or longer than
    2B·m_i.
    """
    if sorted(inputs) != list(range(-1, protocol.epochs + 1)):
        raise CompositionError(
            f"protocol {quote(protocol.name)} has players -1..{protocol.epochs}; expected as many inputs, "
            f"not {len(inputs)}; take a protocol for L = {len(inputs) - 2}"
        )
    known = {player: Knowledge(tuple(inputs[player])) for player in sorted(inputs)}
    said: list[Message] = []
    for epoch in range(1, protocol.epochs + 1):
        now = [
            _send(protocol, epoch, sender, receiver, known)
            for receiver in known
            for sender in known
            if sender > receiver
        ]
        said += now
        known = {
            player: Knowledge(before.tokens, MappingProxyType({**before.heard, **collect(now, player)}))
            for player, before in known.items()
        }
    view = View("the answer", MappingProxyType({-1: known[-1]}))
    return Transcript(tuple(said), _forgetful(protocol).answer(view))


def collect(messages: Iterable[Message], player: int) -> dict[tuple[int, int], str]:
    """What a player hears of some messages, by epoch and sender."""
    return {(m.epoch, m.sender): m.whole for m in messages if m.receiver == player}


def _forgetful(protocol: Communication) -> Communication:
    """The protocol as it was given: a copy, where it could keep what it has seen."""
    parameters = getattr(protocol, "__dataclass_params__", None)
    return protocol if parameters is not None and parameters.frozen else deepcopy(protocol)


def _send(
    protocol: Communication, epoch: int, sender: int, receiver: int, known: Mapping[int, Knowledge]
) -> Message:
    where = f"epoch {epoch}, message {sender} -> {receiver}"
    view = View(where, MappingProxyType({sender: known[sender], receiver: known[receiver]}))
    bits = _forgetful(protocol).message(epoch, sender, receiver, view)
    room = 2 * protocol.bits * len(known[receiver].tokens)
    if not isinstance(bits, str) or set(bits) - {"0", "1"}:
        raise CompositionError(
            f"{where} = {shorten(quote(str(bits)))}; expected a text of 0 and 1; write bits"
        )
    if len(bits) > room:
        raise CompositionError(
            f"{where} has {format_amount(len(bits), 'bit')}; expected at most 2B·m_i = {room}; "
            "shorten it or raise B"
        )
    return Message(epoch, sender, receiver, bits, room)


@dataclass(frozen=True)
class _Rule:
    """What one message says: so many numbers, each below ``base``, written as one number."""

    base: int
    numbers: int
    said: Callable[[View], Iterable[int]]

    @property
    def bits(self) -> int:
        return int(self.base**self.numbers - 1).bit_length()

    def write(self, view: View) -> str:
        number = 0
        for value in self.said(view):
            number = number * self.base + value
        return f"{number:0{self.bits}b}" if self.bits else ""

    def read(self, text: str, place: int = 0) -> int:
        whole = int(text[: self.bits] or "0", 2)
        return int(whole // self.base ** (self.numbers - 1 - place) % self.base)


@dataclass(frozen=True)
class ShippedProtocol:
    """A protocol by its rules; a message without one is empty."""

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
        return max((-(-rule.bits // (2 * held[to])) for (_, _, to), rule in self.rules.items()), default=0)

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """What the rule of the message says."""
        rule = self.rules.get((epoch, sender, receiver))
        return "" if rule is None else rule.write(view)

    def answer(self, view: View) -> int:
        """i_L."""
        return self.conclude(view)


def _reveal(sizes: Sizes) -> ShippedProtocol:
    m = sizes.m
    start = _Rule(m, 1, lambda view: view.tokens(0))
    first = _Rule(m, m, lambda view: view.tokens(1))
    rules = {(1, 0, -1): start, (1, 1, -1): first}

    def known(view: View) -> int:
        return first.read(view.message(1, 1, -1), start.read(view.message(1, 0, -1)))

    for level in range(2, sizes.layers + 1):
        rule = _Rule(sizes.domains[level - 1], 1, partial(_tell, sizes, level, known))
        rules[level, level, -1] = rule
        known = partial(_heard, rule, level)
    return ShippedProtocol("reveal", sizes, rules, known)


def _tell(sizes: Sizes, level: int, known: Callable[[View], int], view: View) -> tuple[int]:
    """The value i_l, which player l computes from i_{l-1} and w, as -1 knows them."""
    part = sizes.unpack_query(view.tokens(-1)[0])[level - 2]
    return (view.tokens(level)[sizes.pair(level - 1, part, known(view))],)


def _heard(rule: _Rule, level: int, view: View) -> int:
    return rule.read(view.message(level, level, -1))


#: The protocols by name.
SHIPPED: Mapping[str, Callable[[Sizes], ShippedProtocol]] = {
    "reveal": _reveal,
    "silent": lambda sizes: ShippedProtocol("silent", sizes, {}, lambda view: 0),
}


def ship(name: str, sizes: Sizes) -> ShippedProtocol:
    """Make one of the shipped protocols, ``reveal`` or ``silent``, for some sizes.

    Raises
    ------
    CompositionError
        If there is none of that name.

    Examples
    --------
    >>> from idinf.lab.composition.task import SequentialComposition
    >>> task = SequentialComposition(Sizes(2, (2,)), 1, ((1, 0), (3, 2, 1, 0)), (1,))
    >>> [simulate(ship(name, task.sizes), task.inputs()).answer for name in SHIPPED]
    [1, 0]
    """
    if name not in SHIPPED:
        hint = suggest(name, SHIPPED) or "take one of them"
        raise CompositionError(
            f"protocol {quote(name)} is not shipped; expected {list_some(SHIPPED, ', ')}; {hint}"
        )
    return SHIPPED[name](sizes)
