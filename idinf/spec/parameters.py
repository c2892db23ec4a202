"""Integer parameters of a family: their ranges, which values are members, the size T of a member, generators.

The table ``[parameters]`` of a spec holds one range ``[low, high]`` per parameter and, under reserved names,
rules that restrict and order the members. A member is the text of the spec with numbers in it; or its
``generator = NAME`` makes it where no text can: a*b*c* has one letter more for every block. A generator gives
an alphabet and one of ``crasp``, ``regex`` and ``dfa``, as a spec by hand does. So every member is a plain
spec, and a report of it has the definition itself.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, TypeVar

from idinf.base.quoting import MOST_QUOTED, list_some, quote, suggest
from idinf.errors import SpecError

#: One value per parameter, in the order of the file.
Values = tuple[tuple[str, int], ...]

#: The largest integer of a spec, far above what any run counts to; larger ones cannot be written or counted.
LARGEST = 10**9

#: Names in ``[parameters]`` that are settings, so no parameter can be called so.
RESERVED = ("gcd", "size", "up_to", "max_n_cap")

#: Combinations that are looked at; each member is a whole run of the procedure, so a family has far fewer.
MAX_COMBINATIONS = 100_000

#: How many times its ``max_n`` a family may raise it where the file names no ``max_n_cap``.
CAP_FACTOR = 8

#: How the size T of a member is read off all its parameters; else it is the one of that name.
MAX, SUM = "max", "sum"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")

#: Alphabet and definition of a spec, as written by hand, by their keys.
Definition: TypeAlias = Mapping[str, object]

Maker = TypeVar("Maker", bound=Callable[..., Definition])

#: For every state, the next one for every letter; 0 is the start.
Table: TypeAlias = tuple[tuple[int, ...], ...]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"

#: States of a generated automaton, and those of one that is listed among all.
MOST_STATES, MOST_LISTED = 1000, 4

#: Draws before a random automaton is given up.
MOST_DRAWS = 1_000_000

_LISTED = f"k from 1 to {MOST_LISTED}, i up to the number of languages with k states"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The checked table ``[parameters]`` of a family.

    >>> coprime = Parameters((("k", 1, 3), ("j", 1, 3)), gcd=1, up_to=2)
    >>> list(coprime.members())
    [(('k', 1), ('j', 1)), (('k', 1), ('j', 2)), (('k', 2), ('j', 1))]
    """

    #: Name, least and greatest value of every parameter; 0 ≤ least ≤ greatest.
    ranges: tuple[tuple[str, int, int], ...]
    gcd: int | None = None  #: the greatest common divisor that the parameters of a member have; None: any
    size: str = MAX  #: T of a member: the largest of its parameters, their ``sum``, or the one of that name
    up_to: int | None = None  #: members of larger T are left out unless a run names them; None: all are in
    #: How far a run may raise ``max_n`` for a member; None: `CAP_FACTOR` times the ``max_n`` of the spec.
    max_n_cap: int | None = None
    generator: str | None = None  #: function that makes members of the values; some values may have none

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, in the order of the file."""
        return tuple(name for name, _, _ in self.ranges)

    def size_of(self, values: Values) -> int:
        """T of a member.

        >>> Parameters((("k", 1, 3), ("j", 1, 3)), size="sum").size_of((("k", 3), ("j", 2)))
        5
        """
        if self.size in self.names:
            return dict(values)[self.size]
        numbers = [value for _, value in values]
        return max(numbers) if self.size == MAX else sum(numbers)

    def members(self, chosen: Mapping[str, Sequence[int]] | None = None) -> Iterator[Values]:
        """Yield the values of every member up to the size `up_to`, by size and then by the values.

        Where values of some parameters are ``chosen``, all others have their whole range. Raises `SpecError`
        if there are more than ``MAX_COMBINATIONS`` combinations to look at.

        >>> coprime = Parameters((("k", 1, 3), ("j", 1, 3)), gcd=1, up_to=2)
        >>> [dict(values) for values in coprime.members(chosen={"k": [3]})]
        [{'k': 3, 'j': 1}, {'k': 3, 'j': 2}]
        """
        # Of one size in the order of the values, as they come.
        yield from sorted(self._iter_members(chosen or {}), key=self.size_of)

    def _iter_members(self, chosen: Mapping[str, Sequence[int]]) -> Iterator[Values]:
        """Yield the members in the order of their values."""
        bound = None if chosen else self.up_to
        choices = [
            chosen.get(
                name, range(low, high + 1 if bound is None else min(high, self._most(name, bound)) + 1)
            )
            for name, low, high in self.ranges
        ]
        if math.prod(len(choice) for choice in choices) > MAX_COMBINATIONS:
            raise SpecError(
                f"parameters: {list_some((str(len(choice)) for choice in choices), ' x ')} combinations; "
                f"expected at most {MAX_COMBINATIONS}; narrow the ranges or set up_to"
            )
        every = (tuple(zip(self.names, numbers, strict=True)) for numbers in itertools.product(*choices))
        for values in every:
            if self._is_member(values) and (bound is None or self.size_of(values) <= bound):
                yield values

    def _most(self, name: str, bound: int) -> int:
        """A bound of a parameter where T has one: none is negative, so none is above the maximum or sum."""
        return LARGEST if self.size in self.names and self.size != name else bound

    def check(self, given: Values) -> Values:
        """Take values that a user gave; returns them in the order of the file.

        Raises `SpecError` if a name is foreign, missing or given twice, or the values are not those of a
        member.
        """
        known = list_some(self.names, ", ")
        values: dict[str, int] = {}
        for name, value in given:
            told = f"parameter {quote(name)} is"
            if name not in self.names:
                raise SpecError(f"{told} not in [parameters]; expected values for {known}")
            if name in values:
                raise SpecError(f"{told} given twice; expected one value each for {known}")
            values[name] = value
        for name, low, _ in self.ranges:
            if name not in values:
                raise SpecError(
                    f"parameter {quote(name)} has no value; expected values for {known}; add {name}={low}"
                )
            self.check_range(name, [values[name]])
        ordered = tuple((name, values[name]) for name in self.names)
        if not self._is_member(ordered):
            shown = list_some((f"{name} = {value}" for name, value in ordered), ", ")
            if not self._gcd_fits(ordered):
                raise SpecError(f"{shown}: the greatest common divisor is not {self.gcd}; expected a member")
            rule = look_up(self.generator).rule
            raise SpecError(f"{shown}: no member; the generator {self.generator} has {rule}; change a value")
        return ordered

    def check_range(self, name: str, values: Sequence[int]) -> None:
        """Refuse values outside the range of a parameter; errors as of `check`."""
        low, high = next((low, high) for known, low, high in self.ranges if known == name)
        for value in values:
            if not isinstance(value, int) or not low <= value <= high:
                raise SpecError(
                    f"{name} = {quote(value)}; expected an integer from {low} to {high}, the range "
                    "in [parameters]; widen it in a copy of the spec"
                )

    def _is_member(self, values: Values) -> bool:
        if not self._gcd_fits(values):
            return False
        return self.generator is None or look_up(self.generator).has(**dict(values))

    def _gcd_fits(self, values: Values) -> bool:
        return self.gcd is None or math.gcd(*(value for _, value in values)) == self.gcd


def read_parameters(table: Mapping[str, object], generator: str | None = None) -> Parameters:
    """Read the table ``[parameters]`` of a spec, which may name a generator.

    Raises `SpecError` if a range or a setting is wrong, there is no parameter, or they are not those of the
    generator.

    >>> read_parameters({"k": [1, 9], "size": "sum"}).ranges
    (('k', 1, 9),)
    """
    ranges = tuple(_range(name, value) for name, value in table.items() if name not in RESERVED)
    if not ranges:
        raise SpecError("parameters: no parameter; expected a range such as k = [1, 12]; leave the table out")
    names = [name for name, _, _ in ranges]
    size = table.get("size", MAX)
    if not isinstance(size, str) or size not in (MAX, SUM, *names):
        known = list_some((MAX, SUM, *names), ", ")
        raise SpecError(f"parameters.size = {quote(size)}; expected one of: {known}; name one")
    if generator is not None and sorted(wanted := look_up(generator).parameters) != sorted(names):
        raise SpecError(
            f"parameters: {list_some(names, ', ')}; expected those of the generator {generator}: "
            f"{', '.join(wanted)}; give just these"
        )
    up_to, gcd, max_n_cap = (
        check_count(f"parameters.{key}", table[key]) if key in table else None
        for key in ("up_to", "gcd", "max_n_cap")
    )
    parameters = Parameters(ranges, gcd, size, up_to, max_n_cap, generator)
    if next(parameters._iter_members({}), None) is None:
        raise SpecError("parameters: no values are left; expected at least one member; check gcd and up_to")
    return parameters


def check_count(key: str, value: object) -> int:
    """Refuse all but integers from 1 to `LARGEST`; true is none.

    Raises `SpecError`.

    >>> check_count("max_n", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
        raise SpecError(f"{key} = {quote(value)}; expected an integer of at least 1, at most {LARGEST}")
    return value


def bind(text: str, values: Values, key: str) -> str:
    """Write the values of parameters into the text at ``key`` of a spec: ``{k}`` stands for the parameter k.

    In a regex it is a repetition of the part before it and keeps its braces. Raises `SpecError` if a text in
    braces looks like a parameter and is none.

    >>> bind('{k} * # "1" >= {j}', (("k", 3), ("j", 2)), "crasp"), bind("(aa){k}", (("k", 3),), "regex")
    ('3 * # "1" >= 2', '(aa){3}')
    """
    numbers = dict(values)

    def written(match: re.Match[str]) -> str:
        """One placeholder."""
        name = match[1]
        if name not in numbers:
            raise SpecError(
                f"{key}: {{{name[:MOST_QUOTED]}}} is not a parameter; expected one of: "
                f"{list_some(numbers, ', ')}"
            )
        return f"{{{numbers[name]}}}" if key == "regex" else str(numbers[name])

    return _PLACEHOLDER.sub(written, text)


def _range(name: str, value: object) -> tuple[str, int, int]:
    if not _NAME.fullmatch(name):
        raise SpecError(f"parameters: {quote(name)} is not a name; expected letters, digits and _")
    if len(name) > MOST_QUOTED:
        raise SpecError(f"parameters: {quote(name)} is too long; expected at most {MOST_QUOTED} characters")
    match value:
        case [int(low), int(high)] if bool not in map(type, value) and 0 <= low <= high <= LARGEST:
            return name, low, high
    hint = suggest(name, RESERVED)
    raise SpecError(
        f"parameters.{name} = {quote(value)}; expected a range [low, high] of integers with "
        f"0 <= low <= high <= {LARGEST}{hint and f'; {hint}'}"
    )


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator: the parameters it takes, which values it has languages for, and the languages."""

    rule: str  #: which values there are, in words
    has: Callable[..., bool]
    make: Callable[..., Definition]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(inspect.signature(self.make).parameters)


#: By their names in specs.
GENERATORS: dict[str, Generator] = {}


def _generator(name: str, rule: str, has: Callable[..., bool]) -> Callable[[Maker], Maker]:
    """Put a function among the generators."""

    def add(make: Maker) -> Maker:
        GENERATORS[name] = Generator(rule, has, make)
        return make

    return add


def look_up(name: object) -> Generator:
    """Look up a generator; a `SpecError` if there is none of that name.

    >>> dict(look_up("modulus").make(m=3, r=1))
    {'alphabet': ['0', '1'], 'regex': '(0*10*10*1)*0*10*'}
    """
    if name not in GENERATORS:
        hint = suggest(str(name), GENERATORS) or "name one"
        known = list_some(GENERATORS, ", ")
        raise SpecError(f"generator = {quote(name)}; expected one of: {known}; {hint}")
    return GENERATORS[str(name)]


@_generator("threshold", f"s from 1 to {len(_LETTERS)}", lambda t, s: 1 <= s <= len(_LETTERS))
def _threshold(t: int, s: int) -> Definition:
    return {"alphabet": list(_LETTERS[:s]), "crasp": f'accept = # "a" >= {t}'}


@_generator("share", f"s from 2 to {len(_LETTERS)}", lambda k, s: 2 <= s <= len(_LETTERS))
def _share(k: int, s: int) -> Definition:
    others = " + ".join(f'# "{letter}"' for letter in _LETTERS[1:s])
    return {"alphabet": list(_LETTERS[:s]), "crasp": f'accept = {k} * # "a" >= {others}'}


@_generator(
    "blocks", f"m from 1 to {len(_LETTERS)}, t at most 9", lambda m, t: 1 <= m <= len(_LETTERS) and t <= 9
)
def _blocks(m: int, t: int) -> Definition:
    letters = _LETTERS[:m]
    return {"alphabet": list(letters), "regex": "".join(letter * t + f"{letter}*" for letter in letters)}


@_generator(
    "nested",
    f"b from 1 to {len(_LETTERS) // 2}, at most {MOST_STATES} states",
    lambda d, b: 1 <= b <= len(_LETTERS) // 2 and sum(b**depth for depth in range(d + 1)) <= MOST_STATES,
)
def _nested(d: int, b: int) -> Definition:
    """States are the open letters, outermost first; letters open and close in turn, ``ab``, ``cd``, ...."""
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


@_generator("modulus", "r below m, m at most 99", lambda m, r: r < m < 100)
def _modulus(m: int, r: int) -> Definition:
    return {"alphabet": ["0", "1"], "regex": f"({'0*1' * m})*{'0*1' * r}0*"}


@_generator(
    "chain",
    f"k from 1 to 99, s from 1 to {len(_LETTERS)}",
    lambda k, s: 1 <= k < 100 and 1 <= s <= len(_LETTERS),
)
def _chain(k: int, s: int) -> Definition:
    return {"alphabet": list(_LETTERS[:s]), "regex": f"({_LETTERS[:s] * k})*"}


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
    """True if every two states differ on some word, by refining classes of states."""
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


@_generator(
    "regular", _LISTED, lambda k, i: 1 <= k <= MOST_LISTED and 1 <= i <= len(list_minimal_automata(k))
)
def _regular(k: int, i: int) -> Definition:
    return _write_automaton(*list_minimal_automata(k)[i - 1])


@_generator(
    "regular-up-to-letters",
    _LISTED,
    lambda k, i: 1 <= k <= MOST_LISTED and 1 <= i <= len(list_up_to_letters(k)),
)
def _regular_up_to_letters(k: int, i: int) -> Definition:
    return _write_automaton(*list_up_to_letters(k)[i - 1])


@_generator("random", "k from 1 to 12, s from 2 to 4", lambda k, s, seed: 1 <= k <= 12 and 2 <= s <= 4)
def _random(k: int, s: int, seed: int) -> Definition:
    return _write_automaton(*draw_minimal_automaton(k, s, seed))
