"""Regular languages as they are written, without an automaton being built: the judge of those that are.

A regex is read by its partial derivatives: after some symbols, the set of expressions one of which the rest
of the word must match. An automaton is walked through in the rows of its own table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from idinf.experiments.spec import FiniteAutomaton
from idinf.targets.regex import to_library_notation
from idinf.words import Alphabet

#: The first of Unicode's private characters: the symbol of code c is written as the c-th of them.
_FIRST = 0xF0000


class WrittenLanguage(Protocol):
    """What has been read, as a state, and what it says."""

    @property
    def start(self) -> Any:
        """The state before any symbol."""
        ...

    def step(self, state: Any, code: int) -> Any:
        """The state after one more symbol."""
        ...

    def accepts(self, state: Any) -> bool:
        """Whether what was read is a word of the language."""
        ...

    def begins(self, state: Any) -> bool:
        """Whether what was read begins a word of the language."""
        ...


#: Symbols by their codes and groups by ~number, one after the other.
_Sequence = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """One of the branches, once, or not at all if ``least`` is 0, or several times if ``again``."""

    branches: tuple[_Sequence, ...]
    least: int = 1
    again: bool = False


@dataclass(frozen=True)
class Regex:
    """The language of a regular expression in the notation of specs; a state is of this object alone.

    Raises
    ------
    SpecError
        If the text is no regex over the alphabet, with line and column, or is nested too deeply.

    Examples
    --------
    >>> even = Regex("(aa)*", Alphabet(("a", "b")))
    >>> odd = even.step(even.start, 0)
    >>> even.accepts(even.start), even.accepts(odd), even.begins(odd), even.begins(even.step(odd, 1))
    (True, False, True, False)
    """

    text: str
    alphabet: Alphabet
    _steps: dict[tuple[Any, int], frozenset[int]] = field(default_factory=dict, compare=False)

    @cached_property
    def start(self) -> frozenset[int]:
        """The expression itself."""
        letters = {symbol: chr(_FIRST + code) for code, symbol in enumerate(self.alphabet.symbols)}
        whole = self._rests.parsed(to_library_notation(self.text, letters), len(letters))
        return frozenset({self._rests.rest(whole, 0)})

    def step(self, state: Any, code: int) -> frozenset[int]:
        """What the rest must match one of; empty if nothing can."""
        if (state, code) not in self._steps:
            parts = (self._rests.after(number, code) for number in state)
            self._steps[state, code] = frozenset[int]().union(*parts)
        return self._steps[state, code]

    def accepts(self, state: Any) -> bool:
        """Whether the empty rest matches."""
        return any(map(self._rests.matches_nothing, state))

    def begins(self, state: Any) -> bool:
        """Whether some rest matches: every expression has a word."""
        return bool(state)

    @cached_property
    def _rests(self) -> _Rests:
        return _Rests()


@dataclass(frozen=True)
class Automaton:
    """The language of a deterministic automaton; a missing transition leads nowhere.

    Examples
    --------
    >>> ab = FiniteAutomaton(("p", "q"), "p", ("q",), (("p", "a", "q"),))
    >>> one = Automaton(ab, Alphabet(("a", "b")))
    >>> one.accepts(one.step(one.start, 0)), one.begins(one.step(one.start, 1))
    (True, False)
    """

    table: FiniteAutomaton
    alphabet: Alphabet

    @property
    def start(self) -> str:
        """The start state."""
        return self.table.start

    def step(self, state: Any, code: int) -> Any:
        """The next state of the table, None if there is none."""
        return self._rows.get((state, self.alphabet.symbols[code]))

    def accepts(self, state: Any) -> bool:
        """Whether the state is an accepting one."""
        return state in self.table.accept

    def begins(self, state: Any) -> bool:
        """Whether an accepting state can be reached."""
        return state in self._alive

    @cached_property
    def _rows(self) -> dict[tuple[Any, str], str]:
        return {(state, symbol): following for state, symbol, following in self.table.transitions}

    @cached_property
    def _alive(self) -> set[str]:
        sources: dict[str, list[str]] = {}
        for state, _, following in self.table.transitions:
            sources.setdefault(following, []).append(state)
        alive, waiting = set(self.table.accept), list(self.table.accept)
        while waiting:
            new = {*sources.get(waiting.pop(), ())} - alive
            alive |= new
            waiting.extend(new)
        return alive


class _Rests:
    """Groups and sequences of a regex, each once and by number. Mutable: they are numbered as they are met.

    A sequence is a first factor and the number of the rest, 0 if there is none; a rest has a smaller number.
    So what a repetition makes of many copies stays small.
    """

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._optional: list[bool] = []
        self._group_numbers: dict[_Group, int] = {}
        self._rests: list[tuple[int, int]] = [(0, 0)]
        self._rest_numbers: dict[tuple[int, int], int] = {}
        self._can_be_empty: list[bool] = [True]
        self._after: dict[tuple[int, int], frozenset[int]] = {}

    def parsed(self, text: str, size: int) -> _Sequence:
        """Read a checked regex in which every symbol is one character."""
        # Branches of the groups that are open, the last innermost.
        open_groups: list[list[list[int]]] = [[[]]]
        for character in text:
            factors = open_groups[-1][-1]
            match character:
                case "(":
                    open_groups.append([[]])
                case "|":
                    open_groups[-1].append([])
                case ")":
                    whole = self._group(_Group(tuple(map(tuple, open_groups.pop()))))
                    open_groups[-1][-1].append(whole)
                case ".":
                    factors.append(self._group(_Group(tuple((code,) for code in range(size)))))
                case "*" | "+" | "?":
                    last = factors.pop()
                    one = self._groups[~last] if last < 0 else _Group(((last,),))
                    # (x?)+ and (x+)? are x*: what one of them allows is allowed.
                    least, again = one.least * (character == "+"), one.again or character != "?"
                    factors.append(self._group(_Group(one.branches, least, again)))
                case _:
                    factors.append(ord(character) - _FIRST)
        return (self._group(_Group(tuple(map(tuple, open_groups[0])))),)

    def rest(self, sequence: _Sequence, then: int) -> int:
        """The number of a sequence and what comes then."""
        for factor in reversed(sequence):
            if (factor, then) not in self._rest_numbers:
                self._rest_numbers[factor, then] = len(self._rests)
                self._rests.append((factor, then))
                self._can_be_empty.append(self._is_optional(factor) and self._can_be_empty[then])
            then = self._rest_numbers[factor, then]
        return then

    def matches_nothing(self, number: int) -> bool:
        """Whether a sequence matches the empty word."""
        return self._can_be_empty[number]

    def after(self, number: int, code: int) -> frozenset[int]:
        """What may follow a symbol: each sequence whose words, after this symbol, match the given one."""
        if (number, code) not in self._after:
            self._after[number, code] = frozenset(self._following(number, 0, code))
        return self._after[number, code]

    def _following(self, number: int, end: int, code: int) -> Iterator[int]:
        """What may follow a symbol that is read before the rest ``end`` begins."""
        while number != end:
            factor, then = self._rests[number]
            if factor >= 0:
                if factor == code:
                    yield then
                return
            group = self._groups[~factor]
            more = self.rest((self._group(replace(group, least=0)),), then) if group.again else then
            for branch in group.branches:
                yield from self._following(self.rest(branch, more), more, code)
            if not self._is_optional(factor):
                return
            number = then

    def _group(self, group: _Group) -> int:
        """~number of a group, whose parts have numbers."""
        if group not in self._group_numbers:
            self._group_numbers[group] = len(self._groups)
            self._groups.append(group)
            empty = any(all(map(self._is_optional, branch)) for branch in group.branches)
            self._optional.append(empty or not group.least)
        return ~self._group_numbers[group]

    def _is_optional(self, factor: int) -> bool:
        """Whether a factor matches the empty word."""
        return factor < 0 and self._optional[~factor]
