"""One symbol in a long prompt: a hypothesis jumps, and a compact predictor cares ever less."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from idinf.continuity.intervals import Interval
from idinf.continuity.predictors import Predictor, enclose_gap
from idinf.continuity.witnesses import Score


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """Two prompts of length k + 2: σ again and again, and the same with τ at place k + 1.

    A verdict is a threshold of a number, and may turn where the number hardly moves. So ``jump`` is what
    counts: by how much the number moves, U y at the last position of the hypothesis.
    """

    k: int
    verdict: int  #: 1 if the hypothesis accepts one of the two alone, else 0
    jump: Fraction
    gap: Interval  #: by how much the answers of the predictor differ
    bound: Fraction  #: a proved bound of the gap, ω(1/(k + 2))


def choose_pair(score: Score, size: int) -> tuple[int, int]:
    """Choose σ and τ: the first two symbols that turn the verdict at k = 1, or the first two of all.

    Examples
    --------
    >>> choose_pair(lambda word: Fraction(int(0 not in word)), 2), choose_pair(lambda word: Fraction(0), 2)
    ((1, 0), (0, 1))
    """
    pairs = itertools.permutations(range(size), 2)
    return next((pair for pair in pairs if _verdicts(score, *_prompts(*pair, 1))), (0, 1))


def contrast(
    score: Score, predictor: Predictor, pair: tuple[int, int], lengths: Sequence[int]
) -> tuple[ContrastRow, ...]:
    """Set a hypothesis beside a predictor over the same symbols, for some k.

    Examples
    --------
    >>> from idinf.continuity.predictors import laplace
    >>> from idinf.words import Alphabet
    >>> contains_1 = lambda word: Fraction(int(1 in word))
    >>> rows = contrast(contains_1, laplace(Alphabet(("0", "1"))), (0, 1), (1, 8))
    >>> [(row.k, row.verdict, str(row.jump), str(row.gap.high), str(row.bound)) for row in rows]
    [(1, 1, '1', '1/5', '1/3'), (8, 1, '1', '1/12', '1/10')]
    """
    rows = []
    for k in lengths:
        plain, odd = _prompts(*pair, k)
        gap = enclose_gap(predictor.predict(plain), predictor.predict(odd))
        jump = abs(score(plain) - score(odd))
        bound = predictor.growth.at(Fraction(1, k + 2))
        rows.append(ContrastRow(k, _verdicts(score, plain, odd), jump, gap, bound))
    return tuple(rows)


def _prompts(one: int, two: int, k: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return (one,) * (k + 2), (*(one,) * k, two, one)


def _verdicts(score: Score, plain: tuple[int, ...], odd: tuple[int, ...]) -> int:
    return int((score(plain) > 0) != (score(odd) > 0))
