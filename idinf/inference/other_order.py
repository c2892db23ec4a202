"""What a finished run says of its hypotheses in the order of another price than R.

The search lists hypotheses by R. By another price the order changes, and a hypothesis that no record stands
for may cost less than all of them. What is proved is an upper end of the least price, by records, and a
lower end, by what every right net costs (`idinf.inference.prices`); where they meet it is known.

So n is bad if a record with n < fail <= 2n costs no more than this lower end and the tolerance together, and
good where the price says that what may be selected is selected in the run, and n is good there.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from idinf.inference.prices import Price, take_price
from idinf.report.value import Outcome, Report, round_r
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import EPSILON, compute_r_terms


@dataclass(frozen=True, slots=True)
class PricedRecord:
    """A record, or the upper end of an open run, by another price."""

    r: float  #: by the other price
    usual_r: float  #: by that of the run
    fail: int | None  #: None: none up to ``checked``
    checked: int
    formula: str | None  #: None of the upper end
    hypothesis: LimitTransformer  #: with the matrices that the other price is of

    def fits(self, n: int) -> bool:
        """Whether it is right on all words up to length n."""
        return n <= self.checked if self.fail is None else self.fail > n


@dataclass(frozen=True, slots=True)
class OtherOrder:
    """What is known about the procedure by another price."""

    title: str  #: the option that asks for it
    records: tuple[PricedRecord, ...]  #: by the other price
    max_n: int
    r_lower: float  #: R* at max_n is at least this
    r_upper: float | None  #: and at most this; None if nothing right is known
    n0_lower: int  #: if there is an n0, it is at least this
    n0_upper: int | None  #: and there is one, at most this; None if that is not proved
    outcome: Outcome
    is_shift: bool  #: whether every R is larger by the same number, so that the order is that of the run

    @property
    def r_star(self) -> float | None:
        """R* at max_n, if it is known."""
        is_known = self.r_upper is not None and self.r_upper <= self.r_lower + 2 * EPSILON
        return self.r_upper if is_known else None

    @property
    def n0(self) -> int | None:
        """n0 of everything that may be selected, if it is known."""
        return self.n0_upper if self.outcome.is_identified else None

    @property
    def lasting(self) -> tuple[PricedRecord, ...]:
        """Those that last longer than every cheaper one."""
        kept: list[PricedRecord] = []
        for record in self.records:
            if not kept or (kept[-1].fail is not None and record.fits(kept[-1].fail)):
                kept.append(record)
        return tuple(kept)


def order(report: Report, name: str) -> OtherOrder:
    """Order what a report holds by another price: ``scaled``, ``definition-50`` or ``delta-one``.

    Raises
    ------
    ArgumentError
        If there is no such price.
    UnsupportedBoundError
        If the report is of a whole class, where R is that of any realisation already.

    Examples
    --------
    >>> from idinf.library.runs import identify
    >>> report = identify("ge-2-3", max_n=8, layers=1, units=1)
    >>> found = order(report, "scaled")
    >>> [(round(record.r, 3), record.fail) for record in found.records]
    [(3.5, 1), (4.0, 2), (6.25, 3), (6.901, None), (7.016, 7), (7.457, 8)]
    >>> found.outcome.value, found.n0_lower, found.r_lower, round(found.r_upper, 6)
    ('open', 3, 6.25, 6.901388)
    >>> order(report, "delta-one").n0 == report.n0
    True
    """
    price = take_price(name, report)
    known = [
        _price(report, price, each.hypothesis, each.fail, report.horizon, each.formula)
        for each in report.records
    ]
    if report.upper_end is not None:
        _, length, net = report.upper_end
        known.append(_price(report, price, net, None, length, None))
    known.sort(key=lambda record: (record.r, -record.checked if record.fail is None else -record.fail))

    def upper(n: int) -> float | None:
        return min((record.r for record in known if record.fits(n)), default=None)

    def judge(n: int) -> bool | None:
        most = price.floor(n) + report.regularizer.window(n) + EPSILON
        if any(each.fail is not None and n < each.fail <= 2 * n and each.r <= most for each in known):
            return False
        least = upper(n)
        return None if least is None else price.judge(n, least)

    verdicts = {n: judge(n) for n in range(1, report.max_n + 1)}
    n0_lower = max((n for n, good in verdicts.items() if good is False), default=0) + 1
    run_of_good = len(list(itertools.takewhile(lambda n: verdicts[n], range(report.max_n, 0, -1))))
    n0_upper = report.max_n + 1 - run_of_good if run_of_good else None
    if report.outcome is Outcome.NEVER:  # that holds by any price
        outcome, n0_upper = Outcome.NEVER, None
    elif n0_lower > report.max_n:
        outcome = Outcome.NOT_IDENTIFIED
    elif n0_lower == n0_upper:
        outcome = report.outcome if price.is_shift else Outcome.IDENTIFIED
    else:
        outcome = Outcome.OPEN
    ends = round_r(price.floor(report.max_n)), upper(report.max_n)
    return OtherOrder(
        price.title, tuple(known), report.max_n, *ends, n0_lower, n0_upper, outcome, price.is_shift
    )


def _price(
    report: Report, price: Price, net: LimitTransformer, fail: int | None, checked: int, formula: str | None
) -> PricedRecord:
    made = price.realise(net)
    usual = compute_r_terms(net, report.regularizer.aggregate).total
    return PricedRecord(price.of(made), usual, fail, checked, formula, made)
