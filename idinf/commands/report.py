"""``idinf report``: one HTML page that explains a report of ``idinf identify``."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded


@click.command(short_help="Write a report as an interactive HTML page.")
@click.argument("report_file", metavar="REPORT.json")
@click.option("-o", "--output", metavar="FILE", help="Write the page to FILE (-: stdout, the default).")
@bounded
def report(report_file: str, output: str | None) -> None:
    """Write one HTML page that explains REPORT.json, a file that `idinf identify -o` wrote.

    The page needs no network and no server. A slider moves n and shows which hypotheses are still
    consistent, which are selected and which word ends the next one; any word can be typed, and every layer
    of a hypothesis is computed on it in exact fractions.

    \b
    Examples:
      idinf identify majority --max-n 64 -o majority.json
      idinf report majority.json -o majority.html
    """
    from idinf.errors import ReportFormatError
    from idinf.files import check_writable, shown_path, write_whole
    from idinf.render.html.page import page_text
    from idinf.report.files import read_report

    if output not in (None, "-"):
        check_writable(output)
    content = read_report(report_file)
    try:
        page = page_text(content)
    except ReportFormatError as error:
        raise ReportFormatError(f"{shown_path(report_file)}: {error}") from None
    if output is None or output == "-":
        click.echo(page.encode("utf-8"), nl=False)  # as the page says of itself, whatever the locale
    else:
        write_whole(output, page)
