"""``idinf crasp diff``: exact output and exit codes, and every refusal as one line."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import crasp_diff, main
from idinf.library import languages
from tests.commands.refusals import refused


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["crasp", "diff", *arguments], prog_name="idinf")


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ("d-3", "dyck-1"),
            1,
            "different  aaaabbbb  (length 8): accepted by dyck-1 alone  (all pairs of states)",
        ),
        (("tomita-2", "regex:(10)*"), 0, "equal on all words  (all pairs of states)"),
        (("tomita-2", "program:tomita-2"), 0, "equal on all words  (affine relations of counts)"),
        (
            ("majority", "ge-k-j", "--set", "k=7", "--set", "j=6"),
            1,
            "different  0000000111111  (length 13): accepted by ge-7-6 alone",
        ),
        (
            ("regex:ab", "regex:ab?", "--alphabet", "b a"),
            1,
            "different  a  (length 1): accepted by ab?",
        ),
    ],
)
def test_answers(arguments: tuple[str, ...], code: int, line: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (code, "")
    assert result.stdout.startswith(line)
    assert result.stdout.count("\n") == 1


@pytest.fixture
def dyck(tmp_path: Path) -> str:
    """Dyck-1 by other comparisons: two layers, so only inequalities prove it equal to the shipped one."""
    path = tmp_path / "dyck.crasp"
    path.write_text('accept = # (# "a" + 1 <= # "b") < 1 && # "a" + # "b" == 2 * # "a"', encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_one_layer_on_all_words(tmp_path: Path) -> None:
    path = tmp_path / "nearly.crasp"
    path.write_text('x = 101 * # "1" >= 100 * # "0"', encoding="utf-8")
    result = run("majority", str(path), "--max-n", "9")
    assert result.exit_code == 1
    assert result.stdout.startswith("different  0")
    assert "(length 201, perhaps not the least of that length): accepted by" in result.stdout
    path.write_text('x = !(5 * # "0" > 5 * # "1" + 4)', encoding="utf-8")
    result = run("majority", str(path), "--max-n", "9")
    line = "equal on all words  (integer programs over counts of symbols)\n"
    assert (result.exit_code, result.stdout) == (0, line)


def test_a_limit_ends_with_what_is_known(dyck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "compare", partial(languages.compare, most_pairs=10))
    result = run("dyck-1", dyck, "--max-n", "100000", "--time-limit", "0.5")
    assert result.exit_code == 4
    assert "up to length" in result.stdout or "undecided" in result.stdout
    assert result.stderr.startswith("Note: the time limit of 0.5 s ended the run")
    monkeypatch.setattr(crasp_diff, "BYTES_PER_STATE", 2**29)
    result = run("d-12", "dyck-1", "-q", "--json")
    assert (result.exit_code, result.stderr) == (4, "")
    answer = json.loads(result.stdout)
    assert 0 < answer["up_to"] < 26
    assert "joint states, more than the 8 that fit the memory bound" in answer["stop_reason"]


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (("dyck-1",), 2, ("Missing argument 'B'",)),
        (("dyck-1", "dyck-1", "--time-limit", "0"), 2, ("--time-limit", "above 0")),
        (("dyck-1", "majority"), 3, ("alphabet 0 1", "expected that of dyck-1, a b")),
        (("dyck-1", "dyck-1", "--alphabet", "a"), 3, ("alphabet a b", "expected that of --alphabet, a")),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, parts: tuple[str, ...]) -> None:
    refused(run(*arguments), code, *parts)
