"""``idinf ordinary`` and ``idinf period``: what they print and write, and every refusal as one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main
from idinf.transformers import json_format
from idinf.transformers.causal_transformer import CausalTransformer
from tests.commands.refusals import refused
from tests.ordinary.nets import compiled, one_hot_even, tomita_7


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="idinf")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a hypothesis of tomita-7 and one of (aa)*, and with a net outside of the class."""
    monkeypatch.chdir(tmp_path)
    for name, net in {"t7": tomita_7(), "even": compiled("aa-star"), "outside": one_hot_even(4)}.items():
        Path(f"{name}.json").write_text(json_format.dumps(net), encoding="utf-8")
    return tmp_path


def test_translate_check_and_lift(folder: Path) -> None:
    result = run("ordinary", "translate", "t7.json", "--context", "8", "-o", "o.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0].split() == ["hypothesis", "ordinary"]
    assert result.stdout.splitlines()[-1].split() == ["R", "10.825140770", "12.825140770"]
    assert json_format.read_as((CausalTransformer,), "o.json").context == 8
    assert run("ordinary", "check", "o.json").stdout == (
        "context   N = 8\n"
        "sets      4 of value matrices, at most one of each layer\n"
        "products  5408 alpha and 156 beta, of at most 8 fractional bits each\n"
        "member    yes: all of them are translation invariant\n"
    )
    assert run("ordinary", "lift", "o.json", "-o", "l.json").exit_code == 0
    words = ("", "10", "1010", "0101", "01011")
    answers = [run("eval", name, *words).stdout for name in ("t7.json", "o.json", "l.json")]
    assert answers[0] == answers[1] == answers[2]
    assert run("eval", "o.json", "--offset", "2", *words).stdout == answers[0]


def test_a_file_on_stdout_and_nothing_else(folder: Path) -> None:
    text = run("ordinary", "translate", "even.json", "--context", "6", "-o", "-").stdout
    Path("o.json").write_text(text, encoding="utf-8")
    assert json_format.loads_as((CausalTransformer,), text).context == 6
    assert json_format.loads(run("ordinary", "lift", "o.json", "-o", "-").stdout).period == 2
    assert run("regularizer", "o.json").stdout.splitlines()[-1] == "R\t18.796545910"


def test_a_net_outside_of_the_class(folder: Path) -> None:
    result = run("ordinary", "check", "outside.json")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == (
        "member    no: β(S = {}, A_1 row 1, p_i) is 1 at i = 1 and 0 at i = 2"
    )
    refused(
        run("ordinary", "lift", "outside.json"), 3, "outside.json: β(S = {}, A_1 row 1, p_i) is 1 at i = 1"
    )


def test_the_curve(folder: Path) -> None:
    result = run("ordinary", "curve", "t7.json", "--max-context", "10")
    assert result.stdout == (
        " N  width             R\n"
        " 2      9  12.825140770\n"
        " 4     11  12.825140770\n"
        " 8     15  12.825140770\n"
        "10     17  12.825140770\n"
        "\n"
        "for every N: R <= 12.825140770\n"
        "for every N: 2 layers, 1 head per layer, precision 1, width N + 7\n"
    )


def test_the_curve_as_a_table_and_a_figure(folder: Path) -> None:
    given = ("ordinary", "curve", "t7.json", "--max-context", "8", "--aggregate", "sum")
    text = run(*given, "--csv", "curve.csv", "--plot", "curve.svg").stdout
    assert text == run(*given).stdout
    table = Path("curve.csv").read_text(encoding="utf-8")
    assert table == run(*given, "--csv", "-").stdout
    head, *rows = [line.split(",") for line in table.splitlines()]
    assert head[:5] == ["n", "context", "width", "R", "layers_plus_heads"]
    assert [row[:3] for row in rows] == [["1", "2", "9"], ["3", "4", "11"], ["7", "8", "15"]]
    for row, line in zip(rows, text.splitlines()[1:], strict=False):
        assert row[3] == line.split()[-1]
        assert sum(map(float, row[4:])) == pytest.approx(float(row[3]), abs=1e-7)
    figure = Path("curve.svg").read_text(encoding="utf-8")
    assert 'id="bound"' in figure
    assert run(*given, "--plot", "again.svg").exit_code == 0
    assert Path("again.svg").read_text(encoding="utf-8") == figure


def test_period() -> None:
    assert run("period", "--rank", "4").stdout == "4\t12\tΦ_3 Φ_4\n"
    assert run("period", "--rank", "1").stdout == "1\t2\tΦ_2\n"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("ordinary", "check", "t7.json"), 3, 't7.json: format = "limit-transformer/1"; expected "causal'),
        (("ordinary", "lift", "none.json"), 3, "none.json"),
        (("ordinary", "translate", "outside.json", "--context", "4"), 3, 'format = "causal-transformer/1"'),
        (("ordinary", "translate", "t7.json"), 2, "--context"),
        (("ordinary", "translate", "t7.json", "--context", "0"), 2, "--context"),
        (("ordinary", "translate", "t7.json", "--context", "513"), 2, "--context"),
        (("ordinary", "curve", "t7.json", "--max-context", "1"), 2, "--max-context"),
        (("ordinary", "curve", "t7.json", "--plot", "x.gif"), 2, "--plot"),
        (("ordinary", "curve", "t7.json", "--csv", "no/x.csv"), 3, "there is no folder"),
        (
            ("eval", "outside.json", "aaaa"),
            3,
            "a word of length 4 needs context 5",
        ),
        (("eval", "outside.json", "--offset", "3", "a"), 3, "at offset 3 needs context 5"),
        (("eval", "outside.json", "--offset", "-1", "a"), 2, "--offset"),
        (("period", "--rank", "0"), 2, "--rank"),
        (("period",), 2, "--rank"),
    ],
)
def test_refusals(folder: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    refused(run(*arguments), code, told)
