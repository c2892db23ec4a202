"""``idinf crasp eventual`` and ``idinf crasp fooling-pair``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from tests.commands.refusals import refused


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["crasp", *arguments], prog_name="idinf")


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


def test_lines_are_written_as_formulas(tmp_path: Path) -> None:
    path = tmp_path / "p.crasp"
    path.write_text('a = # "1"\nb = 5 - 2 * a\nc = 3 + b\nd = 0 - a\naccept = b < c\n', encoding="utf-8")
    lines = run("eventual", str(path), "--symbol", "1").stdout.splitlines()
    assert [line.split(maxsplit=2)[2] for line in lines[1:5]] == ["n", "-2·n + 5", "-2·n + 8", "-n"]


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


def test_moduli_and_distances_make_the_block_longer() -> None:
    lines = run("fooling-pair", "abab-star").stdout.splitlines()
    assert lines[1] == "h(a)      baaa  (length 4)"
    lines = run("fooling-pair", "tomita-4", "--symbol", "0").stdout.splitlines()
    assert lines[1] == "h(a)      011  (length 3)"


def test_words_too_long_to_run_are_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "late.crasp"
    path.write_text('accept = # "1" < 100000000\n', encoding="utf-8")
    lines = run("fooling-pair", str(path), "--alphabet", "01").stdout.splitlines()
    assert lines[3] == "constant  reject for every n >= 100000000"
    assert lines[-1].startswith("check     not run: a word of 100000001 symbols")


def test_too_long_a_block_is_blamed_on_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.crasp"
    path.write_text("x = # (i mod 999983 == 1)\naccept = x == 0\n")
    result = run("fooling-pair", str(path), "--alphabet", "01")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (3, "", 1)
    assert result.stderr.startswith(f"Error: {path}: a block of 999983 symbols makes ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("eventual", "aa-star"), 3, "aa-star: line 4, column 20: i mod 2; expected no modulus above 1"),
        (("eventual", "dyck-1", "--symbol", "c"), 2, "'c' is not in the alphabet; expected one of: a b"),
        (("fooling-pair", "dyck-1", "--symbol", "c"), 2, "'c' is not in the alphabet; expected one of: a b"),
        (("fooling-pair", "dyck-1", "--alphabet", "a"), 3, "dyck-1: line"),
        (("fooling-pair", "tomita-0"), 3, "unknown program 'tomita-0'"),
    ],
)
def test_refusals(arguments: tuple[str, ...], code: int, message: str) -> None:
    refused(run(*arguments), code, message)


def test_one_symbol_has_no_parity_to_ask_for(tmp_path: Path) -> None:
    path = tmp_path / "one.crasp"
    path.write_text('accept = # "1" > 2\n', encoding="utf-8")
    result = run("fooling-pair", str(path))
    assert result.exit_code == 3
    assert "alphabet 1; expected at least two symbols; give --alphabet" in result.stderr
