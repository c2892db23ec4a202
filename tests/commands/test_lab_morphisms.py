"""``idinf lab lemma inverse-image`` and ``neutral``: what they print, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf import crasp
from idinf.commands import main
from tests.commands.refusals import refused


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lab", "lemma", *arguments], prog_name="idinf")


def test_an_inverse_image_is_a_program(tmp_path: Path) -> None:
    result = run("inverse-image", "dyck-1", "x=ab", "y=ba", "z=aa")
    assert result.exit_code == 0
    found = crasp.program(result.stdout)
    assert found.words(up_to=3) == ("", "x", "xx", "xxx")
    spaced = run("inverse-image", "dyck-1", "open close=ab", "y=bb")
    refused(spaced, 3, "'open close' is not a symbol")


@pytest.mark.parametrize(
    ("pairs", "code", "parts"),
    [
        (["x"], 2, ["'x'; expected SYMBOL=WORD"]),
        (["x=ab", "y=b"], 3, ["dyck-1: words of length 1, 2; expected"]),
        (["x=ac"], 3, ["word 'ac': symbol 'c'"]),
    ],
)
def test_refused_morphisms(pairs: list[str], code: int, parts: list[str]) -> None:
    refused(run("inverse-image", "dyck-1", *pairs), code, *parts)


@pytest.fixture
def windows(tmp_path: Path) -> str:
    """A program that looks for be*b within four symbols, and counts else."""
    path = tmp_path / "bb.crasp"
    path.write_text('near = "b" && #[j >= i-3] "b" > 1\naccept = # near >= 1 || # "a" == 0 && # "b" >= 2')
    return str(path)


def test_a_word_with_which_a_program_is_wrong(windows: str) -> None:
    result = run("neutral", windows, "--symbol", "e", "--language", "regex:.*be*b.*", "--alphabet", "abe")
    lines = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert result.exit_code == 0
    assert lines["h"] == "a → aeee, b → beee, e → eeee"
    assert lines["on"].endswith("operations, C-RASP[]")
    assert lines["w"].startswith("different  abb  (length 3): accepted by .*be*b.* alone")
    assert lines["h(w)"] == "aeeebeeebeee: the program rejects it, and is wrong"
    assert "aeeebeeebeee" not in crasp.program(windows, alphabet="abe")


def test_equal_where_counts_are_enough() -> None:
    result = run("neutral", "exists-a", "--symbol", "b", "--language", "regex:.*a.*", "--alphabet", "ab")
    assert "w         equal on all words" in result.stdout
