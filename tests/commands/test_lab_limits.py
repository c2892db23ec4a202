"""``idinf lab lemma eventual`` and ``idinf lab lemma fooling-pair``."""

import subprocess
import sys
from pathlib import Path

import pytest

from idinf import crasp
from tests.commands.refusals import runner

run = runner("lab", "lemma")


# ``idinf lab lemma inverse-image`` and ``neutral``: what they print, and what they refuse


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
