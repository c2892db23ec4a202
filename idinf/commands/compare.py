"""``idinf compare``: differences of two reports, or the first word on which two languages differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from idinf.api.languages import read_target
from idinf.api.reports import compare as compare_contents
from idinf.api.reports import read_results
from idinf.api.settings import NamedTarget
from idinf.api.sources import takes_values
from idinf.commands.bounded import end_options, held, limit_code
from idinf.commands.options import (
    asks,
    json_option,
    number_option,
    positive,
    record_option,
)
from idinf.commands.progress import status
from idinf.commands.terminal import fit_window, show_text
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.ordinary.translation import CausalTransformer
from idinf.report.files import read_document
from idinf.work.limits import Limits

#: Bytes that a pair of states takes while it is merged, with the steps to it: at most 330 were measured.
BYTES_PER_STATE = 350

#: Exit code of a difference.
DIFFERENT = 1

#: Seconds between two lines of progress.
PROGRESS_SECONDS = 0.2


@click.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@number_option("--max-n", "N", "Compare all words up to length N.", least=0, most=100_000, default=64)
@asks(NamedTarget, without=("name",))
@record_option
@click.option(
    "--factor",
    type=positive,
    metavar="X",
    help="Of benchmark files: they differ too if some best time of B is above X times that of A.",
)
@end_options
@json_option("idinf-diff/1")
@click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")
def compare(
    one: str,
    other: str,
    max_n: int,
    asked: dict[str, Any],
    record: int | None,
    factor: float | None,
    limits: Limits,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the first word on which A and B differ, or say what two reports say differently.

    A and B are as TARGET of `idinf identify`; a report beside one, or with --record, is its hypothesis;
    program:NAME is the program of a name that is a target, too. The first word is the least in order of
    length, then of the alphabet. The answer is exact: a difference, which may be longer than N where longer
    words were compared as well; "equal on all words up to length N"; or "equal on all words" where that is
    proved. Words are over the alphabet of the first that has its own, else over the symbols that both name.

    Two reports or benchmark files are compared as such. Two reports agree if target,
    space, range, outcome, n0, stages and records are the same; R is compared with the tolerance of its 9
    decimals. Two benchmark files agree if their runs have the same answers. Seconds, bytes and speeds are
    shown with their ratio B/A and do not count, but for --factor.

    Exit code 0 if the two agree, 1 if they differ, 4 if a limit ended the comparison.

    \b
    Examples:
      idinf compare my.crasp dyck-1
      idinf compare tomita-2 'regex:(10)*' --max-n 100
      idinf compare before.json after.json
      idinf compare old-bench.json bench.json --factor 1.5
    """
    with held(limits):
        if record is None and _are_results(one, other):
            if as_json or asked:
                raise click.UsageError("--json, --set and --alphabet are about languages; leave them out")
            _compare_results(one, other, factor)
            return
    with limits.requests.deferred(), held(limits):
        if factor is not None:
            raise click.UsageError("--factor is given, but A and B are no benchmark files; leave it out")
        if "values" in asked and not any(map(takes_values, (one, other))):
            raise click.UsageError("--set is given, but neither A nor B is a family; leave it out")
        sides = [
            read_target(
                side,
                values=asked.get("values") if takes_values(side) else None,
                record=record if side.endswith(".json") else None,
            )
            for side in (one, other)
        ]
        with status(quiet) as show:
            most, beat = max(1, limits.memory_bytes // BYTES_PER_STATE), _beat(max_n, limits, show)
            answer = sides[0].difference(
                sides[1], max_n, alphabet=asked.get("alphabet"), most_states=most, beat=beat
            )
        if answer.stop_reason:
            limits.closing()
        written = json.dumps(answer.to_dict(), indent=2) if as_json else fit_window(str(answer))
    click.echo(written)
    if answer.stop_reason and not quiet:
        click.echo(f"Note: {answer.stop_reason}", err=True)
    if answer.word is not None:
        raise click.exceptions.Exit(DIFFERENT)
    if answer.stop_reason:
        raise click.exceptions.Exit(limit_code(limits.requests.signal))


def _are_results(*paths: str) -> bool:
    """True if all are JSON files, and none is a hypothesis."""
    return all(path.endswith(".json") for path in paths) and not any(
        read_document(path)["format"] in (LimitTransformer.FORMAT, CausalTransformer.FORMAT) for path in paths
    )


def _compare_results(one: str, other: str, factor: float | None) -> None:
    result = compare_contents(read_results(one), read_results(other), factor)
    show_text(result.text(one, other))
    if result.differs:
        raise click.exceptions.Exit(DIFFERENT)


def _beat(max_n: int, limits: Limits, show: Callable[[str], None] | None) -> Callable[[int], None]:
    """The function that gets each length, shows it as progress, and ends a run at its limits."""
    last = 0.0

    def beat(length: int) -> None:
        nonlocal last
        limits.check()
        if show is not None and limits.elapsed_s - last > PROGRESS_SECONDS:
            last = limits.elapsed_s
            show(f"length {length} of {max_n}, {last:.0f} s")

    return beat
