"""Witnesses of discontinuity: two prompts, one symbol apart, of which a hypothesis accepts one alone."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from idinf.words import Word

#: U y of a hypothesis at the last position, less its threshold: above 0 iff it accepts.
Score = Callable[[Word], Fraction]

#: Words of a length that are all looked at, at most.
MOST_WORDS = 1 << 10

#: Longest periods of words that are tried beyond.
_PERIODS = 3


@dataclass(frozen=True, slots=True)
class Witness:
    """Two prompts of length n with one last symbol, of which just the first is accepted; one place differs.

    Both are None where none was found; ``complete`` says whether there is none, since all were looked at.
    ``jump`` is by how much U y differs at the last position, of which the verdict is a threshold.
    """

    n: int
    accepted: Word | None
    rejected: Word | None
    complete: bool
    jump: Fraction | None = None

    @property
    def place(self) -> int | None:
        """The place that differs, from 1."""
        if self.accepted is None or self.rejected is None:
            return None
        pairs = zip(self.accepted, self.rejected, strict=True)
        return next(place for place, (a, b) in enumerate(pairs, start=1) if a != b)


def find_witness(score: Score, size: int, n: int) -> Witness:
    """Look for a witness of discontinuity at length n.

    Its verdicts are 1 apart at d_H = 1/n. If there is one for infinitely many n, nothing below 1 bounds the
    difference of verdicts for small d_H, so verdicts have no modulus. That is so of every predictor whose
    answer is cut at a threshold. Of U y itself it shows the same if the jumps do not vanish as n grows.

    Notes
    -----
    Take an accepted and a rejected word with one last symbol, and change the first into the
    second place by place. The verdict turns at some step, which bisection finds. So there is a witness iff
    two such words exist. Up to `MOST_WORDS` words all are tried, beyond these the words of a period up to
    3, the words of one symbol with another one at the first place, at the last but one or over half of it.

    Examples
    --------
    >>> find_witness(lambda word: Fraction(int(1 in word)), 2, 4)
    Witness(n=4, accepted=(0, 0, 1, 0), rejected=(0, 0, 0, 0), complete=True, jump=Fraction(1, 1))
    """
    complete = size**n <= MOST_WORDS
    words = itertools.product(range(size), repeat=n) if complete else _tried(size, n)
    seen: dict[tuple[int, bool], Word] = {}
    for word in words:
        verdict = score(word) > 0
        seen.setdefault((word[-1], verdict), word)
        opposite = seen.get((word[-1], not verdict))
        if opposite is not None:
            accepted, rejected = (word, opposite) if verdict else (opposite, word)
            accepted, rejected = _bisect(score, accepted, rejected)
            return Witness(n, accepted, rejected, complete, score(accepted) - score(rejected))
    return Witness(n, None, None, complete)


def _bisect(score: Score, accepted: Word, rejected: Word) -> tuple[Word, Word]:
    places = [place for place, (a, b) in enumerate(zip(accepted, rejected, strict=True)) if a != b]
    while len(places) > 1:
        half = places[: len(places) // 2]
        middle = tuple(rejected[i] if i in half else symbol for i, symbol in enumerate(accepted))
        if score(middle) > 0:
            accepted, places = middle, places[len(half) :]
        else:
            rejected, places = middle, half
    return accepted, rejected


def _tried(size: int, n: int) -> Iterator[Word]:
    for period in range(1, _PERIODS + 1):
        for base in itertools.product(range(size), repeat=period):
            yield (base * n)[-n:]
    for one, two in itertools.permutations(range(size), 2):
        base = (one,) * n
        yield (two, *base[1:])
        yield (*base[:-2], two, one)
        yield (two,) * (n // 2) + base[n // 2 :]
