"""One HTML page with the values of every operation of a C-RASP program on a word; nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from idinf.base.numbers import format_word
from idinf.crasp.checker import Sort
from idinf.crasp.interpreter import Trace
from idinf.crasp.programs import LoadedProgram
from idinf.crasp.syntax import format_expression
from idinf.show.html.templates import render_template
from idinf.version import __version__


def trace_page(loaded: LoadedProgram, trace: Trace) -> str:
    """Write the page of a trace of a program: a whole HTML document with its style inside and no script.

    The same trace gives the same text, and nothing of the program or the word can become markup.

    >>> from idinf.crasp.programs import load
    >>> from idinf.crasp.interpreter import trace_of
    >>> loaded = load("majority")
    >>> "accepted" in trace_page(loaded, trace_of(loaded.program, loaded.alphabet(), (1,)))
    True
    """
    word, facts = format_word(trace.word), loaded.facts
    operations = zip(facts.operations, loaded.program.definitions, strict=True)
    return render_template(
        "trace.html",
        name=loaded.origin,
        word=word,
        lead=f"{word}: {'accepted' if trace.accepted else 'rejected'}",
        about=loaded.about,
        text=loaded.text.strip("\n"),
        symbols=trace.symbols,
        rows=[(row.name, [*_cells(row.sort is Sort.BOOLEAN, row.at)]) for row in trace.rows],
        operations=[
            (operation.name, format_expression(definition.expression), operation.sort.value, operation.depth)
            for operation, definition in operations
        ],
        version=__version__,
        class_name=facts.class_name,
        depth=facts.depth,
    )


def _cells(boolean: bool, values: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """The text of each value, and the names of its style."""
    for place, value in enumerate(values, start=1):
        text = str(value) if not boolean else "true" if value else "false"
        kinds = {"last": place == len(values), "on": boolean and value, "zero": not value}
        yield text, " ".join(kind for kind, holds in kinds.items() if holds)
