"""The autoregressive communication model of [CPW24]: players, epochs, and the inputs that each may read.

For example L = 2. Players -1, 0, 1, 2 hold w, z_0, z_1, z_2. In each of two epochs every player j sends every
player i < j a message Π_{j,i}. It may depend on what j and i had collected before the epoch, X_j and X_i, and
on nothing else. Player i adds it to X_i, while j forgets X_i: otherwise player 2 would learn w, z_0 and z_1
in the first epoch and the answer would need a single message in the second. At the end player -1 answers.

So a protocol must keep nothing between its messages: each is asked of a copy of the object, unless that is a
frozen dataclass, and the contents of a `View` are read-only. The simulator cannot see values that a function
keeps outside of its object, such as in a global variable; there it trusts the function.

A message to a player with m_i tokens has 2B·m_i bits. A protocol may write fewer, which are counted; the
receiver gets zeros behind them, so that the length of a message says nothing.

Two protocols are shipped. Player -1 wants z_2(w_1, i_1) with i_1 = z_1(z_0). In the first epoch player 2 sees
w, z_0 or z_1, that of the player it writes to, and never i_1. So a whole map is sent before anybody knows
which part of it will matter: in `reveal` player 1 sends -1 all of z_1, and in the second epoch player 2 sends
-1 the one value that matters. For more maps one player l after the other sends -1 the value i_l. In `silent`
no player sends anything, for any L, and the answer is 0; it is there to be shown wrong.

An indistinguishable decomposition shows it: inputs of the upper players with the same messages to the lower
ones so far. Take L = 2, all 256 maps z_2 as R, and all inputs of the players -1, 0 and 1 as Z: for any inputs
of these, the messages to them are the same for all maps of R of player 2. Two of the maps differ at some
argument (w_1, i_1) that is reached, so the protocol is wrong on one of them.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NoReturn, Protocol

from idinf.base.numbers import format_amount
from idinf.base.quoting import list_some, quote, shorten, suggest
from idinf.errors import CompositionError
from idinf.lab.communication.protocol import BitReader, write_fixed
from idinf.lab.composition.task import SequentialComposition, Sizes, show_count


@dataclass(frozen=True)
class Knowledge:
    """X_i, the knowledge of a player: its own tokens, and the messages that it received."""

    tokens: tuple[int, ...]
    #: The bits of each message, by epoch and sender, with zeros up to 2B·m_i.
    heard: Mapping[tuple[int, int], str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class View:
    """Knowledge that one function of a protocol may read: X_i of one or two players, before some epoch.

    >>> view = View("epoch 1, message 1 -> 0", {1: Knowledge((1, 0)), 0: Knowledge((1,))})
    >>> view.tokens(1)
    (1, 0)
    >>> view.tokens(2)
    Traceback (most recent call last):
        ...
    idinf.errors.CompositionError: epoch 1, message 1 -> 0: it reads the input of player 2; expected what \
players 1 and 0 know by then; leave it out
    """

    asker: str  #: the reading function, as messages name it
    known: Mapping[int, Knowledge]  #: X_i by player

    def tokens(self, player: int) -> tuple[int, ...]:
        """The input of a player; a CompositionError if it may not be read here."""
        if player not in self.known:
            self._refuse(f"the input of player {player}")
        return self.known[player].tokens

    def message(self, epoch: int, sender: int, receiver: int) -> str:
        """All 2B·m_i bits of a message received in an earlier epoch; errors as of `tokens`."""
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
    """A deterministic protocol: its messages, and its answer. Any object with these methods will do."""

    @property
    def name(self) -> str:
        """Name of the protocol."""

    @property
    def epochs(self) -> int:
        """L, the number of epochs; players are -1 … L."""

    @property
    def bits(self) -> int:
        """B: a message to a player with m_i tokens has at most 2B·m_i bits."""

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """Π_{j,i} of an epoch (from 1) as a text of 0 and 1; empty if nothing is said."""

    def answer(self, view: View) -> int:
        """Answer of player -1 at the end, from X_{-1}."""


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
        """The message as received: the bits, and zeros behind them."""
        return self.bits.ljust(self.room, "0")


@dataclass(frozen=True)
class Transcript:
    """Messages of a run, by epochs, receivers from -1 up and senders above them, and the answer."""

    messages: tuple[Message, ...]
    answer: int

    @property
    def total_bits(self) -> int:
        """Bits of all messages."""
        return sum(len(message.bits) for message in self.messages)


def simulate(protocol: Communication, inputs: Mapping[int, tuple[int, ...]]) -> Transcript:
    """Run a protocol on the tokens of its players -1 … L.

    Raises CompositionError if it reads a forbidden input, or a message is no text of bits or longer than
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
    """Messages that a player receives, of some, by epoch and sender."""
    return {(m.epoch, m.sender): m.whole for m in messages if m.receiver == player}


def _forgetful(protocol: Communication) -> Communication:
    """The protocol as it was given: a copy, unless it cannot keep any knowledge."""
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
class Silent:
    """The protocol in which no player sends anything, and the answer is 0."""

    sizes: Sizes
    name: str = "silent"

    @property
    def epochs(self) -> int:
        """L."""
        return self.sizes.layers

    @property
    def bits(self) -> int:
        """B."""
        return 0

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """Nothing."""
        return ""

    def answer(self, view: View) -> int:
        """Always the same."""
        return 0


@dataclass(frozen=True)
class Reveal(Silent):
    """The protocol in which player 1 sends −1 its whole map, and every later player l the value i_l."""

    name: str = "reveal"

    def _width(self, level: int) -> int:
        """Bits of a message of player 0, or l: of z_0, of all of z_1 as one number in base m, or of i_l."""
        m = self.sizes.m
        base = m**m if level == 1 else m if level == 0 else self.sizes.domains[level - 1]
        return int(base - 1).bit_length()

    @property
    def bits(self) -> int:
        """The least B in which all messages fit: their receiver has one token."""
        return -(-max(map(self._width, range(self.sizes.layers + 1))) // 2)

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """A map, or a value that the sender computes from the knowledge of −1."""
        if receiver != -1 or epoch != max(sender, 1):
            return ""
        tokens, m = view.tokens(sender), self.sizes.m
        if sender > 1:
            part = self.sizes.unpack_query(view.tokens(-1)[0])[sender - 2]
            number = tokens[self.sizes.pair(sender - 1, part, self._value(view, sender - 1))]
        else:
            number = sum(value * m**place for place, value in enumerate(reversed(tokens)))
        return write_fixed(number, self._width(sender))

    def answer(self, view: View) -> int:
        """i_L."""
        return self._value(view, self.sizes.layers)

    def _value(self, view: View, level: int) -> int:
        """i_l, as player −1 has heard it, or z_1(z_0)."""

        def read(sender: int) -> int:
            return BitReader(view.message(max(sender, 1), sender, -1)).fixed(self._width(sender))

        m = self.sizes.m
        return read(level) if level > 1 else int(read(1) // m ** (m - 1 - read(0)) % m)


#: The protocols by name.
SHIPPED: Mapping[str, Callable[[Sizes], Communication]] = {"reveal": Reveal, "silent": Silent}


def ship(name: str, sizes: Sizes) -> Communication:
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
    lower: tuple[Inputs, ...]  #: Z_0 … Z_{l-1}, the kept inputs of each player; Z_{-1} is every query


@dataclass(frozen=True)
class Difference:
    """A message that differs for two inputs of R, so that a decomposition is not indistinguishable."""

    first: SequentialComposition
    second: SequentialComposition
    epoch: int
    sender: int
    receiver: int

    def __str__(self) -> str:
        return f"epoch {self.epoch}: message {self.sender} -> {self.receiver} differs"


@dataclass(frozen=True)
class FoolingInstances:
    """Two instances with one answer of the protocol and two right ones, which Lemma 4.3 promises."""

    first: SequentialComposition
    second: SequentialComposition
    answer: int


@dataclass(frozen=True)
class Largest:
    """A maximal R for some Z, and the number of values of i_{l-1} that the kept inputs reach, |I(Z)|."""

    decomposition: Decomposition
    cover: int

    @property
    def kept(self) -> tuple[int, ...]:
        """|Z_0| … |Z_{l-1}|."""
        return tuple(map(len, self.decomposition.lower))

    def is_wrong(self, sizes: Sizes) -> bool:
        """True if R is larger than Lemma 4.3 allows for a protocol that is right."""
        return len(self.decomposition.upper) > count_allowed(sizes, self.cover)


@dataclass(frozen=True, repr=False)
class ProtocolStudy:
    """Right answers of a protocol on all instances of some sizes, and its largest indistinguishable sets."""

    protocol: Communication
    sizes: Sizes
    level: int
    right: int  #: answers
    total: int
    most_bits: int  #: of all messages of a run
    rows: tuple[Largest, ...]  #: the largest R for each number of inputs kept and each cover
    fooled: FoolingInstances | None  #: if a row is larger than Lemma 4.3 allows

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
    """Find a message that differs for two inputs of R; None if the decomposition is indistinguishable.

    Implements the definition of indistinguishable decompositions of [CPW24]_ with all its quantifiers: for
    every query (Z_{-1} = A_{-1}), every kept z_0 … z_{l-1}, all pairs of R, every epoch l' ≤ l and all
    players i ≤ l-1 < l ≤ j, the message from j to i is the same. Being the same is transitive, so the first
    input of R is compared with each of the others.
    """
    level, (reference, *others) = decomposition.level, decomposition.upper
    kept = (len(decomposition.upper), *map(len, decomposition.lower))
    _check_runs(sizes.count_alternatives(-1) * math.prod(kept))
    for low in _lower_inputs(sizes, decomposition.lower):
        expected = _hear(protocol, level, low, reference)
        for other in others:
            heard = _hear(protocol, level, low, other)
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
    uppers = [*itertools.product(*(sizes.alternatives(j) for j in range(level, sizes.layers + 1)))]
    heard: Heard = {
        low: {upper: tuple(_hear(protocol, level, low, upper).values()) for upper in uppers}
        for low in _lower_inputs(sizes, kinds)
    }
    best: dict[tuple[int, ...], Largest] = {}
    for lower in itertools.product(*map(_subsets, kinds)):
        found = _take_largest(heard, sizes, level, lower)
        key = (*found.kept, found.cover)
        if key not in best or len(found.decomposition.upper) > len(best[key].decomposition.upper):
            best[key] = found
    return [best[key] for key in sorted(best)]


def _take_largest(heard: Heard, sizes: Sizes, level: int, lower: tuple[Inputs, ...]) -> Largest:
    """Sort the inputs of the upper players by their messages with Z, and take the largest class."""
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
    """Largest size of an R whose maps all agree at the arguments of ``cover`` values of i_{L-1}.

    That many maps z_L agree with a given one on all n_{L-1}·cover arguments (w_{L-1}, i_{L-1}): it is |A_L| /
    N_{L-1}^(n_{L-1}·cover). An R that is larger, strictly, holds two maps that differ at one of them; one
    that is just as large need not.

    >>> count_allowed(Sizes(2, (2,)), 1), count_allowed(Sizes(2, (2,)), 2)
    (16, 1)
    """
    domain = sizes.domains[-1]
    return int(domain ** (domain - sizes.n[-1] * cover))


def fool(protocol: Communication, sizes: Sizes, decomposition: Decomposition) -> FoolingInstances | None:
    """Show by Lemma 4.3 of [CPW24]_ that a protocol is wrong; None if its counting does not apply.

    The lemma needs an indistinguishable decomposition at level L with |R| > `count_allowed`. Then two maps of
    R differ at an argument that is reached; players below L receive the same from both, so player -1 answers
    the same. Raises CompositionError if a message differs for two inputs of R.
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
                return FoolingInstances(tasks[0], task, simulate(protocol, task.inputs()).answer)
    raise AssertionError("more maps than agree on these arguments, and all of them agree")


def _hear(protocol: Communication, level: int, low: Inputs, upper: Inputs) -> dict[tuple[int, int, int], str]:
    """Messages from players at or above a level to those below it, up to the epoch of that number."""
    return {
        (m.epoch, m.sender, m.receiver): m.whole
        for m in simulate(protocol, _joined(low, level, upper)).messages
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
