"""``idinf show`` and ``verify``: reports as text, as a page, side by side or as a site; and checked again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from idinf.base.files import show_path
from idinf.commands.bounded import bounded
from idinf.commands.options import json_option, number_option
from idinf.commands.terminal import check_output, show_text, write_output
from idinf.errors import ReportFormatError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.report.files import read_net, read_report
from idinf.show.text.answer import render_answer

if TYPE_CHECKING:
    from idinf.proofs.check.report_check import ReportCheck

#: Exit code when something in a report is wrong.
WRONG = 1

#: Most words of the greatest length, and the greatest length of a single letter: hours at most.
MOST_WORDS, GREATEST_LENGTH = 10**7, 512

#: Reports on one page.
MOST_SIDES = 2


@click.command()
@click.argument("sources", metavar="REPORT.json...", nargs=-1)
@click.option("-o", "--output", metavar="PAGE.html", help="Write one HTML page of a report, or of two.")
@click.option("--open", "opens", is_flag=True, help="Open the page, or the site, in a browser.")
@click.option("--site", "folder", metavar="DIR", help="Write a static site of all reports into DIR.")
@click.option("--force", is_flag=True, help="Of --site: DIR may hold other files; they stay.")
@click.option("-v", "--verbose", is_flag=True, help="Add the terms of R of the selected hypothesis.")
@bounded
def show(
    sources: tuple[str, ...],
    output: str | None,
    opens: bool,
    folder: str | None,
    force: bool,
    verbose: bool,
) -> None:
    """Show REPORT.json, a file that `idinf identify -o` wrote: as text, as a page, or many as a site.

    The page needs no network and no server. A slider moves n and shows which hypotheses are still
    consistent, which are selected and which word ends the next one; any word can be typed, and every layer
    of a hypothesis is computed on it in exact fractions. What theory adds stands below. Two reports stand
    side by side, with one n for both. A site has a gallery, a table, and the page of every report; of a
    folder all reports in it. DIR is new, empty, or a site, whose pages are replaced.

    \b
    Examples:
      idinf show majority.json
      idinf show majority.json parity.json -o pair.html --open
      idinf batch specs/ --max-n 16 -o found/ && idinf show found/reports --site site
    """
    if not sources:
        raise click.UsageError("no report is given; expected files of 'idinf identify -o'; name one or more")
    if folder is not None and output is not None:
        raise click.UsageError("--site and -o are both given; expected one of them; leave one out")
    if force and folder is None:
        raise click.UsageError("--force is about --site; expected that beside it; add --site DIR")
    if opens and folder is None and output in (None, "-"):
        raise click.UsageError("--open is given without a file; expected a page; add -o PAGE.html")
    if folder is not None:
        from idinf.api.pages import site

        path = str(site(*sources, folder=folder, force=force))
    elif output is not None:
        path = output
        _write_page(sources, output)
    else:
        for source in sources:
            show_text(render_answer(read_report(source), verbose))
        return
    if opens:
        open_page(path)


def _write_page(sources: tuple[str, ...], output: str) -> None:
    from idinf.api.pages import report_page

    if len(sources) > MOST_SIDES:
        raise click.UsageError(
            f"{len(sources)} reports are given; expected one, or two side by side; leave others out, or give "
            "--site DIR"
        )
    check_output(output)
    page = report_page(*sources)
    write_output(output, page.encode("utf-8"))  # the encoding in the page itself, in any locale


def open_page(path: str, at: str = "") -> None:
    """Open a file in a browser, at a place of it, or say where it is."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(f"{Path(path).resolve().as_uri()}{at}"):
        click.echo(f"Note: no browser could be started; open {path} yourself", err=True)


@click.command()
@click.argument("report_file", metavar="REPORT.json")
@number_option(
    "--length",
    "L",
    "Try all words up to length L, slowly (default: up to 1,000 words of two letters; 10,000 without steps).",
    least=0,
)
@click.option(
    "--witness",
    "witnesses",
    multiple=True,
    metavar="FILE",
    help="A hypothesis, or a report for its selected one, with which R*_n has to fit. May be repeated.",
)
@json_option("idinf-verify/1")
@bounded
def verify(report_file: str, length: int | None, witnesses: tuple[str, ...], as_json: bool) -> None:
    """Check REPORT.json, a file that `idinf identify -o` wrote, without searching.

    R of every hypothesis is computed from its matrices. Its answers on all words up to length L, and on its
    counterexample, come from the reference, one word at a time, and are compared with the definition of the
    target in the report itself: its program interpreted, its regex derived, its automaton walked through.
    Longer words are left to steps over counters, made anew and compared with the same words: proofs for all
    lengths are checked against them, and words with the same counts are followed as one. Stages, n0, outcome,
    bracket, formulas and what the report says in words must fit. A witness, which was found elsewhere, must
    lie in the space; up to where it is right, no R*_n may be above its R. One line for each thing checked, ok
    or WRONG, then what was not checked. Exit code 0 if all is right, 1 if something is wrong, 3 if a file
    cannot be read.

    \b
    Examples:
      idinf verify majority.json
      idinf verify --length 8 --json majority.json
      idinf verify majority.json --witness mine.json
    """
    from idinf.proofs.check.report_check import check_report

    report = read_report(report_file)
    if length is not None:
        _check_length(length, len(report.target.alphabet))
    nets = [read_net(path, (LimitTransformer,))[0] for path in witnesses]
    try:
        result = check_report(report, length, witness=nets)
    except ReportFormatError as error:
        raise ReportFormatError(f"{show_path(report_file)}: {error}") from None
    if as_json:
        click.echo(_check_json(report_file, result))
    else:
        show_text(str(result))
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


def _check_json(report_file: str, result: ReportCheck) -> str:
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
