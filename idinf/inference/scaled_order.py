"""What a finished run says if every hypothesis is written with the best powers of two: always open.

The search lists hypotheses by R of the one-hot form. Scaled, each costs less, but not by the same, so the
order changes, and a hypothesis that no record stands for may cost less than all of them. Proved are only an
upper end of R*, by records, and a lower end, by what every net of the family has.

*Lemma.* Scaled, a net of the family without heads costs at least 1 + p + 3 · 2^-p, which is 3.5 at p = 1, as
L = 1 and E, B and U are not 0. One that tells apart two words of one length with one last symbol has a head
that a unit reads, and costs at least `idinf.whole_class.floors.least_of_units`, which is 6.25 at p = 2:
without heads nothing but the last symbol and the residue of the length is known.

So n is bad if a record with n < fail <= 2n has no more R than this lower end and the tolerance together.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from idinf.errors import BudgetError, UnsupportedBoundError
from idinf.experiments.bounds import WholeClass
from idinf.experiments.spec import Answer, Spec
from idinf.report.value import Outcome, Record, Report
from idinf.transformers.least_scaling import find_least_scaling
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import EPSILON, compute_r_terms
from idinf.verification.definition import TargetDefinition
from idinf.whole_class.floors import MAX_PRECISION, least_of_units
from idinf.words import Word

#: Scaled, what a net without heads costs at least, and one with a head that matters.
FLOOR_HEADLESS = min(1.0 + p + 3 * 0.5**p for p in range(MAX_PRECISION))
FLOOR = min(map(least_of_units, range(MAX_PRECISION)))

#: Words of one length that are asked for two that a net without heads cannot tell apart.
MOST_WORDS = 5_000


@dataclass(frozen=True, slots=True)
class ScaledRecord:
    """A record, or the upper end of an open run, in its scaled realisation."""

    r: float  #: the least R of its scaled realisations; of the one-hot form where these are too many
    one_hot_r: float
    fail: int | None  #: None: none up to ``checked``
    checked: int
    formula: str | None  #: None of the upper end
    hypothesis: LimitTransformer  #: the scaled realisation

    def fits(self, n: int) -> bool:
        """Whether it is right on all words up to length n."""
        return n <= self.checked if self.fail is None else self.fail > n


@dataclass(frozen=True, slots=True)
class ScaledOrder:
    """What is known about the procedure on scaled realisations."""

    records: tuple[ScaledRecord, ...]  #: by their R
    max_n: int
    r_lower: float  #: R* at max_n is at least this
    r_upper: float | None  #: and at most this; None if nothing right is known
    n0_lower: int  #: if there is an n0, it is at least this
    n0: None = None  #: not known
    outcome: Outcome = Outcome.OPEN

    @property
    def lasting(self) -> tuple[ScaledRecord, ...]:
        """Those that last longer than every cheaper one."""
        kept: list[ScaledRecord] = []
        for record in self.records:
            if not kept or (kept[-1].fail is not None and record.fits(kept[-1].fail)):
                kept.append(record)
        return tuple(kept)


def order_scaled(report: Report) -> ScaledOrder:
    """Order what a report holds by R of scaled realisations, whose thresholds may be fractions.

    Raises
    ------
    UnsupportedBoundError
        If the report is of a whole class, where R is that of any realisation already.

    Examples
    --------
    >>> from idinf.library.runs import identify
    >>> order = order_scaled(identify("ge-2-3", max_n=8, layers=1, units=1))
    >>> [(round(record.r, 3), record.fail) for record in order.records]
    [(3.5, 1), (4.0, 2), (6.25, 3), (6.901, None), (7.016, 7)]
    >>> order.outcome.value, order.n0_lower, order.r_lower, round(order.r_upper, 6)
    ('open', 3, 6.25, 6.901388)
    """
    if isinstance(report.space, WholeClass):
        raise UnsupportedBoundError(
            f"realisation = scaled with class = {report.space.preset}; expected one-hot hypotheses, as in a "
            "whole class R is the least of all realisations; leave one out"
        )
    known = [_of_record(record, report) for record in report.records]
    if report.upper_end is not None:
        _, length, net = report.upper_end
        known.append(_scaled(net, None, length, None, report))
    known.sort(key=lambda record: (record.r, -record.checked if record.fail is None else -record.fail))
    mixed = find_mixed_length(report.target.spec(), report.max_n)

    def floor(n: int) -> float:
        return FLOOR_HEADLESS if mixed is None or n < mixed else FLOOR

    def is_bad(n: int) -> bool:
        most = floor(n) + report.regularizer.window(n) + EPSILON
        return any(
            record.fail is not None and n < record.fail <= 2 * n and record.r <= most for record in known
        )

    bad = [n for n in range(1, report.max_n + 1) if is_bad(n)]
    right = [record.r for record in known if record.fits(report.max_n)]
    upper = min(right, default=None)
    return ScaledOrder(tuple(known), report.max_n, floor(report.max_n), upper, max(bad, default=0) + 1)


def find_mixed_length(spec: Spec, most: int) -> int | None:
    """The least length at which two words with one last symbol have other labels, None if none was met.

    Only of targets that accept words, all of which count; lengths up to some thousand words.

    Examples
    --------
    >>> from idinf.experiments.catalogue import load
    >>> find_mixed_length(load("majority"), 8), find_mixed_length(load("aa-star"), 8)
    (2, None)
    """
    if spec.answer is not Answer.ACCEPT or spec.domain is not None:
        return None
    definition, size = TargetDefinition.of(spec), len(spec.alphabet)
    for length in range(1, most + 1):
        if size**length > MOST_WORDS:
            return None
        labels: dict[int, bool] = {}
        word: Word
        for word in itertools.product(range(size), repeat=length):
            ((label,)) = definition.answers(word)[-1]
            if labels.setdefault(word[-1], label) != label:
                return length
    return None


def _of_record(record: Record, report: Report) -> ScaledRecord:
    return _scaled(record.hypothesis, record.fail, report.horizon, record.formula, report)


def _scaled(
    net: LimitTransformer, fail: int | None, checked: int, formula: str | None, report: Report
) -> ScaledRecord:
    rule = report.regularizer.aggregate
    try:
        made = find_least_scaling(net, rule)
    except BudgetError:
        made = net  # an upper bound is all that is made of it
    r, one_hot_r = (compute_r_terms(one, rule).total for one in (made, net))
    return ScaledRecord(r, one_hot_r, fail, checked, formula, made)
