"""Regular languages as they are written, without an automaton being minimised: the judge of those that are.

Regexes are read by Thompson's construction, automata by the rows of their own table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from idinf.base.words import Alphabet
from idinf.spec.spec import FiniteAutomaton
from idinf.targets.regex import to_library_notation

#: The first of Unicode's private characters: the symbol of code c is written as the c-th of them.
_FIRST = 0xF0000

_Node = TypeVar("_Node")

#: The nodes that what was read leads to, as far as they read a symbol or are last ones.
State = frozenset[int]


@dataclass(frozen=True, eq=False)
class WrittenLanguage:
    """Nodes with ways from one to another, free or by one of some symbols; each leads to a last one."""

    first: int
    last: State
    free: Mapping[int, Sequence[int]]
    reads: Mapping[int, Sequence[tuple[Collection[int], int]]]
    _steps: dict[tuple[State, int], State] = field(default_factory=dict)

    @cached_property
    def start(self) -> State:
        """The state before any symbol."""
        return self._spread([self.first])

    def step(self, state: State, code: int) -> State:
        """The state after one more symbol."""
        if (state, code) not in self._steps:
            ways = (way for node in state for way in self.reads.get(node, ()))
            self._steps[state, code] = self._spread(after for symbols, after in ways if code in symbols)
        return self._steps[state, code]

    def accepts(self, state: State) -> bool:
        """Whether what was read is a word of the language."""
        return not state.isdisjoint(self.last)

    def begins(self, state: State) -> bool:
        """Whether what was read begins a word of the language."""
        return bool(state)

    def _spread(self, nodes: Iterable[int]) -> State:
        met = _reached(nodes, self.free)
        return frozenset(node for node in met if node in self.reads or node in self.last)


def read_regex(text: str, alphabet: Alphabet) -> WrittenLanguage:
    """The language of a regular expression in the notation of specs.

    Raises `SpecError` if the text is no regex over the alphabet, with line and column, or is nested too
    deeply.

    >>> even = read_regex("(aa)*", Alphabet(("a", "b")))
    >>> odd = even.step(even.start, 0)
    >>> even.accepts(even.start), even.accepts(odd), even.begins(odd), even.begins(even.step(odd, 1))
    (True, False, True, False)
    """
    letters = {symbol: chr(_FIRST + code) for code, symbol in enumerate(alphabet.symbols)}
    free: dict[int, list[int]] = {}
    reads: dict[int, list[tuple[Collection[int], int]]] = {}

    def factor(*before: int) -> tuple[int, int]:
        """Nodes of its own for each factor, so that ways between them concern nothing else."""
        begin, end = len(free), len(free) + 1
        free[begin], free[end] = [], []
        for node in before:
            free[node].append(begin)
        return begin, end

    begin, end = factor()
    groups = [(begin, end)]  # those that are open, the last innermost
    at = begin  # where the branch has come to
    for character in to_library_notation(text, letters):
        match character:
            case "|":
                free[at].append(groups[-1][1])
                at = groups[-1][0]
            case "(":
                groups.append(factor(at))
                at = groups[-1][0]
            case ")":
                begin, end = groups.pop()
                free[at].append(end)
                at = end
            case "*" | "+" | "?":  # of the factor that ended last
                if character != "?":
                    free[end].append(begin)
                if character != "+":
                    free[begin].append(end)
            case _:
                begin, end = factor(at)
                symbols = range(len(letters)) if character == "." else (ord(character) - _FIRST,)
                reads[begin] = [(symbols, end)]
                at = end
    begin, end = groups[0]
    free[at].append(end)
    return WrittenLanguage(begin, frozenset({end}), free, reads)


def read_automaton(automaton: FiniteAutomaton, alphabet: Alphabet) -> WrittenLanguage:
    """The language of a deterministic automaton; a missing transition leads nowhere.

    >>> ab = FiniteAutomaton(("p", "q"), "p", ("q",), (("p", "a", "q"),))
    >>> one = read_automaton(ab, Alphabet(("a", "b")))
    >>> one.accepts(one.step(one.start, 0)), one.begins(one.step(one.start, 1))
    (True, False)
    """
    into: dict[str, list[str]] = {}
    for state, _, following in automaton.transitions:
        into.setdefault(following, []).append(state)
    alive = _reached(automaton.accept, into)
    nodes = {state: node for node, state in enumerate(automaton.states)}
    codes = {symbol: code for code, symbol in enumerate(alphabet.symbols)}
    reads: dict[int, list[tuple[Collection[int], int]]] = {}
    for state, symbol, following in automaton.transitions:
        if following in alive:
            reads.setdefault(nodes[state], []).append(((codes[symbol],), nodes[following]))
    last = frozenset(nodes[state] for state in automaton.accept)
    return WrittenLanguage(nodes[automaton.start], last, {}, reads)


def _reached(nodes: Iterable[_Node], ways: Mapping[_Node, Sequence[_Node]]) -> set[_Node]:
    """Some nodes and all that ways lead to from them."""
    met: set[_Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in met:
            met.add(node)
            waiting.extend(ways.get(node, ()))
    return met
