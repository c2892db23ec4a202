"""``idinf targets`` and ``idinf label``: the shipped languages, and membership of single words."""

from __future__ import annotations

import sys

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import set_option, words_argument
from idinf.commands.terminal import as_it_is
from idinf.commands.words import iter_words, label_text
from idinf.experiments.catalogue import list_family_names, list_names, load, load_family
from idinf.experiments.parameters import Values
from idinf.experiments.spec import Spec
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise


@click.command()
@bounded
def targets() -> None:
    """List the shipped targets.

    Columns: name, alphabet, kind of definition, default max n, expected verdicts. The kind of a family ends
    with the ranges of its parameters, as in "crasp k=1..16 j=1..16". A table on a terminal, tab-separated
    lines without a header otherwise.

    \b
    Examples:
      idinf targets
      idinf targets | cut -f 1
    """
    rows = sorted(
        [_row(load(name)) for name in list_names()] + [_family_row(name) for name in list_family_names()]
    )
    if not sys.stdout.isatty():
        click.echo("".join("\t".join(row) + "\n" for row in rows), nl=False)
        return
    from rich.console import Console
    from rich.table import Column, Table

    table = Table("target", "alphabet", "defined by", "max n", Column("expected", overflow="fold"))
    for row in rows:
        table.add_row(*row)
    Console(file=as_it_is(sys.stdout)).print(table)


@click.command()
@click.argument("target")
@words_argument
@set_option
@bounded
def label(target: str, words: tuple[str, ...], values: Values) -> None:
    """Say of every WORD whether TARGET accepts or rejects it.

    TARGET is a name that `idinf targets` lists, or the path of a spec; --set chooses a member of a family.
    Prints WORD<TAB>accept or WORD<TAB>reject, one per line. With - the words are the lines of standard
    input; an empty line, and the argument "", is the empty word. A target of next symbols answers at every
    position: the sets after every prefix, the empty one first, separated by blanks, as in * 1,$ - with $ for
    the end, - for no symbol and * where any answer will do. A word outside the domain of the target is
    marked.

    \b
    Examples:
      idinf label majority 0011 001 ""
      printf 'ab\\nba\\n' | idinf label dyck-1 -
      idinf label ge-k-j --set k=3 --set j=2 01 001
    """
    spec = load(target, values)
    machine = supervise(build_target(spec))
    for text, word in iter_words(spec.alphabet, words):
        outside = "" if machine.is_counted(word) else "\toutside the domain"
        click.echo(f"{text}\t{label_text(machine, word)}{outside}")


def _row(spec: Spec) -> tuple[str, ...]:
    expected = " ".join(f"{key}={verdict}" for key, verdict in spec.expected)
    return spec.name, " ".join(spec.alphabet.symbols), str(spec.kind), str(spec.max_n), expected


def _family_row(name: str) -> tuple[str, ...]:
    family = load_family(name)
    _, alphabet, kind, max_n, expected = _row(family.first)
    ranges = " ".join(f"{key}={low}..{high}" for key, low, high in family.parameters.ranges)
    return name, alphabet, f"{kind} {ranges}", max_n, expected
