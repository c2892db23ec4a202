"""``idinf`` verify and report: what is done with the files that runs have written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from idinf.base.files import show_path
from idinf.commands.bounded import bounded
from idinf.commands.options import json_option, number_option
from idinf.commands.terminal import show_text
from idinf.errors import ReportFormatError
from idinf.report.files import read_report

if TYPE_CHECKING:
    from idinf.proofs.check.report_check import ReportCheck

#: Exit code when something in a report is wrong.
WRONG = 1

#: Most words of the greatest length, and the greatest length of a single letter: hours at most.
MOST_WORDS, GREATEST_LENGTH = 10**7, 512

report_argument = click.argument("report_file", metavar="REPORT.json")


@click.command()
@report_argument
@number_option(
    "--length",
    "L",
    "Try all words up to length L, slowly (default: up to 1,000 words of two letters; 10,000 without steps).",
    least=0,
)
@json_option("idinf-verify/1")
@bounded
def verify(report_file: str, length: int | None, as_json: bool) -> None:
    """Check REPORT.json, a file that `idinf identify -o` wrote, without searching.

    R of every hypothesis is computed from its matrices. Its answers on all words up to length L, and on its
    counterexample, come from the reference, one word at a time, and are compared with the definition of the
    target in the report itself: its program interpreted, its regex derived, its automaton walked through.
    Longer words are left to steps over counters, made anew and compared with the same words: proofs for all
    lengths are checked against them, and words with the same counts are followed as one. Stages, n0, outcome,
    bracket, formulas and what the report says in words must fit. One line for each thing checked, ok or
    WRONG, then what was not checked. Exit code 0 if all is right, 1 if something is wrong, 3 if the file is
    no report.

    \b
    Examples:
      idinf verify majority.json
      idinf verify --length 8 --json majority.json
    """
    from idinf.proofs.check.report_check import check_report

    report = read_report(report_file)
    if length is not None:
        _check_length(length, len(report.target.alphabet))
    try:
        result = check_report(report, length)
    except ReportFormatError as error:
        raise ReportFormatError(f"{show_path(report_file)}: {error}") from None
    if as_json:
        click.echo(_json(report_file, result))
    else:
        show_text(_text(result))
    if not result.right:
        raise click.exceptions.Exit(WRONG)


def _check_length(length: int, size: int) -> None:
    """Refuse a length whose words no run would finish."""
    most = GREATEST_LENGTH
    while size**most > MOST_WORDS:
        most -= 1
    if length > most:
        raise click.BadParameter(
            f"{length} over {size} symbols is too many words; expected at most {most}; lower it",
            param_hint="--length",
        )


def _text(result: ReportCheck) -> str:
    lines = []
    for check in result.checks:
        lines += [f"WRONG  {check.place}: {fault}" for fault in check.faults]
        if not check.faults:
            lines.append(f"ok     {check.place}: {check.about}")
    lines += ["", *(f"not checked: {item}" for item in result.not_checked), ""]
    wrong = sum(bool(check.faults) for check in result.checks)
    verdict = f"{wrong} of them WRONG" if wrong else "all of them right"
    return "\n".join([*lines, f"{len(result.checks)} things checked, {verdict}"])


def _json(report_file: str, result: ReportCheck) -> str:
    checks = [
        {"place": check.place, "about": check.about, "right": not check.faults, "faults": list(check.faults)}
        for check in result.checks
    ]
    content = {
        "format": "idinf-verify/1",
        "report": report_file,
        "right": result.right,
        "length": result.length,
        "checks": checks,
        "not_checked": list(result.not_checked),
    }
    return json.dumps(content, indent=2)
