"""``idinf lab positions bound``: its table."""

from __future__ import annotations

from click.testing import CliRunner, Result

from idinf.commands import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ("lab", "positions", "bound", *arguments), prog_name="idinf")


def test_the_table_of_bounds() -> None:
    result = run("--phi", "ones", "--behind", "zero", "--positions", "4")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["2", "1.118033989", "1.154701", "1.154700", "1.982703"],
        ["4", "1.266044443", "1.326123", "1.326122", "2.076327"],
    ]
