"""Right answers on a word, by the definition that a report gives of its target: no machine is built.

Programs are interpreted (Definition 8). Regexes are read by Thompson's construction, automata by the rows of
their own table, and walked through without being minimised. Nothing comes from a machine of `idinf.targets`,
so this can judge them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeVar

from idinf.base.quoting import quote
from idinf.base.words import Alphabet, Word
from idinf.crasp.checker import Sort, check, read_program
from idinf.crasp.interpreter import compute_values
from idinf.crasp.syntax import ProgramTree
from idinf.errors import ProgramError, SpecError
from idinf.spec.spec import END, Answer, FiniteAutomaton, Kind, Spec
from idinf.targets.regex import to_library_notation

#: The first of Unicode's private characters: the symbol of code c is written as the c-th of them.
_FIRST = 0xF0000

_Node = TypeVar("_Node")

#: Nodes to which the prefix leads, of those that read a symbol or are last ones.
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
        """True if the prefix read so far is a word of the language."""
        return not state.isdisjoint(self.last)

    def begins(self, state: State) -> bool:
        """True if the prefix read so far begins a word of the language."""
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
    groups = [(begin, end)]  # open groups, the innermost last
    at = begin  # present node of the branch
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


#: Truth values at one position: acceptance alone, or of each next symbol in the order of the alphabet and of
#: end-of-string.
Answers = tuple[bool, ...]


@dataclass(frozen=True)
class TargetDefinition:
    """A target as its spec defines it.

    >>> from idinf.spec.reader import read_table
    >>> ones = TargetDefinition.of(read_table({"name": "ones", "alphabet": "01", "regex": "1*"}, "ones.toml"))
    >>> ones.answers((1, 0)), ones.counts((1, 0))
    (((True,), (True,), (False,)), True)
    """

    spec: Spec
    language: WrittenLanguage | ProgramTree
    domain: WrittenLanguage | None  #: only its words count; every word if not given
    #: After which prefixes next symbols of a language are judged; after all of them if not given.
    places: WrittenLanguage | None

    @classmethod
    def of(cls, spec: Spec) -> TargetDefinition:
        """Read programs and regexes of a spec.

        Raises `SpecError, ProgramError` if one of them is wrong; the message begins with where it stands.
        """
        sigma = spec.alphabet
        domain = None if spec.domain is None else _regex(spec, "domain", spec.domain)
        if spec.kind is Kind.CRASP:
            return cls(spec, _program(spec), domain, None)
        places = None if spec.judged is None else _regex(spec, "judged", spec.judged)
        if isinstance(spec.definition, FiniteAutomaton):
            return cls(spec, read_automaton(spec.definition, sigma), domain, places)
        return cls(spec, _regex(spec, "regex", spec.definition), domain, places)

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the words."""
        return self.spec.alphabet

    @property
    def everywhere(self) -> bool:
        """True if every position of a word is judged, not the last one alone."""
        return self.spec.answer is not Answer.ACCEPT

    def answers(self, word: Word) -> tuple[Answers, ...]:
        """Right answers at positions 0..n of a word; for acceptance, those of each prefix as a word.

        With one next symbol the answer is the first of the set, and the first of all if the set is empty.
        """
        language = self.language
        if isinstance(language, ProgramTree):
            table, never = _table(language, self.alphabet, word), (False,) * (len(word) + 1)
            columns = (table.get(name, never) for name in self._names(language))
            return tuple(map(self._asked, zip(*columns, strict=True)))
        return tuple(self._state_answers(language, state) for state in _states(language, word))

    def automata(self) -> Iterator[tuple[str, WrittenLanguage, Callable[[State], Answers]]]:
        """The regular languages among its parts but places, by name, with the answers of their states."""
        if not isinstance(language := self.language, ProgramTree):
            yield "target", language, partial(self._state_answers, language)
        if (domain := self.domain) is not None:
            yield "domain", domain, lambda state: (domain.accepts(state),)

    def counts(self, word: Word) -> bool:
        """True if a word is in the domain."""
        return self.domain is None or self.domain.accepts(_last(self.domain, word))

    def matters(self, word: Word) -> bool:
        """True if an answer after a word counts in it, or, for next symbols, in a longer one."""
        if self.domain is None or not self.everywhere:
            return self.counts(word)
        return self.domain.begins(_last(self.domain, word))

    def judged(self, word: Word) -> tuple[bool, ...]:
        """Flags of positions 0..n of a word at which next symbols are judged."""
        if isinstance(self.language, ProgramTree) and self.spec.judged is not None:
            return _table(self.language, self.alphabet, word)[self.spec.judged]
        if self.places is not None:
            return tuple(map(self.places.accepts, _states(self.places, word)))
        return (True,) * (len(word) + 1)

    def _names(self, program: ProgramTree) -> tuple[str, ...]:
        """The operations that answer; no name for a symbol that never comes next."""
        if not self.everywhere:
            return (program.definitions[-1].name,)
        named = dict(self.spec.next)
        return tuple(named.get(symbol, "") for symbol in (*self.alphabet.symbols, END))

    def _asked(self, row: Answers) -> Answers:
        """A set of next symbols, or the first one of it where the target asks for one."""
        if self.spec.answer is not Answer.SYMBOL:
            return row
        first = row.index(True) if True in row else 0
        return tuple(place == first for place in range(len(row)))

    def _state_answers(self, language: WrittenLanguage, state: State) -> Answers:
        """Answers of a language after a prefix: a symbol may come next if a word begins so."""
        if not self.everywhere:
            return (language.accepts(state),)
        legal = [language.begins(language.step(state, code)) for code in range(len(self.alphabet))]
        return self._asked((*legal, language.accepts(state)))


def _table(program: ProgramTree, alphabet: Alphabet, word: Word) -> dict[str, Answers]:
    """All operations of a program at positions 0..n; a count is True if it is not 0, but is never read."""
    return {row.name: tuple(map(bool, row.at)) for row in compute_values(program, alphabet, word)}


def _states(language: WrittenLanguage, word: Word) -> Iterator[State]:
    state = language.start
    yield state
    for code in word:
        state = language.step(state, code)
        yield state


def _last(language: WrittenLanguage, word: Word) -> State:
    *_, last = _states(language, word)
    return last


def _regex(spec: Spec, key: str, text: str) -> WrittenLanguage:
    try:
        return read_regex(text, spec.alphabet)
    except SpecError as error:
        raise SpecError(f"{spec.origin}: {key}: {error}") from None


def _program(spec: Spec) -> ProgramTree:
    """The program of a spec, whose answers are Boolean operations of it."""
    try:
        program = read_program(spec.text, spec.alphabet)
    except ProgramError as error:
        raise ProgramError(f"{spec.origin}: crasp program, {error}") from None
    sorts = {row.name: row.sort for row in check(program, spec.alphabet).operations}
    asked = [(f"next.{symbol}", name) for symbol, name in spec.next]
    asked += [] if spec.judged is None else [("judged", spec.judged)]
    for key, name in asked:
        if sorts.get(name) is not Sort.BOOLEAN:
            raise SpecError(
                f"{spec.origin}: {key} = {quote(name)}; expected a Boolean operation of the program"
            )
    return program
