"""``idinf family``: the procedure on every member of a family of targets, and n0 against their size."""

from __future__ import annotations

import click

from idinf.commands.bounded import LIMIT_REACHED, SIGNALLED, limit_options
from idinf.commands.numbers import WholeNumber
from idinf.commands.progress import board
from idinf.commands.run_dir import kept_answers, run_dir_options
from idinf.commands.search_options import jobs_option, run_options
from idinf.commands.terminal import check_stdout
from idinf.experiments.catalogue import load_family
from idinf.files import check_writable, write_whole
from idinf.inference.run import RunOptions
from idinf.json_text import dump_json
from idinf.render.text.family import family_text
from idinf.report.family import family_to_dict
from idinf.runtime.requests import Requests
from idinf.sweeps.family_table import family_report
from idinf.sweeps.sweep import RunAnswer, Sweep


@click.command(short_help="Run the procedure on every member of a family.")
@click.argument("target", metavar="FAMILY|SPEC.toml")
@click.option(
    "--up-to",
    type=WholeNumber(min=0),
    metavar="T",
    show_default="of the spec",
    help="Members of size at most T.",
)
@run_options
@limit_options(
    "Extra limit for each member: end its run after that many seconds; exit code 4 if that ended any."
)
@jobs_option("Members at once, each with its share of the memory; the table does not depend on it.")
@run_dir_options(", so that a family that was ended or killed can be resumed", "family")
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
    question: RunOptions,
    time_limit: float | None,
    memory: int,
    jobs: int,
    run_dir: str | None,
    resume: bool,
    as_json: bool,
    output: str | None,
    quiet: bool,
) -> None:
    """Run the inference procedure on every member of a family, exactly, and fit n0 against their size T.

    FAMILY is a name that `idinf targets` lists as a family; a path, or a name ending in .toml, is a spec
    file with a table [parameters]. The rows are in the order of T and of the parameters. Of every T the
    largest n0 is taken; the law behind it is exact where one holds, else a least-squares fit with its
    residual. The time limit is that of one member: a member that a limit ends is a row with its reason.

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
    questions = [question.about(member, target) for member in chosen.members(up_to)]
    if output is not None:
        check_writable(output)
    if output is None or not as_json:
        check_stdout()
    answers: dict[int, RunAnswer] = {}
    with kept_answers(run_dir, resume) as directory, board(quiet) as shown:
        show = shown.show if shown.is_live else None
        for index, answer in Sweep(questions, time_limit, memory, jobs, directory, requests, show).answers():
            if answer.error is not None and answer.limit is None:
                raise answer.error
            answers[index] = answer
            if shown.is_live:
                shown.say(f"[{len(answers)}/{len(questions)}] {questions[index].spec.name}")
    table = family_report(chosen, questions, answers)
    content = dump_json(family_to_dict(table))
    if output is not None:
        write_whole(output, content)
    if not as_json:
        click.echo(family_text(table), nl=False)
    elif output is None:
        click.echo(content, nl=False)
    limited = len(questions) - sum(answer.limit is None for answer in answers.values())
    if limited:
        if not quiet:
            click.echo(f"Note: {limited} of {len(questions)} members were ended by a limit", err=True)
        asked_to = requests.signal if len(answers) < len(questions) else None
        context.exit(LIMIT_REACHED if asked_to is None else SIGNALLED + asked_to)
