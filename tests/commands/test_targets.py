"""``idinf targets`` and ``idinf label``: exact output, and stdin."""

from __future__ import annotations

from click.testing import CliRunner, Result

from idinf.commands import main
from idinf.commands.targets import label, targets
from idinf.experiments.catalogue import list_family_names, list_names

#: A command keeps the names that its help has when it is first run.
HELP = main.context_settings["help_option_names"]


def run_label(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(label, list(arguments), input=stdin, help_option_names=HELP)


def test_targets_prints_one_tab_separated_line_each() -> None:
    result = CliRunner().invoke(targets, [], help_option_names=HELP)
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert [row[0] for row in rows] == sorted((*list_names(), *list_family_names()))
    assert ["ge-k-j", "0 1", "crasp k=1..16 j=1..16", "16", "crasp=yes crasp_periodic_local=yes"] in rows
    assert ["majority", "0 1", "crasp", "64", "crasp=yes crasp_periodic_local=yes"] in rows
    assert {len(row) for row in rows} == {5}


def test_label_words() -> None:
    result = run_label("majority", "01", "001", "", "1")
    assert (result.exit_code, result.stdout) == (0, "01\taccept\n001\treject\n\taccept\n1\taccept\n")


def test_label_reads_stdin_and_an_empty_line_is_the_empty_word() -> None:
    result = run_label("dyck-1", "-", stdin="ab\n\nba\r\naabb")
    assert (result.exit_code, result.stdout) == (0, "ab\taccept\n\taccept\nba\treject\naabb\taccept\n")
    assert run_label("dyck-1", "-", stdin="").stdout == ""
    assert run_label("contains-ab", "-", stdin="\n").stdout == "\treject\n"
