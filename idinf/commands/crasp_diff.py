"""``idinf crasp diff``: the first word on which two languages differ, exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import click

from idinf.commands.bounded import end_options, held, limit_code
from idinf.commands.options import alphabet_option, json_option, number_option, record_option, set_option
from idinf.commands.progress import status
from idinf.commands.terminal import fit_window
from idinf.equivalence.comparison import compare
from idinf.experiments.parameters import Values
from idinf.library.languages import Difference
from idinf.library.operands import find_common_alphabet, language
from idinf.library.sources import read_operand
from idinf.proofs.languages import prove_equal
from idinf.words import Alphabet
from idinf.work.limits import Limits

#: Bytes that a pair of states takes while it is merged, with the steps to it: at most 330 were measured.
BYTES_PER_STATE = 350

#: Exit code of a difference.
DIFFERENT = 1

#: Seconds between two lines of progress.
PROGRESS_SECONDS = 0.2


@click.command("diff")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@number_option("--max-n", "N", "Compare all words up to length N.", least=0, most=100_000, default=64)
@partial(alphabet_option, default="see above")
@set_option
@record_option
@end_options
@json_option("idinf-diff/1")
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
def diff(
    one: str,
    other: str,
    max_n: int,
    given: Alphabet | None,
    values: Values,
    record: int | None,
    limits: Limits,
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
    with limits.requests.deferred(), held(limits):
        sides = read_operand(one, values, record=record), read_operand(other, values, record=record)
        if values and not any(side.is_family_member for side in sides):
            raise click.UsageError("--set is given, but neither A nor B is a family; leave it out")
        alphabet = find_common_alphabet(*sides, given)
        languages = language(sides[0], alphabet), language(sides[1], alphabet)
        with status(quiet) as show:
            most = max(1, limits.memory_bytes // BYTES_PER_STATE)
            verdict = compare(*languages, max_n, most, _beat(max_n, limits, show), prove=prove_equal)
        if verdict.stop_reason:
            limits.closing()
        answer = Difference.of((one, other), languages, verdict)
        written = json.dumps(answer.to_dict(), indent=2) if as_json else fit_window(str(answer))
    click.echo(written)
    if verdict.stop_reason and not quiet:
        click.echo(f"Note: {verdict.stop_reason}", err=True)
    if verdict.word is not None:
        raise click.exceptions.Exit(DIFFERENT)
    if verdict.stop_reason:
        raise click.exceptions.Exit(limit_code(limits.requests.signal))


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
