"""The rows of ``idinf batch``: one for each target, one for each n of it, and one for each of its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any, TypeAlias

from idinf.nets.regularizer import RTerms
from idinf.report.value import Outcome, Report
from idinf.spec.bounds import Space, WholeClass
from idinf.spec.spec import Spec, Verdict
from idinf.tables.files import Cell, format_table, list_columns, read_table

#: Verdicts on the classes of a language, by columns of `Row`; the values are numbers and texts.
ClassCells: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a target, in the order on which readers outside the project rely; None is an empty one.

    The first name the question: for a member of a family its size T, and the preset and the reading of the
    row, where these are not the usual ones. R* and the columns about a hypothesis are those of the
    procedure's pick at max_n, the frontier has pairs R:fail of the records, ``hypotheses`` counts enumerated
    vectors, ``agrees`` is the result of `compare_with_verdict`. Where a budget ended the run in the family,
    the columns ``smaller_…`` are the answer in a smaller space.

    ``n0_lower`` is n0, or a lower bound of it if there is one. R* at max_n is ``r_lower`` and ``r_upper``
    where it is known; else it is above the former, and at most the latter if that is known. ``in_space`` is
    `decide_in_space`, ``states`` are those of the minimal complete DFA, and the rest are verdicts on classes.
    """

    target: str
    family: str | None = None
    size: int | None = None
    preset: str | None = None
    reading: str | None = None
    alphabet: str | None = None
    space: str | None = None
    outcome: str | None = None
    n0: int | None = None
    n0_canonical: int | None = None
    max_n: int | None = None
    r_star: float | None = None
    fail_frontier: str | None = None
    layers: int | None = None
    heads: int | None = None
    precision: int | None = None
    period: int | None = None
    reach: int | None = None
    formula: str | None = None
    complete_up_to_r: float | None = None
    hypotheses: int | None = None
    expected: str | None = None
    agrees: str | None = None
    error: str | None = None
    smaller_space: str | None = None
    smaller_outcome: str | None = None
    smaller_n0: int | None = None
    smaller_r_star: float | None = None
    n0_lower: int | None = None
    r_lower: float | None = None
    r_upper: float | None = None
    in_space: str | None = None
    states: int | None = None
    star_free: str | None = None
    ac0: str | None = None
    r_trivial: str | None = None
    piecewise_testable: str | None = None
    da: str | None = None
    dot_depth: str | None = None
    crasp: str | None = None
    crasp_periodic_local: str | None = None

    @classmethod
    def of_report(cls, spec: Spec, report: Report, classes: ClassCells | None = None) -> Row:
        """Give the row of a run; numbers are taken as they stand in the report.

        The cells about classes of the language are `list_class_cells`, if they are known.
        """
        r_star, expected = report.stages[-1].r_star, look_up_verdict(spec, report.space)
        r_lower, r_upper = report.r_bounds
        row = replace(
            cls._of_target(spec, report.space),
            outcome=report.outcome.value,
            n0=report.n0,
            n0_canonical=report.n0_canonical,
            max_n=report.max_n,
            r_star=r_star,
            fail_frontier=";".join(
                f"{record.r}:{'inf' if record.fail is None else record.fail}" for record in report.records
            ),
            complete_up_to_r=report.complete_up_to_r,
            hypotheses=report.counts.enumerated,
            agrees=None if expected is None else compare_with_verdict(expected, report.outcome),
            n0_lower=report.n0_lower,
            r_lower=r_lower,
            r_upper=r_upper,
            in_space=decide_in_space(spec, report, classes or {}),
            **(classes or {}),
        )
        if report.smaller:
            smaller = report.smaller[0]
            row = replace(
                row,
                smaller_space=smaller.space.name,
                smaller_outcome=smaller.outcome.value,
                smaller_n0=smaller.n0,
                smaller_r_star=smaller.stages[-1].r_star,
            )
        if r_star is None or report.selected is None:
            return row
        hypothesis = report.selected.hypothesis
        return replace(
            row,
            layers=len(hypothesis.layers),
            heads=max(len(layer.heads) for layer in hypothesis.layers),
            precision=hypothesis.precision,
            period=len(hypothesis.positions),
            # The largest distance with a bias φ.
            reach=max([0, *(len(head.phi) - 1 for layer in hypothesis.layers for head in layer.heads)]),
            formula=report.selected.formula,
        )

    @classmethod
    def of_error(cls, name: str, error: object, spec: Spec | None = None, space: Space | None = None) -> Row:
        """Give the row of a target that failed, with the spec and the space if they are known.

        >>> row = Row.of_error("x", "x.toml: no such file\\n")
        >>> row.target, row.error
        ('x', 'x.toml: no such file')
        """
        known = cls(name) if spec is None else cls._of_target(spec, space)
        return replace(known, agrees="open" if known.expected else None, error=" ".join(str(error).split()))

    @classmethod
    def _of_target(cls, spec: Spec, space: Space | None) -> Row:
        named = cls(spec.name, alphabet=" ".join(spec.alphabet.symbols))
        if space is None:
            return named
        expected = look_up_verdict(spec, space)
        return replace(named, space=space.name, expected=None if expected is None else str(expected))


@dataclass(frozen=True, slots=True)
class StageRow:
    """Selection at one n of one target; None is an empty cell."""

    target: str
    n: int
    r_star: float | None  #: R*_n
    r_lower: float  #: R*_n, or a lower bound of it
    good: bool | None  #: True if all selected hypotheses are right on words up to length 2n
    tolerance: float  #: width of the window above R*_n
    #: Of a bad n: a shortest word that something selected gets wrong, and the cheapest such hypothesis.
    counterexample: str | None
    wrong_r: float | None
    wrong_formula: str | None


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of one target."""

    target: str
    record: int  #: its number, from 1 on
    r: float
    fail: int | None  #: length of the shortest word that it gets wrong; None if there is none up to 2 · max_n
    proved_all_n: bool
    counterexample: str | None
    formula: str
    terms: RTerms  #: a column for each of them


#: Columns of the three tables in their order, with types those of a row; the last two without target.
COLUMNS = list_columns(Row)
STAGE_COLUMNS = tuple(name for name in list_columns(StageRow) if name != "target")
RECORD_COLUMNS = tuple(name for name in (*list_columns(RecordRow), *list_columns(RTerms)) if name != "target")


def list_stage_rows(target: str, report: Report) -> tuple[StageRow, ...]:
    """List the results about every n.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.inference.run import run
    >>> from idinf.inference.settings import Settings
    >>> from idinf.work.limits import Limits
    >>> report = run(Settings(max_n=2).about(load("majority"), "majority"), Limits()).report
    >>> [(row.n, row.r_star, row.tolerance, row.wrong_formula) for row in list_stage_rows("majority", report)]
    [(1, 5.0, 0.5, 'accept iff last != 0'), (2, 8.414213562, 0.25, 'accept iff empty or #1 >= 1')]
    >>> list_record_cells(report)[0][:7]
    (1, 4.0, 1, False, '0', 'accept iff true', 1.0)
    """
    rule = report.regularizer
    rows = []
    for stage in report.stages:
        known = stage.r_star, stage.r_star_lower, stage.good, rule.window(stage.n), stage.counterexample
        worst = report.worst_of(stage)
        wrong = (None, None) if worst is None else (worst.r, worst.formula)
        rows.append(StageRow(target, stage.n, *known, *wrong))
    return tuple(rows)


def list_record_rows(target: str, report: Report) -> tuple[RecordRow, ...]:
    """List the records, with the terms of R."""
    return tuple(
        RecordRow(target, k, one.r, one.fail, one.proved_all_n, one.counterexample, one.formula, one.r_terms)
        for k, one in enumerate(report.records, start=1)
    )


def list_stage_cells(report: Report) -> list[tuple[Cell, ...]]:
    """The cells of every n below `STAGE_COLUMNS`."""
    return [astuple(row)[1:] for row in list_stage_rows("", report)]


def list_record_cells(report: Report) -> list[tuple[Cell, ...]]:
    """The cells of every record below `RECORD_COLUMNS`; ε as a counterexample is empty, and fail is 0."""
    return [(*astuple(row)[1:-1], *row.terms.as_dict().values()) for row in list_record_rows("", report)]


def decide_in_space(spec: Spec, report: Report, classes: ClassCells) -> str:
    """Decide if some hypothesis of the space is right on all words: ``yes``, ``no`` or ``unknown``.

    It is yes where one was found and proved, and no where the language is proved to be outside the class of
    all programs that hypotheses of the space can be read as.
    """
    for each in report.answers:
        if each.proofs or any(record.proved_all_n for record in each.records):
            return "yes"
    whole = isinstance(report.space, WholeClass) or spec.mode != "accept" or spec.domain is not None
    return "no" if not whole and classes.get(_class_of(report.space)) == "no" else "unknown"


def look_up_verdict(spec: Spec, bounds: Space) -> Verdict | None:
    """Look up the expected verdict of the spec in the class of a space; None if it has none.

    The class of the part ``nope`` of the family is C-RASP[], that of all others C-RASP[periodic, local].

    >>> from idinf.spec.bounds import SpaceBounds
    >>> from idinf.spec.catalogue import load
    >>> spec = load("aa-star")
    >>> [str(look_up_verdict(spec, SpaceBounds.from_preset(name))) for name in ("nope", "periodic")]
    ['no', 'yes']
    """
    return dict(spec.expected).get(_class_of(bounds))


def compare_with_verdict(expected: Verdict, outcome: Outcome) -> str:
    """Compare an outcome with an expected verdict: ``yes``, ``no``, or ``open`` where it decides nothing.

    ``identified`` up to max_n speaks for a language in the class and against one outside it. Not identified
    agrees with a language outside, and says nothing against one inside: max_n or the space may be small. The
    outcome ``never`` agrees with a language outside alone.

    >>> outcomes = (Outcome.IDENTIFIED, Outcome.NOT_IDENTIFIED, Outcome.OPEN, Outcome.NEVER)
    >>> [compare_with_verdict(Verdict.NO, outcome) for outcome in outcomes]
    ['no', 'yes', 'open', 'yes']
    >>> [compare_with_verdict(Verdict.YES, outcome) for outcome in outcomes]
    ['yes', 'open', 'open', 'no']
    """
    if expected is Verdict.UNKNOWN or outcome is Outcome.OPEN:
        return "open"
    if outcome is Outcome.NEVER:
        return "yes" if expected is Verdict.NO else "no"
    if outcome.is_identified:
        return "yes" if expected is Verdict.YES else "no"
    return "open" if expected is Verdict.YES else "yes"


def format_csv(rows: Iterable[Row]) -> str:
    """Write rows of a batch below their header, in the order given, as `format_table`.

    >>> format_csv([Row("x", n0=3, formula="a, b")]).splitlines()[1].rstrip(",")
    'x,,,,,,,,3,,,,,,,,,,"a, b"'
    """
    return format_table(COLUMNS, (astuple(row) for row in rows))


#: Columns that a table needs for its rows to be read again.
NEEDED = (
    *("target", "outcome", "n0", "max_n", "r_star", "error", "n0_lower", "r_lower", "r_upper"),
    *("states", "crasp", "crasp_periodic_local"),
)


def read_rows(path: str) -> tuple[Row, ...]:
    """Read the rows of a CSV that ``idinf batch`` wrote, perhaps fewer of them, or in another order."""
    rows: list[Row] = []
    for found in read_table(path, NEEDED, "that 'idinf batch' of this version wrote; check the path"):
        takers: dict[type, Callable[[str], Any]] = {int: found.whole, float: found.number}
        cells = {name: takers.get(kind, found.text)(name) for name, kind in COLUMNS.items()}
        if cells["target"] is None:
            found.fail("target", "expected the name of a target; add it")
        rows.append(Row(**cells))
    return tuple(rows)


def _class_of(bounds: Space) -> str:
    """The class of programs that the hypotheses of a space can be read as."""
    return "crasp" if bounds.preset == "nope" else "crasp_periodic_local"
