"""What a shell is told, asked as click asks for it."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from idinf.commands import main


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
    ],
)
def test_names(arguments: tuple[str, ...], values: list[str]) -> None:
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
