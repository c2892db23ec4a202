"""Words longer than all screened ones that are screened as well: pumped ones, and what refuted hypotheses.

A slice lists hypotheses that are right on all words up to a length. Any of those words may be screened: what
is wrong on one is not listed, whatever its exact fail length. All words up to `ShortWords.length` are; of the
longer ones a few rule out most of what is left, whole lower layers among it. Such are least counterexamples
of hypotheses met before and, from the start, words that are drawn from the automaton of a regular target.
Which words these are changes what is looked at, never what is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from idinf.base.words import Word, words_up_to
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget

#: Words that are drawn from an automaton, and how long they are at most, in its states.
DRAWN, TIMES_STATES = 40, 3


class Witnesses:
    """Words that refuted hypotheses, and how often. Mutable: it learns.

    All words up to a length stay the first rows of whatever is screened.
    """

    def __init__(self, target: Target, words: ShortWords) -> None:
        self.target, self.words = target, words
        self._times: Counter[Word] = Counter()
        self._drawn_up_to: dict[int, tuple[Word, ...]] = {}
        self._last: tuple[tuple[Word, ...], ShortWords] = ((), words)

    def learn(self, refuting: Iterable[Word]) -> None:
        """Take note of words that refuted hypotheses."""
        self._times.update(word for word in refuting if len(word) > self.words.length)

    def within(self, length: int, pumped: bool = True) -> tuple[Word, ...]:
        """Words up to a length that refuted most often, then drawn ones if ``pumped`` is asked for.

        With their prefixes they have no more rows than short words.

        >>> from idinf.targets.regular import RegularTarget
        >>> from idinf.base.words import Alphabet
        >>> target = RegularTarget.from_regex("a*", Alphabet(("a", "b")))
        >>> known = Witnesses(target, ShortWords.of(target, 1))
        >>> known.learn([(0, 1), (0, 0, 1), (0, 1), (1,)])
        >>> known.within(2, False), known.within(3, False)
        (((0, 1),), ((0, 1), (0, 0, 1)))
        """
        often = sorted(self._times.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        refuting = [word for word, _ in often if len(word) <= length]
        chosen: list[Word] = []
        rows: set[Word] = set()
        for word in dict.fromkeys([*refuting, *(self._drawn(length) if pumped else ())]):
            added = {word[:end] for end in range(self.words.length + 1, len(word) + 1)} - rows
            if len(rows) + len(added) > len(self.words.tree):
                continue
            rows |= added
            chosen.append(word)
        return tuple(sorted(chosen, key=lambda word: (len(word), word)))

    def _drawn(self, length: int) -> tuple[Word, ...]:
        """Words from the automaton, if the target is one."""
        if not isinstance(self.target, RegularTarget):
            return ()
        longest = min(length, TIMES_STATES * len(self.target.table))
        if longest not in self._drawn_up_to:
            from idinf.targets.regular import draw_pumped_words  # for automata alone

            drawn = draw_pumped_words(self.target, self.words.length + 1, longest, DRAWN)
            self._drawn_up_to[longest] = drawn
        return self._drawn_up_to[longest]

    def screen(self, chosen: tuple[Word, ...]) -> ShortWords:
        """All short words, the chosen ones and their prefixes."""
        if not chosen:
            return self.words
        if self._last[0] != chosen:
            every = (*words_up_to(self.words.symbols, self.words.length), *chosen)
            self._last = chosen, ShortWords.and_prefixes(self.target, every)
        return self._last[1]
