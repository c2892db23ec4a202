"""Regular targets: a minimal complete DFA from a regex or from a spec's automaton, and long words of it.

Short words say nothing about some: up to length 11 the language D_12 is Dyck-1. What tells them apart are
words such as a^13 b^13: the way to the deepest state, something short put in there, and the way back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
import numpy.typing as npt

from idinf.base.quoting import list_some, quote
from idinf.base.words import Alphabet, Word
from idinf.errors import SpecError
from idinf.spec.spec import FiniteAutomaton
from idinf.targets.machine import NEVER, BoolArray, IntArray, Target, explore

#: States times symbols of an automaton, each of which has a next state: seconds of work.
MAX_CELLS = 500_000

#: First of Unicode's private characters: automata-lib reads one character per symbol, so every symbol, be it
#: long or an operator there, gets a private one.
_PRIVATE = 0xF0000

#: Words that are put in, at most: the shortest that lead from some state back to it.
LOOPS = 6

#: States of the largest automaton that words are drawn from: a way is looked for between any two of them.
MOST_STATES = 100


@dataclass(frozen=True, eq=False)
class RegularTarget(Target):
    """A minimal complete DFA; a state is one column, its number.

    States are numbered breadth-first from the start in alphabet order, so equal languages over equal
    alphabets give equal tables.

    The arrays are read-only.
    """

    alphabet: Alphabet
    table: IntArray  #: entry [q, code] is the next state; (num_states, |Σ|)
    accepting: BoolArray  #: (num_states,)

    def __post_init__(self) -> None:
        self.table.setflags(write=False)
        self.accepting.setflags(write=False)

    @cached_property
    def distances(self) -> IntArray:
        """Of every state the least number of symbols that lead to acceptance, or `NEVER`; (num_states,)."""
        distances = np.where(self.accepting, 0, NEVER)
        new, left = self.accepting, 0
        while new.any():  # what is one symbol farther has a neighbour that was new just now
            left += 1
            new = new[self.table].any(axis=1) & (distances == NEVER)
            distances[new] = left
        return distances

    @classmethod
    def from_regex(cls, text: str, alphabet: Alphabet) -> RegularTarget:
        """Build the machine of a regular expression.

        It has symbols, ``|``, ``*``, ``+``, ``?``, ``.`` (any symbol) and groups; ``()`` is the empty word.
        Blanks do not count. A symbol that is also an operator is written with a backslash. Raises `SpecError`
        if the text is not a regex over the alphabet, with line and column, or its automaton has more than
        `MAX_CELLS` next states.

        >>> RegularTarget.from_regex("a*", Alphabet(("a", "b"))).table.tolist()
        [[0, 1], [1, 1]]
        """
        from automata.fa.dfa import DFA
        from automata.fa.nfa import NFA

        from idinf.targets.regex import to_library_notation  # only texts need it

        letters = {symbol: chr(_PRIVATE + code) for code, symbol in enumerate(alphabet.symbols)}
        nfa = NFA.from_regex(to_library_notation(text, letters), input_symbols=set(letters.values()))
        dfa = DFA.from_nfa(nfa)
        symbols = {letter: symbol for symbol, letter in letters.items()}
        moves = tuple(
            (str(state), symbols[letter], str(following))
            for state, row in dfa.transitions.items()
            for letter, following in row.items()
        )
        accept = tuple(map(str, dfa.final_states))
        automaton = FiniteAutomaton(tuple(map(str, dfa.states)), str(dfa.initial_state), accept, moves)
        return cls.from_automaton(automaton, alphabet)

    def is_neutral(self, code: int) -> bool:
        """True if a symbol may be put in and left out anywhere: it changes no state.

        >>> no_b = RegularTarget.from_regex("a*", Alphabet(("a", "b")))
        >>> no_b.is_neutral(0), no_b.is_neutral(1)
        (True, False)
        """
        return bool((self.table[:, code] == range(len(self.table))).all())

    @classmethod
    def every_word(cls, alphabet: Alphabet) -> RegularTarget:
        """The machine that accepts everything.

        >>> RegularTarget.every_word(Alphabet(("a", "b"))).table.tolist()
        [[0, 0]]
        """
        return cls(alphabet, np.zeros((1, len(alphabet)), dtype=np.int64), np.ones(1, dtype=np.bool_))

    @classmethod
    def from_automaton(cls, automaton: FiniteAutomaton, alphabet: Alphabet) -> RegularTarget:
        """Build the machine of an automaton that may lack transitions; those go to a sink.

        Raises `SpecError` if it has more than `MAX_CELLS` next states, or symbols outside the alphabet.
        """
        size = len(automaton.states)
        if size * len(alphabet) > MAX_CELLS:
            raise SpecError(
                f"an automaton of {size} states over {len(alphabet)} symbols; expected at most {MAX_CELLS} "
                "next states; use fewer states or symbols"
            )
        numbers = {state: number for number, state in enumerate(automaton.states)}
        codes = {symbol: code for code, symbol in enumerate(alphabet.symbols)}
        table = np.full((size + 1, len(alphabet)), size)
        for state, symbol, following in automaton.transitions:
            if symbol not in codes:
                known = list_some(alphabet.symbols)
                raise SpecError(f"symbol {quote(symbol)} is not in the alphabet; expected one of: {known}")
            table[numbers[state], codes[symbol]] = numbers[following]
        accept = {*automaton.accept}
        return cls.minimal(
            alphabet, table, np.array([*(s in accept for s in numbers), False]), numbers[automaton.start]
        )

    @classmethod
    def minimal(
        cls, alphabet: Alphabet, table: npt.ArrayLike, accepting: npt.ArrayLike, start: int = 0
    ) -> RegularTarget:
        """Build the machine of a table of next states, (V, |Σ|), that need not be minimal.

        >>> RegularTarget.minimal(Alphabet(("a",)), [[1], [0]], [True, True]).table.tolist()
        [[0]]
        """
        table, accepting = np.asarray(table, dtype=np.int64), np.asarray(accepting, dtype=np.bool_)
        found = np.unique(_merge_states(table, accepting), return_index=True, return_inverse=True)
        _, first, classes = found
        merged = classes[table[first]]
        states, rows, _ = explore(int(classes[start]), lambda met: merged[met].tolist())
        return cls(alphabet, np.array(rows, dtype=np.int64), accepting[first[states]])

    def over(self, alphabet: Alphabet) -> RegularTarget:
        """The machine over one letter of each class that it does not tell apart, in the order that it has.

        >>> some = RegularTarget.from_regex(".*a.*", Alphabet(("a", "b", "c"))).over(Alphabet(("a", "b")))
        >>> some.table.tolist()
        [[1, 0], [1, 1]]
        """
        return RegularTarget(alphabet, self.table[:, self.alphabet.encode(alphabet.symbols)], self.accepting)

    @property
    def automaton(self) -> FiniteAutomaton:
        """The machine as a spec writes it, its states named by their numbers.

        >>> RegularTarget.every_word(Alphabet(("a",))).automaton.transitions
        (('0', 'a', '0'),)
        """
        names = tuple(map(str, range(len(self.table))))
        moves = tuple(
            (name, symbol, names[following])
            for name, row in zip(names, self.table.tolist(), strict=True)
            for symbol, following in zip(self.alphabet.symbols, row, strict=True)
        )
        return FiniteAutomaton(names, "0", tuple(compress(names, self.accepting)), moves)

    def start(self) -> IntArray:
        """The start state; (1, 1)."""
        return np.zeros((1, 1), dtype=np.int64)

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Follow one symbol; (S, 1) → (S, 1)."""
        return np.asarray(self.table[states, symbol])

    def labels(self, states: IntArray) -> BoolArray:
        """True for states that accept; (S, 1) → (S,)."""
        return self.accepting[states[:, 0]]

    def foretold(self, states: IntArray, left: int) -> IntArray:
        """The label after any more symbols, or −1 where it is not always the same; (S, 1) → (S,)."""
        return self._foretold[states[:, 0]]

    @cached_property
    def _foretold(self) -> IntArray:
        """As `foretold`, of every state, (num_states,): in least terms what never changes is one sink."""
        sinks = (self.table == np.arange(len(self.table))[:, None]).all(axis=1)
        first = self.table[:, 0]
        leads = sinks[first] & (self.table == first[:, None]).all(axis=1)
        return np.where(leads, self.accepting[first], -1)


def _merge_states(table: IntArray, accepting: BoolArray) -> IntArray:
    """The class of every state, by Hopcroft's algorithm: those of one class accept the same words.

    A class is split by what leads to another one; letters that move every state alike are asked once.
    """
    before: list[list[list[int]]] = []
    for column in set(map(tuple, table.T.tolist())):
        before.append([[] for _ in column])
        for state, following in enumerate(column):
            before[-1][following].append(state)
    owner = accepting.astype(np.int64).tolist()
    classes = [set(np.flatnonzero(~accepting).tolist()), set(np.flatnonzero(accepting).tolist())]
    waiting = [0, 1]
    while waiting:
        splitter = tuple(classes[waiting.pop()])
        for sources in before:
            met: dict[int, list[int]] = {}
            for following in splitter:
                for state in sources[following]:
                    met.setdefault(owner[state], []).append(state)
            for number, found in met.items():
                rest = len(classes[number]) - len(found)
                if rest:
                    # The smaller part becomes a class of its own: if the old one waits still, both do.
                    part = {*found} if len(found) <= rest else classes[number].difference(found)
                    classes[number] -= part
                    for state in part:
                        owner[state] = len(classes)
                    waiting.append(len(classes))
                    classes.append(part)
    return np.array(owner)


def draw_pumped_words(target: RegularTarget, shortest: int, longest: int, number: int) -> tuple[Word, ...]:
    """Draw words u y^k z with u to a state, z from there to acceptance, and y short, in shortlex order.

    Where y leads back to the state, the word is accepted; other y, or a symbol of u y^k z that is changed or
    left out, make near misses, which may be accepted or not. The words have lengths from ``shortest`` to
    ``longest``; if there are more than ``number``, some are taken at even distances, the last one among them.
    Equal arguments give equal words. Of automata with more than ``MOST_STATES`` states there are none.
    """
    if len(target.table) > MOST_STATES:
        return ()
    found = {
        word
        for drawn in _drawn(target, longest)
        for word in (drawn, *_changed(drawn, len(target.alphabet)))
        if shortest <= len(word) <= longest
    }
    ordered = sorted(found, key=lambda word: (len(word), word))
    if len(ordered) <= number:
        return tuple(ordered)
    return tuple(ordered[(k + 1) * len(ordered) // number - 1] for k in range(number))


def _drawn(target: RegularTarget, longest: int) -> Iterator[Word]:
    """All u y^k z up to a length, for powers k that double."""
    table = target.table.tolist()
    access = _shortest_ways(table, 0)
    ways = {state: _shortest_ways(table, state) for state in access}
    accepting = [state for state in access if target.accepting[state]]
    leaving = {
        state: min((way[end] for end in accepting if end in way), key=lambda word: (len(word), word))
        for state, way in ways.items()
        if any(end in way for end in accepting)
    }
    returns: set[Word] = set()
    for state in leaving:
        back = [(code, *ways[r][state]) for code, r in enumerate(table[state]) if state in ways[r]]
        returns.update(sorted(back, key=lambda word: (len(word), word))[:1])
    loops = sorted(returns, key=lambda word: (len(word), word))[:LOOPS]
    for state, end in leaving.items():
        for loop in loops:
            k, room = 1, longest - len(access[state]) - len(end)
            while k * len(loop) <= room:
                yield access[state] + loop * k + end
                k *= 2


def _shortest_ways(table: list[list[int]], start: int) -> dict[int, Word]:
    """The shortlex-least word from a state to every state that it reaches, breadth first."""
    ways: dict[int, Word] = {start: ()}
    queue = [start]
    for state in queue:
        for code, following in enumerate(table[state]):
            if following not in ways:
                ways[following] = (*ways[state], code)
                queue.append(following)
    return ways


def _changed(word: Word, symbols: int) -> Iterator[Word]:
    """A word with its middle symbol changed, and without it."""
    middle = len(word) // 2
    yield (*word[:middle], (word[middle] + 1) % symbols, *word[middle + 1 :]) if word else ()
    yield (*word[:middle], *word[middle + 1 :])
