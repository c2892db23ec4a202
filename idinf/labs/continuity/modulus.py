"""How far apart answers to prompts can be that differ at few places."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from idinf.errors import BudgetError
from idinf.labs.continuity.intervals import Interval
from idinf.labs.continuity.predictors import Predictor, enclose_gap
from idinf.words import Word

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


#: At exactly so many differences: the largest gap, and prompts that have it.
Best = dict[int, tuple[Interval, tuple[Word, Word]]]


def compute_modulus(predictor: Predictor, n: int, differences: int) -> list[Modulus]:
    """Compute the modulus for every number of differences from 1 to some, for prompts of length n.

    Raises BudgetError if there are more pairs of counts than `MOST_PAIRS`.

    The answer depends on the last symbol σ and on the counts c. Two prompts with
    counts c and c' that both end in σ differ at no fewer than d = Σ \\|c - c'\\| / 2 places, and at exactly
    d if common symbols stand at the same places. So the maximum over prompts with at most k differences is
    that over counts with d <= k and c_σ, c'_σ >= 1.

    >>> from idinf.labs.continuity.predictors import laplace
    >>> from idinf.words import Alphabet
    >>> [(str(row.gap.high), row.pair) for row in compute_modulus(laplace(Alphabet(("0", "1"))), 4, 2)]
    [('1/6', ('0000', '1000')), ('1/3', ('0000', '1100'))]
    """
    differences = min(differences, n - 1)
    size = len(predictor.alphabet)
    moves: list[tuple[int, tuple[int, ...]]] = []
    is_large = (2 * differences + 1) ** (size - 1) > MOST_PAIRS
    if not is_large:
        moves = list(_moves(size, differences))
        is_large = math.comb(n + size - 1, size - 1) * len(moves) * size > MOST_PAIRS
    if is_large:
        raise BudgetError(
            f"prompts of length {n} over {size} symbols with {differences} differences need more than "
            f"{MOST_PAIRS} pairs of counts; expected fewer; choose a smaller length or fewer differences"
        )
    best: Best = {}
    for last in range(size):
        answers = {counts: predictor.at(last, counts) for counts in _counts(size, n) if counts[last]}
        for counts, answer in answers.items():
            for distance, move in moves:
                other = tuple(count + step for count, step in zip(counts, move, strict=True))
                if other in answers:
                    gap = enclose_gap(answer, answers[other])
                    if _is_news(best, distance, gap):
                        _keep(best, distance, gap, _write(counts, other, last))
    return _accumulate(predictor, n, best)


def _is_news(best: Best, distance: int, gap: Interval) -> bool:
    return distance not in best or gap.low > best[distance][0].low or gap.high > best[distance][0].high


def _keep(best: Best, distance: int, gap: Interval, pair: tuple[Word, Word]) -> None:
    """The maximum lies between the largest lower end, whose pair is kept, and the largest upper end."""
    old = best.get(distance, (gap, pair))
    kept = old[1] if old[0].low >= gap.low else pair
    best[distance] = (Interval(max(old[0].low, gap.low), max(old[0].high, gap.high)), kept)


def _accumulate(predictor: Predictor, n: int, best: Best) -> list[Modulus]:
    """Rows for at most 1, 2, … differences, of what is the largest at exactly so many."""
    rows: list[Modulus] = []
    total: Best = {}
    for k in sorted(best):
        _keep(total, 0, *best[k])
        gap, (one, other) = total[0]
        decode = predictor.alphabet.decode
        rows.append(Modulus(n, k, gap, (decode(one), decode(other))))
    return rows


def _counts(size: int, n: int) -> Iterator[tuple[int, ...]]:
    """All counts of words of length n, one symbol after the other."""
    if size == 1:
        yield (n,)
        return
    for first in range(n, -1, -1):
        for rest in _counts(size - 1, n - first):
            yield (first, *rest)


def _moves(size: int, differences: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Differences of two counts, one of each pair of opposite ones, with how many places they take."""
    for head in itertools.product(range(-differences, differences + 1), repeat=size - 1):
        move = (*head, -sum(head))
        distance = sum(map(abs, move)) // 2
        if 0 < distance <= differences and next(step for step in move if step) < 0:
            yield distance, move


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
