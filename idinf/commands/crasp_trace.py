"""``idinf crasp trace``: every operation of a program at every position of a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from idinf.commands.bounded import bounded
from idinf.commands.crasp_program import alphabet_option
from idinf.files import check_writable, write_whole
from idinf.words import Alphabet

if TYPE_CHECKING:
    pass


@click.command("trace", short_help="Show every operation at every position.")
@click.argument("program", metavar="FILE|NAME|FORMULA")
@click.argument("word", metavar="WORD")
@alphabet_option
@click.option("--parts", is_flag=True, help="A row for every part of an operation, too.")
@click.option("--html", "as_html", is_flag=True, help="Write one self-contained HTML page instead of text.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE (-: stdout, the default).")
@bounded
def trace_command(
    program: str,
    word: str,
    given: Alphabet | None,
    parts: bool,
    as_html: bool,
    output: str | None,
) -> None:
    """Show the value of every operation of a C-RASP program at every position of WORD.

    One row per operation, one column per position; position 0 is SOS, $, where the empty word is judged:
    there # counts nothing, and a periodic predicate sees i = 0. T and F are truth values. The last row at
    the last position decides.

    \b
    Examples:
      idinf crasp trace dyck-1 abba
      idinf crasp trace --html -o trace.html dyck-1 aabb
    """
    from idinf.crasp.library import load
    from idinf.crasp.trace import trace_of

    if output not in (None, "-"):
        check_writable(output)
    loaded = load(program, given)
    alphabet = loaded.alphabet(given)
    trace = trace_of(loaded.program, alphabet, alphabet.encode(word), parts)
    if as_html:
        from idinf.render.html.trace_page import trace_page

        content = trace_page(loaded, trace)
    else:
        content = f"{trace}\n"
    if output is None or output == "-":
        click.echo(content, nl=False)
    else:
        write_whole(output, content)
