"""The result of a run as one value, for its file, its page and its check.

The keys of the file, ``idinf-report/2``, are the attributes of these classes in their order. Numbers R are
rounded to 9 decimals (float), finer than the ties of R; words are texts, ε is ``""``; None stands for a
missing value.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from idinf import report as later
from idinf.base.documents import LARGEST, In, convert, form, refuse, untag, write
from idinf.base.files import take_path, write_whole
from idinf.base.json_text import JsonObject
from idinf.languages.equivalence.conditions import Inequality
from idinf.nets.json_format import NET
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import EPSILON, Aggregate, RTerms
from idinf.report.proof import DERIVATION, ROW, Derivation, Invariant
from idinf.report.rows import Rows
from idinf.report.target import SPACE, TargetDescription
from idinf.spec.bounds import Space
from idinf.work.limits import StopReason

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Path = str | os.PathLike[str]

#: Decimals of every R that is written, finer than the ties of R; and the distance at most of two rounded R
#: that agree within EPSILON.
DECIMALS, SLACK = 9, 2 * EPSILON

#: The tag of the only version of the file that is read and written.
FORMAT = "idinf-report/2"

#: Text in a file in place of a tolerance that is None.
_RULE = "1/(2n)"


def round_r(r: float) -> float:
    """Round an R as every R that is written."""
    return round(r, DECIMALS)


class Outcome(enum.Enum):
    """The honest outcomes, never mixed up."""

    IDENTIFIED = "identified"
    #: As identified, and everything that can be selected beyond max_n is proved right on all words.
    IDENTIFIED_FOR_ALL_N = "identified-for-all-n"
    NOT_IDENTIFIED = "not-identified"
    OPEN = "open"
    #: No n0 exists: no hypothesis of the space decides the target, by a theorem (docs/never.md).
    NEVER = "never"

    @property
    def is_identified(self) -> bool:
        """True if there is an n0."""
        return self in (Outcome.IDENTIFIED, Outcome.IDENTIFIED_FOR_ALL_N)


def _read_tolerance(given: Any) -> float | None:
    if given == _RULE:
        return None
    if type(given) not in (int, float) or not 0 <= given < LARGEST:
        refuse(given, f'"{_RULE}" or a number >= 0', "write one of them")
    return float(given)


TOLERANCE = form(
    _read_tolerance,
    lambda tolerance: _RULE if tolerance is None else float(tolerance),
    {"anyOf": [{"const": _RULE}, {"type": "number", "minimum": 0}]},
)


@dataclass(frozen=True, slots=True)
class Regularizer:
    """Rules by which R is added up, and hypotheses are selected."""

    aggregate: Aggregate
    #: Width of the window above R*_n; None: 1/(2n), the rule of [HYB25]_ Definition 6.
    tolerance: In[float | None, TOLERANCE]

    def window(self, n: int) -> float:
        """Width of the window of selected R at n."""
        return 1.0 / (2 * n) if self.tolerance is None else self.tolerance

    def window_text(self, n: int | None = None) -> str:
        """Write the width of the window, at n or as a rule for every n.

        >>> rule = Regularizer(Aggregate.MAX, None)
        >>> rule.window_text(), rule.window_text(3), Regularizer(Aggregate.MAX, 0.25).window_text(3)
        ('1/(2n)', '1/6', '0.25')
        """
        if self.tolerance is not None:
            return f"{self.tolerance:g}"
        return _RULE if n is None else f"1/{2 * n}"


@dataclass(frozen=True, slots=True)
class Stage:
    """Hypotheses that the procedure selects after seeing all words up to length n."""

    n: int
    r_star: float | None  #: R*_n; None if no consistent hypothesis was found
    r_star_lower: float  #: proved lower bound on R*_n; equal to ``r_star`` where that is known
    num_selected: int  #: distinct functions in S_n
    num_selected_bad: int  #: those of them with fail ≤ 2n
    #: True if the two counts are exact; so where ``good`` is true, but for a whole class with φ.
    num_selected_exact: bool
    good: bool | None  #: None: undetermined
    counterexample: str | None  #: a shortest word of length ≤ 2n that a selected function gets wrong
    fail_of_worst: int | None  #: least fail length in S_n; None if nothing selected fails up to 2 · max_n

    @property
    def verdict(self) -> str:
        """Good, bad or undetermined."""
        return "undetermined" if self.good is None else "good" if self.good else "bad"


@dataclass(frozen=True, slots=True)
class Bracket:
    """Bounds that a run that ended early proves: of R* at max_n, from both sides, and of n0."""

    r_lower: float
    r_upper: float | None  #: R of ``hypothesis``, which is not proved minimal
    upper_length: int | None  #: up to this length ``hypothesis`` is right on all words
    hypothesis: In[LimitTransformer, NET] | None
    stop_bound_upper: float | None  #: a run that is complete up to here decides every n
    n0_lower: int  #: if there is an n0, it is at least this


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """A value of R at which some hypothesis lasts longer than every cheaper one."""

    r: float
    r_terms: RTerms  #: the terms of R, recomputed from the matrices
    fail: int | None  #: least length of a word that it gets wrong; None if there is none up to 2 · max_n
    proved_all_n: bool  #: True if it is proved right on all words
    #: Shortlex-least word it gets wrong; None too where a stopped run had no time to find it.
    counterexample: str | None
    formula: str
    hypothesis: In[LimitTransformer, NET]  #: first in the total order among those of this R and fail

    def fits(self, n: int) -> bool:
        """True if it is right on all words up to length n."""
        return self.fail is None or self.fail > n

    def __repr__(self) -> str:
        fails = "right so far" if self.fail is None else f"wrong at length {self.fail}"
        return f"<Record {self.formula}: R = {self.r:.9g}, {fails}>"


@dataclass(frozen=True, slots=True, repr=False)
class Proof:
    """A hypothesis that is right on all words, and why."""

    r: float
    hypothesis: LimitTransformer
    invariant: Invariant  #: in the file beside the other two keys, not inside one of its own

    def __repr__(self) -> str:
        return f"<Proof for all words: R = {self.r:.9g}, {self.hypothesis!r}>"


@dataclass(frozen=True, slots=True)
class ProofFile:
    """The keys of a proof in a file."""

    r: float
    hypothesis: In[LimitTransformer, NET]
    detail: int
    counters: tuple[str, ...]
    claims: Mapping[str, tuple[In[Inequality, ROW], ...]]
    reasons: tuple[tuple[str, int, str, tuple[In[Derivation, DERIVATION], ...]], ...]


def _read_proof(given: Any) -> Proof:
    file = convert(given, ProofFile)
    reasons = {(place, symbol, path): every for place, symbol, path, every in file.reasons}
    return Proof(file.r, file.hypothesis, Invariant(file.counters, file.claims, reasons, file.detail))


def _write_proof(proof: Proof) -> JsonObject:
    found = proof.invariant
    reasons = tuple((*key, every) for key, every in found.reasons.items())
    file = ProofFile(proof.r, proof.hypothesis, found.detail, found.counters, found.claims, reasons)
    content: JsonObject = write(file)
    return content


#: A proof, its invariant beside the other keys.
PROOF = form(_read_proof, _write_proof, {"$ref": "#/$defs/ProofFile"})


@dataclass(frozen=True, slots=True)
class TrainingStage:
    """Hypotheses selected after all words up to length ``trained``, and a verdict up to length n."""

    n: int  #: length of the longest words that are asked
    trained: int  #: t(n)
    r_star: float | None  #: R*_t; None if it is not known
    good: bool | None  #: True if all selected ones are right up to length n; None: undetermined
    counterexample: str | None  #: a shortest word that something selected gets wrong
    #: Length up to which everything selected is wrong on some word; None if something is right further, or
    #: that is not known.
    all_fail_by: int | None


@dataclass(frozen=True, slots=True)
class Training:
    """The inference procedure of one training length, for test lengths up to 2 · max_n."""

    rule: str  #: the name of the rule, or of the file of a table
    counts_sos: bool  #: True if lengths are those of the paper, which count $
    n0: int | None  #: the least listed n from which every listed n is good, as lengths of words
    stages: tuple[TrainingStage, ...]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of the space with floors up to ``complete_up_to_r``, headless ones up to that of a head.

    A shape says how many heads and units each layer has, p and Δ, and of next symbols how many rows of U read
    the unit that most of them read; not which attention patterns the heads have.
    """

    number: int
    digest: str  #: of them, by `idinf.proofs.check.floors.digest_shapes`


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """Amounts of work of a run."""

    enumerated: int  #: parameter vectors (of units, and of values of last layers) tried on all screened words
    distinct: int  #: rows of the table: behaviours that last long enough to matter
    exact: int  #: hypotheses whose fail length was decided on all words up to 2 · max_n
    dp: int  #: lower layers under which last layers were solved


#: A report is a whole file, with its tag; also inside of a report.
REPORT = form(
    lambda given: convert(untag(given, FORMAT, "leave it out"), Report),
    lambda report: {"format": FORMAT, **write(report, Report)},
    {"$ref": "#"},
)


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """Result of `identify`; the attributes are the keys of ``idinf-report/2``.

    ``stages``, ``records`` and ``worst`` are tables as well: ``report.stages.to_frame()``.

    Examples
    --------
    >>> from idinf.api.identify import identify
    >>> report = identify("majority", max_n=8, layers=1)
    >>> report
    <Report majority: n0 = 3 in the one-hot family, layers <= 1, for every n>
    >>> report.selected.formula
    'accept iff #1 - #0 >= 0'
    """

    idinf_version: str
    target: TargetDescription
    #: The space that was searched: the answer is that of the whole space.
    space: In[Space, SPACE]
    regularizer: Regularizer
    max_n: int  #: the largest n; fails are exact up to 2 · max_n
    outcome: Outcome
    n0: int | None  #: from which n on all that is selected is right up to 2n
    n0_canonical: int | None  #: from which n on the first hypothesis in a fixed order is
    complete_up_to_r: float  #: every hypothesis of the space with R up to this value was enumerated
    stop: StopReason
    stop_reason: str  #: one sentence for people
    stages: In[Rows[Stage], tuple[Stage, ...]]  #: of n = 1, 2, …, max_n
    bracket: Bracket | None  #: of a run that is not complete to the stop bound
    records: In[Rows[Record], tuple[Record, ...]]  #: by increasing R
    #: For every bad n the first in the total order that may be selected and is wrong on its counterexample;
    #: each once, by the first n.
    worst: In[Rows[Record], tuple[Record, ...]]
    proofs: tuple[In[Proof, PROOF], ...]
    #: Reason why n0 holds for every n, or why it may not; of the outcome ``never``, why no hypothesis decides
    #: the target; None if that was not asked, or no n0 was found.
    beyond: str | None
    counts: SearchCounts
    seconds: float
    peak_bytes: int
    training: Training | None = None  #: of another training length than n / 2, if one was asked about
    shapes: Shapes | None = None  #: None of a whole class
    #: Of an open run: those of smaller spaces whose question was answered, the largest first.
    smaller: tuple[In[Report, REPORT], ...] = ()

    def __post_init__(self) -> None:
        for name in ("stages", "records", "worst"):
            object.__setattr__(self, name, Rows(getattr(self, name)))

    @classmethod
    def from_dict(cls, content: Mapping[str, object]) -> Report:
        """Read the parsed JSON of a report; a ReportFormatError, with key and remedy, if it is none."""
        return later.report_from_dict(content)

    def to_dict(self) -> dict[str, Any]:
        """Write the report as ``idinf-report/2``, plain values that JSON takes."""
        return later.report_to_dict(self)

    def save(self, path: Path) -> None:
        """Write the report to a JSON file, whole or not at all; an OutputError if it cannot be written."""
        write_whole(take_path(path), later.dump_report(self))

    def text(self, verbose: bool = False) -> str:
        """Write the report for people, as ``idinf identify`` does."""
        return later.render_answer(self, verbose)

    def sentences(self) -> tuple[str, ...]:
        """Say the results of the run, and their basis."""
        return later.sentences(self)

    def caveats(self) -> tuple[str, ...]:
        """List the questions that the report leaves open."""
        return later.list_caveats(self)

    def page(self, path: Path | None = None) -> str:
        """Give an HTML page that explains the report, needs no network, and is put into ``path`` if named."""
        return later.report_page(self, path=path)

    def plot(
        self,
        path: Path | None = None,
        *,
        kind: str | None = None,
        word: str | None = None,
        record: int | None = None,
        **look: Unpack[later.LookArguments],
    ) -> Figure:
        """Draw the report: its frontier, or a hypothesis where a word or a record is given; see `plot`."""
        return later.plot(self, path=path, kind=kind, word=word, record=record, **look)

    def export(
        self, form: str, path: Path | None = None, *, record: int | None = None, weights: Path | None = None
    ) -> str:
        """Write the selected hypothesis, or that of a record, in another form; see `Hypothesis.export`.

        Examples
        --------
        >>> from idinf.api.identify import identify
        >>> identify("majority", max_n=8, layers=1).export("crasp")
        'accept = # "1" >= # "0"\\n'
        """
        return later.hypothesis(self, record=record).export(form, path, weights=weights)

    def verify(
        self,
        *,
        length: int | None = None,
        witness: later.HypothesisLike | Sequence[later.HypothesisLike] = (),
        time_limit: float | None = None,
        memory: int | None = None,
    ) -> later.ReportCheck:
        """Check the report again from its own text, without the search, as ``idinf verify`` does.

        All words up to a length are tried; by default a length that takes some seconds. A ``witness`` is one
        hypothesis or more, as an ``upper_bound`` of `identify`: no R*_n may be above its R where it is right.
        In the answer, ``right`` is True if no fault was found, ``checks`` are the checks, ``not_checked`` are
        the claims without one. A limit, of seconds or bytes, that ends it raises LimitReached.
        """
        return later.verify(self, length, witness, time_limit, memory)

    def __repr__(self) -> str:
        return f"<Report {self.target.title}: {later.headline(self)}>"

    def _repr_html_(self) -> str:
        told = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences())
        title = f"<h4>{escape(self.target.title)}: {escape(later.headline(self))}</h4>"
        return f"{title}{told}{self.records._repr_html_()}"

    @property
    def is_complete(self) -> bool:
        """True if all that can be selected at any n up to max_n was enumerated."""
        return self.stop is StopReason.STOP_BOUND

    @property
    def horizon(self) -> int:
        """The length up to which fails are exact, 2 · max_n."""
        return 2 * self.max_n

    @property
    def selected(self) -> Record | None:
        """The record that the procedure selects at max_n, if R* is known there."""
        return next((record for record in self.records if record.fits(self.max_n)), None)

    def worst_of(self, stage: Stage) -> Record | None:
        """The hypothesis that is selected at a bad n and gets its counterexample wrong; None at others.

        Two n with one counterexample share it. Hypotheses that fail at its length fit at both n, so the
        selected ones of them differ only in their largest R, and the cheapest is selected at both.
        """
        key = stage.fail_of_worst, stage.counterexample
        known = (record for record in self.worst if (record.fail, record.counterexample) == key)
        return next(known, None) if stage.good is False else None

    def contradicted_by(self, r: float, right_to: int) -> Stage | None:
        """Give the first stage with an R*_n above the R of a hypothesis of the space that is right there.

        Where R*_n is not known, it is above all R up to which the search was complete, which is compared.

        Parameters
        ----------
        r : float
            R of the hypothesis.
        right_to : int
            The length up to which it is right on all words.

        Returns
        -------
        Stage or None
            None where the report and the hypothesis fit together.

        Examples
        --------
        >>> from idinf.api.identify import identify
        >>> report = identify("majority", max_n=8, layers=1)
        >>> report.stages[0].r_star, report.stages[1].r_star
        (5.0, 8.414213562)
        >>> report.contradicted_by(8.0, right_to=1), report.contradicted_by(8.0, right_to=4).n
        (None, 2)
        """
        first = (stage for stage in self.stages if stage.n <= right_to and stage.r_star_lower > r + SLACK)
        return next(first, None)

    @property
    def upper_end(self) -> tuple[float, int, LimitTransformer] | None:
        """A right hypothesis that is not proved minimal: R, the length up to which it is right, its net."""
        match self.bracket:
            case Bracket(r_upper=float(r), upper_length=int(length), hypothesis=LimitTransformer() as net):
                return r, length, net
        return None

    @property
    def answers(self) -> tuple[Report, ...]:
        """The reports of all spaces in this report, the largest first."""
        return (self, *self.smaller)

    @property
    def stopped(self) -> bool:
        """True if a limit of time or memory, or the user, ended the run; a finished budget is none."""
        return self.stop not in (StopReason.STOP_BOUND, StopReason.MAX_R, StopReason.WORK, StopReason.FLOOR)

    @property
    def n0_lower(self) -> int:
        """n0, or a lower bound of it if there is one: one more than the last bad n."""
        bad = max((stage.n for stage in self.stages if stage.good is False), default=0)
        return bad + 1 if self.n0 is None else self.n0

    @property
    def r_bounds(self) -> tuple[float, float | None]:
        """R* at max_n twice, if known; else its lower bound, and the least known R of a right hypothesis."""
        last = self.stages[-1]
        upper = None if self.bracket is None else self.bracket.r_upper
        return last.r_star_lower, upper if last.r_star is None else last.r_star

    @property
    def first_unknown(self) -> int | None:
        """The least n at which R*_n is not known."""
        return next((stage.n for stage in self.stages if stage.r_star is None), None)


def find_n0(good: Sequence[bool | None]) -> int | None:
    """Least n from which every examined n' is good; ``good[k]`` belongs to n = k + 1.

    None if the last n is not good, or if the n before the last run of good ones is undetermined.

    >>> find_n0([None, False, True, True]), find_n0([True, False]), find_n0([False, None, True])
    (3, None, None)
    """
    length = next((k for k, value in enumerate(reversed(good)) if value is not True), len(good))
    start = len(good) - length
    return start + 1 if length and (not start or good[start - 1] is False) else None
