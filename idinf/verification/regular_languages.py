"""Regular languages as they are written, without an automaton being minimised: the judge of those that are.

A regex is read by Thompson's construction, as nodes with ways between them. An automaton is walked through in
the rows of its own table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from idinf.experiments.spec import FiniteAutomaton
from idinf.targets.regex import to_library_notation
from idinf.words import Alphabet

#: The first of Unicode's private characters: the symbol of code c is written as the c-th of them.
_FIRST = 0xF0000


class Regex:
    """The language of a regular expression in the notation of specs; a state is of this object alone.

    A state holds the nodes that what was read leads to, those that read a symbol and the last one.

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

    def __init__(self, text: str, alphabet: Alphabet) -> None:
        letters = {symbol: chr(_FIRST + code) for code, symbol in enumerate(alphabet.symbols)}
        self._free: list[list[int]] = []  # by node, where one may go on without a symbol
        self._reads: dict[int, tuple[Collection[int], int]] = {}  # by node, with which symbols it goes where
        self._steps: dict[tuple[Any, int], frozenset[int]] = {}
        first, self._last = self._parsed(to_library_notation(text, letters), range(len(letters)))
        self.start = self._spread([first])

    def step(self, state: Any, code: int) -> frozenset[int]:
        """Where one more symbol leads; empty if nothing matches."""
        if (state, code) not in self._steps:
            ways = (self._reads[node] for node in state if node in self._reads)
            self._steps[state, code] = self._spread(after for symbols, after in ways if code in symbols)
        return self._steps[state, code]

    def accepts(self, state: Any) -> bool:
        """Whether the empty rest matches."""
        return self._last in state

    def begins(self, state: Any) -> bool:
        """Whether some rest matches: every node leads to the last one."""
        return bool(state)

    def _spread(self, nodes: Iterable[int]) -> frozenset[int]:
        """What some nodes lead to without a symbol."""
        met: set[int] = set()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node not in met:
                met.add(node)
                waiting.extend(self._free[node])
        return frozenset(node for node in met if node in self._reads or node == self._last)

    def _parsed(self, text: str, codes: range) -> tuple[int, int]:
        """The first and the last node of a checked regex in which every symbol is one character.

        Every factor has two nodes of its own, so that ways between them concern nothing else.
        """
        factor = self._factor()
        groups = [factor]  # those that are open, the last innermost
        at = factor[0]  # where the branch has come to
        for character in text:
            match character:
                case "|":
                    self._free[at].append(groups[-1][1])
                    at = groups[-1][0]
                    continue
                case "(":
                    groups.append(self._factor(at))
                    at = groups[-1][0]
                    continue
                case ")":
                    factor = groups.pop()
                    self._free[at].append(factor[1])
                case "*" | "+" | "?":
                    if character != "?":
                        self._free[factor[1]].append(factor[0])
                    if character != "+":
                        self._free[factor[0]].append(factor[1])
                case _:
                    factor = self._factor(at)
                    symbols = codes if character == "." else (ord(character) - _FIRST,)
                    self._reads[factor[0]] = (symbols, factor[1])
            at = factor[1]
        self._free[at].append(groups[0][1])
        return groups[0]

    def _factor(self, *before: int) -> tuple[int, int]:
        """A first and a last node, to which a node before leads."""
        first = len(self._free)
        self._free += [[], []]
        for node in before:
            self._free[node].append(first)
        return first, first + 1


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


WrittenLanguage = Regex | Automaton
