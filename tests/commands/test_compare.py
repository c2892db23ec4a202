"""``idinf compare``: languages and reports, exit codes, and limits."""

import json
from functools import partial
from pathlib import Path

import pytest

from idinf.commands import compare as compare_module
from idinf.languages.equivalence import comparison
from tests.commands.refusals import runner

run = runner("compare")


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("asked", "code", "line"),
    [
        ("d-3 dyck-1", 1, "different  aaaabbbb  (length 8): accepted by dyck-1 alone  (all pairs of states)"),
        ("tomita-2 regex:(10)*", 0, "equal on all words  (all pairs of states)"),
        ("tomita-2 program:tomita-2", 0, "equal on all words  (affine relations of counts)"),
        (
            "majority ge-k-j --set k=7 --set j=6",
            1,
            "different  0000000111111  (length 13): accepted by ge-7-6",
        ),
        ("regex:ab regex:ab? --alphabet ba", 1, "different  a  (length 1): accepted by ab?"),
    ],
)
def test_answers(asked: str, code: int, line: str) -> None:
    result = run(*asked.split())
    assert (result.exit_code, result.stderr, result.stdout.count("\n")) == (code, "", 1)
    assert result.stdout.startswith(line)


@pytest.fixture
def dyck(tmp_path: Path) -> str:
    """Dyck-1 by other comparisons: two layers, so only inequalities prove it equal to the shipped one."""
    path = tmp_path / "dyck.crasp"
    path.write_text('accept = # (# "a" + 1 <= # "b") < 1 && # "a" + # "b" == 2 * # "a"', encoding="utf-8")
    return str(path)


def test_a_limit_ends_with_what_is_known(dyck: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "compare", partial(comparison.compare, most_pairs=10))
    result = run("dyck-1", dyck, "--max-n", "100000", "--time-limit", "0.5")
    assert result.exit_code == 4
    assert "up to length" in result.stdout or "undecided" in result.stdout
    assert result.stderr.startswith("Note: the time limit of 0.5 s ended the run")
    monkeypatch.setattr(compare_module, "BYTES_PER_STATE", 2**28)
    result = run("d-12", "dyck-1", "-q", "--json")
    assert (result.exit_code, result.stderr) == (4, "")
    answer = json.loads(result.stdout)
    assert 0 < answer["up_to"] < 26
    assert "joint states, more than the 4 that fit the memory bound" in answer["stop_reason"]


identify = runner("identify")


def test_two_runs_of_one_target_agree_and_others_do_not(tmp_path: Path) -> None:
    files = {}
    for name, max_n, jobs in (("a", "3", "1"), ("b", "3", "2"), ("c", "4", "1")):
        files[name] = str(tmp_path / f"{name}.json")
        options = ("--layers", "1", "--max-n", max_n, "-j", jobs, "--json", "-o", files[name])
        assert identify("majority", "--space", "spec", *options).exit_code == 0
    same = run(files["a"], files["b"])
    assert (same.exit_code, same.stderr) == (0, "")
    assert same.stdout.endswith("they agree\n")
    other = run(files["a"], files["c"])
    assert (other.exit_code, other.stderr) == (1, "")
    assert "they differ: max_n, " in other.stdout
    assert run(files["a"], "majority").stdout.startswith("equal on all words")
    assert run(files["a"], files["c"], "--record", "1").stdout.startswith("equal on all words")
