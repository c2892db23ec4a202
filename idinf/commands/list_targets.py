"""``idinf list``: the shipped targets, programs and tasks, and the specs and automata of a folder."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from idinf.api.sources import program_names, target_names
from idinf.base.numbers import format_amount
from idinf.base.quoting import MOST_QUOTED, quote, shorten
from idinf.commands.bounded import bounded
from idinf.commands.terminal import show_rows
from idinf.crasp.programs import load as load_program
from idinf.errors import ArgumentError, IdinfError
from idinf.spec.catalogue import is_family, list_files, load, load_family, read_about
from idinf.spec.spec import Answer, FiniteAutomaton
from idinf.targets.tasks import PROGRAM_TASKS, TASKS

#: The columns of every list; those of a folder are those of targets.
_COLUMNS = {
    "targets": ("target", "alphabet", "defined by", "max n", "expected", "language"),
    "programs": ("program", "alphabet", "class", "language"),
    "tasks": ("task", "alphabet", "language"),
}


@click.command("list")
@click.argument("what", metavar="[targets|programs|tasks|FOLDER]", default="targets")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@bounded
def list_command(what: str, as_json: bool) -> None:
    """List the shipped targets, programs or tasks, or the specs of a folder, and what each language is.

    Specs may be automata: AT&T text (.att) and JFLAP (.jff). A table on a terminal,
    tab-separated lines without a header otherwise. The kind of a family ends with the ranges of its
    parameters, as in "crasp k=1..16 j=1..16". A spec that cannot be read says why.

    \b
    Examples:
      idinf list
      idinf list programs | cut -f 1
      idinf list mine/ --json
    """
    if what in _COLUMNS:
        kind, names = what, {"targets": target_names, "programs": program_names, "tasks": _task_names}[what]()
    elif os.path.isdir(what):
        kind, names = "targets", tuple(list_files(what))
    else:
        raise ArgumentError(f"{quote(what)} is no list; expected {', '.join(_COLUMNS)} or a folder of specs")
    entries = [_DESCRIBE[kind](name) for name in names]
    if as_json:
        content = {"format": f"idinf-{kind}/1", kind: entries}
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        show_rows([_write_row(entry) for entry in entries], _COLUMNS[kind])


def _describe_target(name: str) -> dict[str, Any]:
    """Entry of a target in the list, or of a family, whose first member stands for all."""
    try:
        family = load_family(name) if is_family(name) else None
        spec = load(name) if family is None else family.first
        about = read_about(name)
    except IdinfError as error:
        return {"name": name, "about": f"not read: {error}"}
    if not about and isinstance(spec.definition, FiniteAutomaton):
        about = f"an automaton of {format_amount(len(spec.definition.states), 'state')}"
    ranges = () if family is None else family.parameters.ranges
    return {
        "name": name,
        "alphabet": list(spec.alphabet.symbols),
        "kind": str(spec.kind),
        "mode": "accept" if spec.answer is Answer.ACCEPT else "next",
        "max_n": spec.max_n,
        "parameters": {key: [low, high] for key, low, high in ranges} or None,
        "expected": {key: str(verdict) for key, verdict in spec.expected},
        "about": about,
    }


def _describe_program(name: str) -> dict[str, Any]:
    loaded = load_program(name)
    about = loaded.about.partition("\n")[0].partition(";")[0].removesuffix(".")
    symbols = list(loaded.alphabet().symbols)
    return {"name": name, "alphabet": symbols, "class": loaded.facts.class_name, "about": about}


def _task_names() -> tuple[str, ...]:
    return tuple(sorted((*PROGRAM_TASKS, *TASKS)))


def _describe_task(name: str) -> dict[str, Any]:
    task = TASKS.get(name) or PROGRAM_TASKS[name]
    return {"name": name, "alphabet": list(task.alphabet.symbols), "about": task.about}


_DESCRIBE = {"targets": _describe_target, "programs": _describe_program, "tasks": _describe_task}


def _write_row(entry: dict[str, Any]) -> list[str]:
    """An entry as a line; the name says the mode, and the kind of a family ends with its parameters."""
    if "kind" in entry:
        ranges = [f"{key}={low}..{high}" for key, (low, high) in (entry["parameters"] or {}).items()]
        expected = " ".join(f"{key}={verdict}" for key, verdict in entry["expected"].items())
        middle = [" ".join([entry["kind"], *ranges]), str(entry["max_n"]), expected]
    else:
        middle = [entry["class"]] if "class" in entry else [] if "alphabet" in entry else ["", "", ""]
    return [entry["name"], shorten(" ".join(entry.get("alphabet", ())), MOST_QUOTED), *middle, entry["about"]]
