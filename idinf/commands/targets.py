"""``idinf targets`` and ``idinf label``: the shipped languages, and membership of single words."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from idinf.errors import AlphabetMismatchError
from idinf.spec.catalogue import load, names
from idinf.spec.experiment import Spec
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.words import Alphabet, Word

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
    if not words:
        raise click.UsageError(
            'no WORD given; write words, "" for the empty word, or - to read them from stdin'
        )
    if "-" in words and len(words) > 1:
        raise click.UsageError("- reads the words from stdin; give it alone, without other words")
    spec = load(target)
    machine = build_target(spec)
    read = _from_stdin(spec.alphabet) if words == ("-",) else [spec.alphabet.encode(text) for text in words]
    for word in read:
        click.echo(f"{spec.alphabet.decode(word)}\t{'accept' if accepts(machine, word) else 'reject'}")


def _from_stdin(alphabet: Alphabet) -> Iterator[Word]:
    """One word per line, as the lines come: a long list is answered while it is read."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            text = line.decode("utf-8").removesuffix("\n").removesuffix("\r")
            yield alphabet.encode(text)
        except UnicodeDecodeError:
            raise AlphabetMismatchError(
                f"stdin, line {number}: not UTF-8 text; expected one word per line; convert the input"
            ) from None
        except AlphabetMismatchError as error:
            raise AlphabetMismatchError(f"stdin, line {number}: {error}") from None


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
