"""The judge for next symbols: nested loops over hypotheses and rows of U, every word at every position.

Built on the loops over layers of ``brute_force``; which rows of U there are, what they answer and what counts
is written out here from the definitions, and shares nothing with the search.
"""

import itertools
import math
import re
from dataclasses import dataclass, replace

from idinf.base.words import Alphabet, words_up_to
from idinf.nets.one_hot import NextReads, OneHotTransformer
from idinf.spec.spec import Answer
from tests.search.brute_force import Entry, Space, hypotheses
from tests.search.nested_loops import EPS


@dataclass(frozen=True)
class NextTask:
    """Legal continuations of a language given as a pattern over one-character symbols, in a domain.

    ``prefix`` is the pattern of the prefixes of the language, ``judged`` that of those that count.
    """

    alphabet: Alphabet
    language: str
    prefix: str
    domain: str | None = None
    answer: Answer = Answer.SET
    judged: str | None = None

    def counts(self, word) -> bool:
        return self.domain is None or self.matches(self.domain, word)

    def matches(self, pattern: str, word) -> bool:
        return re.fullmatch(pattern, self.alphabet.decode(word)) is not None

    def outputs(self, prefix) -> tuple[bool, ...] | None:
        """Which outputs are right after a prefix; None where nothing is asked."""
        if self.judged is not None and not self.matches(self.judged, prefix):
            return None
        symbols = [self.matches(self.prefix, (*prefix, a)) for a in range(len(self.alphabet))]
        legal = (*symbols, self.matches(self.language, prefix))
        if self.answer is Answer.SET:
            return legal
        return tuple(k == legal.index(True) for k in range(len(legal)))

    def label(self, word):
        """What is right at every position; None for a word that does not count."""
        return tuple(self.outputs(word[:i]) for i in range(len(word) + 1)) if self.counts(word) else None


def rows_of_U(answer: Answer, outputs: int, units: int):
    """(unit of every row, −1 for none; sign; threshold; ‖U‖) of every hypothesis."""
    for sign in (1, -1):
        for read in itertools.product(range(-1, units), repeat=outputs):
            sizes = [read.count(u) for u in range(units)]
            if not all(sizes):
                continue
            if answer is Answer.SET:
                yield read, sign, 0 if sign > 0 else -1, math.sqrt(max(sizes))
            elif max(sizes) == 1 and (
                read[0] < 0 if sign > 0 else all((r >= 0) == (k < units) for k, r in enumerate(read))
            ):
                yield read, sign, 0, 1.0


def answer_of(answer: Answer, read, sign, threshold, bits) -> tuple[bool, ...]:
    values = [0 if u < 0 else sign * bits[u] for u in read]
    if answer is Answer.SET:
        return tuple(v > threshold for v in values)
    return tuple(k == values.index(max(values)) for k in range(len(values)))


def next_table(space: Space, task: NextTask, horizon: int, aggregate: str = "max") -> list[Entry]:
    """(R, fail) of every hypothesis that is right on all words of length 0 and 1 that count.

    What it says where nothing is asked is None, and tells no two functions apart.
    """
    alphabet, answer = task.alphabet, task.answer
    words = list(words_up_to(len(alphabet), horizon))
    labels = {word: task.label(word) for word in words}
    counted = [word for word in words if labels[word] is not None]
    places = sorted({(len(w), w[:i]) for w in counted for i in range(len(w) + 1)})
    right = {place: task.outputs(place[1]) for place in places}
    places = [place for place in places if right[place] is not None]
    short = [place for place in places if place[0] <= 1]
    entries = []
    for r, key, period, p, patterns, layers, inputs in hypotheses(
        replace(space, least_U=True), alphabet, aggregate, horizon
    ):
        top = layers[-1]
        pairs = list(zip(top.values, top.units, strict=True))
        asked = (p, patterns[-1], top.values, top.units)
        if asked not in inputs.judged:
            found = []
            bits = {
                place: tuple(inputs.unit(patterns[-1], values, unit, p, *place) for values, unit in pairs)
                for place in short
            }
            alive = [
                rows
                for rows in rows_of_U(answer, len(alphabet) + 1, len(pairs))
                if all(answer_of(answer, *rows[:3], bits[place]) == right[place] for place in short)
            ]
            if alive:
                for place in places:
                    bits[place] = tuple(inputs.unit(patterns[-1], v, unit, p, *place) for v, unit in pairs)
            for read, sign, threshold, norm in alive:
                named = {place: answer_of(answer, read, sign, threshold, bits[place]) for place in places}
                fail = min((place[0] for place in places if named[place] != right[place]), default=None)
                if fail is None or fail > 1:
                    said = tuple(
                        tuple(named.get((len(w), w[:i])) for i in range(len(w) + 1)) for w in counted
                    )
                    found.append((read, sign, threshold, norm, said, fail))
            inputs.judged[asked] = found
        for read, sign, threshold, norm, said, fail in inputs.judged[asked]:
            if r + norm - 1 > space.max_r + EPS:
                continue

            def build(
                layers=layers, patterns=patterns, p=p, read=read, sign=sign, t=threshold, period=period
            ):
                built = (x.with_patterns(each) for x, each in zip(layers, patterns, strict=True))
                signs = (sign,) * len(layers[-1].units)
                return OneHotTransformer(alphabet, p, tuple(built), signs, t, period, NextReads(answer, read))

            entries.append(Entry(r + norm - 1, key, fail, said, build))
    return entries
