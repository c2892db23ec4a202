"""Whole runs on random targets in random spaces, beside all hypotheses there.

`pytest -m slow tests/inference/test_random_runs.py --hypothesis-seed=N` draws other cases for another N.
"""

import math
import random
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.search.slice_types import Mode
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Answer, Kind, Spec
from idinf.spec.training import TrainingLength
from idinf.targets.build import build_target
from tests.inference.training_by_loops import check_stages
from tests.search.brute_force import Space, hypotheses, table
from tests.search.comparison import bounds_of, by_logits, compare, run_in
from tests.search.next_brute_force import next_table
from tools.languages import Language, draw_language

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


#: Hypotheses that the loops go through for one case, at most, by the number of letters.
MOST = {1: 20_000, 2: 8_000, 3: 3_000}

#: Largest n by the number of letters: fails are judged on all words twice as long.
LENGTHS = {1: (3, 6), 2: (2, 3), 3: (1, 2)}


def check(seed: int) -> None:
    """Compare one run with all hypotheses of its space."""
    rng = random.Random(f"search-{seed}")
    question = draw_question(rng, rng.choice(("a", "a", "ab", "ab", "ab", "abc")))
    plain = question.answer is Answer.ACCEPT
    max_n = rng.randint(*LENGTHS[len(question.alphabet)])
    aggregate = rng.choice(("max", "max", "sum"))
    threshold = rng.choice(("free", "free", "free", "zero", "logits")) if plain else "free"
    if question.domain is not None and threshold == "logits":
        threshold = "zero"
    # Of next symbols there are many rows U for each layer; logits are those of the reference.
    most = MOST[len(question.alphabet)] // (30 if threshold == "logits" else 1 if plain else 4)
    space = draw_space(rng, question, aggregate, most)
    tolerance = rng.choice((None, None, None, 0.0, 0.25, 1.0))
    training = None
    if rng.random() < 0.3:
        training = TrainingLength(rng.choice(("n/2", "n/4", "sqrt", "log2")), counts_sos=rng.random() < 0.5)
    screening = rng.choice((None, None, 1, 2))
    mode = draw_mode(rng)

    words = words_up_to(len(question.alphabet), 2 * max_n)
    first = next((len(word) for word in words if is_judged(question, word)), None)
    if first is None:
        return
    if screening is not None or first > 2:
        screening = max(screening or 0, first)  # a run needs some word to screen

    make = table if plain else next_table
    asked = (question.alphabet, question.label) if plain else (question,)
    entries = make(space, *asked, 2 * max_n, aggregate)
    bounds = bounds_of(space)
    if threshold != "free":
        entries = [entry for entry in entries if not entry.hypothesis.threshold]
        bounds = replace(bounds, threshold="zero", match="logits" if threshold == "logits" else "verdict")
    if threshold == "logits":
        entries = [by_logits(entry, question, 2 * max_n) for entry in entries]

    found = run_in(
        space, build_target(question.spec), max_n, aggregate, tolerance, bounds, question.answer,
        screening=screening, training=training, mode=mode,
    )  # fmt: skip
    compare(found, entries, question, space.max_r, tolerance)
    if training is not None:
        rows = [(entry.r, entry.fail) for entry in entries]
        check_stages(found.training.stages, rows, found.complete_up_to_r, training.counts_sos, tolerance)


def is_judged(question: Question, word: Word) -> bool:
    """Whether a hypothesis can be wrong on a word."""
    label = question.label(word)
    return label is not None and (question.answer is Answer.ACCEPT or any(part is not None for part in label))


def draw_space(rng: random.Random, question: Question, aggregate: str, most: int) -> Space:
    """A space of any bounds, with as much room as so many hypotheses fill, or less."""
    layers, heads, units = rng.choice((1, 1, 2, 3)), rng.choice((0, 1, 1, 2)), rng.choice((1, 1, 2, 3))
    precision, period = rng.choice((0, 0, 1, 2)), rng.choice((1, 1, 1, 2, 3))
    reach, logit_max, content_max = rng.choice((0, 0, 1, 2)), rng.choice((1, 1, 2)), 0
    if not reach and rng.random() < 0.3 and layers == period == 1 and len(question.alphabet) < 3:
        content_max, precision = 1, min(precision, 2 - len(question.alphabet))  # 2^(features²) matrices M
    elif not reach and rng.random() < 0.7:
        logit_max = 0
    end = rng.uniform(7.0, 14.0)
    space = None
    for step in range(60):
        wider = Space(
            layers, heads, units, precision, round(5.0 + 0.15 * step, 2), period=period, reach=reach,
            logit_max=logit_max, content_max=content_max, least_U=question.answer is not Answer.ACCEPT,
        )  # fmt: skip
        number = sum(1 for _ in islice(hypotheses(wider, question.alphabet, aggregate, 0), most + 1))
        if space is not None and (number > most or wider.max_r > end):
            break
        if number:
            space = wider
    assert space is not None
    return space


def draw_mode(rng: random.Random) -> Mode:
    """Shortcuts of the search, some left out; none of them may change a report."""
    names = [field.name for field in fields(Mode) if field.name.startswith("use_")]
    left_out = rng.sample(names, rng.choice((0, 0, 1, 3)))
    return Mode(certified_above=rng.choice((0.0, 9.0, math.inf)), **dict.fromkeys(left_out, False))


@pytest.mark.parametrize("seed", [5, 11])
def test_a_few_cases(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@given(st.integers(0, 10**9))
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_more_cases(seed: int) -> None:
    check(seed)


def test_a_planted_fault_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("idinf.report.value.Regularizer.window", lambda rule, n: 0.0)
    with pytest.raises(AssertionError):
        check(5)
