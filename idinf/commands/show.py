"""``idinf show``: reports as text, as a page, side by side, or as a site."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded
from idinf.commands.terminal import check_output, show_text, write_output
from idinf.report.files import read_report
from idinf.show.text.answer import render_answer

#: Reports on one page.
MOST_SIDES = 2


@click.command()
@click.argument("sources", metavar="REPORT.json...", nargs=-1, required=True)
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
    write_output(output, page.encode("utf-8"))  # as the page says of itself, whatever the locale


def open_page(path: str) -> None:
    """Open a file in a browser, or say where it is."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(path).resolve().as_uri()):
        click.echo(f"Note: no browser could be started; open {path} yourself", err=True)
