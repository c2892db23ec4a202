"""``idinf train``: train a small transformer on a target."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from idinf.api.settings import NamedTarget
from idinf.base.files import show_path
from idinf.base.numbers import format_amount
from idinf.commands.bounded import held, limit_code, limit_options
from idinf.commands.options import (
    SectionedCommand,
    asks,
    quiet_option,
)
from idinf.commands.progress import status
from idinf.commands.terminal import check_stdout, show_text
from idinf.errors import LimitReached
from idinf.trained.calls.training import train
from idinf.trained.training import RIGHT, SPENT, Trained, TrainingSettings
from idinf.work.limits import Limits, StopReason


@click.command("train", cls=SectionedCommand)
@click.argument("target")
@asks(NamedTarget, TrainingSettings)
@limit_options(
    "Extra limit: end after that many seconds, with exit code 4; the model is written if one step was made."
)
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="FOLDER",
    help="Write config.json and model.safetensors to FOLDER, in place of an older model.",
)
@quiet_option
@click.pass_context
def train_command(
    context: click.Context,
    /,
    target: str,
    asked: dict[str, Any],
    limits: Limits,
    folder: str,
    quiet: bool,
) -> None:
    """Train a small GPT-2 on TARGET until it answers fresh words without a mistake.

    TARGET is as for `idinf identify`. Words are drawn at random: first a length from 0 to N, then one of the
    words of this length. Training ends when 1000 fresh words are right at two checks, one after the other.
    Ctrl-C and --time-limit end it, too; the model is written as it is then, unless no step was made. Needs
    torch: pip install 'idinf[torch]'.

    A model with positions has them for words three times as long as those of training, unless --room says
    otherwise; a word begins at a random position, so that all are trained.

    \b
    Examples:
      idinf train majority -o majority-model --max-length 16 --learning-rate 0.01
      idinf train tomita-1 -o model --answer set --layers 2 --max-length 24
      idinf train dyck-1 -o model --positions none --width 32 --heads 2 --seed 1
    """
    requests = context.with_resource(limits.requests.deferred())
    with _telling_of_no_model(), held(limits):
        check_stdout()
        with status(quiet) as show:
            told = None if show is None else lambda step: show(str(step))
            found = train(target, folder, progress=told, time_limit=limits, **asked)
    show_text(_text(found, folder, target, asked))
    if found.reason in (RIGHT, SPENT):
        return
    interrupted = found.reason == StopReason.INTERRUPTED.value
    if not quiet:
        why = "interrupted" if interrupted else f"the {found.reason} ended training"
        steps = f"{found.steps:,} step{'s' * (found.steps != 1)}"
        click.echo(f"Note: {why}; the model is as it was after {steps}", err=True)
    context.exit(limit_code(requests.signal if interrupted else None))


@contextmanager
def _telling_of_no_model() -> Iterator[None]:
    try:
        yield
    except LimitReached as reached:
        raise LimitReached(f"no model is written, as no step was made: {reached}") from None


def _text(found: Trained, folder: str, target: str, asked: dict[str, Any]) -> str:
    shape, n = found.model.shape, found.settings.max_length
    parameters = sum(values.size for values in found.model.tensors.values())
    sizes = (
        f"{format_amount(shape.layers, 'layer')}, {format_amount(shape.heads, 'head')}, width {shape.width}"
    )
    facts = {
        "target": f"{target} over {' '.join(found.task.alphabet.symbols)}",
        "answer": str(found.task.answer),
        "model": f"{sizes}, {parameters:,} parameters",
        "steps": f"{found.steps:,}: {found.reason}",
        "loss": "not measured" if found.loss is None else f"{found.loss:.6f}",
        "accuracy": "not measured"
        if found.accuracy is None
        else f"{found.accuracy:.1%} of fresh words of length 0 to {n} are right",
        "folder": show_path(folder),
    }
    judge = ["idinf", "judge", folder, "--target", target]
    judge += [f"--set={key}={value}" for key, value in asked.get("values", {}).items()]
    if "alphabet" in asked:
        judge += ["--alphabet", " ".join(asked["alphabet"].symbols)]
    lines = [f"{key:<9} {value}" for key, value in facts.items()]
    return "\n".join([*lines, f"judge it: {shlex.join(judge)}"])
