"""Options of what runs the procedure: what is asked, where work is kept, where the answer goes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from idinf.commands.options import Command, not_negative, number_option, positive, quiet_option
from idinf.commands.terminal import check_stdout, show_text
from idinf.errors import ArgumentError
from idinf.experiments.bounds import (
    DEFAULT_WORK,
    FAMILY,
    FREE,
    LENGTHS,
    MATCHES,
    OF_SPEC,
    PRESETS,
    THRESHOLDS,
    TRAINING_RULES,
    VERDICT,
    HypothesisClass,
)
from idinf.files import check_writable, write_whole
from idinf.inference.procedure import MAX_N
from idinf.inference.run import RunOptions
from idinf.report.value import Regularizer
from idinf.transformers.regularizer import Aggregate
from idinf.upper_bound.bracket import DEFAULT_STEPS

if TYPE_CHECKING:
    from idinf.experiments.training import TrainingLength
    from idinf.work.places import Places

#: Bounds of the space that have an option, by their names in a spec.
BOUNDS = {
    "layers": ("L", "At most L layers."),
    "heads": ("H", "At most H heads per layer; 0: none."),
    "units": ("M", "At most M Heaviside units per layer."),
    "precision": ("P", "At most P fractional bits."),
    "period": ("D", "Periodic positions: every period up to D; 1: none."),
    "reach": ("T", "Local heads: φ(k) up to distance k = T, at most 3; 0: φ(0) only."),
    "logit_max": ("X", "Largest φ(k); 0: every head is uniform."),
    "content_max": ("X", "Largest entry of a logit matrix M, at most --logit-max; 0: none."),
}

#: How far is looked.
_MAX_N = [
    number_option(
        "--max-n",
        "N",
        "Largest n examined; fails are exact up to length 2N. Unless it is given, that of a member of a "
        "family is doubled until n0 <= N/2.",
        least=1,
        most=MAX_N,
        show_default="of the spec",
    )
]

#: From what, in one way of many.
_SPACE = [
    click.option(
        "--space",
        metavar="PRESET",
        show_default=FAMILY,
        help=f"What is searched: {', '.join(PRESETS)}, the one-hot family or its part without φ, Δ or "
        f"M; {OF_SPEC}: the smaller space that the spec names. Bounds restrict it. Where the family stays "
        "open, a smaller space answers beside it.",
    ),
    click.option(
        "--class",
        "hypothesis_class",
        type=click.Choice([choice.value for choice in HypothesisClass]),
        default=HypothesisClass.ONE_HOT.value,
        show_default=True,
        help="What is selected from: the one-hot family of the space; theta: all ordinary transformers of "
        "Θ_N, of any width; limit: all Limit Transformers. Of a whole class everything below a proved floor "
        "of R is looked at.",
    ),
]

#: Bounds and budgets.
_BOUNDS = [
    *(
        click.option(f"--{name.replace('_', '-')}", type=int, metavar=metavar, help=text)
        for name, (metavar, text) in BOUNDS.items()
    ),
    click.option(
        "--max-r",
        type=positive,
        metavar="R",
        help="Deterministic budget: nothing above R is searched.",
    ),
    number_option(
        "--work",
        "STEPS",
        "Deterministic budget: steps of work in each space, about a thousand a second.",
        least=1,
        show_default=f"of the spec, or {DEFAULT_WORK}",
    ),
]

#: How the paper is read.
_READING = [
    click.option(
        "--tolerance",
        type=not_negative,
        metavar="X",
        help="Select within X above R*_n instead of 1/(2n); 0: exact minimizers only.",
    ),
    click.option(
        "--aggregate",
        type=click.Choice([choice.value for choice in Aggregate]),
        default=Aggregate.MAX.value,
        show_default=True,
        help="How terms of single layers and heads become one number.",
    ),
    click.option(
        "--threshold",
        type=click.Choice(THRESHOLDS),
        show_default=FREE,
        help="What the output of a hypothesis is compared with: zero, as in Section 4.2 of the paper, or "
        "free: any whole number, which costs nothing.",
    ),
    click.option(
        "--match",
        type=click.Choice(MATCHES),
        show_default=VERDICT,
        help="When a hypothesis is right on a word: by its verdict, or by its logits, which have to be just "
        "1 and 0 at every position, as in Definition 6; these imply --threshold zero.",
    ),
    click.option(
        "--training-length",
        metavar="RULE|FILE",
        help="Ask as well which test lengths n are right after words up to length t(n): "
        f"{', '.join(TRAINING_RULES)}, or a CSV table with the columns n and t.",
    ),
    click.option(
        "--lengths",
        type=click.Choice(LENGTHS),
        default=LENGTHS[0],
        show_default=True,
        help="What --training-length counts: symbols of words, or tokens with $ as in the paper; then n is "
        "the context N, its words have at most N - 1 symbols, and the tolerance is 1/N. Without the former, "
        "paper means n/2.",
    ),
]

#: What is done besides the search.
_EFFORT = [
    number_option(
        "--anneal-steps",
        "STEPS",
        "Steps of annealing for an upper bound on R*, before the longest part of the search; a few seconds "
        "by default, 0 for none.",
        least=0,
        show_default=f"{DEFAULT_STEPS}; 0 if a bound is given",
    ),
    click.option(
        "--prove/--no-prove",
        "proves",
        default=True,
        show_default=True,
        help="Once identified, look for proofs that n0 holds for every n; seconds.",
    ),
]


def _asking(options: Sequence[Any]) -> Callable[[Command], Any]:
    """Add options that say what is asked; the command gets one value ``choices`` for all of them."""

    def decorate(command: Command) -> Callable[..., Any]:
        @functools.wraps(command)
        def asking(*arguments: Any, **given: Any) -> Any:
            bounds = (*BOUNDS, "max_r", "work", "threshold", "match")
            aggregate, tolerance = given.pop("aggregate", Aggregate.MAX), given.pop("tolerance", None)
            chosen = RunOptions(
                max_n=given.pop("max_n"),
                preset=given.pop("space", None),
                bounds={name: given.pop(name) for name in bounds if name in given},
                regularizer=Regularizer(Aggregate(aggregate), tolerance),
                anneal_steps=given.pop("anneal_steps"),
                proves=given.pop("proves"),
                hypothesis_class=HypothesisClass(given.pop("hypothesis_class", HypothesisClass.ONE_HOT)),
                training=_take_training(given.pop("training_length", None), given.pop("lengths", LENGTHS[0])),
            )
            return command(*arguments, choices=chosen, **given)

        for option in reversed(options):
            asking = option(asking)
        return asking

    return decorate


#: The options of a run, in the order of the help; and those where spaces and readings are crossed.
run_options = _asking([*_MAX_N, *_SPACE, *_BOUNDS, *_READING, *_EFFORT])
sweep_options = _asking([*_MAX_N, *_BOUNDS, *_EFFORT])


def _take_training(given: str | None, lengths: str) -> TrainingLength | None:
    """The training length that is asked about, too; few runs ask for one."""
    if given is None and lengths == LENGTHS[0]:
        return None
    from idinf.experiments.training import take_training_length

    return take_training_length(given, lengths)


def run_dir_options(kept: str, what: str) -> Callable[[Command], Command]:
    """Make --run-dir and --resume, with the help of the first and the name of what is resumed."""

    def decorate(command: Command) -> Command:
        resume = f"Go on with the {what} that was ended or killed; start it if there is none."
        command = click.option("--resume", is_flag=True, help=resume)(command)
        return click.option("--run-dir", metavar="DIR", help=f"Keep finished work in DIR{kept}.")(command)

    return decorate


def check_resume(directory: str | None, resume: bool) -> None:
    """Refuse --resume alone."""
    if resume and directory is None:
        raise click.UsageError("--resume is given without --run-dir; expected both; add --run-dir DIR")


class Answer:
    """Where an answer goes: as JSON to a file, or to stdout instead of the text."""

    def __init__(self, as_json: bool, output: str | None) -> None:
        self.as_json = as_json or output == "-"
        self.path = None if output == "-" else output

    def check(self) -> None:
        """Refuse, before any work, what could not be written."""
        if self.path is not None:
            check_writable(self.path)
        if self.path is None or not self.as_json:
            check_stdout()

    def put(self, content: Callable[[], str], text: Callable[[], str]) -> None:
        """Write the JSON and the text where they were asked for; the file first."""
        if self.path is not None:
            write_whole(self.path, content())
        if not self.as_json:
            show_text(text())
        elif self.path is None:
            click.echo(content(), nl=False)


def answer_options(what: str, text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make --json, -o and -q, with the names of both forms; the command gets an `Answer` as ``answer``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def answering(*arguments: Any, as_json: bool, output: str | None, **options: Any) -> Any:
            return command(*arguments, answer=Answer(as_json, output), **options)

        to_file = f"Write the JSON {what} to FILE (-: stdout), and the text {text} to stdout."
        to_stdout = f"Write the JSON {what} to stdout, or to -o FILE alone."
        answering = click.option("-o", "--output", metavar="FILE", help=to_file)(quiet_option(answering))
        return click.option("--json", "as_json", is_flag=True, help=to_stdout)(answering)

    return decorate


#: Connects to a scheduler, if one is asked for.
Connecting = AbstractContextManager["Places | None"]


def scheduler_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Make --scheduler; the command gets a `Connecting` as ``connecting``."""

    @functools.wraps(command)
    def within(*arguments: Any, scheduler: str | None, **options: Any) -> Any:
        return command(*arguments, connecting=_connecting(scheduler), **options)

    return click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Do the runs on the workers of a scheduler instead; local:N starts N workers here; "
        "tcp://HOST:PORT is a running 'dask scheduler'.",
    )(within)


def _connecting(scheduler: str | None) -> Connecting:
    if scheduler is None:
        return nullcontext()
    source = click.get_current_context().get_parameter_source("jobs")
    if source is click.core.ParameterSource.COMMANDLINE:
        raise ArgumentError(
            "--scheduler with --jobs; expected one of them, as workers do the jobs; leave one out"
        )
    from idinf.library.schedulers import open_places

    return open_places(scheduler, 1)
