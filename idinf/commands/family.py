"""``idinf family``: the procedure on every member of a family of targets, and n0 against their size."""

from __future__ import annotations

from typing import Any

import click

from idinf.commands.bounded import LIMIT_REACHED, SIGNALLED, limit_options
from idinf.commands.numbers import WholeNumber
from idinf.commands.progress import counting
from idinf.commands.search_options import jobs_option, selection_options, space_options
from idinf.commands.terminal import check_stdout
from idinf.experiments.catalogue import load_family
from idinf.files import check_writable, write_whole
from idinf.report.json_text import dumps
from idinf.runtime.limits import INTERRUPTED
from idinf.runtime.requests import Requests
from idinf.sweeps.family_table import family_object, family_text
from idinf.sweeps.members import Plan, run_members
from idinf.transformers.regularizer import Aggregate

__all__ = ["family"]


@click.command(short_help="Run the procedure on every member of a family.")
@click.argument("target", metavar="FAMILY|SPEC.toml")
@click.option(
    "--up-to",
    type=WholeNumber(min=0),
    metavar="T",
    show_default="of the spec",
    help="Members of size at most T.",
)
@click.option(
    "--max-n",
    type=WholeNumber(min=1),
    metavar="N",
    help="Examine every member up to this N; without it N is doubled from that of the spec until n0 <= N/2.",
)
@space_options
@selection_options
@limit_options(
    "Extra limit for each member: end its run after that many seconds; exit code 4 if that ended any.",
    "Extra limit for each member: memory such as 4G or 512M; with --jobs K that many times K in all.",
)
@jobs_option("Members at once; the table does not depend on it.")
@click.option("--json", "as_json", is_flag=True, help="Write the JSON table to stdout, or to -o FILE alone.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the JSON table to FILE (-: stdout), and the text table to stdout.",
)
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on stderr.")
@click.pass_context
def family(
    context: click.Context,
    /,
    target: str,
    up_to: int | None,
    max_n: int | None,
    time_limit: float | None,
    memory: int,
    jobs: int,
    as_json: bool,
    output: str | None,
    quiet: bool,
    space: str | None,
    tolerance: float | None,
    aggregate: str,
    **bounds: Any,
) -> None:
    """Run the inference procedure on every member of a family, exactly, and fit n0 against their size T.

    FAMILY is a name that `idinf targets` lists as a family; a path, or a name ending in .toml, is a spec
    file with a table [parameters]. The rows are in the order of T and of the parameters. Of every T the
    largest n0 is taken; the law behind it is exact where one holds, else a least-squares fit with its
    residual. Limits are those of one member: a member that a limit ends is a row with its reason.

    \b
    Examples:
      idinf family ge-k-j --up-to 5
      idinf family ge-k-j --up-to 10 -j 2 -o ge-k-j.json
      idinf family ge-k-j --up-to 4 --layers 2 --max-r 10.5 --max-n 64
    """
    requests = context.with_resource(Requests().deferred())
    if output == "-":
        as_json, output = True, None
    chosen = load_family(target)
    members = chosen.members(up_to)
    plan = Plan(
        chosen.first.space.overridden(preset=space, **bounds),
        chosen.first.max_n if max_n is None else max_n,
        chosen.max_n_cap if max_n is None else max_n,
        Aggregate(aggregate),
        tolerance,
        time_limit,
        memory,
        enforced=True,
    )
    if output is not None:
        check_writable(output)
    if output is None or not as_json:
        check_stdout()
    with counting(quiet, len(members)) as watch:
        runs = run_members(members, plan, jobs, requests, watch)
    table = dumps(family_object(chosen, plan, runs))
    if output is not None:
        write_whole(output, table)
    if not as_json:
        click.echo(family_text(chosen, plan, runs), nl=False)
    elif output is None:
        click.echo(table, nl=False)
    limited = sum(run.limit is not None for run in runs)
    if limited:
        if not quiet:
            click.echo(f"Note: {limited} of {len(runs)} members were ended by a limit", err=True)
        asked = requests.signal if any(run.limit == INTERRUPTED for run in runs) else None
        context.exit(LIMIT_REACHED if asked is None else SIGNALLED + asked)
