"""One HTML page with the values of every operation of a C-RASP program on a word; nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.crasp.checker import Sort
from idinf.crasp.library import LoadedProgram
from idinf.crasp.printer import expression_text
from idinf.crasp.trace import Trace
from idinf.numbers import word_text
from idinf.render.html.markup import Markup, filled, heads, tag
from idinf.version import __version__


def trace_page(loaded: LoadedProgram, trace: Trace) -> str:
    """Write the page of a trace of a program.

    It is a whole HTML document with its style inside and no script. The same trace gives the same text, and
    nothing of the program or the word can become markup.

    Examples
    --------
    >>> from idinf.crasp.library import load
    >>> from idinf.crasp.trace import trace_of
    >>> loaded = load("majority")
    >>> "accepted" in trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), (1,)))
    True
    """
    word = word_text(trace.word)
    return filled(
        "trace.html",
        name=loaded.origin,
        word=word,
        lead=f"{word}: {'accepted' if trace.accepted else 'rejected'}",
        about=loaded.about,
        text=loaded.text.strip("\n"),
        table=_table(trace),
        operations=_operations(loaded),
        version=__version__,
        class_name=loaded.facts.class_name,
        depth=str(loaded.facts.depth),
    )


def _table(trace: Trace) -> Markup:
    numbered = enumerate(trace.symbols)
    head = [tag("th", symbol, tag("small", str(place)), scope="col") for place, symbol in numbered]
    rows = [
        tag("tr", tag("th", tag("code", row.name), scope="row"), *_cells(row.sort is Sort.BOOLEAN, row.at))
        for row in trace.rows
    ]
    head_row = tag("tr", tag("th", "operation", scope="col"), *head)
    return tag("table", tag("thead", head_row), tag("tbody", *rows))


def _cells(boolean: bool, values: tuple[int, ...]) -> Iterator[Markup]:
    for place, value in enumerate(values, start=1):
        text = str(value) if not boolean else "true" if value else "false"
        kinds = {"last": place == len(values), "on": boolean and value, "zero": not value}
        yield tag("td", text, class_=" ".join(kind for kind, holds in kinds.items() if holds) or None)


def _operations(loaded: LoadedProgram) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", tag("code", operation.name), scope="row"),
            tag("td", tag("code", expression_text(definition.expression))),
            tag("td", operation.sort.value),
            tag("td", str(operation.depth), class_="number"),
        )
        for operation, definition in zip(loaded.facts.operations, loaded.program.definitions, strict=True)
    ]
    return tag("table", heads("operation", "definition", "sort", "depth"), tag("tbody", *rows))
