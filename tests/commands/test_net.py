"""``idinf net``: what they print and write."""

from pathlib import Path

import pytest

import idinf
from idinf import crasp
from idinf.nets import json_format
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.report.files import dump_report
from tests.commands.refusals import runner
from tests.nets.ordinary.nets import compiled, one_hot_even, tomita_7

run = runner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a hypothesis of tomita-7 and one of (aa)*, and with a net outside of the class."""
    monkeypatch.chdir(tmp_path)
    for name, net in {"t7": tomita_7(), "even": compiled("aa-star"), "outside": one_hot_even(4)}.items():
        Path(f"{name}.json").write_text(json_format.dumps(net), encoding="utf-8")
    return tmp_path


def test_translate_check_and_lift(folder: Path) -> None:
    result = run("net", "translate", "t7.json", "--context", "8", "-o", "o.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].split() == ["hypothesis", "ordinary"]
    assert result.stdout.splitlines()[-1].split() == ["R", "10.825140770", "12.825140770"]
    assert json_format.read_as((CausalTransformer,), "o.json").context == 8
    assert run("net", "check", "o.json").stdout == (
        "context   N = 8\n"
        "sets      4 of value matrices, at most one of each layer\n"
        "products  5408 alpha and 156 beta, of at most 8 fractional bits each\n"
        "member    yes: all of them are translation invariant\n"
    )
    assert run("net", "lift", "o.json", "-o", "l.json").exit_code == 0
    words = ("", "10", "1010", "0101", "01011")
    answers = [run("run", name, *words).stdout for name in ("t7.json", "o.json", "l.json")]
    assert answers[0] == answers[1] == answers[2]
    assert run("run", "o.json", "--offset", "2", *words).stdout == answers[0]


def test_a_flat_curve_is_one_sentence(folder: Path) -> None:
    result = run("net", "curve", "t7.json", "--max-context", "10")
    assert result.stdout == (
        "R = 12.825140770 for N = 2 to 10, and at most that for every N: 2 layers, 1 head per layer, "
        "precision 1, width N + 7\n"
    )


def test_a_curve_that_grows_is_a_table(folder: Path) -> None:
    Path("t4.json").write_text(json_format.dumps(compiled("tomita-4")), encoding="utf-8")
    assert run("net", "curve", "t4.json", "--max-context", "4").stdout == (
        "N  width             R\n"
        "2      9  14.310660172\n"
        "4     11  16.112597908\n"
        "\n"
        "for every N: R <= 16.310660172\n"
        "for every N: 2 layers, 1 head per layer, precision 2, width N + 7\n"
    )


# Net export

export = runner("net", "export")


@pytest.fixture
def report(identified, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(dump_report(identified.report), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("form", ["json", "crasp", "numpy", "latex"])
def test_command_and_library_write_the_same(form, report, tmp_path):
    told = export(report, "--as", form)
    assert (told.exit_code, told.stderr) == (0, "")
    assert export(report, "--as", form, "-o", "-").stdout == told.stdout
    assert export(report, "--as", form, "-o", str(tmp_path / "out")).stdout == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == told.stdout
    assert idinf.read_report(report).export(form, tmp_path / "again") == told.stdout
    assert (tmp_path / "again").read_text(encoding="utf-8") == told.stdout


# Net cost

cost = runner("net", "cost")

TERMS = (
    "layers_plus_heads 2 precision 0 rank_V 1 norm_KQ 0 norm_V 1.414213562 norm_A 1 norm_B 1 norm_U 1 "
    "norm_p 0 norm_E 1 norm_b 0 phi 0 period 0 R 8.414213562"
)


def test_r_prints_terms_and_total(tmp_path):
    for name in ("majority", "tomita-4"):
        crasp.compile(name).save(tmp_path / name)
    for option in ((), ("--aggregate", "max"), ("--aggregate", "sum")):  # one layer with one head: alike
        told = cost(tmp_path / "majority", *option).stdout.split()
        assert [*zip(told[::2], map(float, told[1::2]), strict=True)] == [
            *zip(TERMS.split()[::2], map(float, TERMS.split()[1::2]), strict=True)
        ]
    assert cost(tmp_path / "majority", "--by-distance").stdout == "0\t0.000000000\t8.414213562\n"
    rows = [line.split("\t") for line in cost(tmp_path / "tomita-4", "--by-distance").stdout.splitlines()]
    assert [row[:2] for row in rows] == [[str(k), f"{k}.000000000"] for k in range(3)]
    assert float(rows[2][2]) - float(rows[0][2]) == pytest.approx(2)
    told = cost(tmp_path / "majority", "--regularizer", "definition-50").stdout
    assert told.split()[::2] == ["layers_plus_heads", "precision", "largest_norm", "phi", "period", "R"]
    assert told.endswith("R\t3.414213562\n")
