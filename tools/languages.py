"""Small languages that nobody tuned for, drawn at random: the same seed gives the same languages.

For example, draw 17 of seed 1 is one regular expression, one automaton or one counting program, whatever was
drawn before it. Every draw that is neither trivial nor known already is put into its class by
`idinf.classify`, until each class has the number asked for.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from idinf.base.words import Alphabet, Word, words_up_to
from idinf.crasp.checker import read_program
from idinf.languages.classification.classes import classify
from idinf.languages.classification.finite import find_finite_machine
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Kind, Spec
from idinf.targets.build import build_target
from idinf.targets.machine import explore
from idinf.targets.regular import RegularTarget
from tests.crasp import plain_interpreter

__all__ = ["CLASSES", "Language", "draw_language", "draw_languages", "iter_distinct"]

#: The classes in the order of the table, and what is proved of their members.
CLASSES = {
    "crasp": "regular, in C-RASP[]",
    "more": "regular, not in C-RASP[], in C-RASP[periodic, local]",
    "outside": "regular, not in C-RASP[periodic, local]",
    "undecided": "regular, none of this is proved",
    "counting": "a counting program, so in C-RASP[]",
}

#: Most letters and operators of a regular expression; parentheses do not count.
MOST_SYMBOLS = 10

#: Draws that are classified for one table, at most.
MOST_DRAWS = 3000

#: Programs that say the same on all words up to this length count as one language.
SAME_UP_TO = 5


@dataclass(frozen=True)
class Language:
    """One language, with the seed and the number of the draw that make it again."""

    seed: int
    draw: int
    kind: Kind
    letters: str
    text: str  #: a regular expression, the table ``dfa`` of a spec, or a program

    @property
    def toml(self) -> str:
        """The text of its spec, without a space."""
        definition = (
            f"[dfa]\n{self.text}" if self.kind is Kind.DFA else f"{self.kind} = {json.dumps(self.text)}"
        )
        return f'name = "reach-{self.seed}-{self.draw}"\nalphabet = "{self.letters}"\n{definition}\n'

    @cached_property
    def spec(self) -> Spec:
        """Its spec."""
        return parse_spec(self.toml)

    @cached_property
    def machine(self) -> RegularTarget | None:
        """Its minimal automaton; None for a program that is not seen to be regular."""
        return find_finite_machine(build_target(self.spec))

    @cached_property
    def class_name(self) -> str:
        """The key of its class in `CLASSES`."""
        if self.kind is Kind.CRASP:
            return "counting"
        assert self.machine is not None
        found = classify(self.machine)
        if found.crasp.is_yes:
            return "crasp"
        if found.crasp_periodic_local.is_no:
            return "outside"
        return "more" if found.crasp.is_no and found.crasp_periodic_local.is_yes else "undecided"

    @property
    def membership(self) -> Callable[[Word], bool]:
        """Whether a word is in it, from its text alone: neither the automaton nor the search is asked."""
        if self.kind is Kind.REGEX:
            pattern = re.compile(self.text)
            return lambda word: pattern.fullmatch("".join(self.letters[code] for code in word)) is not None
        if self.kind is Kind.CRASP:
            alphabet = Alphabet(tuple(self.letters))
            program = read_program(self.text, alphabet)
            return lambda word: plain_interpreter.accepts(program, alphabet, word)
        automaton = self.spec.definition
        assert not isinstance(automaton, str)
        follow = {(state, symbol): after for state, symbol, after in automaton.transitions}

        def accepts(word: Word) -> bool:
            state = automaton.start
            for code in word:
                state = follow[state, self.letters[code]]
            return state in automaton.accept

        return accepts


def draw_languages(
    seed: int, number: int, outside: int | None = None, most_draws: int = MOST_DRAWS
) -> list[Language]:
    """Draw until every class has its number, or ``most_draws`` times; a class may then have fewer.

    Regular languages of a class are half expressions and half automata, as far as there are any. What differs
    by the names of letters only counts once, and finite and cofinite languages do not count. Undecided ones
    are so rare that they are not waited for.

    Examples
    --------
    >>> [language.class_name for language in draw_languages(1, 1, most_draws=40)]
    ['crasp', 'more', 'outside', 'counting']
    """
    wanted = {name: number if outside is None or name != "outside" else outside for name in CLASSES}
    room = {
        (name, kind): most if kind is Kind.CRASP else (most + (kind is Kind.REGEX)) // 2
        for name, most in wanted.items()
        for kind in Kind
        if (name == "counting") is (kind is Kind.CRASP)
    }
    chosen: list[Language] = []
    spare: list[Language] = []
    for language in iter_distinct(seed, most_draws):
        place = language.class_name, language.kind
        (chosen if room[place] else spare).append(language)
        room[place] -= room[place] > 0
        if not any(left for (name, _), left in room.items() if name != "undecided"):
            break
    for language in spare:  # of the one kind, where there were too few of the other
        if sum(other.class_name == language.class_name for other in chosen) < wanted[language.class_name]:
            chosen.append(language)
    order = list(CLASSES)
    return sorted(chosen, key=lambda language: (order.index(language.class_name), language.draw))


def draw_language(seed: int, draw: int, letters: str = "") -> Language:
    """Make one draw, of two or three letters or those given: expressions, automata and programs take turns.

    Examples
    --------
    >>> draw_language(1, 0).text
    'a((bb)?b)+'
    """
    rng = random.Random(f"{seed}-{draw}")
    drawn = "abc"[: rng.choice((2, 3))]
    letters = letters or drawn
    kind, draw_text = (
        (Kind.REGEX, _draw_regex),
        (Kind.DFA, _draw_automaton),
        (Kind.CRASP, _draw_program),
    )[draw % 3]
    return Language(seed, draw, kind, letters, draw_text(rng, letters))


def iter_distinct(seed: int, most_draws: int) -> Iterator[Language]:
    """Every draw that is not trivial and is a language that was not drawn before."""
    known: set[Hashable] = set()
    for draw in range(most_draws):
        language = draw_language(seed, draw)
        machine = language.machine
        if machine is not None and is_trivial(machine):
            continue
        automaton = language.spec.definition
        if (
            machine is not None
            and not isinstance(automaton, str)
            and len(machine.table) < len(automaton.states)
        ):
            continue  # a smaller automaton says the same
        key = _key(language)
        if key not in known:
            known.add(key)
            yield language


def is_trivial(machine: RegularTarget) -> bool:
    """Whether a language is finite or cofinite: no cycle but the one of a state that is never left.

    Examples
    --------
    >>> sigma = Alphabet(("a", "b"))
    >>> [is_trivial(RegularTarget.from_regex(text, sigma)) for text in ("ab?", ".+", "a*", "a.*")]
    [True, True, False, False]
    """
    size = len(machine.table)
    reached = np.zeros((size, size), dtype=np.bool_)  # [q, r]: r follows q; in the end, after some symbols
    np.put_along_axis(reached, machine.table, True, axis=1)
    for _ in machine.table:
        reached |= reached @ reached
    on_cycle = np.flatnonzero(reached.diagonal())
    return len(on_cycle) == 1 and bool((machine.table[on_cycle[0]] == on_cycle[0]).all())


def _key(language: Language) -> Hashable:
    """Equal for languages that are equal once their letters are renamed."""
    codes = range(len(language.letters))
    if (machine := language.machine) is not None:
        return min(_renamed(machine, order) for order in permutations(codes))
    member, words = language.membership, list(words_up_to(len(codes), SAME_UP_TO))
    said = {word: member(word) for word in words}
    return min(
        tuple(said[tuple(order[code] for code in word)] for word in words) for order in permutations(codes)
    )


def _renamed(machine: RegularTarget, order: tuple[int, ...]) -> tuple[object, ...]:
    """The automaton that reads letter ``order[k]`` as letter k, its states numbered breadth-first."""
    rows = machine.table[:, order].tolist()
    states, table, _ = explore(0, lambda met: (rows[state] for state in met))
    return len(order), tuple(map(tuple, table)), tuple(machine.accepting[states].tolist())


def _draw_regex(rng: random.Random, letters: str) -> str:
    return _expression(rng, letters, rng.randint(2, MOST_SYMBOLS))[0]


def _expression(rng: random.Random, letters: str, size: int, repeated: bool = False) -> tuple[str, str]:
    """An expression of so many letters and operators, and what it is; no repetition of a repetition."""
    if size == 1:
        return rng.choice(letters), "letter"
    kinds = ["repetition"] * (not repeated) + ["chain"] + ["union"] * (size > 2)
    kind = rng.choice(kinds)
    if kind == "repetition":
        inner, what = _expression(rng, letters, size - 1, repeated=True)
        return (inner if what == "letter" else f"({inner})") + rng.choice("**+?"), kind
    size -= kind == "union"
    first = rng.randint(1, size - 1)
    parts = [_expression(rng, letters, part) for part in (first, size - first)]
    if kind == "union":
        return "|".join(text for text, _ in parts), kind
    return "".join(f"({text})" if what == "union" else text for text, what in parts), kind


def _draw_automaton(rng: random.Random, letters: str) -> str:
    states = [f"q{k}" for k in range(rng.randint(2, 5))]
    accept = [state for state in states if rng.random() < 0.5]
    lines = [
        f"states = {json.dumps(states)}",
        'start = "q0"',
        f"accept = {json.dumps(accept)}",
        "[dfa.transitions]",
    ]
    for state in states:
        row = ", ".join(f'{letter} = "{rng.choice(states)}"' for letter in letters)
        lines.append(f"{state} = {{ {row} }}")
    return "\n".join(lines)


def _draw_program(rng: random.Random, letters: str) -> str:
    """One or two comparisons of sums of counts, or one and the current letter."""
    one = _comparison(rng, letters)
    shape = rng.randrange(3)
    if shape == 0:
        return f"accept = {one}"
    other = rng.choice(("", "!")) + f'"{rng.choice(letters)}"' if shape == 1 else _comparison(rng, letters)
    return f"accept = {one} {rng.choice(('&&', '||'))} {other}"


def _comparison(rng: random.Random, letters: str) -> str:
    """Positive terms of a sum on the left, negative ones on the right; every number is at most 3."""
    while True:
        numbers = {f'# "{letter}"': rng.randint(-3, 3) for letter in letters}
        if any(numbers.values()):
            break
    numbers[""] = rng.choice((0, 0, rng.randint(-3, 3)))
    sides = []
    for sign in (1, -1):
        terms = [(sign * number, count) for count, number in numbers.items() if sign * number > 0]
        written = [
            count if count and number == 1 else f"{number} * {count}".removesuffix(" * ")
            for number, count in terms
        ]
        sides.append(" + ".join(written) or "0")
    return f" {rng.choice(('<', '<=', '==', '!=', '>=', '>'))} ".join(sides)
