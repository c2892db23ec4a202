"""``idinf judge``: where a trained transformer is wrong, exactly, and which simpler rule it follows."""

from __future__ import annotations

from typing import Any

import click

from idinf.api.settings import NamedTarget
from idinf.base.files import check_writable, write_whole
from idinf.base.json_text import dump_json
from idinf.base.quoting import quote
from idinf.commands.bounded import DEFAULT_S, limit_code, limit_options, telling
from idinf.commands.options import SectionedCommand, SectionOption, asks, quiet_option
from idinf.commands.progress import status
from idinf.commands.terminal import check_stdout, show_text
from idinf.trained.calls.judgement import judge
from idinf.trained.judgement import Questions
from idinf.work.limits import Limits

#: Exit code where a wrong word is found.
WRONG = 1


@click.command("judge", cls=SectionedCommand)
@click.argument("model", metavar="MODEL")
@click.option(
    "--target", required=True, metavar="TARGET", cls=SectionOption, section="Target", help="What is right."
)
@asks(NamedTarget, Questions)
@limit_options("End after that many seconds; the judgement says how far it is.", DEFAULT_S)
@click.option(
    "--report",
    metavar="REPORT.json",
    show_default="it is computed",
    help="A report of the target, with whose records the model is compared.",
)
@click.option("--no-report", is_flag=True, help="Compare with no records.")
@click.option("--json", "as_json", is_flag=True, help="Print an idinf-judgement/1 object instead.")
@click.option("-o", "--output", metavar="FILE.json|html", help="Write the judgement, or its page.")
@quiet_option
@click.pass_context
def judge_command(
    context: click.Context,
    /,
    model: str,
    target: str,
    asked: dict[str, Any],
    limits: Limits,
    report: str | None,
    no_report: bool,
    as_json: bool,
    output: str | None,
    quiet: bool,
) -> None:
    """Say where MODEL goes wrong on TARGET: the shortest wrong word, of all words up to a length.

    MODEL is a folder with config.json and model.safetensors in the format of GPT-2, as `idinf train` and
    Hugging Face write it, or the .json of a hypothesis or report. TARGET is as for `idinf identify`. Of a
    regular language a model that names next symbols is asked on its words, at every position.

    Every word up to some length is asked, by a walk through the tree of prefixes. Longer ones are drawn, and
    labelled as what they are. Beside it stands which record of the target's report the model follows.

    Exit code 0: no wrong word among those that were asked; 1: a wrong word.

    \b
    Examples:
      idinf judge trained/ --target majority
      idinf judge model/ --target d-2 --length 20 --offset all
      idinf judge model/ --target tomita-4 --report tomita-4.json -o judgement.html
    """
    if report is not None and no_report:
        raise click.UsageError("--report is given with --no-report; expected one of them; leave one out")
    requests = context.with_resource(limits.requests.deferred())
    with telling(limits):
        check_stdout()
        if output is not None:
            if not output.endswith((".json", ".html")):
                raise click.BadParameter(
                    f"{quote(output)}; expected FILE.json or FILE.html", param_hint="--output"
                )
            check_writable(output)
        beside = report if report is not None else not no_report
        with status(quiet) as show:
            found = judge(model, target, report=beside, time_limit=limits, progress=show, **asked)
    if output is not None and output.endswith(".json"):
        write_whole(output, dump_json(found.to_dict()))
    elif output is not None:
        from idinf.trained.show.page import render_page

        write_whole(output, render_page(found))
    if as_json:
        click.echo(dump_json(found.to_dict()), nl=False)
    else:
        show_text(str(found))
    if found.stopped is not None:
        context.exit(limit_code(requests.signal))
    if found.is_wrong:
        context.exit(WRONG)
