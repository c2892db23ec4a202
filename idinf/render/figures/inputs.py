"""What figures draw, read from ``idinf-report/1`` and ``idinf-family/1`` objects and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from idinf.errors import IdinfError
from idinf.json_text import shown_json
from idinf.quoting import shortened

__all__ = ["FamilyFit", "FamilyPoint", "PlotError", "RunFamily", "RunRecord", "RunReport", "RunStage"]
__all__ += ["labels_of", "level_text", "read_family", "read_run"]

JsonObject = Mapping[str, object]

#: Lengths, sizes and R beyond this are no result of a run; drawing them would only hide the mistake.
LARGEST = 10**6

#: Characters of a name in a legend or a table.
LABEL = 20

#: What `Fraction` reads besides, such as 1e999999999, would fill the memory.
_FRACTION = re.compile(r"(-?[0-9]{1,40})(?:/(0*[1-9][0-9]{0,40}))?")


class PlotError(IdinfError, ValueError):
    """A figure cannot be drawn from what was given: file, key, value, expectation and remedy."""


@dataclass(frozen=True, slots=True)
class RunStage:
    """One row of a report: n, R*_n (None: unknown), its proved lower bound, whether n is good."""

    n: int
    r_star: float | None
    r_star_lower: float
    good: bool | None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One record of a report; ``fail`` is None if there is none up to 2 · max_n.

    ``hypothesis`` is the unread ``limit-transformer/1`` object.
    """

    r: float
    fail: int | None
    counterexample: str | None
    formula: str
    hypothesis: object


@dataclass(frozen=True, slots=True)
class RunReport:
    """What the figures need of a run.

    Attributes
    ----------
    origin : str
        The file, for messages.
    target : mapping
        The unread object about it.
    name, preset, outcome : str
    max_n : int
    n0, n0_lower : int or None
        ``n0_lower`` is proved of an open run.
    complete_up_to_r : float
    tolerance : float or None
        What replaced 1/(2n); None if nothing did.
    stages : tuple of RunStage
        By increasing n.
    records : tuple of RunRecord
        By increasing R.
    r_upper, upper_length : float, int or None
        R*_n is at most ``r_upper`` for every n up to ``upper_length``; of open runs.
    upper_hypothesis : object
        The ``limit-transformer/1`` object behind ``r_upper``, or None.
    """

    origin: str
    target: JsonObject
    name: str
    preset: str
    max_n: int
    outcome: str
    n0: int | None
    n0_lower: int | None
    complete_up_to_r: float
    tolerance: float | None
    stages: tuple[RunStage, ...]
    records: tuple[RunRecord, ...]
    r_upper: float | None
    upper_length: int | None
    upper_hypothesis: object

    @property
    def horizon(self) -> int:
        """The length up to which fails are exact, 2 · max_n."""
        return 2 * self.max_n

    def window(self, n: int) -> float:
        """Width of the selected window of n: 1/(2n), or what replaced it."""
        return 1 / (2 * n) if self.tolerance is None else self.tolerance

    def verdict(self) -> str:
        """The outcome in a few words.

        Four outcomes are told apart; a run that is open says what it proves of n0.
        """
        match self.outcome:
            case "identified":
                return f"n₀ = {self.n0}"
            case "identified-for-all-n":
                return f"n₀ = {self.n0} for all n"
            case "not-identified":
                return "not identified"
            case _:
                return "open" if self.n0_lower is None else f"open, n₀ ≥ {self.n0_lower}"


@dataclass(frozen=True, slots=True)
class FamilyPoint:
    """n0 of one member, or of the largest of one size; ``n0`` is None if not settled."""

    name: str
    size: int
    n0: int | None
    n0_lower: int


@dataclass(frozen=True, slots=True)
class FamilyFit:
    """A law of n0: coefficients of (T - 1)^0, (T - 1)^1, …, the sizes it is about, and how well it holds."""

    formula: str
    coefficients: tuple[Fraction, ...]
    sizes: tuple[int, ...]
    exact: bool
    residual: float

    def at(self, size: float) -> float:
        """The polynomial at a size."""
        return sum(float(c) * (size - 1) ** power for power, c in enumerate(self.coefficients))


@dataclass(frozen=True, slots=True)
class RunFamily:
    """What the figure of a family needs: ``size`` is the name of T, ``parameters`` their ranges."""

    origin: str
    name: str
    size: str
    parameters: tuple[tuple[str, int, int], ...]
    members: tuple[FamilyPoint, ...]
    maxima: tuple[FamilyPoint, ...]
    fits: tuple[FamilyFit, ...]


def level_text(level: float) -> str:
    """Write an R as reports give it, with 9 decimals, so that no bound is rounded to more than is proved.

    Examples
    --------
    >>> level_text(9.95014077), level_text(10.5), level_text(10.0)
    ('9.95014077', '10.5', '10')
    """
    return f"{level:.9f}".rstrip("0").rstrip(".")


def labels_of(runs: Sequence[RunReport]) -> tuple[str, ...]:
    """Names of runs drawn together: of their targets, with those of the files where that is not enough.

    Long names are cut to `LABEL` characters.
    """
    names = [run.name for run in runs]
    labels = [
        run.name if names.count(run.name) == 1 else f"{Path(run.origin).stem} ({run.name})" for run in runs
    ]
    return tuple(label if len(label) <= LABEL else f"{label[: LABEL - 1]}…" for label in labels)


def read_run(content: JsonObject, origin: str) -> RunReport:
    """Read an ``idinf-report/1`` object.

    Raises
    ------
    PlotError
        If it is another format, or a key is missing or of a wrong type or size; names file and key.

    Examples
    --------
    >>> read_run({"format": "idinf-family/1"}, "ge.json")
    Traceback (most recent call last):
        ...
    idinf.render.figures.inputs.PlotError: ge.json: format = "idinf-family/1"; expected "idinf-report/1", the
    report of one run; write one with 'idinf identify --json -o FILE', or choose --kind family
    """
    root = _Place(content, origin)
    if content.get("format") != "idinf-report/1":
        root.at("format").fail(
            '"idinf-report/1", the report of one run',
            "write one with 'idinf identify --json -o FILE', or choose --kind family",
        )
    bracket = root.at("bracket", optional=True)
    has_bracket = bracket.value is not None
    tolerance = root.at("regularizer").at("tolerance")
    run = RunReport(
        origin=origin,
        target=root.at("target").table(),
        name=root.at("target").at("name").text(),
        preset=root.at("space").at("preset").text(),
        max_n=root.at("max_n").integer(1),
        outcome=root.at("outcome").text(),
        n0=root.at("n0").optional_integer(),
        n0_lower=bracket.at("n0_lower").optional_integer() if has_bracket else None,
        complete_up_to_r=root.at("complete_up_to_r").number(),
        tolerance=None if tolerance.value == "1/(2n)" else tolerance.number(),
        stages=tuple(_stage(item) for item in root.at("stages").items()),
        records=tuple(_record(item) for item in root.at("records").items()),
        r_upper=bracket.at("r_upper").optional_number() if has_bracket else None,
        upper_length=bracket.at("upper_length").optional_integer() if has_bracket else None,
        upper_hypothesis=bracket.at("hypothesis").value if has_bracket else None,
    )
    _check_rows(root, run)
    return run


def read_family(content: JsonObject, origin: str) -> RunFamily:
    """Read an ``idinf-family/1`` object.

    Raises
    ------
    PlotError
        As `read_run`.
    """
    root = _Place(content, origin)
    if content.get("format") != "idinf-family/1":
        root.at("format").fail(
            '"idinf-family/1", the table of a family',
            "write one with 'idinf family --json -o FILE', or choose another --kind",
        )
    family = root.at("family")
    ranges = family.at("parameters")
    return RunFamily(
        origin=origin,
        name=family.at("name").text(),
        size=family.at("size").text(),
        parameters=tuple((name, *_range(ranges.at(name))) for name in ranges.table()),
        members=tuple(_point(item, item.at("name").text()) for item in root.at("members").items()),
        maxima=tuple(_point(item, "") for item in root.at("maxima").items()),
        fits=tuple(_fit(item) for item in root.at("fits").items()),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A JSON value with the file and the key path it came from, so that every refusal can name them."""

    value: object
    origin: str
    path: str = ""

    def fail(self, expected: str, remedy: str = "write the file again") -> NoReturn:
        raise PlotError(
            f"{self.origin}: {shortened(self.path) or 'the file'} = {shown_json(self.value)}; expected "
            f"{expected}; {remedy}"
        )

    def table(self) -> JsonObject:
        if not isinstance(self.value, Mapping):
            self.fail("a table")
        return self.value

    def at(self, key: str, optional: bool = False) -> _Place:
        table = self.table()
        path = f"{self.path}.{key}" if self.path else key
        if key not in table and not optional:
            raise PlotError(
                f"{self.origin}: {shortened(path)} is missing; expected that key; write the file again"
            )
        return _Place(table.get(key), self.origin, path)

    def items(self) -> list[_Place]:
        if not isinstance(self.value, list):
            self.fail("a list")
        return [_Place(item, self.origin, f"{self.path}[{k}]") for k, item in enumerate(self.value)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fail("a text")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.fail("true or false")
        return self.value

    def integer(self, least: int = 0) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.fail("an integer")
        if not least <= self.value <= LARGEST:
            self.fail(f"an integer from {least} to {LARGEST}")
        return self.value

    def number(self) -> float:
        if not isinstance(self.value, int | float) or isinstance(self.value, bool):
            self.fail("a number")
        if not 0 <= self.value <= LARGEST:
            self.fail(f"a number from 0 to {LARGEST}")
        return float(self.value)

    def optional_integer(self) -> int | None:
        return None if self.value is None else self.integer()

    def optional_number(self) -> float | None:
        return None if self.value is None else self.number()

    def optional_text(self) -> str | None:
        return None if self.value is None else self.text()

    def fraction(self) -> Fraction:
        match = _FRACTION.fullmatch(self.text())
        if match is None:
            self.fail('a fraction "a/b"')
        return Fraction(int(match[1]), int(match[2] or 1))


def _stage(item: _Place) -> RunStage:
    return RunStage(
        item.at("n").integer(1),
        item.at("r_star").optional_number(),
        item.at("r_star_lower").number(),
        None if item.at("good").value is None else item.at("good").boolean(),
    )


def _record(item: _Place) -> RunRecord:
    return RunRecord(
        item.at("r").number(),
        item.at("fail").optional_integer(),
        item.at("counterexample").optional_text(),
        item.at("formula").text(),
        item.at("hypothesis").value,
    )


def _check_rows(root: _Place, run: RunReport) -> None:
    """Stages are 1..max_n, records rise in R: what the figures take for granted."""
    if len(run.stages) != run.max_n or any(row.n != n for n, row in enumerate(run.stages, start=1)):
        root.at("stages").fail(f"one row for each n from 1 to {run.max_n}")
    if run.n0 is not None and not 1 <= run.n0 <= run.max_n:
        root.at("n0").fail(f"an n from 1 to {run.max_n}, or null")
    levels = [record.r for record in run.records]
    if not levels:
        root.at("records").fail("at least one record to draw", "give the run more time")
    if levels != sorted(levels):
        root.at("records").fail("records by increasing R")


def _range(item: _Place) -> tuple[int, int]:
    bounds = [bound.integer() for bound in item.items()]
    if len(bounds) != 2:
        item.fail("two integers")
    return bounds[0], bounds[1]


def _point(item: _Place, name: str) -> FamilyPoint:
    n0, lower = item.at("n0").optional_integer(), item.at("n0_lower").integer()
    return FamilyPoint(name, item.at("size").integer(), n0, lower)


def _fit(item: _Place) -> FamilyFit:
    return FamilyFit(
        item.at("formula").text(),
        tuple(coefficient.fraction() for coefficient in item.at("coefficients").items()),
        tuple(size.integer() for size in item.at("sizes").items()),
        item.at("exact").boolean(),
        item.at("residual").number(),
    )
