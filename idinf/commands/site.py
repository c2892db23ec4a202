"""``idinf site``: a static site of reports."""

from __future__ import annotations

import click

from idinf.commands.bounded import bounded


@click.command("site")
@click.argument("sources", metavar="REPORT.json|FOLDER...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="DIR", required=True, help="Write the site into DIR.")
@click.option("--force", is_flag=True, help="Write into DIR even if it holds other files; they stay.")
@bounded
def site_command(sources: tuple[str, ...], output: str, force: bool) -> None:
    """Write a static site of reports: a gallery, the benchmark as a table, and the page of every report.

    The reports are files that `idinf identify -o` wrote, or folders of such files, as `idinf batch` fills
    them with --json-dir. Any web server or file manager opens the site: links are relative, and nothing is
    loaded from elsewhere. A few pairs stand side by side: a target that is learned beside one outside
    C-RASP. DIR is new, empty, or a site, whose pages are replaced.

    \b
    Examples:
      idinf batch majority parity dyck-1 --max-n 16 -o table.csv --json-dir reports
      idinf site reports -o site
    """
    from idinf.library.site import site

    site(*sources, folder=output, force=force)
