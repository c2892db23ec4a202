"""Programs of regular languages by the command, and by the library."""

from __future__ import annotations

import pytest

import idinf
from idinf import crasp
from tests.commands.test_crasp_compile import run


def test_it_prints_a_program_that_is_read_again(tmp_path):
    path = tmp_path / "d2.crasp"
    assert run("crasp", "synthesize", "d-2", "-o", str(path)).exit_code == 0
    text = path.read_text()
    assert text.startswith("// d-2: C-RASP[], proved equal on all words; compiled, R = 12.770664580\n")
    found = run("compare", str(path), "d-2")
    assert (found.exit_code, found.stdout) == (0, "equal on all words  (affine relations of counts)\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["parity"], 3, "parity: the language is not in C-RASP[periodic,local]: 0 moves no state"),
        (["no-such-target"], 3, "unknown target 'no-such-target'"),
        (["d-2", "--alphabet", "abc"], 2, "an alphabet is given, but d-2 has its own"),
    ],
)
def test_refusals(arguments, code, message):
    found = run("crasp", "synthesize", *arguments)
    assert found.exit_code == code
    assert message in found.stderr
    assert found.stdout == ""


@pytest.mark.slow
def test_what_is_not_simplified_is_longer_and_right():
    program = crasp.synthesize("regex:.*ab.*", alphabet="abc")
    longer = crasp.synthesize("regex:.*ab.*", alphabet="abc", simplify=False)
    assert len(longer.text) > len(program.text)
    assert longer == idinf.target("regex:.*ab.*", alphabet="abc")
