"""Random targets: a language, what it is asked about, and plain Python that says what is right of a word."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache, cached_property

from idinf.experiments.reader import parse_spec
from idinf.experiments.spec import Answer, Kind, Spec
from idinf.words import Alphabet, Word, words_up_to
from tools.languages import Language, draw_language

__all__ = ["Question", "draw_any", "draw_question"]

#: Next symbols are asked of languages of at most so many states: longer words need not be tried.
MOST_STATES = 5


@dataclass(frozen=True)
class Question:
    """A language, and which words, and which positions of next symbols, are judged; None: all."""

    language: Language
    answer: Answer = Answer.ACCEPT
    domain: Language | None = None
    judged: Language | None = None

    @property
    def alphabet(self) -> Alphabet:
        """The symbols of words."""
        return Alphabet(tuple(self.language.letters))

    @property
    def toml(self) -> str:
        """The text of its spec, without a space."""
        keys = {"domain": self.domain, "judged": self.judged}
        lines = [f'{key} = "{asked.text}"\n' for key, asked in keys.items() if asked]
        if self.answer is not Answer.ACCEPT:
            lines.append('mode = "next"\n')
        return self.language.toml.replace("alphabet =", f"{''.join(lines)}alphabet =", 1)

    @property
    def spec(self) -> Spec:
        """Its spec."""
        return parse_spec(self.toml)

    @cached_property
    def _member(self):
        return cache(self.language.membership)

    def counts(self, word: Word) -> bool:
        """Whether a word is in the domain."""
        return self.domain is None or self.domain.membership(word)

    def outputs(self, prefix: Word) -> tuple[bool, ...] | None:
        """Which symbols and which end may follow a prefix; None where nothing is asked."""
        if self.judged is not None and not self.judged.membership(prefix):
            return None
        symbols = (self._begins((*prefix, code)) for code in range(len(self.alphabet)))
        return (*symbols, self._member(prefix))

    def label(self, word: Word):
        """What is right of a word: a truth value, or next symbols everywhere; None if it does not count."""
        return self._labels(word)

    @cached_property
    def _labels(self):
        def label(word):
            if not self.counts(word):
                return None
            if self.answer is Answer.ACCEPT:
                return self._member(word)
            return tuple(self.outputs(word[:i]) for i in range(len(word) + 1))

        return cache(label)

    @cached_property
    def _begins(self):
        ends = [*words_up_to(len(self.alphabet), MOST_STATES - 1)]
        return cache(lambda prefix: any(self._member((*prefix, *end)) for end in ends))


def draw_any(rng: random.Random, letters: str, kind: Kind | None = None) -> Language:
    """A language over some letters, of one kind or of any."""
    draw = rng.randrange(10**6)
    if kind is not None:
        draw += (list(Kind).index(kind) - 1 - draw) % 3  # draws take turns: a regex, an automaton, a program
    return draw_language(rng.randrange(10**6), draw, letters)


def draw_question(rng: random.Random, letters: str) -> Question:
    """A language asked about all words, those of a domain, or for its next symbols."""
    asked = rng.choice(("all", "all", "domain", "next"))
    domain = judged = None
    if asked == "domain" or (asked == "next" and rng.random() < 0.3):
        domain = draw_any(rng, letters, Kind.REGEX)
    if asked != "next":
        return Question(draw_any(rng, letters), domain=domain)
    while True:
        language = draw_any(rng, letters, rng.choice((Kind.REGEX, Kind.DFA)))
        if language.machine is not None and len(language.machine.table) <= MOST_STATES:
            break
    if rng.random() < 0.3:
        judged = draw_any(rng, letters, Kind.REGEX)
    return Question(language, Answer.SET, domain, judged)
