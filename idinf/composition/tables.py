"""Protocols as tables in JSON: every message says what it reads, and has a row for each reading.

For example, player 1 tells player 0 the value z_1(z_0) for m = 2::

    {"epoch": 1, "from": 1, "to": 0, "reads": [1, 0], "table": {"0,0;0": "0", "0,1;0": "0", …}}

A number among ``reads`` is the input of that player, and [epoch, from, to] an earlier message. A row is what
was read, with semicolons between. What is never listed is never said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from idinf.composition.instances import read_sizes
from idinf.composition.protocol import MOST_RUNS, Communication, View, forgetful, simulate
from idinf.composition.task import Sizes, show_count
from idinf.errors import CompositionError
from idinf.json_cursor import Cursor
from idinf.json_forms import untag
from idinf.json_text import MOST_HYPOTHESIS, JsonObject, NotJson, parse_json
from idinf.quoting import quote

#: The format of these files.
FORMAT = "communication-protocol/1"

#: An input, by its player, or a message, by epoch, sender and receiver.
Reading = tuple[int] | tuple[int, int, int]


@dataclass(frozen=True)
class Table:
    """A function of what is read, by rows."""

    reads: tuple[Reading, ...]
    rows: Mapping[str, object]

    def look_up(self, view: View) -> object:
        """The row of what a view shows; CompositionError if it may not be read, or there is no row."""
        key = ";".join(read_from(view, reading) for reading in self.reads)
        if key not in self.rows:
            raise CompositionError(
                f"{view.asker}: its table has no row {quote(key)}, which was read; expected one for whatever "
                "may be read; add it"
            )
        return self.rows[key]


@dataclass(frozen=True)
class TableProtocol:
    """A protocol that looks up what it says.

    Attributes
    ----------
    bits : int
        B.
    messages : mapping from (int, int, int) to Table
        By epoch, sender and receiver.
    conclusion : Table
        The answer of player -1.
    """

    name: str
    sizes: Sizes
    bits: int
    messages: Mapping[tuple[int, int, int], Table]
    conclusion: Table

    @property
    def epochs(self) -> int:
        """L."""
        return self.sizes.layers

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        """The row of the message's table; nothing if it has none."""
        table = self.messages.get((epoch, sender, receiver))
        return "" if table is None else str(table.look_up(view))

    def answer(self, view: View) -> int:
        """The row of the answer's table."""
        found = self.conclusion.look_up(view)
        assert isinstance(found, int)
        return found


def read_from(view: View, reading: Reading) -> str:
    """What a view shows of an input or a message, as a part of a row."""
    if len(reading) == 1:
        return ",".join(map(str, view.tokens(reading[0])))
    return view.message(*reading)


def read_protocol(text: str, origin: str) -> TableProtocol:
    """Read a protocol from its JSON.

    Raises
    ------
    CompositionError
        If it is none; names the file and the key.
    """
    try:
        content = parse_json(text)
    except NotJson as reason:
        raise CompositionError(
            f"{origin}: {reason}; expected a {FORMAT} file; write one with 'idinf composition simulate "
            "--table'"
        ) from None
    root = Cursor(content, origin, CompositionError)
    if not isinstance(content, dict):
        root.fail(f"a {FORMAT} object", "take the file of a protocol")
    root = untag(root, content, FORMAT, "take the file of a protocol")
    given = root.fields(("m", "n", "B", "messages", "answer"))
    try:
        sizes = read_sizes(given["m"], given["n"])
    except CompositionError as error:
        raise CompositionError(f"{origin}: {str(error).removeprefix(f'{origin}: ')}") from None
    if (bits := given["B"].integer(most=MOST_HYPOTHESIS)) < 0:
        given["B"].fail("at least 0", "it is half the bits of a message for each token")
    messages = {}
    for item in given["messages"].items("messages"):
        fields = item.fields(("epoch", "from", "to", "reads", "table"))
        place = (fields["epoch"].integer(), fields["from"].integer(), fields["to"].integer())
        if not (1 <= place[0] <= sizes.layers and -1 <= place[2] < place[1] <= sizes.layers):
            item.fail(
                f"an epoch of 1..{sizes.layers}, and from > to among players -1..{sizes.layers}", "correct it"
            )
        if place in messages:
            item.fail("each epoch, from and to once", "leave one of them out")
        messages[place] = _read_table(fields, Cursor.text, sizes, bits, place)
    answer = given["answer"].fields(("reads", "table"))
    conclusion = _read_table(answer, Cursor.integer, sizes, bits, (sizes.layers + 1, -1, -1))
    for item in answer["table"].entries().values():
        if not 0 <= item.integer() < sizes.domains[-1]:
            item.fail(f"0..{sizes.domains[-1] - 1}, a value of i_L", "correct it")
    return TableProtocol(origin, sizes, bits, messages, conclusion)


def _read_table(
    fields: Mapping[str, Cursor],
    value: Callable[[Cursor], object],
    sizes: Sizes,
    bits: int,
    place: tuple[int, int, int],
) -> Table:
    """Read a table whose rows can all be met; of inputs alone, it must have all.

    One that reads what may not be read at this epoch, from this sender to this receiver, is left as it is: a
    run refuses it, and says what it may read.
    """
    reads = tuple(map(_read_reading, fields["reads"].items("players and messages")))
    rows = fields["table"].entries()
    table = Table(reads, {key: value(item) for key, item in rows.items()})
    epoch, *players = place
    if any(reading[-1] not in players or (len(reading) == 3 and reading[0] >= epoch) for reading in reads):
        return table
    for key, item in rows.items():
        parts = key.split(";") if reads else [key] * bool(key)
        if len(parts) != len(reads) or not all(map(partial(_fits, sizes, bits), reads, parts)):
            item.fail("a row of what may be read", "take it out, or correct what it says was read")
    if all(len(reading) == 1 for reading in reads):
        whole = math.prod(sizes.count_alternatives(player) for player in {reading[0] for reading in reads})
        if len(rows) != whole:
            fields["table"].fail(
                f"{show_count(whole)} rows, one for each input, not {len(rows)}", "add the rest"
            )
    return table


def _fits(sizes: Sizes, bits: int, reading: Reading, part: str) -> bool:
    """Whether a part of a row is what an input or a message can be."""
    player = reading[-1]
    held = 1 if player < 1 else sizes.domains[player - 1]
    if len(reading) == 3:
        return len(part) == 2 * bits * held and not set(part) - {"0", "1"}
    tokens, most = part.split(","), sizes.count_alternatives(player) if player < 1 else held
    return len(tokens) == held and all(t.isdecimal() and str(int(t)) == t and int(t) < most for t in tokens)


def _read_reading(cursor: Cursor) -> Reading:
    if isinstance(cursor.value, list):
        numbers = tuple(item.integer() for item in cursor.items("three numbers"))
        if len(numbers) != 3:
            cursor.fail("[epoch, from, to]", "name one message")
        return numbers[0], numbers[1], numbers[2]
    return (cursor.integer(),)


def tabulate(protocol: Communication, sizes: Sizes) -> JsonObject:
    """Write a protocol as tables, by a run on every instance of its sizes.

    Every message reads all that it may, so the file is long: the rows are few only for tiny sizes.

    Raises
    ------
    CompositionError
        If there are more than `MOST_RUNS` instances, or the protocol breaks a rule.
    """
    if (count := sizes.count()) > MOST_RUNS:
        raise CompositionError(
            f"tables need {show_count(count)} runs, one for each instance; expected at most {MOST_RUNS}; "
            "choose smaller sizes"
        )
    recorder = _Recorder(protocol)
    for task in sizes.instances():
        simulate(recorder, task.inputs())
    rooms = recorder.rows.items()
    return {
        "format": FORMAT,
        "m": sizes.m,
        "n": list(sizes.n),
        "B": protocol.bits,
        "messages": [
            {"epoch": epoch, "from": sender, "to": receiver, "reads": recorder.reads[place], "table": rows}
            for place, rows in rooms
            if len(place) == 3 and any(rows.values())
            for epoch, sender, receiver in [place]
        ],
        "answer": {"reads": recorder.reads[()], "table": recorder.rows[()]},
    }


@dataclass(frozen=True)
class _Recorder:
    """A protocol that keeps what another one read and said."""

    protocol: Communication
    rows: dict[tuple[int, ...], dict[str, object]] = field(default_factory=dict)
    reads: dict[tuple[int, ...], list[object]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.protocol.name

    @property
    def epochs(self) -> int:
        return self.protocol.epochs

    @property
    def bits(self) -> int:
        return self.protocol.bits

    def message(self, epoch: int, sender: int, receiver: int, view: View) -> str:
        said = forgetful(self.protocol).message(epoch, sender, receiver, view)
        self._keep((epoch, sender, receiver), view, said)
        return said

    def answer(self, view: View) -> int:
        said = forgetful(self.protocol).answer(view)
        self._keep((), view, said)
        return said

    def _keep(self, place: tuple[int, ...], view: View, said: object) -> None:
        readings: list[Reading] = [(player,) for player in view.known]
        readings += [
            (epoch, sender, player) for player, known in view.known.items() for epoch, sender in known.heard
        ]
        key = ";".join(read_from(view, reading) for reading in readings)
        if self.rows.setdefault(place, {}).setdefault(key, said) != said:
            raise CompositionError(
                f"{view.asker}: it is {quote(str(said))} and something else for one reading; expected a "
                "function of what may be read; let it keep nothing"
            )
        self.reads[place] = [list(reading) if len(reading) == 3 else reading[0] for reading in readings]
