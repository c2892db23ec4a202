"""``idinf crasp list`` and ``idinf crasp check``: the shipped programs, and what a program is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from idinf.commands.bounded import bounded

if TYPE_CHECKING:
    from idinf.crasp.library import LoadedProgram

__all__ = ["check_command", "list_command"]


@click.command("list", short_help="List the shipped programs.")
@bounded
def list_command() -> None:
    """List the shipped programs.

    Prints NAME<TAB>ALPHABET<TAB>CLASS<TAB>LANGUAGE, one line per program.

    \b
    Examples:
      idinf crasp list
      idinf crasp list | cut -f 1
    """
    from idinf.crasp.library import load, names

    for name in names():
        loaded = load(name)
        language = loaded.about.split("\n", 1)[0]
        symbols = " ".join(loaded.alphabet().symbols)
        click.echo(f"{name}\t{symbols}\t{loaded.facts.class_name}\t{language}")


@click.command("check", short_help="Say what a program is: sorts, depth, class.")
@click.argument("program", metavar="FILE|NAME|FORMULA")
@click.option("--json", "as_json", is_flag=True, help="Print an idinf-crasp/1 object instead.")
@bounded
def check_command(program: str, as_json: bool) -> None:
    """Check a C-RASP program, and say what it is.

    Names, sorts, predicates and numbers are checked; the first fault ends the command with exit code 3 and
    one line that names file, line and column. Then come the class the program is written in, C-RASP[] with
    periodic and local where it uses such predicates, the symbols it names, the depth of its counts, their
    number, the reach of local predicates, the period, and every operation with its sort and depth.

    \b
    Examples:
      idinf crasp check dyck-1
      idinf crasp check --json my.crasp
    """
    from idinf.crasp.library import load

    loaded = load(program)
    click.echo(json.dumps(_object(loaded), indent=2) if as_json else _text(loaded))


def _text(loaded: LoadedProgram) -> str:
    facts = loaded.facts
    local = f", {facts.local_counts} local with reach {facts.reach}" if facts.local_counts else ""
    lines = [
        f"class    {facts.class_name}",
        f"symbols  {' '.join(facts.symbols) or 'none named'}",
        f"depth    {facts.depth}",
        f"counts   {facts.counts}{local}",
        f"period   {facts.period if facts.period > 1 else 'none'}",
        "",
    ]
    rows = [("operation", "sort", "depth", "line", "")] + [
        (row.name, str(row.sort), str(row.depth), str(row.place.line), "" if row.used else "unused")
        for row in facts.operations
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines += ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def _object(loaded: LoadedProgram) -> dict[str, object]:
    facts = loaded.facts
    return {
        "format": "idinf-crasp/1",
        "program": loaded.origin,
        "class": facts.class_name,
        "symbols": list(facts.symbols),
        "depth": facts.depth,
        "counts": facts.counts,
        "local_counts": facts.local_counts,
        "reach": facts.reach,
        "period": facts.period,
        "operations": [
            {
                "name": row.name,
                "sort": row.sort.value.lower(),
                "depth": row.depth,
                "used": row.used,
                "line": row.place.line,
                "column": row.place.column,
            }
            for row in facts.operations
        ],
    }
