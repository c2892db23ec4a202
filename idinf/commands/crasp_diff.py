"""``idinf crasp diff``: the first word on which two languages differ, exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import click

from idinf.commands.bounded import DEFAULT_S, LIMIT_REACHED, SIGNALLED, held, limit_options
from idinf.commands.crasp_program import alphabet_option
from idinf.commands.numbers import WholeNumber
from idinf.commands.parameters import set_option
from idinf.commands.progress import status
from idinf.commands.search_options import record_option
from idinf.experiments.parameters import Values
from idinf.runtime.limits import Limits
from idinf.words import Alphabet

#: Bytes that a pair of states takes while it is merged, with the steps to it: at most 330 were measured.
BYTES_PER_STATE = 350

#: Exit code of a difference.
DIFFERENT = 1

#: Seconds between two lines of progress.
PROGRESS_SECONDS = 0.2


@click.command("diff", short_help="Find the first word where two languages differ.")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option(
    "--max-n",
    type=WholeNumber(min=0, max=100_000),
    metavar="N",
    default=64,
    show_default=True,
    help="Compare all words up to length N.",
)
@partial(alphabet_option, default="see above")
@set_option
@record_option
@limit_options("End after that many seconds, with exit code 4.", default_s=DEFAULT_S)
@click.option("--json", "as_json", is_flag=True, help="Print an idinf-diff/1 object instead.")
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
@click.pass_context
def diff_command(
    context: click.Context,
    one: str,
    other: str,
    max_n: int,
    given: Alphabet | None,
    values: Values,
    record: int | None,
    time_limit: float | None,
    memory: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the first word on which A and B differ, in order of length, then of the alphabet.

    A and B are programs, hypotheses, regexes or targets: regex:TEXT, a file ending in .crasp, .cr, .json (a
    hypothesis, or a report for its selected one) or .toml (a spec), or a shipped name, the program where it
    is also that of a target. program:NAME and target:NAME say which; --set chooses a member of a family.

    The answer is exact: a difference, which may be longer than N where longer words were compared as well;
    "equal on all words up to length N"; or "equal on all words" where that is proved. Words are over the
    alphabet of the first spec or hypothesis, else over the symbols that A and B name. Exit code 0 if they
    are equal, 1 if they differ, 4 if a limit ended the comparison.

    \b
    Examples:
      idinf crasp diff my.crasp dyck-1
      idinf crasp diff tomita-2 'regex:(10)*' --max-n 100
      idinf crasp diff hypothesis.json target:d-3 --json
    """
    from idinf.equivalence.comparison import compare
    from idinf.library.languages import Difference
    from idinf.library.operands import common_alphabet, language
    from idinf.library.sources import read_operand

    limits = Limits(time_limit, memory, enforced=True)
    with limits.requests.deferred(), held(limits):
        sides = read_operand(one, values, record=record), read_operand(other, values, record=record)
        if values and not any(side.is_family_member for side in sides):
            raise click.UsageError("--set is given, but neither A nor B is a family; leave it out")
        alphabet = common_alphabet(*sides, given)
        languages = language(sides[0], alphabet), language(sides[1], alphabet)
        with status(quiet) as show:
            most = max(1, memory // BYTES_PER_STATE)
            verdict = compare(*languages, max_n, most, _beat(max_n, limits, show))
        if verdict.stop_reason:
            limits.closing()
        answer = Difference.of((one, other), languages, verdict)
        written = json.dumps(answer.to_dict(), indent=2) if as_json else str(answer)
    click.echo(written)
    if verdict.stop_reason and not quiet:
        click.echo(f"Note: {verdict.stop_reason}", err=True)
    if verdict.word is not None:
        context.exit(DIFFERENT)
    if verdict.stop_reason:
        asked = limits.requests.signal
        context.exit(LIMIT_REACHED if asked is None else SIGNALLED + asked)


def _beat(max_n: int, limits: Limits, show: Callable[[str], None] | None) -> Callable[[int], None]:
    """The function that is told of progress, shows it, and ends a run at its limits."""
    last = 0.0

    def beat(length: int) -> None:
        nonlocal last
        limits.check()
        if show is not None and limits.elapsed_s - last > PROGRESS_SECONDS:
            last = limits.elapsed_s
            show(f"length {length} of {max_n}, {last:.0f} s")

    return beat
