"""Bits against n: what the protocol sends, what any protocol must send, and laws fitted to both."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from idinf.communication.behaviours import behaviours
from idinf.communication.protocol import bound, exchange
from idinf.targets.machine import Target
from idinf.targets.tasks import Task
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Word

#: All words of a length are run if there are at most so many.
ALL_WORDS = 64


@dataclass(frozen=True, slots=True)
class UpperRow:
    """The protocol at one n.

    Parameters
    ----------
    n, split : int
    bits : int
        The longest messages of the words run.
    words : int
        How many were run; Bob was right about every one.
    all_words : bool
        Whether these are all words of length n.
    bound : int or None
        No word of length n needs more; None if nothing is proved.
    """

    n: int
    split: int
    bits: int
    words: int
    all_words: bool
    bound: int | None


@dataclass(frozen=True, slots=True)
class LowerRow:
    """A target at one n: `rows` first halves of ⌊n/2⌋ symbols behave differently."""

    n: int
    rows: int

    @property
    def bits(self) -> float:
        """log₂(rows)."""
        return math.log2(self.rows)

    @property
    def ratio(self) -> float | None:
        """log₂(rows)/log₂ n; None below n = 2."""
        return self.bits / math.log2(self.n) if self.n >= 2 else None


@dataclass(frozen=True, slots=True)
class Law:
    """A least-squares fit y ≈ slope · x + offset, x being log₂ n or n.

    Parameters
    ----------
    model : str
        ``"C*log2(n) + D"`` or ``"C*n + D"``.
    slope, offset : float
        C and D.
    residual : float
        Root of the mean square distance.
    """

    model: str
    slope: float
    offset: float
    residual: float


def lengths_up_to(max_n: int) -> tuple[int, ...]:
    """2, 3, 4, 6, 8, 12 and so on, and max_n: evenly spread on a logarithmic axis, multiples of 3 among them.

    Examples
    --------
    >>> lengths_up_to(20), lengths_up_to(2)
    ((2, 3, 4, 6, 8, 12, 16, 20), (2,))
    """
    spread = (m << k for k in itertools.count(0) for m in (2, 3))
    return (*itertools.takewhile(lambda n: n < max_n, spread), max_n)


def sample(size: int, n: int, most: int) -> tuple[Word, ...]:
    """Words to split: all of them if there are few, else blocks, alternations and seeded random ones.

    Parameters
    ----------
    size : int
        |Σ|.
    n : int
    most : int
        At least 1.

    Examples
    --------
    >>> len(sample(2, 3, 5)), sample(2, 8, 2)
    (8, ((0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1, 1, 1)))
    """
    if size**n <= max(ALL_WORDS, most):
        return tuple(itertools.product(range(size), repeat=n))
    chosen: dict[Word, None] = {}
    candidates = _candidates(size, n)  # without end, and with more words than are asked for
    while len(chosen) < most:
        chosen[next(candidates)] = None
    return tuple(chosen)


def _candidates(size: int, n: int) -> Iterator[Word]:
    yield from ((code,) * n for code in range(size))
    for one, other in itertools.permutations(range(size), 2):
        yield (one,) * (n // 2) + (other,) * (n - n // 2)
        yield tuple((one, other)[i % 2] for i in range(n))
    source = random.Random(n)
    while True:
        yield tuple(source.randrange(size) for _ in range(n))


def upper_rows(transformer: LimitTransformer, lengths: Sequence[int], most: int) -> Iterator[UpperRow]:
    """Run the protocol at every length, split in the middle.

    Parameters
    ----------
    transformer : LimitTransformer
    lengths : sequence of int
    most : int
        Words at each length, unless all are few.

    Raises
    ------
    ArithmeticError
        If an activation of Bob differs from the reference: an internal error.
    """
    proved = bound(transformer)
    for n in lengths:
        split, bits = n // 2, 0
        words = sample(len(transformer.alphabet), n, most)
        for word in words:
            run = exchange(transformer, word, split)
            if not run.equal:
                raise ArithmeticError(f"Bob's activations differ from the reference on {word} at {split}")
            bits = max(bits, run.bits)
        least = None if proved is None else proved[0] * (split + 1).bit_length() + proved[1]
        yield UpperRow(n, split, bits, len(words), len(words) == len(transformer.alphabet) ** n, least)


def lower_rows(target: Target, lengths: Sequence[int]) -> Iterator[LowerRow]:
    """Behaviours of a machine at every length.

    Raises
    ------
    BudgetError
        As `behaviours`, after the rows before.
    """
    for n in lengths:
        yield LowerRow(n, behaviours(target, n))


def task_rows(task: Task, lengths: Sequence[int]) -> Iterator[LowerRow]:
    """Behaviours of a task at the largest lengths of its words up to the given ones.

    Examples
    --------
    >>> from idinf.targets.tasks import TASKS
    >>> list(task_rows(TASKS["copy-repeat"], (2, 4, 8)))
    [LowerRow(n=1, rows=1), LowerRow(n=3, rows=3), LowerRow(n=7, rows=9)]
    """
    fitting = dict.fromkeys(task.length_up_to(n) for n in lengths)
    return (LowerRow(n, task.rows(n)) for n in fitting if n is not None)


def refuted_below(rows: Sequence[LowerRow]) -> float | None:
    """The largest log₂(rows)/log₂ n over n ≥ 2: with any smaller C, C · log₂ n bits are too few at some n.

    Examples
    --------
    >>> refuted_below((LowerRow(4, 4), LowerRow(16, 256))), refuted_below((LowerRow(1, 1),))
    (2.0, None)
    """
    return max((row.ratio for row in rows if row.ratio is not None), default=None)


def laws_of(points: Sequence[tuple[int, float]]) -> tuple[Law, ...]:
    """Least-squares fits of bits against log₂ n and against n, in this order; none for two points or less.

    Examples
    --------
    >>> [(law.model, round(law.residual, 3)) for law in laws_of([(2, 3), (4, 5), (8, 7)])]
    [('C*log2(n) + D', 0.0), ('C*n + D', 0.309)]
    """
    usable = [(n, bits) for n, bits in points if n >= 1]
    if len({n for n, _ in usable}) < 3:
        return ()
    return (
        _law("C*log2(n) + D", [(math.log2(n), bits) for n, bits in usable]),
        _law("C*n + D", [(float(n), bits) for n, bits in usable]),
    )


def _law(model: str, points: Sequence[tuple[float, float]]) -> Law:
    mean_x = math.fsum(x for x, _ in points) / len(points)
    mean_y = math.fsum(y for _, y in points) / len(points)
    spread = math.fsum((x - mean_x) ** 2 for x, _ in points)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    offset = mean_y - slope * mean_x
    square = math.fsum((y - slope * x - offset) ** 2 for x, y in points) / len(points)
    return Law(model, slope, offset, math.sqrt(square))
