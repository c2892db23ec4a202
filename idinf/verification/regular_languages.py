"""Regular languages as they are written, without an automaton being built: the judge of those that are.

A regex is read by its partial derivatives: after some symbols, the set of expressions one of which the rest
of the word must match. An automaton is walked through in the rows of its own table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from idinf.errors import SpecError
from idinf.spec.experiment import FiniteAutomaton
from idinf.targets.regex import to_library_notation
from idinf.words import Alphabet

__all__ = ["Automaton", "Language", "Regex"]

#: Groups inside groups, at most: what follows calls itself once for each.
MAX_DEPTH = 100

#: The first of Unicode's private characters: the symbol of code c is written as the c-th of them.
_FIRST = 0xF0000


class Language(Protocol):
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


@dataclass(frozen=True, slots=True)
class _Group:
    """One of the branches, once, or not at all if ``least`` is 0, or several times if ``again``."""

    branches: tuple[_Sequence, ...]
    least: int = 1
    again: bool = False


#: Codes of symbols and groups, one after the other.
_Sequence = tuple[int | _Group, ...]


@dataclass(frozen=True)
class Regex:
    """The language of a regular expression in the notation of specs.

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
    _steps: dict[tuple[Any, int], frozenset[_Sequence]] = field(default_factory=dict, compare=False)

    @cached_property
    def start(self) -> frozenset[_Sequence]:
        """The expression itself."""
        letters = {symbol: chr(_FIRST + code) for code, symbol in enumerate(self.alphabet.symbols)}
        return frozenset({_parsed(to_library_notation(self.text, letters), len(letters))})

    def step(self, state: Any, code: int) -> frozenset[_Sequence]:
        """What the rest must match one of; empty if nothing can."""
        if (state, code) not in self._steps:
            self._steps[state, code] = frozenset(rest for one in state for rest in _after(one, code))
        return self._steps[state, code]

    def accepts(self, state: Any) -> bool:
        """Whether the empty rest matches."""
        return any(map(_matches_nothing, state))

    def begins(self, state: Any) -> bool:
        """Whether some rest matches: every expression has a word."""
        return bool(state)


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
        alive = set(self.table.accept)
        for _ in self.table.states:
            alive |= {state for state, _, following in self.table.transitions if following in alive}
        return alive


def _parsed(text: str, size: int) -> _Sequence:
    """Read a checked regex in which every symbol is one character."""
    groups: list[list[list[int | _Group]]] = [
        [[]]
    ]  # branches of the groups that are open, the last innermost
    for character in text:
        factors = groups[-1][-1]
        match character:
            case "(":
                groups.append([[]])
            case "|":
                groups[-1].append([])
            case ")":
                whole = _Group(tuple(map(tuple, groups.pop())))
                groups[-1][-1].append(whole)
            case ".":
                factors.append(_Group(tuple((code,) for code in range(size))))
            case "*" | "+" | "?":
                last = factors.pop()
                one = last if isinstance(last, _Group) else _Group(((last,),))
                # (x?)+ and (x+)? are x*: what one of them allows is allowed.
                least, again = one.least * (character == "+"), one.again or character != "?"
                factors.append(_Group(one.branches, least, again))
            case _:
                factors.append(ord(character) - _FIRST)
        if len(groups) > MAX_DEPTH:
            raise SpecError(
                f"the regex has groups inside groups, more than {MAX_DEPTH}; expected fewer; write it flatter"
            )
    return (_Group(tuple(map(tuple, groups[0]))),)


def _matches_nothing(sequence: _Sequence) -> bool:
    """Whether the empty word matches."""
    return all(not isinstance(factor, int) and _can_be_empty(factor) for factor in sequence)


def _can_be_empty(group: _Group) -> bool:
    return not group.least or any(map(_matches_nothing, group.branches))


def _after(sequence: _Sequence, code: int) -> Iterator[_Sequence]:
    """What may follow a symbol: each expression whose words, after this symbol, match the sequence."""
    for place, factor in enumerate(sequence):
        rest = sequence[place + 1 :]
        if isinstance(factor, int):
            if factor == code:
                yield rest
            return
        more = (replace(factor, least=0), *rest) if factor.again else rest
        for branch in factor.branches:
            yield from ((*begun, *more) for begun in _after(branch, code))
        if not _can_be_empty(factor):
            return
