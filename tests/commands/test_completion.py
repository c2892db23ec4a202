"""What a shell is told, asked as click asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
import pytest
from click.shell_completion import ShellComplete

from idinf.commands import main
from idinf.commands.completion import CompletedText


def proposed(*arguments: str) -> list[tuple[str, str]]:
    """Kinds and values for the last of the arguments."""
    *before, incomplete = arguments
    items = ShellComplete(main, {}, "idinf", "_IDINF_COMPLETE").get_completions(before, incomplete)
    return [(item.type, item.value) for item in items]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (("identify", "tomita-"), [f"tomita-{k}" for k in (1, 2, 4, 7)]),
        (("batch", "parit"), ["parity"]),
        (("crasp", "run", "d-1"), ["d-12"]),
        (("readin",), ["readings"]),
        (("identify", "--max-"), ["--max-n"]),
        (("communicate", "majority", "equ"), ["equality"]),
    ],
)
def test_names(arguments: tuple[str, ...], values: Sequence[str]) -> None:
    found = [value for kind, value in proposed(*arguments) if kind == "plain"]
    assert set(values) <= set(found) if values else not found
    assert all(value.startswith(arguments[-1]) for value in found)


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "rep"),
        ("identify", "my-spe"),
        ("eval", "hyp"),
        ("compare", "a.json", "b"),
        ("plot", "table.csv", "--data", "mi"),
        ("site", "rep"),
    ],
)
def test_files(arguments: tuple[str, ...]) -> None:
    assert proposed(*arguments) == [("file", arguments[-1])]


def _leaves(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group, resilient_parsing=True), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _leaves(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_text_is_completed_or_free() -> None:
    """A new option names what it takes by a metavar that is known here, or is a text of the user's."""
    free = {"REGEX", "WORD", "SYMBOL=WORD...", "E", "A", "B", "W", "word", "alpha", "beta"}
    free |= {"[WORD...|-]", "[PROMPT...|-]", "PROMPT...", "PROMPT", "SYMBOLS", "COLUMN=VERDICT", "ADDRESS"}
    assigned = ("NAME=VALUE", "NAME=VALUES")
    for path, command in _leaves(main):
        context = click.Context(command)
        for param in command.params:
            if isinstance(param.type, CompletedText) and (param.metavar or param.name) not in free:
                known = param.type.shell_complete(context, param, "")
                assert known or param.metavar in assigned, f"{path}: {param.name} ({param.metavar})"
