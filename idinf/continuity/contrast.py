"""One symbol in a long prompt: a hypothesis turns its verdict, and a compact predictor cares ever less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from idinf.continuity.intervals import Interval
from idinf.continuity.predictors import Predictor, enclose_gap
from idinf.continuity.witnesses import Decide


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """Two prompts of length k + 2: a symbol again and again, and the same with another one at place k + 1.

    ``verdict`` is 1 if the hypothesis tells them apart, else 0. ``gap`` is by how much the answers of the
    predictor differ, ``bound`` a proved bound of that, ω(1/n).
    """

    k: int
    verdict: int
    gap: Interval
    bound: Fraction


def contrast(decide: Decide, predictor: Predictor, lengths: Sequence[int]) -> tuple[ContrastRow, ...]:
    """Set a hypothesis beside a predictor, for some k; the repeated symbol is the first that tells at k = 1.

    Examples
    --------
    >>> from idinf.continuity.predictors import laplace
    >>> from idinf.words import Alphabet
    >>> rows = contrast(lambda word: 1 in word, laplace(Alphabet(("0", "1"))), (1, 8))
    >>> [(row.k, row.verdict, str(row.gap.high), str(row.bound)) for row in rows]
    [(1, 1, '1/5', '1/3'), (8, 1, '1/12', '1/10')]
    """

    def tells(k: int, one: int) -> int:
        return int(decide((one,) * (k + 2)) != decide((*(one,) * k, 1 - one, one)))

    one = 0 if tells(1, 0) else 1
    rows = []
    for k in lengths:
        plain, odd = (one,) * (k + 2), (*(one,) * k, 1 - one, one)
        gap = enclose_gap(predictor.predict(plain), predictor.predict(odd))
        rows.append(ContrastRow(k, tells(k, one), gap, predictor.growth.at(Fraction(1, k + 2))))
    return tuple(rows)
