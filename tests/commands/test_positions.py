"""``idinf positions bound``: its table, and every refusal as one line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

import idinf
from idinf.commands import main
from idinf.ordinary import factorization
from tests.commands.refusals import refused


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ("positions", "bound", *arguments), prog_name="idinf")


def test_the_table_of_bounds() -> None:
    result = run("--phi", "ones", "--behind", "zero", "--positions", "4")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["2", "1.118033989", "1.154701", "1.154700", "1.982703"],
        ["4", "1.266044443", "1.326123", "1.326122", "2.076327"],
    ]


def test_a_bound_for_every_context() -> None:
    assert run("--phi", "0,2|1,0", "--positions", "2").stdout.endswith("for every N: γ2 <= 4.000000000\n")
    assert "for every N" not in run("--phi", "squares", "--positions", "2").stdout


def test_singular_values_go_on_where_proofs_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factorization, "MOST_FACTORED", 4)
    *_, last = idinf.bound_positions("0", positions=5)
    assert (last.positions, last.nuclear, last.gamma2, last.proved) == (5, 0, None, None)
    assert run("--phi", "0", "--positions", "5").stdout.splitlines()[3].split()[1:4] == [
        "0.000000000",
        "-",
        "-",
    ]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--phi", "odd"), "phi = 'odd'"),
        (("--phi", "ones", "--positions", "1"), "--positions"),
        (("--phi", "ones", "--behind", "one"), "--behind"),
        ((), "--phi"),
    ],
)
def test_refusals(arguments: tuple[str, ...], part: str) -> None:
    refused(run(*arguments), 2, part)


def test_calls_are_refused_as_commands_are() -> None:
    for wrong in ({"positions": 1}, {"behind": "one"}):
        with pytest.raises(idinf.ArgumentError, match="expected 2 to 1024, and free or zero"):
            idinf.bound_positions("ones", **wrong)
