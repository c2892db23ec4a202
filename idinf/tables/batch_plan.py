"""Questions of a batch: targets, spaces and readings of the paper, and a row for every combination.

For example, two targets in two spaces and in two readings are eight rows: the rows of the first target before
those of the second, in the first space before the second. A question that is asked in several rows is worked
out once by `RunPool`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from idinf.base.files import check_writable, make_folder, write_whole
from idinf.base.options import options_of
from idinf.base.quoting import list_some, quote
from idinf.errors import ArgumentError, IdinfError
from idinf.inference.settings import RunSettings, Settings
from idinf.nets.regularizer import Aggregate
from idinf.report.files import dump_report
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import LENGTHS, LOGITS, ZERO, HypothesisClass, Space
from idinf.spec.catalogue import CollectedSpec, load_family
from idinf.spec.spec import Answer, Spec
from idinf.tables.files import Cell, GrowingTable, name_report_paths
from idinf.tables.pool import RunAnswer
from idinf.tables.row import COLUMNS, RECORD_COLUMNS, STAGE_COLUMNS, Row, list_record_cells, list_stage_cells


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the paper."""

    name: str
    changes: Mapping[str, object] = field(default_factory=dict)  #: fields of `Settings`
    bounds: Mapping[str, str] = field(default_factory=dict)  #: fields of `SpaceBounds`

    @property
    def _is_whole(self) -> bool:
        """True if hypotheses of any size are selected from."""
        return "hypothesis_class" in self.changes

    def settings(self, asked: Settings) -> Settings:
        """The settings of a run in this reading, where others are asked.

        >>> READINGS[1].settings(Settings.of(max_n=8)).bounds
        {'threshold': 'zero'}
        """
        if self._is_whole:  # of any size, so no other bound is one of the class
            kept = {key: value for key, value in asked.bounds.items() if key == "max_r"}
            asked = replace(asked, space=None, bounds=kept)
        return replace(asked, bounds={**asked.bounds, **self.bounds}, **self.changes)  # type: ignore[arg-type]

    def is_about(self, spec: Spec) -> bool:
        """True if the reading applies to a target: some are about acceptance alone."""
        return spec.answer is Answer.ACCEPT or not (self.bounds or self._is_whole)


#: Every reading, the usual one first.
READINGS = (
    Reading("one-hot"),
    Reading("threshold zero", bounds={"threshold": ZERO}),
    Reading("logits", bounds={"match": LOGITS}),
    Reading("theta", {"hypothesis_class": HypothesisClass.THETA.value}),
    Reading("limit", {"hypothesis_class": HypothesisClass.LIMIT.value}),
    Reading("sum", {"aggregate": Aggregate.SUM.value}),
    Reading("tolerance 0", {"tolerance": 0.0}),
    Reading("tolerance 1/2", {"tolerance": 0.5}),
    Reading("lengths of the paper", {"lengths": LENGTHS[1]}),
)

#: In place of the names of all readings.
ALL = "all"


def choose_readings(names: Sequence[str]) -> tuple[Reading, ...]:
    """Take the readings of some names, in their order; the usual one if there are none.

    >>> [reading.name for reading in choose_readings(["theta"])], len(choose_readings(["all"]))
    (['theta'], 9)
    """
    if list(names) == [ALL]:
        return READINGS
    known = {reading.name: reading for reading in READINGS}
    for name in names:
        if name not in known:
            raise ArgumentError(
                f"reading {quote(name)}; expected {ALL}, or of: {list_some(known, ', ')}; name one"
            )
    return tuple(known[name] for name in names) or READINGS[:1]


@dataclass(frozen=True, slots=True)
class Question:
    """Question of one row: a target with the settings of its run, or the error why there is no run.

    Without a ``space`` the spec cannot be read, or the settings do not fit it.

    >>> asked = Question.of(CollectedSpec("x.toml", None, IdinfError("no such file")), Settings())
    >>> asked.row(RunAnswer.of_error(asked.settings)).error
    'no such file'
    """

    entry: CollectedSpec
    space: Space | None
    settings: RunSettings | IdinfError
    reading: Reading = READINGS[0]
    preset: str | None = None  #: of the space of the row; None: the family

    @classmethod
    def of(
        cls,
        entry: CollectedSpec,
        asked: Settings,
        reading: Reading = READINGS[0],
        preset: str | None = None,
    ) -> Question:
        """Ask about an entry."""
        space: Space | None = None
        try:
            if entry.error is not None:
                raise entry.error
            assert entry.spec is not None
            read = reading.settings(asked if preset is None else replace(asked, space=preset))
            space = read.space_of(entry.spec)
            return cls(entry, space, read.about(entry.spec, entry.source), reading, preset)
        except IdinfError as error:
            return cls(entry, space, error, reading, preset)

    @property
    def told(self) -> str:
        """Text after the name of the target in a line of progress; "" for usual settings."""
        return "".join(f", {name}" for name in (self.preset, self._reading) if name)

    @property
    def _reading(self) -> str | None:
        return None if self.reading is READINGS[0] else self.reading.name

    @property
    def parameters(self) -> Mapping[str, int]:
        """The values of a member of a family; one named as a column has a line after its name."""
        values = () if self.entry.spec is None else self.entry.spec.parameters
        return {f"{name}_" if name in (*COLUMNS, "n", "record") else name: value for name, value in values}

    def cells(self, row: Row, columns: Iterable[str]) -> tuple[Cell, ...]:
        """The cells of its row in some columns."""
        values = self.parameters
        return tuple(getattr(row, name) if name in COLUMNS else values.get(name) for name in columns)

    def row(self, answer: RunAnswer) -> Row:
        """Row of the target in a table, once there is an answer."""
        entry, report = self.entry, answer.report
        if entry.spec is None or report is None:
            row = Row.of_error(entry.name, answer.error, entry.spec, self.space)
        else:
            row = Row.of_report(entry.spec, report, answer.classes)
            if report.training is not None and report.outcome is not Outcome.NEVER:
                n0, n0_lower = _find_n0_of_training(report)
                row = replace(row, n0=n0, n0_canonical=None, n0_lower=n0_lower)
        size = None
        if entry.family is not None and entry.spec is not None:
            size = load_family(entry.source).parameters.size_of(entry.spec.parameters)
        return replace(row, family=entry.family, size=size, preset=self.preset, reading=self.reading.name)


def _find_n0_of_training(report: Report) -> tuple[int | None, int]:
    """n0 of another training length, and a lower bound of it; with lengths of the paper N0, the context."""
    training = report.training
    assert training is not None
    bad = [stage.n for stage in training.stages if stage.good is False]
    n0 = None if training.n0 is None else training.n0 + training.counts_sos
    return n0, max(bad, default=0) + 1 + training.counts_sos if n0 is None else n0


def ask(
    entries: Sequence[CollectedSpec],
    settings: Settings,
    presets: Sequence[str | None] = (None,),
    readings: Sequence[Reading] = READINGS[:1],
) -> list[Question]:
    """Ask about every target in every space and reading, in this order.

    Next symbols have rows in the readings that apply to them; an entry that is no target has one row.

    >>> from idinf.spec.catalogue import list_entries
    >>> asked = ask(list_entries(["majority"]), Settings(max_n=4), ["nope", "local"], READINGS[::6])
    >>> [(one.entry.name, one.preset, one.reading.name) for one in asked]
    [('majority', 'nope', 'one-hot'), ('majority', 'nope', 'tolerance 0'),
     ('majority', 'local', 'one-hot'), ('majority', 'local', 'tolerance 0')]
    """
    return [
        Question.of(entry, settings, reading, preset)
        for entry in entries
        for preset in (presets if entry.spec is not None else presets[:1])
        for reading in (readings if entry.spec is not None else readings[:1])
        if entry.spec is None or reading.is_about(entry.spec)
    ]


def take_presets(names: Sequence[str] | None) -> tuple[str | None, ...]:
    """Take presets by name, or the smaller spaces of specs; the family if none is named.

    >>> take_presets(["nope", "spec"]), take_presets(None)
    (('nope', 'spec'), (None,))
    """
    for name in names or ():
        options_of(Settings)["space"].check("spaces", name)
    return tuple(dict.fromkeys(names)) if names else (None,)


#: Columns that say whose row it is; the others stand where some row has such a cell.
_KEYS = ("target", "family", "size", "preset", "reading")


def list_keys(questions: Sequence[Question]) -> tuple[str, ...]:
    """List the columns of a table that say whose row it is.

    >>> from idinf.spec.catalogue import list_entries
    >>> list_keys(ask(list_entries(["ge-k-j", "majority"]), Settings(), ["nope"]))
    ('target', 'family', 'k', 'j', 'size', 'preset')
    """
    keys = ["target"]
    if parameters := dict.fromkeys(name for one in questions for name in one.parameters):
        keys += ["family", *parameters, "size"]
    if any(one.preset is not None for one in questions):
        keys.append("preset")
    if any(one.reading is not READINGS[0] for one in questions):
        keys.append("reading")
    return tuple(keys)


def list_all_columns(questions: Sequence[Question]) -> tuple[str, ...]:
    """List all columns of a table: those of the question, then those of its answer."""
    return (*list_keys(questions), *(name for name in COLUMNS if name not in _KEYS))


class BatchFiles:
    """The files of a batch: one table, or a folder with three and every report. Mutable: they grow.

    An output of - is a table on stdout; a folder there is, or that ends in /, gets all of them.
    """

    def __init__(self, output: str) -> None:
        is_folder = output != "-" and (output.endswith(("/", os.sep)) or os.path.isdir(output))
        self.folder = Path(output) if is_folder else None
        self.paths: list[str | None] = [None if output == "-" else output]
        if self.folder is not None:
            self.paths = [str(self.folder / name) for name in ("table.csv", "stages.csv", "records.csv")]

    def check(self) -> None:
        """Refuse files that could not be written."""
        if self.folder is not None:
            make_folder(self.folder)
        for path in filter(None, self.paths):
            check_writable(path)

    def open(self, asked: Sequence[Question]) -> None:
        """Name the files of the answers to some questions; none is written yet."""
        keys, self._asked = list_keys(asked), asked
        columns = list_all_columns(asked), (*keys, *STAGE_COLUMNS), (*keys, *RECORD_COLUMNS)
        self._keys = keys
        pairs = zip(self.paths, columns, strict=False)
        self._tables = [GrowingTable(path, len(asked), each) for path, each in pairs]
        folder = None if self.folder is None else str(self.folder / "reports")
        self._reports = name_report_paths(folder, [one.entry.name for one in asked])

    def put(self, place: int, row: Row, report: Report | None) -> None:
        """Add the answer to a question, by its place; an OutputError if a file cannot be written."""
        one, path = self._asked[place], self._reports[place]
        if report is not None and path is not None:
            make_folder(path.parent)
            write_whole(path, dump_report(report))
        table, *long = self._tables
        cells = (list_stage_cells, list_record_cells)
        for each, list_cells in zip(long, cells, strict=False):
            keys = one.cells(row, self._keys)
            each.put(place, [] if report is None else [(*keys, *rest) for rest in list_cells(report)])
        table.put(place, [one.cells(row, table.columns)])

    def finish(self) -> None:
        """Write the remaining rows."""
        for table in self._tables:
            table.finish()
