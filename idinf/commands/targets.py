"""``idinf targets`` and ``idinf label``: the shipped languages, and membership of single words."""

from __future__ import annotations

import sys

import click

from idinf.commands.words import iter_words
from idinf.spec.catalogue import load, names
from idinf.spec.experiment import Spec
from idinf.targets.build import build_target
from idinf.targets.machine import accepts

__all__ = ["label", "targets"]


@click.command()
def targets() -> None:
    """List the shipped targets.

    Columns: name, alphabet, kind of definition, default max n, expected verdicts. A table on a terminal,
    tab-separated lines without a header otherwise.

    \b
    Examples:
      idinf targets
      idinf targets | cut -f 1
    """
    rows = [_row(load(name)) for name in names()]
    if sys.stdout.isatty():
        _print_table(rows)
        return
    for row in rows:
        click.echo("\t".join(row))


@click.command()
@click.argument("target")
@click.argument("words", nargs=-1, metavar="[WORD...|-]")
def label(target: str, words: tuple[str, ...]) -> None:
    """Say of every WORD whether TARGET accepts or rejects it.

    TARGET is a name that `idinf targets` lists, or the path of a spec. Prints WORD<TAB>accept or
    WORD<TAB>reject, one per line. With - the words are the lines of standard input; an empty line, and the
    argument "", is the empty word.

    \b
    Examples:
      idinf label majority 0011 001 ""
      printf 'ab\\nba\\n' | idinf label dyck-1 -
    """
    spec = load(target)
    machine = build_target(spec)
    for text, word in iter_words(spec.alphabet, words):
        click.echo(f"{text}\t{'accept' if accepts(machine, word) else 'reject'}")


def _row(spec: Spec) -> tuple[str, ...]:
    expected = " ".join(f"{key}={verdict}" for key, verdict in spec.expected)
    return spec.name, " ".join(spec.alphabet.symbols), str(spec.kind), str(spec.max_n), expected


def _print_table(rows: list[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("target", "alphabet", "defined by", "max n", "expected")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
