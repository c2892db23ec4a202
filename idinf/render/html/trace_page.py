"""One HTML page with the values of every operation of a C-RASP program on a word; nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.crasp.checker import Sort
from idinf.crasp.library import LoadedProgram
from idinf.crasp.printer import format_expression
from idinf.crasp.trace import Trace
from idinf.numbers import format_word
from idinf.render.html.markup import Markup, fill_template, render_heads, render_tag
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
    word = format_word(trace.word)
    return fill_template(
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
    head = [
        render_tag("th", symbol, render_tag("small", str(place)), scope="col") for place, symbol in numbered
    ]
    rows = [
        render_tag(
            "tr",
            render_tag("th", render_tag("code", row.name), scope="row"),
            *_cells(row.sort is Sort.BOOLEAN, row.at),
        )
        for row in trace.rows
    ]
    head_row = render_tag("tr", render_tag("th", "operation", scope="col"), *head)
    return render_tag("table", render_tag("thead", head_row), render_tag("tbody", *rows))


def _cells(boolean: bool, values: tuple[int, ...]) -> Iterator[Markup]:
    for place, value in enumerate(values, start=1):
        text = str(value) if not boolean else "true" if value else "false"
        kinds = {"last": place == len(values), "on": boolean and value, "zero": not value}
        yield render_tag("td", text, class_=" ".join(kind for kind, holds in kinds.items() if holds) or None)


def _operations(loaded: LoadedProgram) -> Markup:
    rows = [
        render_tag(
            "tr",
            render_tag("th", render_tag("code", operation.name), scope="row"),
            render_tag("td", render_tag("code", format_expression(definition.expression))),
            render_tag("td", operation.sort.value),
            render_tag("td", str(operation.depth), class_="number"),
        )
        for operation, definition in zip(loaded.facts.operations, loaded.program.definitions, strict=True)
    ]
    return render_tag(
        "table", render_heads("operation", "definition", "sort", "depth"), render_tag("tbody", *rows)
    )
