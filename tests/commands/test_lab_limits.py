"""``idinf lab lemma`` and ``idinf lab positions bound``: what they print."""

import subprocess
import sys
from pathlib import Path

import pytest

from idinf import crasp
from tests.commands.refusals import runner

run = runner("lab", "lemma")


def test_an_inverse_image_is_a_program() -> None:
    found = crasp.program(run("inverse-image", "dyck-1", "x=ab", "y=ba", "z=aa").stdout)
    assert found.words(up_to=3) == ("", "x", "xx", "xxx")


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


# ``idinf lab positions bound``: its table

bound = runner("lab", "positions", "bound")


def test_the_table_of_bounds() -> None:
    result = bound("--phi", "ones", "--behind", "zero", "--positions", "4")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["2", "1.118033989", "1.154701", "1.154700", "1.982703"],
        ["4", "1.266044443", "1.326123", "1.326122", "2.076327"],
    ]


def test_a_solver_without_room_is_not_begun() -> None:
    """Its native code would end the process, or wait forever."""
    command = [sys.executable, "-m", "idinf", "lab", "positions", "bound", "--phi", "primes"]
    done = subprocess.run([*command, "--memory", "256M"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "Error: the memory bound of 256 MiB was reached; raise --memory\n"


def test_every_symbol_in_turn() -> None:
    result = run("eventual", "dyck-1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "a^n  reject for every n >= 1  (equals the interpreter up to n = 65)",
        "b^n  reject for every n >= 1  (equals the interpreter up to n = 65)",
    ]


def test_two_words_are_confused(tmp_path: Path) -> None:
    """By a program of PARITY for fewer than four 1s."""
    path = tmp_path / "few.crasp"
    path.write_text('ones = # "1"\naccept = ones == 0 || ones == 2\n', encoding="utf-8")
    assert run("fooling-pair", path, "--alphabet", "01").stdout.splitlines()[2:] == [
        "unrolled  5 operations over a, C-RASP[]: accepts a^n iff the program accepts h(a)^n",
        "constant  reject for every n >= 3",
        "h(a)^3  111  3 of 1, odd: reject",
        "h(a)^4  1111  4 of 1, even: reject",
        "check     the interpreter answers so on h(a)^n for n = 0..4",
    ]
