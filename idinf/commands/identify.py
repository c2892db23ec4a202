"""``idinf identify``: run the inference procedure on one target and write its report."""

from __future__ import annotations

from typing import Any

import click

from idinf.api.identify import run_target
from idinf.api.settings import NamedTarget
from idinf.base.files import check_writable, write_whole
from idinf.commands.bounded import held, limit_code, limit_options, telling
from idinf.commands.options import (
    SectionedCommand,
    SectionOption,
    asks,
    jobs_option,
    quiet_option,
    record_option,
    run_dir_options,
)
from idinf.commands.progress import watching
from idinf.commands.terminal import check_stdout, show_text
from idinf.inference.required_predicates import advise
from idinf.inference.settings import Settings
from idinf.report.files import dump_report
from idinf.report.value import Report
from idinf.show.text.answer import render_answer
from idinf.spec.bounds import SpaceBounds
from idinf.work.limits import Limits, StopReason
from idinf.work.signals import Requests


@click.command(cls=SectionedCommand)
@click.argument("target")
@asks(NamedTarget, Settings, SpaceBounds)
@limit_options("Extra limit: end the run after that many seconds, with its report and exit code 4.")
@jobs_option("Processes to use; the report does not depend on it.", default=2)
@click.option(
    "--upper-bound",
    "upper",
    cls=SectionOption,
    section="Budget",
    rare=True,
    multiple=True,
    metavar="FILE",
    help="A hypothesis, or a report for its selected one, that may bound R* from above; checked exactly. May "
    "be repeated.",
)
@record_option
@run_dir_options(
    ", so that a run that ended, or was killed, can be resumed; where max_n is raised to N, that of the "
    "larger run in DIR-N",
    "run",
)
@click.option("--json", "as_json", is_flag=True, help="Write the JSON report to stdout, or to -o FILE alone.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the JSON report to FILE (-: stdout), and the text answer to stdout.",
)
@quiet_option
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Add the terms of R of the selected hypothesis.",
)
@click.pass_context
def identify(
    context: click.Context,
    /,
    target: str,
    asked: dict[str, Any],
    limits: Limits,
    jobs: int,
    upper: tuple[str, ...],
    record: int | None,
    run_dir: str | None,
    resume: bool,
    as_json: bool,
    output: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run the inference procedure on TARGET, exactly, for every n up to N.

    TARGET is a name that `idinf list` shows; a file of a spec, an automaton (.att, .jff), a program or
    a hypothesis; a formula or program itself; or regex:TEXT. A spec with the line mode = "next" asks which
    symbols may follow each prefix. The answer is that of the whole one-hot family, unless --space or a bound
    names a part of it. Where the work ends before, a smaller space answers beside.

    \b
    Examples:
      idinf identify majority --max-n 64
      idinf identify 'regex:.*ab.*' --max-n 32
      idinf identify parity --max-r 9.5 -v
      idinf identify tomita-2-next --space spec
      idinf identify dyck-1 --max-n 8 --json -o dyck-1.json
      idinf identify ge-k-j --set k=3 --set j=2
    """
    requests = context.with_resource(limits.requests.deferred())
    as_json, path = as_json or output == "-", None if output == "-" else output
    with held(limits):
        if path is not None:
            check_writable(path)
        if path is None or not as_json:
            check_stdout()
        if resume and run_dir is None:
            raise click.UsageError("--resume is given without --run-dir; expected both; add --run-dir DIR")
    with telling(limits), watching(quiet) as watch:  # a run holds its limits, and always has a report
        ended = run_target(target, asked, upper, record, limits, jobs, run_dir, resume, watch)
    for note in () if quiet else ended.notes:
        click.echo(f"Note: {note}", err=True)
    if path is not None:
        write_whole(path, dump_report(ended.report))
    if not as_json:
        show_text(render_answer(ended.report, verbose, ended.compiled, advise(ended.report)))
    elif path is None:
        click.echo(dump_report(ended.report), nl=False)
    if ended.limited is not None:
        if not quiet:
            click.echo(f"Note: {ended.limited}; the report is partial", err=True)
        context.exit(exit_code_of(ended.report, requests))


def exit_code_of(report: Report, requests: Requests) -> int:
    """The exit code of a run; of one that the user stopped it says which signal asked."""
    reasons = [each.stop for each in report.answers if each.stopped]
    if not reasons:
        return 0
    return limit_code(requests.signal if StopReason.INTERRUPTED in reasons else None)
