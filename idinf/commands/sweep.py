"""``idinf sweep``: targets, spaces and readings crossed, one row for every combination."""

from __future__ import annotations

import re

import click

from idinf.commands.bounded import held
from idinf.commands.search_options import sweep_options
from idinf.commands.tables import Tables, table_options
from idinf.experiments.bounds import FAMILY, PRESETS
from idinf.experiments.catalogue import list_entries
from idinf.inference.run import RunOptions
from idinf.quoting import quote
from idinf.sweeps.questions import SweepColumns, ask, keep_only, take_presets
from idinf.sweeps.readings import READINGS, choose_readings
from idinf.work.limits import Limits

#: Values of one parameter in one option, at most.
MOST_VALUES = 10_000

_CHOSEN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=([0-9., ]+)")
_RANGE = re.compile(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?")


def _read_values(text: str) -> tuple[str, tuple[int, ...]]:
    """Read a parameter and its values, as in ``k=1..4`` or ``j=2,3``, as the type of an option."""
    expected = "expected a parameter and values, for example k=1..4 or j=2,3"
    match = _CHOSEN.fullmatch(text)
    parts = [_RANGE.fullmatch(part.strip()) for part in match[2].split(",")] if match else []
    values: dict[int, None] = {}
    for part in parts:
        if part is None or (part[2] is not None and int(part[2]) < int(part[1])):
            break
        low, high = int(part[1]), int(part[2] or part[1])
        if high - low >= MOST_VALUES:
            raise click.BadParameter(f"{quote(text)} has more than {MOST_VALUES} values; expected fewer")
        values |= dict.fromkeys(range(low, high + 1))
    else:
        if match:
            return match[1], tuple(values)
    raise click.BadParameter(f"{quote(text)} is no choice of values; {expected}")


def _read_names(text: str) -> tuple[str, ...]:
    """Read names that commas separate."""
    return tuple(name.strip() for name in text.split(","))


@click.command()
@click.argument("targets", metavar="TARGET|SPEC.toml|DIR...", nargs=-1, required=True)
@click.option(
    "--set",
    "values",
    type=_read_values,
    multiple=True,
    metavar="NAME=VALUES",
    help="Values of a parameter, as in k=1..4 or j=2,3, for the families that have it; once for each "
    "parameter. Others have their whole range then.",
)
@click.option(
    "--spaces",
    type=_read_names,
    metavar="PRESETS",
    show_default=FAMILY,
    help=f"Spaces, as in family,nope,spec; a row for each: {', '.join(PRESETS)}, or spec for the smaller one "
    "that a spec names.",
)
@click.option(
    "--readings",
    "names",
    type=_read_names,
    metavar="READINGS",
    default=READINGS[0].name,
    show_default=True,
    help=f"Readings of the paper, a row for each: {', '.join(each.name for each in READINGS)}.",
)
@click.option(
    "--only",
    "wanted",
    multiple=True,
    metavar="COLUMN=VERDICT",
    help="Only targets of which 'idinf classify' says so, as in crasp=no; may be repeated.",
)
@sweep_options
@table_options("row", "sweep")
@click.pass_context
def sweep(
    context: click.Context,
    /,
    targets: tuple[str, ...],
    values: tuple[tuple[str, tuple[int, ...]], ...],
    spaces: tuple[str, ...] | None,
    names: tuple[str, ...],
    wanted: tuple[str, ...],
    choices: RunOptions,
    tables: Tables,
) -> None:
    """Run the inference procedure on targets, in spaces and readings, and write a row for each combination.

    Of a folder all files *.toml are taken, sorted by name; of a family the members that --set chooses. Rows
    are in the order of targets, then spaces, then readings, the same bytes for every --jobs and after
    --resume. Columns: target, family, one for each parameter, preset and reading, and then those of 'idinf
    batch' without seconds. docs/sweeps.md lists them, and says which combinations have no row.

    Bounds and limits are those of each row. A row that fails says why, and the others go on. What several
    rows ask is worked out once.

    \b
    Examples:
      idinf sweep ge-k-j --set k=1..4 --set j=2,3 -o ge.csv -j 2
      idinf sweep majority dyck-1 --spaces nope,periodic --readings one-hot,theta --max-n 16 -o both.parquet
      idinf sweep random-k-s-seed --set k=4 --set s=2 --set seed=1..20 --only crasp=no --work 2000 -o no.csv
      idinf sweep regular-k-i --set k=1..3 --work 2000 --long stages.csv -o all.csv -j 2 --resume
    """
    tables.check()
    chosen: dict[str, tuple[int, ...]] = {}
    for name, given in values:
        if name in chosen:
            raise click.UsageError(
                f"--set {name} is given twice; expected it once; join the values by commas"
            )
        chosen[name] = given
    presets, readings = take_presets(spaces), choose_readings(names)
    with held(Limits(memory_bytes=tables.limits.memory_bytes, enforced=True)):
        entries = keep_only(list_entries(targets, chosen), wanted)
    asked = ask(entries, choices, presets, readings)
    tables.fill(context, asked, SweepColumns(asked))
