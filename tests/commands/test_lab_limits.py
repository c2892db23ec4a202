"""``idinf lab lemma eventual`` and ``idinf lab lemma fooling-pair``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lab", "lemma", *arguments], prog_name="idinf")


@pytest.fixture
def program(tmp_path: Path) -> str:
    """PARITY of fewer than four 1s."""
    path = tmp_path / "few.crasp"
    path.write_text('ones = # "1"\naccept = ones == 0 || ones == 2\n', encoding="utf-8")
    return str(path)


def test_every_symbol_in_turn() -> None:
    result = run("eventual", "dyck-1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "a^n  reject for every n >= 1  (equals the interpreter up to n = 65)",
        "b^n  reject for every n >= 1  (equals the interpreter up to n = 65)",
    ]


def test_every_operation_on_one_symbol(program: str) -> None:
    assert run("eventual", program, "--symbol", "1").stdout.splitlines() == [
        "operation  from n  value",
        "ones            0  n",
        "accept          0  true",
        "                1  false",
        "                2  true",
        "                3  false",
        "",
        "1^n  reject for every n >= 3  (equals the interpreter up to n = 67)",
    ]


def test_two_words_are_confused(program: str) -> None:
    result = run("fooling-pair", program, "--alphabet", "01")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"program   {program}, C-RASP[], period 1, reach 0",
        "h(a)      1  (length 1)",
        "unrolled  5 operations over a, C-RASP[]: accepts a^n iff the program accepts h(a)^n",
        "constant  reject for every n >= 3",
        "h(a)^3  111  3 of 1, odd: reject",
        "h(a)^4  1111  4 of 1, even: reject",
        "check     the interpreter answers so on h(a)^n for n = 0..4",
    ]
