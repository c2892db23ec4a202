"""Number of first halves that differ for a target: the distinct rows of its communication matrix.

Words u, u' of length m behave alike if f(uv) = f(u'v) for every v of length n − m. A message from the party
that has u must differ between words that do not: with fewer than log₂(rows) bits some answer is wrong.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from idinf.base.files import blaming
from idinf.base.numbers import format_amount
from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.errors import ArgumentError, BudgetError
from idinf.lab.communication.protocol import Exchange, exchange, list_unbounded_heads, prove_bound
from idinf.nets.limit_transformer import LimitTransformer
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.targets.tasks import Task

#: States of all lengths from the midpoint on that are kept at once.
MAX_STATES = 1_000_000


@dataclass(frozen=True, slots=True)
class Growth:
    """Proved growth of the number of behaviours, for every n."""

    #: ``"constant"``: the number is bounded; ``"logarithmic"``: its log₂ is at most c · log n;
    #: ``"linear"``: its log₂ is at least c · n for infinitely many n; or ``"unknown"``.
    kind: str
    reason: str


def count_behaviours(target: Target, length: int, split: int | None = None) -> int:
    """The number of distinct rows f(u·) over all u of length `split`, by default ⌊n/2⌋ for n = `length`.

    The lower side of Corollary 13 of [HYB25]_. Exact: states reached jointly by all words are merged where
    they agree on all suffixes of length n − m. Raises BudgetError if more states than `MAX_STATES` would be
    kept.

    >>> from idinf.spec.catalogue import load
    >>> from idinf.targets.build import build_target
    >>> [count_behaviours(build_target(load("dyck-1")), n) for n in (2, 4, 8, 16)]   # heights, and "broken"
    [2, 3, 4, 6]
    """
    split = length // 2 if split is None else split
    states = target.start()
    kept = len(states)
    steps: list[NDArray[np.int64]] = []
    for place in range(length):
        before, left = len(states), length - place - 1
        after = np.concatenate([target.step(states, code) for code in range(len(target.alphabet))])
        if left:
            after = target.settled(after, left)
        # where every symbol leads every state, (|Σ| · S,)
        states, following = np.unique(after, axis=0, return_inverse=True)
        kept = len(states) if place < split else kept + len(states)
        if kept > MAX_STATES:
            raise BudgetError(
                f"behaviours of words of length {length}: more than {MAX_STATES} states; expected fewer; "
                "lower --max-n"
            )
        if place >= split:
            steps.append(following.reshape(-1, before).T)  # (S, |Σ|)
    classes = target.labels(states).astype(np.int64)
    for following in reversed(steps):
        # two states are alike iff every symbol leads them to states that are
        _, numbers = np.unique(classes[following], axis=0, return_inverse=True)
        classes = numbers.reshape(-1)
    return len(np.unique(classes))


def prove_growth(target: Target) -> Growth:
    """Growth of the behaviours of a machine that its kind proves, for every n.

    >>> from idinf.base.words import Alphabet
    >>> prove_growth(RegularTarget.from_regex("(ab)*", Alphabet(("a", "b"))))
    Growth(kind='constant', reason='a finite automaton of 3 states')
    """
    if isinstance(target, RegularTarget):
        return Growth("constant", f"a finite automaton of {format_amount(len(target.table), 'state')}")
    if isinstance(target, CountingTarget):
        counters = sum(cap is None for cap in target.layout.caps)
        if not counters:
            return Growth("constant", "a machine whose counters are all bounded")
        return Growth("logarithmic", f"a machine of {format_amount(counters, 'counter')}, each at most c · n")
    return Growth("unknown", "nothing is proved about this machine")


#: Lengths of `Subject.study`, and words at each of them, where nothing else is said.
MAX_N, WORDS = 64, 8

#: All words of a length are run if there are at most so many.
ALL_WORDS = 64


@dataclass(frozen=True, slots=True)
class UpperRow:
    """The protocol at one n."""

    n: int
    split: int
    bits: int  #: the longest messages of the words run
    words: int  #: how many were run; Bob was right about every one
    all_words: bool  #: True if these are all words of length n
    bound: int | None  #: no word of length n needs more; None if nothing is proved


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
class Study:
    """Both tables of one subject, and the proved growth."""

    subject: Subject
    upper: tuple[UpperRow, ...]  #: empty without a transformer
    bound: tuple[int, int] | None  #: F and D of `protocol.bound`
    unbounded: tuple[tuple[int, int, str], ...]  #: heads that leave it open
    lower: tuple[LowerRow, ...]  #: empty without a step machine or a closed form
    growth: Growth | None
    notes: tuple[str, ...] = ()  #: parts that were not done, with reasons

    @property
    def refuted(self) -> float | None:
        """The largest log₂(rows)/log₂ n: with any smaller C, C · log₂ n bits are too few at some n shown."""
        return max((row.ratio for row in self.lower if row.ratio is not None), default=None)

    @property
    def is_refuted_by_two(self) -> bool:
        """True if words of two symbols alone refute: there C · log₂ n bits are C, and one bit is needed."""
        return {row.n for row in self.lower if row.ratio is not None and row.ratio == self.refuted} == {2}

    def rows(self) -> Iterator[tuple[int, UpperRow | None, LowerRow | None]]:
        """Both tables by n."""
        upper, lower = {row.n: row for row in self.upper}, {row.n: row for row in self.lower}
        return ((n, upper.get(n), lower.get(n)) for n in sorted({*upper, *lower}))


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of the measurements: the transformer of the protocol, and a target."""

    name: str
    about: str
    transformer: LimitTransformer | None
    target: Target | Task | None
    notes: tuple[str, ...] = ()  #: why one of them is missing
    is_family_member: bool = False

    def __repr__(self) -> str:
        return f"<Subject {self.name}: {self.about}>"

    def study(self, max_n: int = MAX_N, words: int = WORDS) -> Study:
        """Measure both sides up to a length; ``words`` run at each of them unless all are few.

        Of a task, the largest lengths of its words up to the given ones are taken.

        Raises
        ------
        ArithmeticError
            If an activation of Bob differs from the reference: an internal error.

        Examples
        --------
        >>> from idinf.targets.tasks import TASKS
        >>> found = Subject("equality", "", None, TASKS["equality"]).study(64)
        >>> found.growth.kind, found.refuted, [row.rows for row in found.lower][:2]
        ('linear', 5.333333333333333, [2, 4])
        """
        lengths, net, target = list_lengths_up_to(max_n), self.transformer, self.target
        upper = () if net is None else tuple(_upper_rows(net, lengths, words))
        proved = None if net is None else prove_bound(net)
        unbounded = () if net is None else list_unbounded_heads(net)
        lower: list[LowerRow] = []
        growth, notes = None, self.notes
        if isinstance(target, Task):
            fitting = dict.fromkeys(target.length_up_to(n) for n in lengths)
            lower.extend(LowerRow(n, target.rows(n)) for n in fitting if n is not None)
            growth = Growth("linear", "a closed form for every n")
        elif target is not None:
            growth = prove_growth(target)
            try:
                lower.extend(LowerRow(n, count_behaviours(target, n)) for n in lengths)
            except BudgetError as error:
                notes = (*notes, str(error))
        return Study(self, upper, proved, unbounded, tuple(lower), growth, notes)

    def exchange(self, word: str | Sequence[str], split: int | None = None) -> Exchange:
        """Run the protocol of Theorem 12 on one word, split after so many symbols, or in the middle."""
        if self.transformer is None:
            raise ArgumentError(f"{quote(self.name)} has no transformer to run on a word: {self.notes[0]}")
        codes = self.transformer.alphabet.encode(word)
        half = len(codes) // 2 if split is None else split
        with blaming(self.name):
            return exchange(self.transformer, codes, half)


def list_lengths_up_to(max_n: int) -> tuple[int, ...]:
    """2, 3, 4, 6, 8, 12 and so on, and max_n: evenly spread on a logarithmic axis, multiples of 3 among them.

    >>> list_lengths_up_to(20), list_lengths_up_to(2)
    ((2, 3, 4, 6, 8, 12, 16, 20), (2,))
    """
    spread = (m << k for k in itertools.count(0) for m in (2, 3))
    return (*itertools.takewhile(lambda n: n < max_n, spread), max_n)


def draw_sample(size: int, n: int, most: int) -> tuple[Word, ...]:
    """Words over `size` symbols: all if there are few, else blocks, alternations and seeded random ones.

    >>> len(draw_sample(2, 3, 5)), draw_sample(2, 8, 2)
    (8, ((0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1, 1, 1)))
    """
    if size**n <= max(ALL_WORDS, most):
        return tuple(itertools.product(range(size), repeat=n))
    chosen: dict[Word, None] = {}
    candidates = _candidates(size, n)  # without end, and with more words than are needed
    while len(chosen) < most:
        chosen[next(candidates)] = None
    return tuple(chosen)


def _upper_rows(transformer: LimitTransformer, lengths: Sequence[int], most: int) -> Iterator[UpperRow]:
    """Run the protocol at every length, split in the middle."""
    proved = prove_bound(transformer)
    for n in lengths:
        split, bits = n // 2, 0
        words = draw_sample(len(transformer.alphabet), n, most)
        for word in words:
            run = exchange(transformer, word, split)
            if not run.equal:
                raise ArithmeticError(f"Bob's activations differ from the reference on {word} at {split}")
            bits = max(bits, run.bits)
        least = None if proved is None else proved[0] * (split + 1).bit_length() + proved[1]
        yield UpperRow(n, split, bits, len(words), len(words) == len(transformer.alphabet) ** n, least)


def _candidates(size: int, n: int) -> Iterator[Word]:
    yield from ((code,) * n for code in range(size))
    for one, other in itertools.permutations(range(size), 2):
        yield (one,) * (n // 2) + (other,) * (n - n // 2)
        yield tuple((one, other)[i % 2] for i in range(n))
    source = random.Random(n)
    while True:
        yield tuple(source.randrange(size) for _ in range(n))
