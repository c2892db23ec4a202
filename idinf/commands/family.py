"""``idinf family``: the procedure on every member of a family of targets, and n0 against their size."""

from __future__ import annotations

from dataclasses import replace

import click

from idinf.commands.bounded import limit_code, limit_options
from idinf.commands.options import jobs_option, number_option
from idinf.commands.progress import board
from idinf.commands.search_options import (
    Answer,
    Connecting,
    answer_options,
    check_resume,
    run_dir_options,
    run_options,
    scheduler_option,
)
from idinf.experiments.catalogue import load_family
from idinf.inference.run import RunOptions
from idinf.json_text import dump_json
from idinf.render.text.family import render_family
from idinf.report.family import family_to_dict
from idinf.sweeps.family_table import build_family_report
from idinf.sweeps.kept_reports import open_kept
from idinf.sweeps.sweep import RunAnswer, Sweep
from idinf.work.limits import Limits


@click.command()
@click.argument("target", metavar="FAMILY|SPEC.toml")
@number_option("--up-to", "T", "Members of size at most T.", least=0, show_default="of the spec")
@run_options
@limit_options(
    "Extra limit for each member: end its run after that many seconds; exit code 4 if that ended any."
)
@jobs_option("Members at once, each with its share of the memory; the table does not depend on it.")
@scheduler_option
@run_dir_options(", so that a family that was ended or killed can be resumed", "family")
@answer_options("table", "table")
@click.pass_context
def family(
    context: click.Context,
    /,
    target: str,
    up_to: int | None,
    choices: RunOptions,
    limits: Limits,
    jobs: int,
    connecting: Connecting,
    run_dir: str | None,
    resume: bool,
    answer: Answer,
    quiet: bool,
) -> None:
    """Run the inference procedure on every member of a family, exactly, and fit n0 against their size T.

    FAMILY is a name that `idinf targets` lists as a family; a path, or a name ending in .toml, is a spec
    file with a table [parameters]. The rows are in the order of T and of the parameters. Of every T the
    largest n0 is taken; the law behind it is exact where one holds, else a least-squares fit with its
    residual. The time limit is that of one member: a member that a limit ends is a row with its reason.

    \b
    Examples:
      idinf family ge-k-j --up-to 5 --space spec
      idinf family ge-k-j --up-to 10 --space spec -j 2 -o ge-k-j.json
      idinf family ge-k-j --up-to 4 --space nope --layers 2 --max-n 64
    """
    requests = context.with_resource(limits.requests.deferred())
    chosen = load_family(target)
    one_space = replace(choices, asks_smaller=False)  # the law is that of one space
    runs = [one_space.about(member, target) for member in chosen.members(up_to)]
    answer.check()
    check_resume(run_dir, resume)
    ends: dict[int, RunAnswer] = {}
    with connecting as places, open_kept(run_dir, resume) as directory, board(quiet) as shown:
        for index, end in Sweep(runs, limits, jobs, directory, shown.shower, places=places).answers():
            if end.error is not None and end.limit is None:
                raise end.error
            ends[index] = end
            if shown.is_live:
                shown.say(f"[{len(ends)}/{len(runs)}] {runs[index].spec.name}")
    table = build_family_report(chosen, runs, ends)
    answer.put(lambda: dump_json(family_to_dict(table)), lambda: render_family(table))
    limited = len(runs) - sum(end.limit is None for end in ends.values())
    if limited:
        if not quiet:
            click.echo(f"Note: {limited} of {len(runs)} members were ended by a limit", err=True)
        context.exit(limit_code(requests.signal if len(ends) < len(runs) else None))
