"""``idinf judge``: where a trained transformer is wrong, exactly, and which simpler rule it follows."""

from __future__ import annotations

import re

import click

from idinf.api.judgement import ALL, MOST_LENGTH, MOST_SAMPLES, ask, judge_within
from idinf.api.sources import read_source
from idinf.base.files import check_writable, write_whole
from idinf.base.json_text import dump_json
from idinf.base.quoting import quote
from idinf.commands.bounded import DEFAULT_S, limit_code, limit_options, telling
from idinf.commands.options import (
    Named,
    SectionedCommand,
    SectionOption,
    number_option,
    quiet_option,
    target_options,
)
from idinf.commands.progress import status
from idinf.commands.terminal import check_stdout, show_text
from idinf.trained.judgement import SAMPLES
from idinf.work.limits import Limits, StopReason

#: Exit code where a wrong word is found.
WRONG = 1

_OFFSETS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")


def _read_offsets(text: str) -> str | tuple[int, ...]:
    """Read ``all``, or positions as in ``0`` or ``0,7``, as the type of an option."""
    if text == ALL:
        return ALL
    if not _OFFSETS.fullmatch(text):
        raise click.BadParameter(f"{quote(text)} is no offset; expected all, or numbers such as 0 or 0,7")
    return tuple(int(each) for each in text.split(","))


def _read_answers(text: str) -> tuple[str, str]:
    """Read two tokens, as the type of an option."""
    no, _, yes = text.partition(",")
    if not no or not yes or no == yes:
        raise click.BadParameter(f"{quote(text)} names no two tokens; expected NO,YES as in 0,1")
    return no, yes


@click.command("judge", cls=SectionedCommand)
@click.argument("model", metavar="MODEL")
@click.option(
    "--target",
    "target",
    required=True,
    metavar="TARGET",
    cls=SectionOption,
    section="Target",
    help="What is right.",
)
@target_options
@click.option(
    "--answer",
    type=click.Choice(["set", "symbol", "accept"]),
    cls=SectionOption,
    section="Reading",
    show_default="as the model says",
    help="How it answers: logits above 0, the largest logit, or that behind the separator.",
)
@click.option(
    "--answers",
    type=_read_answers,
    metavar="NO,YES",
    cls=SectionOption,
    section="Reading",
    rare=True,
    help="Of accept: the tokens for no and yes.",
)
@click.option(
    "--offset",
    "offsets",
    type=_read_offsets,
    default="0",
    show_default=True,
    metavar="all|K,...",
    cls=SectionOption,
    section="Reading",
    help="Positions of the first token.",
)
@number_option(
    "--length",
    "K",
    "Ask all words up to length K.",
    0,
    MOST_LENGTH,
    section="Budget",
    show_default="as far as a million prefixes go",
)
@number_option(
    "--samples",
    "N",
    "Words of each kind that are drawn beyond.",
    0,
    MOST_SAMPLES,
    default=SAMPLES,
    section="Budget",
)
@number_option("--seed", "S", "Of what is drawn.", 0, 2**63 - 1, default=0, section="Budget", rare=True)
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
    named: Named,
    answer: str | None,
    answers: tuple[str, str] | None,
    offsets: str | tuple[int, ...],
    length: int | None,
    samples: int,
    seed: int,
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
        spec = read_source(target, **named).spec
        asked = ask(offsets, length, samples, seed)
        beside = report if report is not None else not no_report
        with status(quiet) as show:
            found, stopped = judge_within(limits, model, spec, asked, answer, answers, beside, show)
    if output is not None and output.endswith(".json"):
        write_whole(output, dump_json(found.to_dict()))
    elif output is not None:
        from idinf.show.html.judgement import render_page

        write_whole(output, render_page(found))
    if as_json:
        click.echo(dump_json(found.to_dict()), nl=False)
    else:
        show_text(str(found))
    if stopped not in (None, StopReason.TIME):
        context.exit(limit_code(requests.signal))
    if found.is_wrong:
        context.exit(WRONG)
