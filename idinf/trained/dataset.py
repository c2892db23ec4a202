"""Examples of a target, to train or test a model: words by bins of lengths, with right answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from idinf.base.quoting import quote, shorten
from idinf.base.words import Word
from idinf.crasp.interpreter import lay_out_words
from idinf.errors import ArgumentError
from idinf.spec.spec import Answer, Spec
from idinf.targets.drawing import UniformWords, make_near_miss
from idinf.targets.machine import BoolArray, IntArray
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Sets, SupervisedTarget, answer_words, name_next
from idinf.trained.task import Task

#: The longest words of a bin, in symbols.
MOST_LENGTH = 2_000

#: Number of times that near misses are made while words of a bin are missing.
TRIES = 30

#: Ways to draw words; accepted words are drawn by the first.
KINDS = ("uniform", "near miss", "uniform rejected")

#: The least and the greatest length of the words of a bin, in symbols.
Bin = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Example:
    """One word, with the right answers about it."""

    word: str  #: as it is written, the empty word as the empty text
    length: int  #: in symbols
    bin: str  #: as in ``"0-50"``
    label: bool  #: True if the target accepts it; of next symbols always True
    kind: str  #: ``uniform``, ``near miss`` or ``uniform rejected``
    #: The next symbols after each prefix, ε first, with ``$`` for the end and None where the target does not
    #: judge: of a target of next symbols, and of the words of a regular language their legal continuations.
    next: tuple[Sets, ...] | None = None


def read_bins(bins: str | Sequence[Sequence[int]]) -> tuple[Bin, ...]:
    """Read bins, a text or pairs; an `ArgumentError` if they are none, or share a length.

    >>> read_bins("0-50,51-100"), read_bins([(3, 3)])
    (((0, 50), (51, 100)), ((3, 3),))
    """
    try:
        pieces = bins.split(",") if isinstance(bins, str) else ["-".join(map(str, pair)) for pair in bins]
    except TypeError:
        pieces = []
    found = list[Bin]()
    for piece in pieces or [str(bins)]:
        match = re.fullmatch(r"\s*([0-9]{1,9})-([0-9]{1,9})\s*", piece)
        low, high = (int(match[1]), int(match[2])) if match else (1, 0)
        if not low <= high <= MOST_LENGTH:
            raise ArgumentError(
                f"bins: {quote(piece)}; expected the least and the greatest length of words, at most "
                f"{MOST_LENGTH}; write for example 0-50,51-100"
            )
        if shared := [each for each in found if low <= each[1] and each[0] <= high]:
            raise ArgumentError(
                f"bins: {shared[0][0]}-{shared[0][1]} and {low}-{high} share lengths; expected none in two "
                "bins; let one begin behind the end of the other"
            )
        found.append((low, high))
    return tuple(found)


def draw_examples(
    spec: Spec, bins: Sequence[Bin], number: int, seed: int = 0, positives: float = 0.5
) -> tuple[list[Example], list[str]]:
    """Draw examples for every bin, in random order within it, with notes on missing words.

    A positive has a length drawn uniformly among those of the bin that have words of the language (of next
    symbols: of the domain), and is uniform among these words; words may repeat. A negative is a positive
    behind `make_near_miss` that is rejected and has a length of the bin; where `TRIES` rounds find too few,
    it is drawn as a positive is, among rejected words. Of next symbols there are none. Bins are independent.

    >>> from idinf.spec.catalogue import load
    >>> found, notes = draw_examples(load("tomita-5"), [(2, 2), (3, 3)], 2)
    >>> sorted((example.label, example.kind) for example in found), notes
    ([(False, 'near miss'), (True, 'uniform')], ['no word of tomita-5 has a length of 3-3'])
    """
    sampler, notes = _Sampler(spec, max(high for _, high in bins)), list[str]()
    negatives = 0 if sampler.target.everywhere else number - round(number * positives)
    examples = list[Example]()
    for low, high in bins:
        rng = np.random.default_rng((seed, low, high))
        pool = draw_of_bin(sampler.inside, (low, high), max(number - negatives, negatives), rng)
        if not pool:
            notes.append(f"no word of {shorten(spec.name)} has a length of {low}-{high}")
            continue
        near = draw_near_misses(sampler.target, (low, high), pool, negatives, rng)
        rest = draw_of_bin(sampler.outside, (low, high), negatives - len(near), rng)
        if missing := negatives - len(near) - len(rest):
            notes.append(f"{missing} examples of {low}-{high} are missing, as words are hardly ever rejected")
        known = pool[: number - negatives]
        nexts = [*sampler.name_next(known), *[None] * negatives]
        rows = [
            (kind, word) for kind, words in zip(KINDS, (known, near, rest), strict=True) for word in words
        ]
        for place in rng.permutation(len(rows)).tolist():
            (kind, word), label = rows[place], place < len(known)
            text = spec.alphabet.decode(word)
            examples.append(Example(text, len(word), f"{low}-{high}", label, kind, nexts[place]))
    return examples, notes


def draw_of_bin(words: UniformWords, bounds: Bin, number: int, rng: np.random.Generator) -> list[Word]:
    """Draw ``number`` times a length among those that have words, and a word of it; none without lengths.

    >>> from idinf.base.words import Alphabet
    >>> ones = RegularTarget.from_regex("1*", Alphabet(("0", "1")))
    >>> draw_of_bin(UniformWords(ones, ones.labels, 9), (2, 2), 2, np.random.default_rng(0))
    [(1, 1), (1, 1)]
    """
    counts = [words.count(length) for length in range(bounds[1], bounds[0] - 1, -1)] if number else []
    lengths = [bounds[1] - place for place, count in enumerate(counts) if count]
    if not lengths:
        return []
    times = np.bincount(rng.integers(len(lengths), size=number), minlength=len(lengths)).tolist()
    drawn = (words.draw(length, k, rng).tolist() for length, k in zip(lengths, times, strict=True) if k)
    found = [tuple(row) for rows in drawn for row in rows]
    return [found[place] for place in rng.permutation(number)]


def draw_near_misses(
    target: SupervisedTarget, bounds: Bin, pool: Sequence[Word], number: int, rng: np.random.Generator
) -> list[Word]:
    """Rejected words of the domain that are words of a pool, changed a little; fewer where they are rare.

    >>> from idinf.base.words import Alphabet
    >>> ones = SupervisedTarget(RegularTarget.from_regex("1*", Alphabet(("0", "1"))))
    >>> len(draw_near_misses(ones, (1, 9), [(1, 1, 1)], 4, np.random.default_rng(0)))
    4
    """
    size, found = len(target.alphabet), list[Word]()
    for _ in range(TRIES if number else 0):
        places = rng.integers(len(pool), size=number - len(found)).tolist()
        tried = [make_near_miss(pool[place], size, rng) for place in places]
        tried = [word for word in tried if bounds[0] <= len(word) <= bounds[1]]
        answers = zip(tried, *answer_words(target, lay_out_words(tried)), strict=True)
        found += [word for word, accepted, counted in answers if counted and not accepted]
        if len(found) == number:
            break
    return found


class _Sampler:
    """Words that a target accepts or asks about, words that it rejects, and a machine for next symbols."""

    def __init__(self, spec: Spec, longest: int) -> None:
        self.target = target = Task.of(spec).target
        self.inside = UniformWords(target, lambda states: self._counts(states, True), longest)
        self.outside = UniformWords(target, lambda states: self._counts(states, False), longest)
        is_regular = target.plain and isinstance(target.machine, RegularTarget)
        self.named = Task.of(spec, Answer.SET).target if is_regular else target if target.everywhere else None

    def _counts(self, states: IntArray, label: bool) -> BoolArray:
        """Mask of states of words of the domain with a label; for next symbols all have the same label."""
        labels = self.target.labels(states) == label if not self.target.everywhere else label
        return np.asarray((self.target.distance(states) == 0) & labels)

    def name_next(self, words: Sequence[Word]) -> list[tuple[Sets, ...] | None]:
        """The next symbols after each prefix of each word; None for each word if the target names none."""
        if self.named is None or not words:
            return [None for _ in words]
        sets, numbers, _ = name_next(self.named, lay_out_words(words))
        rows = zip(words, numbers.tolist(), strict=True)
        return [tuple(sets[number] for number in row[: len(word) + 1]) for word, row in rows]
