"""How far apart answers to prompts can be that differ at few places."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from idinf.base.words import Word
from idinf.errors import BudgetError
from idinf.lab.continuity.intervals import Interval
from idinf.lab.continuity.predictors import Predictor, enclose_gap

#: Longest prompts.
MOST_LENGTH = 256

#: Pairs of counts that are compared, at most.
MOST_PAIRS = 1 << 19


@dataclass(frozen=True, slots=True)
class Modulus:
    """The largest gap of answers to prompts of length n with one last symbol that differ at k places or less.

    It lies in ``gap``, which is a single fraction for counts, and else as narrow as the arithmetic. The gap
    of ``pair`` is at least the lower end.
    """

    n: int
    differences: int
    gap: Interval
    pair: tuple[str, str]


#: A gap, with the counts of two prompts that have it and their last symbol.
Found = tuple[Interval, tuple[tuple[int, ...], tuple[int, ...], int]]


def compute_modulus(predictor: Predictor, n: int, differences: int) -> list[Modulus]:
    """Compute the modulus for every number of differences from 1 to some, for prompts of length n.

    Raises BudgetError if there are more pairs of counts than `MOST_PAIRS`.

    The answer depends on the last symbol σ and on the counts c. Two prompts with counts c and c' that both
    end in σ differ at no fewer than d = Σ \\|c - c'\\| / 2 places, and at exactly d if common symbols stand
    at the same places. So the maximum over prompts with at most k differences is that over counts with d <= k
    and c_σ, c'_σ >= 1.

    >>> from idinf.lab.continuity.predictors import laplace
    >>> from idinf.base.words import Alphabet
    >>> [(str(row.gap.high), row.pair) for row in compute_modulus(laplace(Alphabet(("0", "1"))), 4, 2)]
    [('1/6', ('0000', '1000')), ('1/3', ('0000', '1100'))]
    """
    differences = min(differences, n - 1)
    size = len(predictor.alphabet)
    moves = _moves(size, differences) if (2 * differences + 1) ** (size - 1) <= MOST_PAIRS else []
    if not moves or math.comb(n + size - 1, size - 1) * len(moves) * size > MOST_PAIRS:
        raise BudgetError(
            f"prompts of length {n} over {size} symbols with {differences} differences need more than "
            f"{MOST_PAIRS} pairs of counts; expected fewer; choose a smaller length or fewer differences"
        )
    best: dict[int, Found] = {}  # by how many places differ, exactly
    for last in range(size):
        answers = {counts: predictor.at(last, counts) for counts in _counts(size, n) if counts[last]}
        for counts, answer in answers.items():
            for distance, move in moves:
                other = tuple(count + step for count, step in zip(counts, move, strict=True))
                if other in answers:
                    gap = enclose_gap(answer, answers[other])
                    old = best.get(distance)
                    if old is None or gap.low > old[0].low or gap.high > old[0].high:
                        best[distance] = _larger(old, (gap, (counts, other, last)))
    rows: list[Modulus] = []
    total, decode = None, predictor.alphabet.decode
    for k in sorted(best):
        total = _larger(total, best[k])
        one, beside = _write(*total[1])
        rows.append(Modulus(n, k, total[0], (decode(one), decode(beside))))
    return rows


def _larger(old: Found | None, new: Found) -> Found:
    """The maximum lies between the largest lower end, whose pair is kept, and the largest upper end."""
    if old is None:
        return new
    gap = Interval(max(old[0].low, new[0].low), max(old[0].high, new[0].high))
    return gap, old[1] if old[0].low >= new[0].low else new[1]


def _counts(size: int, n: int) -> Iterator[tuple[int, ...]]:
    """All counts of words of length n, one symbol after the other."""
    if size == 1:
        yield (n,)
        return
    for first in range(n, -1, -1):
        for rest in _counts(size - 1, n - first):
            yield (first, *rest)


def _moves(size: int, differences: int) -> list[tuple[int, tuple[int, ...]]]:
    """Differences of two counts, one of each pair of opposite ones, with how many places they take."""
    found = []
    for head in itertools.product(range(-differences, differences + 1), repeat=size - 1):
        move = (*head, -sum(head))
        distance = sum(map(abs, move)) // 2
        if 0 < distance <= differences and next(step for step in move if step) < 0:
            found.append((distance, move))
    return found


def _write(counts: tuple[int, ...], other: tuple[int, ...], last: int) -> tuple[Word, Word]:
    """Two prompts of these counts with one last symbol that differ at as few places as they can."""
    shared = [min(pair) for pair in zip(counts, other, strict=True)]
    shared[last] -= 1
    end = (*_repeat(shared), last)

    def begin(own: tuple[int, ...], beside: tuple[int, ...]) -> Word:
        return _repeat([max(0, a - b) for a, b in zip(own, beside, strict=True)])

    return begin(counts, other) + end, begin(other, counts) + end


def _repeat(counts: list[int]) -> Word:
    return tuple(code for code, count in enumerate(counts) for _ in range(count))
