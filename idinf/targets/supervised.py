"""Where a target judges a hypothesis: at the last position of every word, or at positions 0..n of a domain.

A target of acceptance is judged at the last position of every word. Three things change that. With next
symbols the outputs are K = |Σ| + 1 truth values, the symbols and then end-of-string, and every position 0..n
of a word counts. With a *domain* D only the words of a regular language count. With *places* J, any
language, answers count only after prefixes that are in J: what follows the others is left open, as before the
separator of a task. So a prefix p counts for the lengths n of the words of the domain that it is judged
in: for next symbols all that begin with p if p is in J, p itself for acceptance. The fail length is the least
such n over the prefixes after which the answer is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from idinf.base.words import Word
from idinf.spec.spec import END, Answer
from idinf.targets.machine import NEVER, BoolArray, IntArray, SideBySide, Target, foretell
from idinf.targets.regular import RegularTarget


@dataclass(frozen=True, eq=False)
class SupervisedTarget(SideBySide):
    """A target with the positions at which it judges; itself a target.

    A state is one of the machine, followed by one of the places and one of the domain. The machine says what
    is right after a prefix: ``labels`` are (S,) for acceptance, (S, K) for next symbols, of which with
    `Answer.SYMBOL` just one is true where the prefix counts. Without a domain every word counts, without
    places every prefix. Places are for next symbols and stand only beside a domain, which may be
    `RegularTarget.every_word`: where nothing is left out, the search asks less.

    Raises `ValueError` if there are places without a domain, or for acceptance.

    Of 1*, judged on words of even length: a 1 alone counts for words of length 2.

    >>> from idinf.base.words import Alphabet
    >>> sigma = Alphabet(("0", "1"))
    >>> even = RegularTarget.from_regex("((0|1)(0|1))*", sigma)
    >>> target = SupervisedTarget(RegularTarget.from_regex("1*", sigma), Answer.ACCEPT, even)
    >>> after_1 = target.step(target.start(), 1)
    >>> bool(target.labels(after_1)[0]), int(target.distance(after_1)[0])
    (True, 1)
    >>> bool(target.due(after_1)[0] < NEVER)
    False
    """

    machine: Target
    answer: Answer = Answer.ACCEPT
    domain: RegularTarget | None = None
    places: Target | None = None
    #: Where the domain and the places were written, with what, for messages.
    named: str = field(default="domain, judged", compare=False)
    #: Whether the output of acceptance has to be the number 1 or 0, and not only above 0 or not.
    by_logits: bool = False

    def __post_init__(self) -> None:
        if self.places is not None and (self.domain is None or not self.everywhere):
            raise ValueError("places that are judged; expected next symbols and a domain beside them")

    @property
    def everywhere(self) -> bool:
        """Whether every position counts, not the last one alone."""
        return self.answer is not Answer.ACCEPT

    @property
    def plain(self) -> bool:
        """Whether this is acceptance of every word."""
        return self.answer is Answer.ACCEPT and self.domain is None

    @property
    def outputs(self) -> int:
        """K, the truth values of a label: 1 for acceptance, else |Σ| + 1."""
        return len(self.alphabet) + 1 if self.everywhere else 1

    @cached_property
    def machines(self) -> tuple[Target, ...]:
        """The machine, the places and the domain as far as there are any."""
        return tuple(m for m in (self.machine, self.places, self.domain) if m is not None)

    def labels(self, states: IntArray) -> BoolArray:
        """What is right after a prefix; (S, k) → (S,), for next symbols (S, K); nothing off the places."""
        return self.machine.labels(states[:, self.columns[0]])

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label of acceptance after any 1 to ``left`` more symbols, or −1; (S, k) → (S,)."""
        return foretell(self.machine, states, left)

    def distance(self, states: IntArray) -> IntArray:
        """Least number of further symbols to a word of the domain, or `NEVER`; (S, k) → (S,)."""
        if self.domain is None:
            return np.zeros(len(states), dtype=np.int64)
        return np.asarray(self.domain.distances[states[:, -1]])

    def due(self, states: IntArray) -> IntArray:
        """How much longer than a prefix the shortest word is that it counts in, or `NEVER`; (S, k) → (S,)."""
        distance = self.distance(states)
        return np.where(self.is_place(states) if self.everywhere else distance == 0, distance, NEVER)

    def counts(self, states: IntArray, left: int) -> BoolArray:
        """Whether a prefix counts in some word that is ``left`` symbols longer; (S, k) → (S,)."""
        if left and not self.everywhere:
            return np.zeros(len(states), dtype=np.bool_)
        if self.domain is None:
            return np.ones(len(states), dtype=np.bool_)
        return np.asarray(self._ends(left)[states[:, -1]] & self.is_place(states))

    def completion(self, states: IntArray, left: int) -> Word:
        """The least continuation by ``left`` symbols of one prefix that counts there; (1, k)."""
        codes: list[int] = []
        for rest in range(left - 1, -1, -1):
            steps = (self.step(states, code) for code in range(len(self.alphabet)))
            code, states = next(item for item in enumerate(steps) if self._leads(item[1], rest))
            codes.append(code)
        return tuple(codes)

    def is_counted(self, word: Word) -> bool:
        """Whether a word is in the domain."""
        states = self.start()
        for symbol in word:
            states = self.step(states, symbol)
        return bool(self.distance(states)[0] == 0)

    def next_symbols(self, word: Word) -> tuple[tuple[str, ...] | None, ...]:
        """The right next symbols after every prefix of a word, ε first; only with next symbols.

        None where the target does not judge.
        """
        states = self.start()
        named: list[tuple[str, ...] | None] = []
        for symbol in (*word, None):
            named.append(self._named(states) if self.is_place(states)[0] else None)
            states = states if symbol is None else self.step(states, symbol)
        return tuple(named)

    def asked(self, prefix: Word) -> tuple[str, ...] | None:
        """The right next symbols after a prefix; None where no word that counts is judged there."""
        states = self.start()
        for symbol in prefix:
            states = self.step(states, symbol)
        return self._named(states) if self.due(states)[0] < NEVER else None

    def _named(self, states: IntArray) -> tuple[str, ...]:
        """The next symbols of one state; (1, k)."""
        labels = self.labels(states)[0].tolist()
        return tuple(s for s, holds in zip((*self.alphabet.symbols, END), labels, strict=True) if holds)

    def is_place(self, states: IntArray) -> BoolArray:
        """Which prefixes are judged in the words of the domain that begin with them; (S, k) → (S,)."""
        if self.places is None:
            return np.ones(len(states), dtype=np.bool_)
        return self.places.labels(states[:, self.columns[1]])

    def _leads(self, states: IntArray, left: int) -> bool:
        return self.domain is None or bool(self._ends(left)[states[0, -1]])

    @cached_property
    def _reached(self) -> list[BoolArray]:
        """For k = 0, 1, … from which states of the domain some k symbols lead to acceptance."""
        return [] if self.domain is None else [self.domain.accepting]

    def _ends(self, left: int) -> BoolArray:
        while self.domain is not None and len(self._reached) <= left:
            self._reached.append(np.asarray(self._reached[-1][self.domain.table].any(axis=1)))
        return self._reached[left]


def supervise(target: Target) -> SupervisedTarget:
    """Any target with the positions at which it judges: a plain one at the end of every word."""
    return target if isinstance(target, SupervisedTarget) else SupervisedTarget(target)
