"""``idinf crasp``: tables, traces, and a formula wherever a program is taken."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from idinf.commands import main
from tests.commands.refusals import runner

run = runner("crasp")


@pytest.fixture
def program(tmp_path: Path):
    """Write a program, and get its path."""

    def written(text: str) -> str:
        path = tmp_path / "my.crasp"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def test_check() -> None:
    result = run("check", "tomita-4")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "class    C-RASP[local]",
        "symbols  0 1",
        "depth    2",
        "counts   3, 2 local with reach 2",
        "period   none",
        "",
        "operation    sort     depth  line",
        "symbol       Boolean  0      3     unused",
        "ends_in_000  Boolean  1      4",
        "accept       Boolean  2      5",
    ]


def test_a_formula_is_taken_wherever_a_program_is(program) -> None:
    formula = "accept iff #1 - #0 >= 0"
    for given in (formula, program(f"// majority\n{formula}\n")):
        assert run("trace", given, "--alphabet", "01", "0110").stdout.endswith("0110\taccept\n")
    assert "C-RASP[]" in run("check", formula).stdout
    assert "C-RASP[]" in run("check", "specs/known/d-12.json").stdout
    assert "class    C-RASP[]" in run("check", "ge-k-j", "--set", "k=3", "--set", "j=2").stdout
    assert "yes: R* is at most this R" in run("compile", formula).stdout
    assert run("trace", formula, "01").exit_code == 0
    assert CliRunner().invoke(main, ["classify", formula], prog_name="idinf").exit_code == 0


def test_formula() -> None:
    assert run("formula", "dyck-1", "abba", "").stdout == "abba\treject\n\taccept\n"
