"""``idinf identify``: run the inference procedure on one target and write what it found."""

from __future__ import annotations

from contextlib import suppress

import click

from idinf.commands.bounded import LIMIT_REACHED, SIGNALLED, held, limit_options
from idinf.commands.parameters import set_option
from idinf.commands.progress import watching
from idinf.commands.run_dir import journals, run_dir_options
from idinf.commands.search_options import jobs_option, record_option, run_options
from idinf.commands.terminal import check_stdout
from idinf.experiments.catalogue import load
from idinf.experiments.parameters import Values
from idinf.files import check_writable, write_whole
from idinf.inference.run import KnownHypothesis, Run, RunOptions, run
from idinf.render.text.answer import text_answer
from idinf.render.text.forecast import forecast_text, size_warning
from idinf.report.files import dump_report
from idinf.report.hypotheses import read_hypothesis
from idinf.report.value import Report
from idinf.runtime.limits import ENDS, Limits, StopReason
from idinf.runtime.requests import Requests


@click.command(short_help="Run the inference procedure on a target.")
@click.argument("target", metavar="TARGET|SPEC.toml")
@set_option
@run_options
@limit_options("Extra limit: end the run after that many seconds, with its report and exit code 4.")
@jobs_option("Processes to use; the report does not depend on it.")
@click.option(
    "--upper-bound",
    "given",
    multiple=True,
    metavar="FILE",
    help="A hypothesis, or a report for its selected one, that may bound R* from above; checked exactly. May "
    "be repeated.",
)
@record_option
@click.option("--dry-run", is_flag=True, help="Say how large the space is, and stop.")
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
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes on stderr.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Add the terms of R of the selected hypothesis and, of a regular target, columns about learners of "
    "automata.",
)
@click.pass_context
def identify(
    context: click.Context,
    /,
    target: str,
    values: Values,
    question: RunOptions,
    time_limit: float | None,
    memory: int,
    jobs: int,
    given: tuple[str, ...],
    record: int | None,
    dry_run: bool,
    run_dir: str | None,
    resume: bool,
    as_json: bool,
    output: str | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run the idealized inference procedure on TARGET, exactly, for every n up to N.

    TARGET is a name that `idinf targets` lists; a path, or a name ending in .toml, is a spec file. Options
    override the spec; --set chooses a member of a family. Bounds are upper bounds: --precision 1 searches 0
    and 1 bits. The answer goes to stdout, progress to stderr if that is a terminal.

    \b
    Examples:
      idinf identify majority --max-n 64
      idinf identify parity --max-r 9.5 -v
      idinf identify tomita-7 --space local --layers 2 --max-r 12 --dry-run
      idinf identify dyck-1 --max-n 8 --json -o dyck-1.json
      idinf identify tomita-2 -j 2 --run-dir runs/tomita-2 --resume
      idinf identify ge-k-j --set k=3 --set j=2
    """
    requests = context.with_resource(Requests().deferred())
    limits = Limits(time_limit, memory, enforced=True, requests=requests)
    if output == "-":
        as_json, output = True, None
    with held(limits):
        spec = load(target, values)
        bounds, aggregate = question.space(spec), question.regularizer.aggregate
        if dry_run:
            click.echo(forecast_text(spec, bounds, aggregate, memory), nl=False)
            return
        if output is not None:
            check_writable(output)
        if output is None or not as_json:
            check_stdout()
        if not quiet and (warning := size_warning(spec, bounds, aggregate, memory)):
            click.echo(f"Note: {warning}", err=True)
        given_hypotheses = tuple(KnownHypothesis(path, read_hypothesis(path, record), True) for path in given)
        settings = question.about(spec, target, given_hypotheses)
        with watching(quiet) as watch:
            ended = run(settings, limits, jobs, watch, journals(run_dir, resume, settings))
    for note in () if quiet else ended.notes:
        click.echo(f"Note: {note}", err=True)
    _write(ended, limits, as_json, output, verbose)
    if ended.report.stopped:
        if not quiet:
            click.echo(f"Note: {ended.report.stop_reason}; the report is partial", err=True)
        context.exit(exit_code_of(ended.report, requests))


def exit_code_of(report: Report, requests: Requests) -> int:
    """The exit code of a run; of one that the user stopped it says which signal asked."""
    if not report.stopped:
        return 0
    asked = requests.signal if report.stop is StopReason.INTERRUPTED else None
    return LIMIT_REACHED if asked is None else SIGNALLED + asked


def _write(ended: Run, limits: Limits, as_json: bool, output: str | None, verbose: bool) -> None:
    """Put the JSON report and the text answer where they were asked for; the file first."""
    content = dump_report(ended.report)
    if output is not None:
        write_whole(output, content)
    if as_json:
        if output is None:
            click.echo(content, nl=False)
        return
    baselines = None
    if verbose and ended.target is not None:
        from idinf.render.text.baselines import baseline_columns

        with suppress(*ENDS), limits.held():  # columns beside the answer, not worth more time
            baselines = baseline_columns(ended.target)
    click.echo(text_answer(ended.report, verbose, ended.compiled, baselines), nl=False)
