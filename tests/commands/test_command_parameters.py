"""``--set``: one member of a family for the commands on single targets."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result

from idinf.commands import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), prog_name="idinf")


def test_label_and_identify_take_the_values_in_any_order() -> None:
    result = run("run", "ge-k-j", "--set", "j=3", "--set", "k=2", "111", "01", "00111", "")
    assert result.stdout == run("run", "ge-2-3", "111", "01", "00111", "").stdout
    options = ("--max-n", "4", "--layers", "1", "--units", "1", "--json")
    member = json.loads(
        run("identify", "ge-k-j", "--space", "spec", "--set", "k=2", "--set", "j=3", *options).stdout
    )
    assert member["target"]["name"] == "ge-2-3"
    assert (
        member["stages"]
        == json.loads(run("identify", "ge-2-3", "--space", "spec", *options).stdout)["stages"]
    )
