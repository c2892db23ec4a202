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
receiver gets zeros behind them, so that the length of a message says nothing. The functions of a protocol get
a `View`, which holds X_j and X_i alone; one that asks it for more is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NoReturn, Protocol

from idinf.errors import CompositionError
from idinf.numbers import format_amount
from idinf.quoting import quote, shorten

#: Runs of a protocol, at most, where it is run on all inputs.
MOST_RUNS = 2**16


@dataclass(frozen=True)
class Knowledge:
    """X_i, what a player has collected: its own tokens, and the messages that it received.

    Attributes
    ----------
    tokens : tuple of int
        Its input.
    heard : mapping from (int, int) to str
        The bits of each message, by epoch and sender, with zeros up to 2B·m_i.
    """

    tokens: tuple[int, ...]
    heard: Mapping[tuple[int, int], str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class View:
    """What one function of a protocol may read: X_i of one or two players, before some epoch.

    Attributes
    ----------
    asker : str
        Who reads, as a message names it.
    known : mapping from int to Knowledge
        X_i by player.

    Examples
    --------
    >>> view = View("epoch 1, message 1 -> 0", {1: Knowledge((1, 0)), 0: Knowledge((1,))})
    >>> view.tokens(1)
    (1, 0)
    >>> view.tokens(2)
    Traceback (most recent call last):
        ...
    idinf.errors.CompositionError: epoch 1, message 1 -> 0: it reads the input of player 2; expected what \
players 1 and 0 know by then; leave it out
    """

    asker: str
    known: Mapping[int, Knowledge]

    def tokens(self, player: int) -> tuple[int, ...]:
        """The input of a player.

        Raises
        ------
        CompositionError
            If it may not be read here; names the epoch, the players and what was read.
        """
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
    """What was said in a run, and the answer.

    Attributes
    ----------
    messages : tuple of Message
        All, in the order of epochs, receivers from -1 up, and senders from the receiver's neighbour up.
    answer : int
        What player -1 said.
    """

    messages: tuple[Message, ...]
    answer: int

    @property
    def total_bits(self) -> int:
        """Bits of all messages."""
        return sum(len(message.bits) for message in self.messages)

    def message(self, epoch: int, sender: int, receiver: int) -> Message:
        """One message."""
        wanted = epoch, sender, receiver
        return next(m for m in self.messages if (m.epoch, m.sender, m.receiver) == wanted)


def simulate(protocol: Communication, inputs: Mapping[int, tuple[int, ...]]) -> Transcript:
    """Run a protocol on the tokens of its players -1 … L.

    Raises
    ------
    CompositionError
        If it reads what it may not, or a message is no text of bits or longer than 2B·m_i.
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
            player: Knowledge(before.tokens, MappingProxyType({**before.heard, **_heard(now, player)}))
            for player, before in known.items()
        }
    view = View("the answer", MappingProxyType({-1: known[-1]}))
    return Transcript(tuple(said), forgetful(protocol).answer(view))


def forgetful(protocol: Communication) -> Communication:
    """The protocol as it was given: a copy, where it could keep what it has seen."""
    parameters = getattr(protocol, "__dataclass_params__", None)
    return protocol if parameters is not None and parameters.frozen else deepcopy(protocol)


def _heard(messages: list[Message], player: int) -> dict[tuple[int, int], str]:
    return {(m.epoch, m.sender): m.whole for m in messages if m.receiver == player}


def _send(
    protocol: Communication, epoch: int, sender: int, receiver: int, known: Mapping[int, Knowledge]
) -> Message:
    where = f"epoch {epoch}, message {sender} -> {receiver}"
    view = View(where, MappingProxyType({sender: known[sender], receiver: known[receiver]}))
    bits = forgetful(protocol).message(epoch, sender, receiver, view)
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
