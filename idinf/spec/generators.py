"""Languages that numbers choose and no text with numbers in it can write: ``generator = NAME`` of a family.

For example, a*b*c* has one letter more for every block. A generator is a function from the parameters of a
family to what a spec writes by hand: its alphabet, and one of ``crasp``, ``regex`` and ``dfa``. So every
member is a plain spec, and a report of it has the definition itself.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from idinf.base.quoting import list_some, quote, suggest
from idinf.errors import SpecError

#: What a spec says by hand: its alphabet and its definition, by their keys.
Definition: TypeAlias = Mapping[str, object]

#: For every state, the next one for every letter; 0 is the start.
Table: TypeAlias = tuple[tuple[int, ...], ...]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

#: States of a generated automaton, and those of one that is listed among all.
MOST_STATES, MOST_LISTED = 1000, 4

#: Draws before a random automaton is given up.
MOST_DRAWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator: the parameters it takes, which values it has languages for, and the languages."""

    parameters: tuple[str, ...]
    rule: str  #: which values there are, in words
    has: Callable[..., bool]
    make: Callable[..., Definition]


def look_up(name: object) -> Generator:
    """Look up a generator.

    Raises `SpecError` if there is none of that name.

    >>> look_up("modulus").parameters
    ('m', 'r')
    >>> dict(look_up("modulus").make(m=3, r=1))
    {'alphabet': ['0', '1'], 'regex': '(0*10*10*1)*0*10*'}
    """
    if name not in GENERATORS:
        hint = suggest(str(name), GENERATORS) or "name one"
        known = list_some(GENERATORS, ", ")
        raise SpecError(f"generator = {quote(name)}; expected one of: {known}; {hint}")
    return GENERATORS[str(name)]


def _threshold(t: int, s: int) -> Definition:
    return {"alphabet": list(_LETTERS[:s]), "crasp": f'accept = # "a" >= {t}'}


def _share(k: int, s: int) -> Definition:
    others = " + ".join(f'# "{letter}"' for letter in _LETTERS[1:s])
    return {"alphabet": list(_LETTERS[:s]), "crasp": f'accept = {k} * # "a" >= {others}'}


def _blocks(m: int, t: int) -> Definition:
    letters = _LETTERS[:m]
    return {"alphabet": list(letters), "regex": "".join(letter * t + f"{letter}*" for letter in letters)}


def _modulus(m: int, r: int) -> Definition:
    return {"alphabet": ["0", "1"], "regex": f"({'0*1' * m})*{'0*1' * r}0*"}


def _chain(k: int, s: int) -> Definition:
    return {"alphabet": list(_LETTERS[:s]), "regex": f"({_LETTERS[:s] * k})*"}


def _nested(d: int, b: int) -> Definition:
    """A state is what is open, outermost first; the letters open and close in turn, ``ab``, ``cd``, ...."""
    openers, closers = _LETTERS[: 2 * b : 2], _LETTERS[1 : 2 * b : 2]
    states = [
        "".join(opened) for depth in range(d + 1) for opened in itertools.product(openers, repeat=depth)
    ]
    rows: dict[str, dict[str, str]] = {}
    for state in states:
        row = {} if len(state) == d else {opener: f"q{state}{opener}" for opener in openers}
        if state:
            row[closers[openers.index(state[-1])]] = f"q{state[:-1]}"
        rows[f"q{state}"] = row
    dfa = {"states": list(rows), "start": "q", "accept": ["q"], "transitions": rows}
    return {"alphabet": list(_LETTERS[: 2 * b]), "dfa": dfa}


def _regular(k: int, i: int) -> Definition:
    return _write_automaton(*list_minimal_automata(k)[i - 1])


def _regular_up_to_letters(k: int, i: int) -> Definition:
    return _write_automaton(*list_up_to_letters(k)[i - 1])


def _random(k: int, s: int, seed: int) -> Definition:
    return _write_automaton(*draw_minimal_automaton(k, s, seed))


def _write_automaton(table: Table, accepting: int) -> Definition:
    """Write a table as the key ``dfa``; bit q of ``accepting`` is that of state q."""
    letters = _LETTERS[: len(table[0])]
    names = [f"q{state}" for state in range(len(table))]
    rows = {
        name: {letter: names[after] for letter, after in zip(letters, row, strict=True)}
        for name, row in zip(names, table, strict=True)
    }
    accept = [name for state, name in enumerate(names) if accepting >> state & 1]
    dfa = {"states": names, "start": names[0], "accept": accept, "transitions": rows}
    return {"alphabet": list(letters), "dfa": dfa}


@cache
def list_minimal_automata(states: int, letters: int = 2) -> tuple[tuple[Table, int], ...]:
    """List all minimal complete automata with so many states, one for each language.

    States are numbered in the order in which words by length, then by letters, first lead to them. The
    automata are in the order of their tables, read row by row, and then of the binary number whose bit q says
    whether state q accepts.

    >>> [len(list_minimal_automata(states)) for states in (1, 2, 3)]
    [2, 24, 1028]
    >>> list_minimal_automata(2, 1)
    ((((1,), (0,)), 1), (((1,), (0,)), 2), (((1,), (1,)), 1), (((1,), (1,)), 2))
    """
    return tuple(
        (table, accepting)
        for table in _iter_tables(states, letters)
        for accepting in range(2**states)
        if _is_minimal(table, accepting)
    )


@cache
def list_up_to_letters(states: int) -> tuple[tuple[Table, int], ...]:
    """List those of `list_minimal_automata` that come no later than the one with both letters swapped.

    >>> [len(list_up_to_letters(states)) for states in (1, 2, 3)]
    [2, 14, 524]
    """
    return tuple(one for one in list_minimal_automata(states) if one <= swap_letters(*one))


def draw_minimal_automaton(states: int, letters: int, seed: int) -> tuple[Table, int]:
    """Draw one of the minimal complete automata with so many states, each with the same probability.

    A table and a set of accepting states are drawn uniformly until all states are reached and no two of them
    are equal. A language has (states - 1)! such tables, as many as any other, so languages are uniform, too.

    Raises `SpecError` if `MOST_DRAWS` are in vain.

    >>> draw_minimal_automaton(2, 2, 1)
    (((1, 1), (0, 0)), 1)
    """
    rng = random.Random(f"idinf {states} {letters} {seed}")
    for _ in range(MOST_DRAWS):
        drawn = tuple(tuple(rng.randrange(states) for _ in range(letters)) for _ in range(states))
        accepting = rng.randrange(2**states)
        found = _renumbered(drawn, accepting)
        if len(found[0]) == states and _is_minimal(*found):
            return found
    raise SpecError(f"seed = {seed}: no minimal automaton was drawn; expected one; take fewer states")


def _iter_tables(states: int, letters: int) -> Iterator[Table]:
    """Every table whose states are all reached and numbered as they are met."""

    def extend(cells: tuple[int, ...], met: int) -> Iterator[tuple[int, ...]]:
        if len(cells) == states * letters:
            if met == states:
                yield cells
        elif len(cells) < met * letters:  # the row of a state that was met
            for after in range(min(met + 1, states)):
                yield from extend((*cells, after), max(met, after + 1))

    for cells in extend((), 1):
        yield tuple(cells[place : place + letters] for place in range(0, len(cells), letters))


def _is_minimal(table: Table, accepting: int) -> bool:
    """Whether some word tells apart every two states, by refining classes of states."""
    classes = [accepting >> state & 1 for state in range(len(table))]
    number = len(set(classes))
    while number < len(table):
        finer = [(classes[state], *(classes[after] for after in row)) for state, row in enumerate(table)]
        names = {key: name for name, key in enumerate(dict.fromkeys(finer))}
        if len(names) == number:
            return False
        number, classes = len(names), [names[key] for key in finer]
    return True


def swap_letters(table: Table, accepting: int) -> tuple[Table, int]:
    """Swap both letters of an automaton, and number its states anew.

    >>> swap_letters(((0, 1), (1, 1)), 1)
    (((1, 0), (1, 1)), 1)
    """
    return _renumbered(tuple(row[::-1] for row in table), accepting)


def _renumbered(table: Table, accepting: int) -> tuple[Table, int]:
    """The states that are reached, numbered as they are met."""
    numbers = {0: 0}
    order = [0]
    for state in order:  # which grows
        for after in table[state]:
            if numbers.setdefault(after, len(numbers)) == len(order):
                order.append(after)
    rows = tuple(tuple(numbers[after] for after in table[state]) for state in order)
    return rows, sum((accepting >> state & 1) << number for state, number in numbers.items())


def _is_alphabet(s: int) -> bool:
    return 1 <= s <= len(_LETTERS)


def _has_nested(d: int, b: int) -> bool:
    return 1 <= b <= len(_LETTERS) // 2 and sum(b**depth for depth in range(d + 1)) <= MOST_STATES


def _has_number(listed: Callable[[int], tuple[object, ...]]) -> Callable[[int, int], bool]:
    return lambda k, i: 1 <= k <= MOST_LISTED and 1 <= i <= len(listed(k))


#: By their names in specs.
GENERATORS: Mapping[str, Generator] = {
    "threshold": Generator(
        ("t", "s"), f"s from 1 to {len(_LETTERS)}", lambda t, s: _is_alphabet(s), _threshold
    ),
    "share": Generator(
        ("k", "s"), f"s from 2 to {len(_LETTERS)}", lambda k, s: s > 1 and _is_alphabet(s), _share
    ),
    "blocks": Generator(
        ("m", "t"),
        f"m from 1 to {len(_LETTERS)}, t at most 9",
        lambda m, t: _is_alphabet(m) and t <= 9,
        _blocks,
    ),
    "nested": Generator(
        ("d", "b"), f"b from 1 to {len(_LETTERS) // 2}, at most {MOST_STATES} states", _has_nested, _nested
    ),
    "modulus": Generator(("m", "r"), "r below m, m at most 99", lambda m, r: r < m < 100, _modulus),
    "chain": Generator(
        ("k", "s"),
        f"k from 1 to 99, s from 1 to {len(_LETTERS)}",
        lambda k, s: 1 <= k < 100 and _is_alphabet(s),
        _chain,
    ),
    "regular": Generator(
        ("k", "i"),
        f"k from 1 to {MOST_LISTED}, i up to the number of languages with k states",
        _has_number(list_minimal_automata),
        _regular,
    ),
    "regular-up-to-letters": Generator(
        ("k", "i"),
        f"k from 1 to {MOST_LISTED}, i up to the number of languages with k states",
        _has_number(list_up_to_letters),
        _regular_up_to_letters,
    ),
    "random": Generator(
        ("k", "s", "seed"),
        "k from 1 to 12, s from 2 to 4",
        lambda k, s, seed: 1 <= k <= 12 and 2 <= s <= 4,
        _random,
    ),
}
