"""What a shell is told, asked as click asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click
import pytest
from click.shell_completion import ShellComplete

from idinf.commands import main
from idinf.commands.completion import CompletedText
from idinf.experiments.bounds import LENGTHS, MATCHES, PRESETS, THRESHOLDS, TRAINING_RULES
from idinf.export.forms import FORMS
from idinf.library.classification import task_names
from idinf.ordinary.distances import NAMES
from idinf.render.figures.kinds import KINDS
from idinf.sweeps.correlation import METHODS
from idinf.sweeps.readings import READINGS
from idinf.transformers.positional_fits import FUNCTIONS


def proposed(*arguments: str) -> list[tuple[str, str]]:
    """Kinds and values for the last of the arguments."""
    *before, incomplete = arguments
    items = ShellComplete(main, {}, "idinf", "_IDINF_COMPLETE").get_completions(before, incomplete)
    return [(item.type, item.value) for item in items]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (("identify", "tomita-"), [f"tomita-{k}" for k in (1, 2, 4, 7)]),
        (("family", "ge-"), ["ge-k-j"]),
        (("family", "major"), []),
        (("batch", "parit"), ["parity"]),
        (("label", "ge-k"), ["ge-k-j"]),
        (("crasp", "run", "d-1"), ["d-12"]),
        (("crasp", "diff", "majority", "a-then"), ["a-then-b"]),
        (("identify", "majority", "dyck"), []),
        (("readin",), ["readings"]),
        (("crasp", "synth"), ["synthesize"]),
        (("identify", "--max-"), ["--max-n"]),
        (("classify", ""), task_names()),
        (("classify", "copy"), ["copy-repeat", "copy-unique"]),
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
        ("report", ""),
        ("identify", "./dy"),
        ("identify", "my-spe"),
        ("batch", "specs/"),
        ("eval", "hyp"),
        ("crasp", "check", "my"),
        ("identify", "majority", "-o", "out"),
        ("compare", "a.json", "b"),
        ("plot", "x"),
        ("plot", "table.csv", "--data", "mi"),
        ("correlate", "table.csv", "mi"),
        ("export", "a.json", "--as", "torch", "--weights", "a"),
        ("site", "rep"),
    ],
)
def test_files(arguments: tuple[str, ...]) -> None:
    assert proposed(*arguments) == [("file", arguments[-1])]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (("identify", "majority", "--space", ""), [*PRESETS, "spec"]),
        (("batch", "majority", "--space", "no"), [preset for preset in PRESETS if preset.startswith("no")]),
        (("readings", "majority", "--reading", ""), [reading.name for reading in READINGS]),
        (("identify", "majority", "--class", ""), ["one-hot", "theta", "limit"]),
        (("identify", "majority", "--aggregate", ""), ["max", "sum"]),
        (("identify", "majority", "--threshold", ""), THRESHOLDS),
        (("identify", "majority", "--match", ""), MATCHES),
        (("identify", "majority", "--lengths", ""), LENGTHS),
        (("identify", "majority", "--training-length", ""), TRAINING_RULES),
        (("plot", "a.json", "--kind", ""), KINDS),
        (("export", "a.json", "--as", ""), FORMS),
        (("positions", "bound", "--phi", ""), NAMES),
        (("fit-positions", "--function", ""), FUNCTIONS),
        (("correlate", "a.csv", "b.csv", "--method", ""), METHODS),
        (("label", "ge-k-j", "--set", "k="), [f"k={k}" for k in range(1, 17)]),
        (("identify", "ge-k-j", "--set", "k=3", "--set", "j=1"), [f"j={j}" for j in (1, *range(10, 17))]),
        (("crasp", "diff", "regex:a", "ge-k-j", "--set", "j=16"), ["j=16"]),
        (("label", "majority", "--set", "k"), []),
    ],
)
def test_every_option_with_a_known_set_is_completed(
    arguments: tuple[str, ...], values: Iterable[str]
) -> None:
    assert sorted(proposed(*arguments)) == sorted(("plain", value) for value in values)


def test_a_rule_may_be_a_file() -> None:
    assert proposed("identify", "majority", "--training-length", "ta") == [("file", "ta")]


def test_the_symbol_of_a_program_is_no_name() -> None:
    assert proposed("crasp", "eventual", "dyck-1", "--symbol", "a") == []


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


def test_words_and_numbers_are_left_to_the_user() -> None:
    assert proposed("label", "majority", "0") == []
    assert proposed("identify", "majority", "--max-n", "1") == []
    assert proposed("classify", "--regex", "a") == []


def test_a_family_is_proposed_where_every_target_is() -> None:
    both = [value for _, value in proposed("identify", "")]
    families = [value for _, value in proposed("family", "")]
    assert set(families) < set(both)
    assert "majority" in both
    assert "majority" not in families


def test_completion_leaves_options_as_they_are() -> None:
    assert proposed("sweep", "ge-k-j", "--set", "k=1")
    assert proposed("sweep", "ge-k-j", "--readings", "th") == [
        ("plain", "theta"),
        ("plain", "threshold zero"),
    ]
    set_option = next(param for param in _leaf("sweep").params if param.name == "values")
    assert set_option.type.convert("k=1..3", set_option, None) == ("k", (1, 2, 3))


def _leaf(name: str) -> click.Command:
    return dict(_leaves(main))[name]
