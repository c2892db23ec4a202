"""``idinf crasp compile`` and ``idinf crasp decompile``: shapes, what programs cost, round trips."""

from pathlib import Path

from tests.commands.refusals import runner

run = runner()


def test_compile_says_shape_and_r() -> None:
    rows = [
        line.split(maxsplit=1)[1] for line in run("crasp", "compile", "majority").stdout.splitlines()[:10]
    ]
    assert rows[2:8] == ["1", "1 per layer", "1", "Δ = 1", "τ = 0", "p = 0"]
    assert rows[8:] == ["yes: R* is at most this R", "8.414213562"]


def test_there_and_back(tmp_path: Path) -> None:
    net, back = tmp_path / "net.json", tmp_path / "back.crasp"
    assert run("crasp", "compile", "dyck-1", "-o", str(net)).exit_code == 0
    read = run("crasp", "decompile", str(net))
    lines = ['u1 = # "b" > # "a"', 'u2 = # "a" > # "b"', "accept = # u1 == 0 && !u2 && !u1"]
    assert read.stdout.splitlines() == lines
    back.write_text(read.stdout, encoding="utf-8")
    words = ["", "ab", "ba", "aabb", "abab", "abba", "a"]
    assert run("run", str(back), *words).stdout == run("run", str(net), *words).stdout
    total = run("net", "cost", str(net)).stdout.splitlines()[-1].split("\t")[1]
    assert f"R                    {total}\n" in run("crasp", "compile", str(back)).stdout


def test_the_direct_construction() -> None:
    told = run("crasp", "compile", "dyck-1", "--direct").stdout
    assert "family               no, this R is no bound of R*; compiled directly: asked for\n" in told


def test_identify_shows_what_the_program_costs() -> None:
    def told(asked: str) -> str:
        return run("identify", *asked.split(), "--space", "spec", "-q").stdout

    text = told("dyck-1 --max-n 2 --units 1")
    assert "\nR of the program itself: compiled 10.535533906, minimal 8.724744871\n" in text
    assert "\nR                    10.535533906\n" in run("crasp", "compile", "dyck-1").stdout
    narrow = told("at-least-3-ones --max-n 4 --precision 0 --layers 1")
    assert "compiled 9.118033989 (outside of this space), minimal 9.236067977\n" in narrow
    opened = told("dyck-1 --max-n 2 --max-r 8.5")
    assert "compiled 10.535533906, minimal > 8.5\n" in opened
    assert "lies in (8.5, 10.535533906]" in opened
    assert "of the program itself" not in told("tomita-1 --max-n 1 --layers 1")


# Programs of regular languages by the command, and by the library
