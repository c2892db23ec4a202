"""``idinf targets`` and ``idinf label``: the shipped languages, and membership of single words."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Any

import click

from idinf.commands.bounded import bounded
from idinf.commands.options import json_option, set_option, words_argument
from idinf.commands.terminal import show_rows
from idinf.commands.words import iter_batches, label_texts
from idinf.experiments.catalogue import is_family, list_family_names, list_names, load, load_family
from idinf.experiments.parameters import Values
from idinf.experiments.spec import Answer
from idinf.targets.build import build_target
from idinf.targets.supervised import supervise


@click.command()
@json_option("idinf-targets/1")
@bounded
def targets(as_json: bool) -> None:
    """List the shipped targets.

    Columns: name, alphabet, kind of definition, default max n, expected verdicts. The kind of a family ends
    with the ranges of its parameters, as in "crasp k=1..16 j=1..16". A table on a terminal, tab-separated
    lines without a header otherwise.

    \b
    Examples:
      idinf targets
      idinf targets | cut -f 1
      idinf targets --json
    """
    entries = sorted(map(_entry, (*list_names(), *list_family_names())), key=itemgetter("name"))
    if as_json:
        content = {"format": "idinf-targets/1", "targets": entries}
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    show_rows([_row(**entry) for entry in entries], ("target", "alphabet", "defined by", "max n", "expected"))


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
    for texts, batch in iter_batches(spec.alphabet, words):
        labels, counted = label_texts(machine, batch)
        outside = ("" if is_inside else "\toutside the domain" for is_inside in counted)
        lines = ("\t".join(parts[:2]) + parts[2] + "\n" for parts in zip(texts, labels, outside, strict=True))
        click.echo("".join(lines), nl=False)


def _entry(name: str) -> dict[str, Any]:
    """What is listed of a target, or of a family, of which the first member stands for all."""
    family = load_family(name) if is_family(name) else None
    spec = load(name) if family is None else family.first
    ranges = () if family is None else family.parameters.ranges
    return {
        "name": name,
        "alphabet": list(spec.alphabet.symbols),
        "kind": str(spec.kind),
        "mode": "accept" if spec.answer is Answer.ACCEPT else "next",
        "max_n": spec.max_n,
        "parameters": {key: [low, high] for key, low, high in ranges} or None,
        "expected": {key: str(verdict) for key, verdict in spec.expected},
    }


def _row(
    name: str,
    alphabet: list[str],
    kind: str,
    mode: str,
    max_n: int,
    parameters: dict[str, list[int]] | None,
    expected: dict[str, str],
) -> tuple[str, ...]:
    """An entry as a line; the name says the mode."""
    ranges = [f"{key}={low}..{high}" for key, (low, high) in (parameters or {}).items()]
    verdicts = " ".join(f"{key}={verdict}" for key, verdict in expected.items())
    return name, " ".join(alphabet), " ".join([kind, *ranges]), str(max_n), verdicts
