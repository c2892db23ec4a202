"""``--set``: one member of a family for the commands on single targets."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from idinf.commands import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), prog_name="idinf")


def test_label_and_identify_take_the_values_in_any_order() -> None:
    result = run("label", "ge-k-j", "--set", "j=3", "--set", "k=2", "111", "01", "00111", "")
    assert result.stdout == run("label", "ge-2-3", "111", "01", "00111", "").stdout
    options = ("--max-n", "4", "--layers", "1", "--units", "1", "--json")
    member = json.loads(
        run("identify", "ge-k-j", "--space", "spec", "--set", "k=2", "--set", "j=3", *options).stdout
    )
    assert member["target"]["name"] == "ge-2-3"
    assert (
        member["stages"]
        == json.loads(run("identify", "ge-2-3", "--space", "spec", *options).stdout)["stages"]
    )


@pytest.mark.parametrize("text", ["k", "=3", "k=", "k=-1", "k=1.5", "k==1", "3=k", "k=" + "1" * 30])
def test_what_is_no_assignment(text: str) -> None:
    result = run("label", "ge-k-j", "--set", text, "01")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is not a parameter and its value; expected for example k=3" in result.stderr


def test_a_value_given_twice() -> None:
    result = run("label", "ge-k-j", "--set", "k=1", "--set", "k=2", "--set", "j=1", "01")
    assert result.exit_code == 3
    assert "parameter 'k' is given twice" in result.stderr
