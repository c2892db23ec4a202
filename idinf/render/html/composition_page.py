"""One HTML page for a class: a protocol of function composition, epoch by epoch, on one instance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from idinf.composition.alike import Alike
from idinf.composition.protocol import Communication, Message, Transcript
from idinf.composition.task import SequentialComposition
from idinf.numbers import format_amount
from idinf.render.html.glossary import explain, render_notes
from idinf.render.html.markup import Markup, fill_template, render_heads, render_tag
from idinf.version import __version__

#: Words of the glossary that the page explains, as `glossary.WORDS`.
WORDS = {
    "player": ("player", "who holds the tokens of z_l, z_0 or w; player −1 holds w and answers"),
    "epoch": (
        "epoch",
        "a round in which every player writes to all below it, in place of a layer of a transformer",
    ),
    "alike": ("alike", "inputs of player L with which all messages up to an epoch are the same"),
}

#: Pixels: of the names of players, of one message, between players, and above them.
_NAMES, _WIDTH, _ROW, _TOP = 92, 84, 64, 44

#: Bits of a message that fit beside an arrow.
_SHOWN = 7


def composition_page(
    protocol: Communication, task: SequentialComposition, transcript: Transcript, alike: Sequence[Alike]
) -> str:
    """Write the page; a whole document without a script. The same input gives the same text.

    Examples
    --------
    >>> from idinf.composition.alike import list_alike
    >>> from idinf.composition.protocol import simulate
    >>> from idinf.composition.shipped import ship
    >>> from idinf.composition.task import Sizes
    >>> task = SequentialComposition(Sizes(2), 1, ((1, 0),))
    >>> reveal = ship("reveal", task.sizes)
    >>> page = composition_page(reveal, task, simulate(reveal, task.inputs()), list_alike(reveal, task))
    >>> "<title>Function composition, played by reveal</title>" in page
    True
    """
    answer, right = transcript.answer, task.solve()
    verdict = "which is right" if answer == right else f"which is wrong: the answer is {right}"
    return fill_template(
        "composition.html",
        protocol=protocol.name,
        lead=f"Player −1 answers {answer}, {verdict}.",
        task=render_tag("p", f"What is asked for: {_write_chain(task)}."),
        inputs=_render_inputs(task),
        rules=_render_rules(protocol),
        picture=_draw(protocol.epochs, transcript.messages),
        messages=_render_messages(transcript.messages),
        outcome=f"{format_amount(transcript.total_bits, 'bit')} in all.",
        alike=Markup("".join(_render_alike(task, alike))),
        notes=render_notes(WORDS),
        version=__version__,
    )


def _write_chain(task: SequentialComposition) -> str:
    """What is to be computed, with its values."""
    values = task.chain()
    steps = [f"i_1 = z_1({values[0]}) = {values[1]}"]
    for level, part in enumerate(task.w, start=1):
        arguments = f"w_{level} = {part}, i_{level} = {values[level]}"
        steps.append(f"i_{level + 1} = z_{level + 1}({arguments}) = {values[level + 1]}")
    return ", then ".join(steps)


def _render_inputs(task: SequentialComposition) -> Markup:
    rows = [
        (str(level), f"z_{level}", _write_map(task.maps[level - 1])) for level in range(len(task.maps), 0, -1)
    ]
    rows += [("0", "z_0", str(task.z0)), ("−1", "w", ", ".join(map(str, task.w)) or "nothing")]
    body = (
        render_tag("tr", render_tag("th", row[0], scope="row"), *(render_tag("td", cell) for cell in row[1:]))
        for row in rows
    )
    return render_tag("table", render_heads("player", "holds", "which is"), render_tag("tbody", *body))


def _write_map(values: Sequence[int]) -> str:
    return ", ".join(f"{place} ↦ {value}" for place, value in enumerate(values))


def _render_rules(protocol: Communication) -> Markup:
    sentence = (
        f"Time goes from left to right. In each [epoch|epoch] every [player|player] may tell every lower one "
        f"something that depends on what the two of them knew before, with at most {2 * protocol.bits} bits "
        "for each token of the receiver. The sender forgets what it has seen of the receiver."
    )
    return render_tag("p", explain(sentence), class_="note")


def _render_messages(messages: Sequence[Message]) -> Markup:
    body = (
        render_tag(
            "tr",
            render_tag("td", str(m.epoch)),
            render_tag("td", f"{_sign(m.sender)} → {_sign(m.receiver)}"),
            render_tag("td", m.bits, class_="word"),
            render_tag("td", f"{len(m.bits)} of {m.room}", class_="number"),
        )
        for m in messages
        if m.bits
    )
    head = render_heads("epoch", "from and to", "message", "bits")
    caption = render_tag("caption", "Messages; those that are not listed are empty")
    return render_tag("table", caption, head, render_tag("tbody", *body))


def _draw(epochs: int, messages: Sequence[Message]) -> Markup:
    """Players as lines, epochs as columns, and an arrow for each message that is not empty."""
    players = range(epochs, -2, -1)
    y = {player: _TOP + _ROW * place for place, player in enumerate(players)}
    parts, x = [], _NAMES
    for epoch in range(1, epochs + 1):
        said = [m for m in messages if m.epoch == epoch and m.bits]
        width = _WIDTH * max(len(said), 1)
        parts.append(_line(x, _TOP - 28, x, y[-1] + 14, "axis"))
        parts.append(_text(x + width / 2, _TOP - 16, f"epoch {epoch}", "middle"))
        for place, message in enumerate(said):
            parts += _arrow(x + _WIDTH * place + 22, y[message.sender], y[message.receiver], message)
        x += width
    parts.append(_line(x, _TOP - 28, x, y[-1] + 14, "axis"))
    names = (_text(0, y[player] + 4, f"player {_sign(player)}", "start", "name") for player in players)
    lines = (_line(_NAMES - 14, y[player], x, y[player], "grid") for player in players)
    right, bottom = str(x + 8), str(y[-1] + 22)
    label = "Messages as arrows between players, epoch by epoch; the table below says the same"
    inner = (*lines, *names, *parts)
    return render_tag(
        "svg",
        *inner,
        width=right,
        height=bottom,
        viewBox=f"0 0 {right} {bottom}",
        role="img",
        aria_label=label,
    )


def _arrow(x: float, start: float, end: float, message: Message) -> Iterator[Markup]:
    yield _line(x, start + 4, x, end - 8, "arc strong")
    yield render_tag("path", d=f"M{x - 5} {end - 10}L{x + 5} {end - 10}L{x} {end - 1}Z", class_="flag")
    bits = message.bits if len(message.bits) <= _SHOWN else f"{len(message.bits)} bits"
    yield _text(x + 7, start + 20, bits, "start", "word-label")


def _line(x: float, y: float, other_x: float, other_y: float, kind: str) -> Markup:
    return render_tag("line", x1=f"{x:g}", y1=f"{y:g}", x2=f"{other_x:g}", y2=f"{other_y:g}", class_=kind)


def _text(x: float, y: float, text: str, anchor: str, kind: str | None = None) -> Markup:
    return render_tag("text", text, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, class_=kind)


def _render_alike(task: SequentialComposition, alike: Sequence[Alike]) -> Iterator[Markup]:
    top = task.sizes.layers
    sentence = (
        f"Let player {top} hold another z_{top}, and all others what they hold. Two such inputs are "
        f"[alike|alike] to the others as long as they hear the same. While two of them have different "
        "answers, what was said does not settle the answer."
    )
    yield render_tag("p", explain(sentence), class_="note")
    for one in alike:
        yield render_tag("h3", f"After epoch {one.epoch}" if one.epoch else "Before the first epoch")
        yield render_tag("p", _describe_count(one, top))
        if one.twin is not None:
            yield _render_twins(task, one.twin, f"Two inputs that are alike up to epoch {one.epoch}")
    if alike[-1].twin is not None:
        yield render_tag("p", "Player −1 says the same to both, so the protocol is wrong on one of them.")


def _describe_count(one: Alike, top: int) -> str:
    count = f"{one.count} of {one.total} inputs z_{top} are alike"
    if one.count == 1:
        return f"No other of {one.total} inputs z_{top} is alike: the messages tell it from all others."
    if one.twin is None:
        return f"{count}. All of them have the same answer, so what was said settles it."
    return f"{count}, with several answers. For example these two, which no other player can tell apart:"


def _render_twins(task: SequentialComposition, twin: SequentialComposition, label: str) -> Markup:
    """The two maps below each other; where they differ is marked."""
    pairs = list(zip(task.maps[-1], twin.maps[-1], strict=True))
    head = render_heads("argument", *map(str, range(len(pairs))), "answer")
    rows = []
    for side, (name, shown) in enumerate((("held", task), ("twin", twin))):
        cells = (
            render_tag(
                "td", render_tag("span", str(pair[side]), class_="lit" if pair[0] != pair[1] else None)
            )
            for pair in pairs
        )
        answer = render_tag("td", render_tag("strong", str(shown.solve())))
        rows.append(render_tag("tr", render_tag("th", name, scope="row"), *cells, answer))
    return render_tag(
        "div",
        render_tag("table", head, render_tag("tbody", *rows)),
        class_="scroll",
        role="region",
        tabindex="0",
        aria_label=label,
    )


def _sign(player: int) -> str:
    return str(player).replace("-", "−")
