"""``idinf identify``: run the inference procedure on one target and write what it found."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import click

from idinf.commands.bounded import held, limit_code, limit_options, telling
from idinf.commands.options import (
    alphabet_option,
    check_source,
    jobs_option,
    record_option,
    regex_option,
    set_option,
)
from idinf.commands.progress import watching
from idinf.commands.search_options import (
    Answer,
    answer_options,
    check_resume,
    run_dir_options,
    run_options,
)
from idinf.experiments.catalogue import load
from idinf.experiments.parameters import Values
from idinf.experiments.spec import Spec
from idinf.inference.kept_work import keep_journals
from idinf.inference.run import KnownHypothesis, Run, RunOptions, run
from idinf.render.text.answer import render_answer
from idinf.report.files import dump_report, read_hypothesis
from idinf.report.value import Outcome, Report
from idinf.words import Alphabet
from idinf.work.limits import ENDS, Limits, StopReason
from idinf.work.signals import Requests


@click.command()
@click.argument("target", metavar="[TARGET|SPEC.toml]", required=False)
@regex_option
@partial(alphabet_option, default="the symbols the regex names, sorted")
@set_option
@run_options
@limit_options("Extra limit: end the run after that many seconds, with its report and exit code 4.")
@jobs_option("Processes to use; the report does not depend on it.")
@click.option(
    "--upper-bound",
    "upper",
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
@answer_options("report", "answer")
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
    target: str | None,
    regex: str | None,
    given: Alphabet | None,
    values: Values,
    choices: RunOptions,
    limits: Limits,
    jobs: int,
    upper: tuple[str, ...],
    record: int | None,
    run_dir: str | None,
    resume: bool,
    answer: Answer,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run the idealized inference procedure on TARGET, exactly, for every n up to N.

    TARGET is a name that `idinf targets` lists; a path, or a name ending in .toml, is a spec file.
    --regex takes any regular language; --set chooses a member of a family of targets. The answer is that
    of the whole one-hot family, unless --space or a bound names a part of it; bounds are upper bounds:
    --precision 1 searches 0 and 1 bits. Where the work in the family ends before the answer, that of a
    smaller space stands beside it: the one that the spec names, or else the family without M, and then
    without φ. The answer goes to stdout, progress to stderr if that is a terminal.

    \b
    Examples:
      idinf identify majority --max-n 64
      idinf identify --regex '.*ab.*' --alphabet ab --max-n 32
      idinf identify parity --max-r 9.5 -v
      idinf identify tomita-7 --space spec
      idinf identify dyck-1 --max-n 8 --json -o dyck-1.json
      idinf identify tomita-2 -j 2 --run-dir runs/tomita-2 --resume
      idinf identify ge-k-j --set k=3 --set j=2
    """
    check_source(target, regex)
    requests = context.with_resource(limits.requests.deferred())
    with held(limits):
        spec, origin = _take(target, regex, given, values)
        answer.check()
        known = tuple(KnownHypothesis(path, read_hypothesis(path, record), True) for path in upper)
        settings = choices.about(spec, origin, known)
        check_resume(run_dir, resume)
    with telling(limits), watching(quiet) as watch:  # a run holds its limits, and always has a report
        journals = keep_journals(settings, run_dir, resume)
        ended = run(settings, limits, jobs, watch, journals)
    for note in () if quiet else ended.notes:
        click.echo(f"Note: {note}", err=True)
    answer.put(
        lambda: dump_report(ended.report),
        lambda: _text(ended, spec, limits, verbose),
    )
    if ended.limited is not None:
        if not quiet:
            click.echo(f"Note: {ended.limited}; the report is partial", err=True)
        context.exit(exit_code_of(ended.report, requests))


def _take(
    target: str | None, regex: str | None, alphabet: Alphabet | None, values: Values
) -> tuple[Spec, str]:
    """The spec, and what it was loaded from."""
    if target is not None:
        if alphabet is not None:
            raise click.UsageError(
                "--alphabet is given, but a target has its own; expected it with --regex; leave it out"
            )
        return load(target, values), target
    from idinf.library.sources import take_spec

    return take_spec(regex=regex, alphabet=None if alphabet is None else alphabet.symbols)


def exit_code_of(report: Report, requests: Requests) -> int:
    """The exit code of a run; of one that the user stopped it says which signal asked."""
    reasons = [each.stop for each in report.answers if each.stopped]
    if not reasons:
        return 0
    return limit_code(requests.signal if StopReason.INTERRUPTED in reasons else None)


def _text(ended: Run, spec: Spec, limits: Limits, verbose: bool) -> str:
    advice = tuple[str, ...]()
    if ended.report.outcome is Outcome.OPEN and ended.target is not None:
        from idinf.inference.advice import advise
        from idinf.inference.needs import find_needs

        with suppress(*ENDS), limits.held():
            advice = advise(ended.report, find_needs(spec, ended.target))
    return render_answer(ended.report, verbose, ended.compiled, advice)
