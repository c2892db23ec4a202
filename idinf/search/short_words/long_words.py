"""Words longer than all screened ones that are screened as well, because they refuted hypotheses before.

A slice lists hypotheses that are right on all words up to a length. Any of those words may be screened: what
is wrong on one is not listed, whatever its exact fail length. All words up to `ShortWords.length` are; of the
longer ones a few, least counterexamples of hypotheses met before, rule out most of what is left, whole lower
layers among it. Which words these are changes what is looked at, never what is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from idinf.search.short_words.prefix_trees import ShortWords
from idinf.targets.machine import Target
from idinf.words import Word, words_up_to


class Witnesses:
    """Words that refuted hypotheses, and how often. Mutable: it learns.

    All words up to a length stay the first rows of whatever is screened.
    """

    def __init__(self, target: Target, words: ShortWords) -> None:
        self.target, self.words = target, words
        self._times: Counter[Word] = Counter()
        self._last: tuple[tuple[Word, ...], ShortWords] = ((), words)

    def learn(self, refuting: Iterable[Word]) -> None:
        """Take note of words that refuted hypotheses."""
        self._times.update(word for word in refuting if len(word) > self.words.length)

    def within(self, length: int) -> tuple[Word, ...]:
        """Words up to a length that refuted most often; with their prefixes no more rows than short words.

        Examples
        --------
        >>> from idinf.targets.regular import RegularTarget
        >>> from idinf.words import Alphabet
        >>> target = RegularTarget.from_regex("a*", Alphabet(("a", "b")))
        >>> known = Witnesses(target, ShortWords.of(target, 1))
        >>> known.learn([(0, 1), (0, 0, 1), (0, 1), (1,)])
        >>> known.within(2), known.within(3)
        (((0, 1),), ((0, 1), (0, 0, 1)))
        """
        often = sorted(self._times.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        chosen: list[Word] = []
        rows: set[Word] = set()
        for word, _ in often:
            if len(word) > length:
                continue
            added = {word[:end] for end in range(self.words.length + 1, len(word) + 1)} - rows
            if len(rows) + len(added) > len(self.words.tree):
                continue
            rows |= added
            chosen.append(word)
        return tuple(sorted(chosen, key=lambda word: (len(word), word)))

    def screen(self, chosen: tuple[Word, ...]) -> ShortWords:
        """All short words, the chosen ones and their prefixes."""
        if not chosen:
            return self.words
        if self._last[0] != chosen:
            every = (*words_up_to(self.words.symbols, self.words.length), *chosen)
            self._last = chosen, ShortWords.and_prefixes(self.target, every)
        return self._last[1]
