"""``idinf crasp compile`` and ``idinf crasp decompile``: exact output, files, round trips."""

from __future__ import annotations

from pathlib import Path

import pytest

import idinf
from idinf import crasp
from idinf.crasp.syntax import format_program
from idinf.languages.classification.finite import find_finite_machine
from idinf.languages.synthesis import synthesize
from idinf.work.limits import TimeIsUp
from tests.commands.refusals import runner

run = runner()


def test_compile_says_shape_and_r() -> None:
    result = run("crasp", "compile", "majority")
    assert result.exit_code == 0
    rows = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    assert rows[:10] == [
        ["program", "majority"],
        ["alphabet", "0 1"],
        ["layers", "1"],
        ["heads", "1 per layer"],
        ["units", "1"],
        ["period", "Δ = 1"],
        ["reach", "τ = 0"],
        ["precision", "p = 0"],
        ["family", "yes: R* is at most this R"],
        ["R", "8.414213562"],
    ]
    assert ["norm_V", "1.414213562"] in rows[10:]


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
    result = run("crasp", "compile", "dyck-1", "--direct")
    assert (
        "family               no, this R is no bound of R*; compiled directly: asked for\n" in result.stdout
    )
    assert "\nR                    " in result.stdout


def test_identify_shows_what_the_program_costs() -> None:
    result = run("identify", "dyck-1", "--space", "spec", "--max-n", "2", "--units", "1", "-q")
    assert "\nR of the program itself: compiled 10.535533906, minimal 8.724744871\n" in result.stdout
    assert "\nR                    10.535533906\n" in run("crasp", "compile", "dyck-1").stdout
    asked = "identify at-least-3-ones --space spec --max-n 4 --precision 0 --layers 1 -q"
    narrow = run(*asked.split()).stdout
    assert "compiled 9.118033989 (outside of this space), minimal 9.236067977\n" in narrow
    opened = run("identify", "dyck-1", "--space", "spec", "--max-n", "2", "--max-r", "8.5", "-q")
    assert "compiled 10.535533906, minimal > 8.5\n" in opened.stdout
    assert "lies in (8.5, 10.535533906]" in opened.stdout
    assert (
        "of the program itself"
        not in run("identify", "tomita-1", "--space", "spec", "--max-n", "1", "--layers", "1", "-q").stdout
    )


# Programs of regular languages by the command, and by the library


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


@pytest.mark.parametrize(
    ("programs", "code", "note"), [(1, 0, "Note: a limit ended"), (0, 4, "raise --time-limit")]
)
def test_a_limit_leaves_the_shortest_program_that_is_proved(monkeypatch, programs, code, note):
    proved = list(synthesize.iter_synthesized(find_finite_machine(idinf.target("d-2").decider)))

    def ended(*arguments, **options):
        yield from proved[:programs]
        raise TimeIsUp

    whole = run("crasp", "synthesize", "d-2")
    monkeypatch.setattr(synthesize, "iter_synthesized", ended)
    found = run("crasp", "synthesize", "d-2")
    assert (found.exit_code, found.stdout) == (code, whole.stdout if programs else "")
    assert note in found.stderr


def test_what_is_late_is_proved_as_it_is():
    machine = find_finite_machine(idinf.target("regex:.*ab.*", alphabet="abc").decider)
    (late,) = synthesize.iter_synthesized(machine, is_late=lambda: True)
    (whole,) = synthesize.iter_synthesized(machine)
    assert len(format_program(late.program)) > len(format_program(whole.program))


@pytest.mark.slow
def test_what_is_not_simplified_is_longer_and_right():
    program = crasp.synthesize("regex:.*ab.*", alphabet="abc")
    longer = crasp.synthesize("regex:.*ab.*", alphabet="abc", simplify=False)
    assert len(longer.text) > len(program.text)
    assert longer == idinf.target("regex:.*ab.*", alphabet="abc")
