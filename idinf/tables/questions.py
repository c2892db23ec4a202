"""What a batch asks: targets, spaces and readings, and a row for every combination.

For example, two targets in two spaces and in two readings are eight rows: the rows of the first target before
those of the second, in the first space before the second. A question that is asked in several rows is worked
out once by `RunPool`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property

from idinf.base.quoting import quote
from idinf.errors import ArgumentError, IdinfError
from idinf.inference.settings import RunSettings, Settings
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import OF_SPEC, Space, SpaceBounds
from idinf.spec.catalogue import CollectedSpec, load_family
from idinf.spec.spec import Verdict
from idinf.tables.csv_tables import Cell
from idinf.tables.pool import RunAnswer
from idinf.tables.readings import READINGS, Reading
from idinf.tables.row import COLUMNS, ClassCells, Row, list_class_cells

#: Columns that say in which classes a language is.
CLASS_COLUMNS = list(COLUMNS)[list(COLUMNS).index("states") :]

#: What is said in the columns that hold no verdict.
_VALUES = {"states": ("number",), "dot_depth": ("number", "none", "unknown")}


@dataclass(frozen=True, slots=True)
class Question:
    """One row that is asked for: a target with the settings of its run, or the error why there is no run.

    Without a ``space`` the spec cannot be read, or the settings do not fit it.

    Examples
    --------
    >>> asked = Question.of(CollectedSpec("x.toml", None, IdinfError("no such file")), Settings())
    >>> asked.row(RunAnswer.of_error(asked.settings)).error
    'no such file'
    """

    entry: CollectedSpec
    space: Space | None
    settings: RunSettings | IdinfError
    reading: Reading = READINGS[0]
    preset: str | None = None  #: of the space that is asked for; None: the family

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
        """What a line of progress says after the name of the target; nothing of what is usual."""
        return "".join(f", {name}" for name in (self.preset, self._reading) if name)

    @property
    def _reading(self) -> str | None:
        return None if self.reading is READINGS[0] else self.reading.name

    @property
    def parameters(self) -> Mapping[str, int]:
        """The values of a member of a family."""
        return dict(self.entry.spec.parameters) if self.entry.spec is not None else {}

    def row(self, answer: RunAnswer) -> Row:
        """What a table says of the target, once there is an answer."""
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
    """n0 of another training length, and what it is at least; with lengths of the paper N0, the context."""
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

    Next symbols are asked about in the readings that they have; of what is no target there is one row.

    Examples
    --------
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
    >>> from idinf.spec.catalogue import list_entries
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


#: Columns that say whose row it is; all but the first stand only where some row has such a cell.
_KEYS = ("target", "family", "size", "preset", "reading")


class Columns:
    """The columns of a table: whose row it is, then what is said of it.

    Parameters of families have a column each; one named as another column gets a line after it.

    Examples
    --------
    >>> from idinf.spec.catalogue import list_entries
    >>> list(Columns(ask(list_entries(["ge-k-j", "majority"]), Settings(), ["nope"])).keys)
    ['target', 'family', 'k', 'j', 'size', 'preset']
    """

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions

    @cached_property
    def _parameters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for one in self._questions for name in one.parameters))

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        """Those of `_KEYS` that stand in the table."""
        is_there = {
            "target": True,
            "family": bool(self._parameters),
            "size": bool(self._parameters),
            "preset": any(one.preset is not None for one in self._questions),
            "reading": any(one.reading is not READINGS[0] for one in self._questions),
        }
        return tuple(key for key in _KEYS if is_there[key])

    @cached_property
    def keys(self) -> Mapping[str, type]:
        """Names and types of the columns that say whose row it is."""
        taken = {*COLUMNS, "n", "record"}
        named = {name + "_" * (name in taken): int for name in self._parameters}
        plain = {key: COLUMNS[key] for key in self._keys}
        before = {key: plain.pop(key) for key in ("target", "family") if key in plain}
        return dict([*before.items(), *named.items(), *plain.items()])

    @cached_property
    def columns(self) -> Mapping[str, type]:
        """Names and types of all columns."""
        return {**self.keys, **{name: kind for name, kind in COLUMNS.items() if name not in _KEYS}}

    def key_cells(self, question: Question, row: Row) -> tuple[Cell, ...]:
        """Whose row it is."""
        values = question.parameters
        cells = {key: getattr(row, key) for key in self._keys}
        before = [cells.pop(key) for key in ("target", "family") if key in cells]
        return (*before, *(values.get(name) for name in self._parameters), *cells.values())

    def cells(self, question: Question, row: Row) -> tuple[Cell, ...]:
        """All cells of a row."""
        said = dict(zip(COLUMNS, astuple(row), strict=True))
        return (*self.key_cells(question, row), *(said[name] for name in COLUMNS if name not in _KEYS))
