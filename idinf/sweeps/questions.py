"""What a sweep asks: targets, spaces and readings, and a row for every combination.

For example, two targets in two spaces and in two readings are eight rows: the rows of the first target before
those of the second, in the first space before the second. A question that is asked in several rows is worked
out once by `Sweep`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace

from idinf.errors import ArgumentError
from idinf.experiments.bounds import OF_SPEC, SpaceBounds
from idinf.experiments.catalogue import CollectedSpec
from idinf.experiments.spec import Verdict
from idinf.inference.run import RunOptions
from idinf.quoting import quote
from idinf.report.value import Outcome
from idinf.sweeps.csv_tables import Cell
from idinf.sweeps.readings import READINGS, Reading, ReadingRow
from idinf.sweeps.row import COLUMNS, ClassCells, Row, compare_with_verdict, list_class_cells
from idinf.sweeps.sweep import BatchEntry, RunAnswer

#: Columns of a batch that a sweep has elsewhere, or not: seconds differ between two runs.
_LEFT_OUT = ("target", "seconds")

#: Columns that say in which classes a language is.
CLASS_COLUMNS = list(COLUMNS)[list(COLUMNS).index("states") :]

#: What is said in the columns that hold no verdict.
_VALUES = {"states": ("number",), "dot_depth": ("number", "none", "unknown")}


@dataclass(frozen=True, slots=True)
class Question:
    """One row that is asked for."""

    target: BatchEntry
    reading: Reading = READINGS[0]
    preset: str | None = None  #: of the space that is asked for; None: the family

    @property
    def entry(self) -> CollectedSpec:
        """The target."""
        return self.target.entry

    @property
    def told(self) -> str:
        """What a line of progress says after the name of the target; nothing of what is usual."""
        usual = self.reading is READINGS[0]
        return "".join(f", {name}" for name in (self.preset, None if usual else self.reading.name) if name)

    @property
    def parameters(self) -> Mapping[str, int]:
        """The values of a member of a family."""
        return dict(self.entry.spec.parameters) if self.entry.spec is not None else {}

    def row(self, answer: RunAnswer) -> Row:
        """What `idinf batch` says of the target, in this reading."""
        row, report = self.target.row(answer), answer.report
        if report is None or self.reading.training is None:
            return row
        read = ReadingRow.of(row.target, self.reading, answer)
        known, outcome = read.r_star is not None, Outcome(read.outcome)
        expected = None if row.expected is None else Verdict(row.expected)
        return replace(
            row,
            outcome=read.outcome,
            agrees=None if expected is None else compare_with_verdict(expected, outcome),
            n0=read.n0,
            n0_canonical=read.n0_canonical,
            r_star=read.r_star,
            n0_lower=read.n0 if read.n0_lower is None else read.n0_lower,
            r_lower=read.r_star if known else row.r_lower,
            r_upper=read.r_star if known else read.r_upper,
        )


def ask(
    entries: Sequence[CollectedSpec],
    options: RunOptions,
    presets: Sequence[str | None] = (None,),
    readings: Sequence[Reading] = READINGS[:1],
) -> list[Question]:
    """Ask about every target in every space and reading, in this order.

    Next symbols are asked about in the readings that they have; of what is no target there is one row.

    Examples
    --------
    >>> from idinf.experiments.catalogue import list_entries
    >>> asked = ask(list_entries(["majority"]), RunOptions(max_n=4), ["nope", "local"], READINGS[::6])
    >>> [(one.entry.name, one.preset, one.reading.name) for one in asked]
    [('majority', 'nope', 'one-hot'), ('majority', 'nope', 'tolerance 0'),
     ('majority', 'local', 'one-hot'), ('majority', 'local', 'tolerance 0')]
    """
    return [
        Question(BatchEntry.of(entry, reading.options(in_space)), reading, preset)
        for entry in entries
        for preset in (presets if entry.spec is not None else presets[:1])
        for in_space in [options if preset is None else replace(options, preset=preset)]
        for reading in (readings if entry.spec is not None else readings[:1])
        if entry.spec is None or reading.is_about(entry.spec)
    ]


def take_presets(names: Sequence[str] | None) -> tuple[str | None, ...]:
    """Take presets by name, or the smaller spaces of specs; the family if none is named.

    Raises
    ------
    UnsupportedBoundError
        If there is no such preset.

    Examples
    --------
    >>> take_presets(["nope", "spec"]), take_presets(None)
    (('nope', 'spec'), (None,))
    """
    for name in names or ():
        if name != OF_SPEC:
            SpaceBounds.from_preset(name)
    return tuple(dict.fromkeys(names)) if names else (None,)


def keep_only(entries: Sequence[CollectedSpec], wanted: Sequence[str]) -> tuple[CollectedSpec, ...]:
    """Keep the targets of which all is said that is wanted, as in ``crasp=no``; and what is no target.

    Raises
    ------
    ArgumentError
        If something is wanted of which nothing is said, or no language has it.

    Examples
    --------
    >>> from idinf.experiments.catalogue import list_entries
    >>> [one.name for one in keep_only(list_entries(["parity", "tomita-1"]), ["crasp=no"])]
    ['parity']
    """
    pairs = [text.partition("=") for text in wanted]
    for key, _, value in pairs:
        if key not in CLASS_COLUMNS or not value:
            raise ArgumentError(
                f"{quote('='.join((key, value)))} is wanted; expected a verdict on one of: "
                f"{', '.join(CLASS_COLUMNS)}; give for example crasp=no"
            )
        said = _VALUES.get(key, tuple(map(str, Verdict)))
        if value not in said and not ("number" in said and value.isascii() and value.isdecimal()):
            raise ArgumentError(
                f"{quote(f'{key}={value}')} is wanted, and no language has it; expected of {key}: "
                f"{', '.join(said)}; give one of them"
            )
    return tuple(
        entry
        for entry in entries
        if not pairs or entry.spec is None or _said(list_class_cells(entry.spec), pairs)
    )


def _said(cells: ClassCells, wanted: Sequence[tuple[str, str, str]]) -> bool:
    return all(str(cells.get(key)) == value for key, _, value in wanted)


class BatchColumns:
    """The columns of a batch: whose row it is, and what is said of it."""

    keys: Mapping[str, type] = {"target": str}
    columns: Mapping[str, type] = COLUMNS

    def key_cells(self, question: Question) -> tuple[Cell, ...]:
        """Whose row it is."""
        return (question.entry.name,)

    def cells(self, question: Question, row: Row) -> tuple[Cell, ...]:
        """All cells of a row."""
        return astuple(row)


class SweepColumns(BatchColumns):
    """The columns of a sweep: whose row it is, and what `idinf batch` says.

    Examples
    --------
    >>> from idinf.experiments.catalogue import list_entries
    >>> columns = SweepColumns(ask(list_entries(["ge-k-j", "majority"]), RunOptions()))
    >>> list(columns.keys)
    ['target', 'family', 'k', 'j', 'preset', 'reading']
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        self.names = list(dict.fromkeys(name for one in questions for name in one.parameters))
        rest = {name: kind for name, kind in COLUMNS.items() if name not in _LEFT_OUT}
        taken = {"target", "family", "preset", "reading", *COLUMNS, "n", "record"}
        #: A parameter that is called as another column gets a line after its name.
        named = {name + "_" * (name in taken): int for name in self.names}
        self.keys = {"target": str, "family": str, **named, "preset": str, "reading": str}
        self.columns = {**self.keys, **rest}

    def key_cells(self, question: Question) -> tuple[Cell, ...]:
        """Whose row it is."""
        entry, values = question.entry, question.parameters
        own = [values.get(name) for name in self.names]
        return (entry.name, entry.family, *own, question.preset, question.reading.name)

    def cells(self, question: Question, row: Row) -> tuple[Cell, ...]:
        """All cells of a row."""
        said = dict(zip(COLUMNS, astuple(row), strict=True))
        return (*self.key_cells(question), *(said[name] for name in COLUMNS if name not in _LEFT_OUT))
