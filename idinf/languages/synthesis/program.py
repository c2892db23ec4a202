"""A C-RASP program for a regular language that counts decide ([D26]).

A word goes through the components of the minimal automaton, and enters each at most once. What leads from one
to the next is an *event*: a symbol in a state. A component is entered if an event that leads there has
happened, and left if one that leads away has. Between the two, weighted numbers of the symbols read tell its
states apart. What held *before* a position is what is counted up to it, less what it adds itself.

The sums come level by level. A level labels every edge inside a component by its symbol and by what is known
of the state it leaves, and weighs the labels so that all ways from an entry to a state have one sum, its
*value*. So the weighted number of labels read since the component was entered is a function of the state.
What is known at the next level is the value. At first it is only what the last symbols and the length modulo
D show, a number for each state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.building import all_of, any_of, back, compared, indicator, length, negated
from idinf.crasp.syntax import list_needed_definitions
from idinf.languages.classification.by_automaton import number_components
from idinf.languages.classification.membership import (
    MAX_NOTED,
    Matrix,
    Note,
    NotedAutomaton,
    annotate_states,
    drop_last_symbol,
    solve_kernel,
)
from idinf.targets.machine import IntArray, explore
from idinf.targets.regular import RegularTarget

#: Counts with factors, and a constant under None.
Sum = dict[s.Expression | None, int]

#: Codes of the last symbols.
Past = tuple[int, ...]

#: Number of the class of each state, in the order of the states.
Classes = tuple[int, ...]


def write_program(machine: RegularTarget, window: int = 0, modulus: int = 1) -> s.ProgramTree | None:
    """Write a program of a regular language.

    `window`: how many symbols before the present one it may look at, k. `modulus`: D, for predicates of the
    position modulo D.

    None if the construction finds none.
    """
    accepting, alphabet = machine.accepting, machine.alphabet
    if window == 0 and modulus == 1:
        plain, own = annotate_states(machine.table, 0, 1), number_components(machine.table).tolist()
        writer = None if plain is None else _Writer.of(plain, own, own, alphabet)
        if writer is not None:
            return writer.program(writer.among_all(set(np.flatnonzero(accepting).tolist()), None))
    merged, first = drop_last_symbol(machine.table)
    noted = annotate_suffixes(merged, window, modulus)
    if noted is None:
        return None
    # A component of the automaton as one; if notes of symbols before it are in the way, those of the pairs.
    coarse = number_components(merged)[list(noted.states)].tolist()
    writer = _Writer.of(noted, coarse, number_components(np.array(noted.table)).tolist(), alphabet)
    if writer is None:
        return None
    cases: dict[s.Expression, list[s.Expression]] = {}
    for code, symbol in enumerate(writer.symbols):
        ends = machine.table[first[list(noted.states)], code]
        before = set(np.flatnonzero(accepting[ends]).tolist())
        cases.setdefault(writer.among_all(before, code), []).append(symbol)
    parts = [all_of([any_of(symbols), condition]) for condition, symbols in cases.items()]
    if accepting[0]:
        parts.append(compared([(length, 1)], s.Relation.EQ, 0))
    return writer.program(any_of(parts))


@dataclass
class _Component:
    """One component. Mutable: ways in and out are noted as they are met.

    `roots`: those of them that words begin in, or enter from elsewhere. `known`: the note of each state, as a
    number. `labels`: for each level the events of its labels. `entries, exits`: events with the code of their
    symbol, and the state that is entered.
    """

    states: list[int]
    roots: set[int]
    known: Classes = ()
    levels: list[Level] = field(default_factory=list)
    labels: list[list[s.Expression]] = field(default_factory=list)
    entries: list[tuple[int, int, s.Expression]] = field(default_factory=list)
    exits: list[tuple[int, s.Expression]] = field(default_factory=list)


class _Writer:
    """Writes operations. Mutable: they are named as they are met.

    A condition is about the state after a position, or about the one before it if the code of the symbol
    there is given.
    """

    def __init__(
        self,
        automaton: NotedAutomaton,
        number: Sequence[int],
        alphabet: Alphabet,
        parts: dict[int, _Component],
    ) -> None:
        self.automaton, self.number, self.parts = automaton, number, parts
        self.symbols: list[s.Expression] = [s.Symbol(symbol) for symbol in alphabet.symbols]
        self._names: dict[s.Expression, str] = {}
        for part in sorted(parts, reverse=True):
            self._write_events(part)

    @classmethod
    def of(
        cls, automaton: NotedAutomaton, number: Sequence[int], finer: Sequence[int], alphabet: Alphabet
    ) -> _Writer | None:
        """A writer for an automaton with numbered components; None if states of one are not told apart.

        Where they are not, the numbers of the last argument divide the component.
        """
        parts, failed = dict[int, _Component](), set[int]()
        for state, own in enumerate(number):
            parts.setdefault(own, _Component([], {0} if own == number[0] else set())).states.append(state)
        for state, row in enumerate(automaton.table):
            for after in row:
                if number[after] != number[state]:
                    parts[number[after]].roots.add(after)
        for part in parts.values():
            place = {state: k for k, state in enumerate(part.states)}
            edges = tuple(
                (place[state], code, place[after])
                for state in part.states
                for code, after in enumerate(automaton.table[state])
                if after in place
            )
            notes = [automaton.notes[state] for state in part.states]
            first = {note: k for k, note in reversed(list(enumerate(notes)))}
            part.known = tuple(first[note] for note in notes)
            roots = tuple(place[root] for root in sorted(part.roots))
            levels = find_levels(Edges(len(part.states), roots, edges), part.known)
            if levels is None:
                failed.add(number[part.states[0]])
            else:
                part.levels = levels
        if failed:
            pairs = [(own, inner if own in failed else 0) for own, inner in zip(number, finer, strict=True)]
            order = {pair: k for k, pair in enumerate(sorted(set(pairs)))}
            again = [order[pair] for pair in pairs]
            return None if again == list(number) else cls.of(automaton, again, finer, alphabet)
        return cls(automaton, number, alphabet, parts)

    def program(self, decision: s.Expression) -> s.ProgramTree:
        """The program that accepts where a condition holds, with the operations that it needs."""
        definitions = [s.Definition(name, expression) for expression, name in self._names.items()]
        tree = s.ProgramTree((*definitions, s.Definition("accept", decision)))
        return s.ProgramTree(list_needed_definitions(tree))

    def among_all(self, wanted: Collection[int], code: int | None) -> s.Expression:
        """A formula that holds where the state is one of some."""
        parts = []
        for number, part in self.parts.items():
            here = [state for state in part.states if state in wanted]
            if here:
                left = self._left(part, code)
                parts.append(
                    all_of([self._entered(number, code), negated(left), self._among(part, here, code)])
                )
        return any_of(parts)

    def _write_events(self, number: int) -> None:
        """Name the labels of a component and the events that leave it."""
        part, automaton = self.parts[number], self.automaton
        for depth, level in enumerate(part.levels):
            classes = part.levels[depth - 1].classes if depth else part.known
            events = []
            for code, known in level.labels:
                before = [q for q, c in zip(part.states, classes, strict=True) if c == known]
                events.append(self._event(number, code, before, depth))
            part.labels.append(events)
        leaving: dict[tuple[int, int], list[int]] = {}
        for state in part.states:
            for code, after in enumerate(automaton.table[state]):
                if self.number[after] != number:
                    leaving.setdefault((code, after), []).append(state)
        ways = {key: self._event(number, key[0], before) for key, before in leaving.items()}
        part.exits = [(code, event) for (code, _), event in ways.items()]
        several = len({after for _, after in leaving}) > 1
        for (code, after), event in ways.items():
            if several:  # once the component is left, its sums mean nothing: the first event counts
                event = self._named(all_of([event, negated(self._left(part, code))]), "enter")
            self.parts[self.number[after]].entries.append((after, code, event))

    def _event(self, number: int, code: int, before: Sequence[int], depth: int | None = None) -> s.Expression:
        """An event: a symbol is read in one of some states of a component."""
        among = self._among(self.parts[number], before, code, depth)
        return self._named(all_of([self.symbols[code], self._entered(number, code), among]), "leave")

    def _named(self, expression: s.Expression, stem: str) -> s.Expression:
        if isinstance(expression, s.Name | s.Symbol | s.Truth):
            return expression
        return s.Name(self._names.setdefault(expression, f"{stem}{len(self._names) + 1}"))

    def _entered(self, number: int, code: int | None) -> s.Expression:
        if number == self.number[0]:
            return s.Truth(True)
        events = [(own, event) for _, own, event in self.parts[number].entries]
        return self._named(self._happened(events, code), "in")

    def _left(self, part: _Component, code: int | None) -> s.Expression:
        return self._named(self._happened(part.exits, code), "out") if part.exits else s.Truth(False)

    def _happened(self, events: Iterable[tuple[int, s.Expression]], code: int | None) -> s.Expression:
        """A formula that holds where one of some events has happened."""
        return _compared(self._number(list(events), code), s.Relation.GE, 1)

    def _number(self, events: Sequence[tuple[int, s.Expression]], code: int | None) -> Sum:
        """The number of some events so far, of which two never happen at once."""
        every = self._named(any_of(event for _, event in events), "any")
        here = self._named(any_of(event for own, event in events if own == code), "any")
        total: Sum = {s.Count(None, every): 1}
        if isinstance(here, s.Symbol):  # which is the symbol at this position
            total[None] = -1
        elif here != s.Truth(False):
            total[indicator(here, s.Number(1))] = -1
        return total

    def _among(
        self, part: _Component, wanted: Sequence[int], code: int | None, depth: int | None = None
    ) -> s.Expression:
        """A formula for a state that is one of some, right while the component is entered and not left."""
        depth = len(part.levels) if depth is None else depth
        notes: dict[Note, list[int]] = {}
        for state in part.states:
            notes.setdefault(self.automaton.notes[state], []).append(state)
        cases: dict[s.Expression, set[Note]] = {}
        for note, states in notes.items():
            here = [state for state in states if state in wanted]
            condition: s.Expression = s.Truth(bool(here))
            if here and len(here) < len(states):
                condition = self._valued(
                    part, part.levels[depth - 1], part.labels[depth - 1], states, here, code
                )
            cases.setdefault(condition, set()).add(note)
        return any_of(all_of([self._noted(some, set(notes), code), case]) for case, some in cases.items())

    def _noted(self, wanted: set[Note], every: set[Note], code: int | None) -> s.Expression:
        """A formula for a note that is one of some: by the residue first, then by the last symbols."""
        if not wanted or wanted == every:
            return s.Truth(bool(wanted))
        lag = 0
        while len({_feature(note, lag) for note in every}) == 1:
            lag += 1
        found: dict[int | None, set[Note]] = {}
        for note in sorted(every):
            found.setdefault(_feature(note, lag), set()).add(note)
        cases: dict[s.Expression, list[int | None]] = {}
        for value, part in found.items():
            cases.setdefault(self._noted(wanted & part, part, code), []).append(value)
        if len(cases) == 1:
            return next(iter(cases))
        tests = []
        for case, values in cases.items():
            if None in values:  # none of the others
                test = negated(self._was([value for value in found if value not in values], lag, code))
            else:
                test = self._was(values, lag, code)
            tests.append(all_of([test, case]))
        return any_of(tests)

    def _was(self, values: Sequence[int | None], lag: int, code: int | None) -> s.Expression:
        """A formula: the residue, or the symbol so many places from the end, is one of some."""
        if lag == 0:
            modulus, step = self.automaton.modulus, code is not None
            residues = sorted((value + step) % modulus for value in values if value is not None)
            return any_of(s.Periodic("i", modulus, s.Relation.EQ, value) for value in residues)
        distance = lag - (code is None)
        symbols = any_of(self.symbols[value] for value in values if value is not None)
        return compared([(back(distance, symbols), 1)], s.Relation.GE, 1) if distance else symbols

    def _valued(
        self,
        part: _Component,
        level: Level,
        labels: Sequence[s.Expression],
        states: Sequence[int],
        wanted: Sequence[int],
        code: int | None,
    ) -> s.Expression:
        """A formula: the values of the state, one of ``states``, are those of one of ``wanted``."""
        values = dict(zip(part.states, level.values, strict=True))
        sums = []
        for k, weights in enumerate(level.weights):
            total: Sum = {None: 0}
            for (own, _), event, weight in zip(level.labels, labels, weights, strict=True):
                if weight:
                    _add(total, self._number([(own, event)], code), weight)
            starts = {state: values[state][k] for state, _, _ in part.entries} or {0: values[0][k]}
            least = min(starts.values())
            _add(total, {None: 1}, least)
            for start in sorted({value for value in starts.values() if value != least}):
                events = [(own, event) for state, own, event in part.entries if starts[state] == start]
                _add(total, self._number(events, None), start - least)
            sums.append(total)
        if len(sums) == 1:
            present = sorted({values[state][0] for state in states})
            return _in_runs(sums[0], present, {values[state][0] for state in wanted})
        return any_of(
            all_of(_compared(total, s.Relation.EQ, v) for total, v in zip(sums, value, strict=True))
            for value in sorted({values[state] for state in wanted})
        )


def _feature(note: Note, lag: int) -> int | None:
    return note.symbol(lag) if lag else note.residue


def _add(total: Sum, more: Sum, factor: int) -> None:
    for count, c in more.items():
        total[count] = total.get(count, 0) + factor * c


def _compared(total: Sum, relation: s.Relation, value: int) -> s.Expression:
    terms = [(count, c) for count, c in total.items() if count is not None]
    return compared(terms, relation, value - total.get(None, 0))


def _in_runs(total: Sum, present: Sequence[int], wanted: set[int]) -> s.Expression:
    """A formula: a sum takes wanted values, of some that are present; one comparison or two for each run."""
    parts, end = [], 0
    for begin, value in enumerate(present):
        if begin < end or value not in wanted:
            continue
        end = next((k for k in range(begin, len(present)) if present[k] not in wanted), len(present))
        low = s.Truth(True) if begin == 0 else _compared(total, s.Relation.GE, value)
        high = s.Truth(True) if end == len(present) else _compared(total, s.Relation.LE, present[end - 1])
        single = begin and end == begin + 1 < len(present)
        parts.append(_compared(total, s.Relation.EQ, value) if single else all_of([low, high]))
    return any_of(parts)


def annotate_suffixes(table: IntArray, window: int, modulus: int) -> NotedAutomaton | None:
    """As `annotate_states`, with as few of the last k symbols as tell the same states apart.

    A note is the longest of some words that ends what was read. None of them is longer than it takes: where
    aaa leads to the sink from every state, no word is noted that ends in it.

    >>> noted = annotate_suffixes(np.array([[1, 0], [2, 0], [2, 2]]), 5, 1)  # aa leads to the sink
    >>> [note.past for note in noted.notes]
    [(), (0,), (1,), (0,), (1,)]
    """
    plain = annotate_states(table, 0, modulus)
    if plain is None:
        return None
    noted = _list_suffixes(np.array(plain.table), window)

    def successors(found: list[tuple[int, Past]]) -> Iterator[list[tuple[int, Past]]]:
        for state, past in found:
            words = ((*past, code) for code in range(table.shape[1]))
            ends = (next(word[k:] for k in range(len(word) + 1) if word[k:] in noted) for word in words)
            yield list(zip(plain.table[state], ends, strict=True))

    start: tuple[int, Past] = (0, ())
    found, edges, is_complete = explore(start, successors, MAX_NOTED)
    if not is_complete:
        return None
    notes = tuple(Note(plain.notes[state].residue, past) for state, past in found)
    states = tuple(plain.states[state] for state, _ in found)
    return NotedAutomaton(states, notes, tuple(map(tuple, edges)), modulus)


def _list_suffixes(table: IntArray, window: int) -> set[Past]:
    """The words of up to so many symbols, with all their beginnings, that are worth noting.

    A word is made longer to the left as long as it leads to several states of one component.
    """
    rows, component = table.tolist(), number_components(table).tolist()
    noted, waiting = set[Past](), list[Past]([()])
    for word in waiting:  # grows while it is read
        noted |= {word[:k] for k in range(len(word) + 1)}
        ends = set(range(len(rows)))
        for code in word:
            ends = {rows[state][code] for state in ends}
        if (
            len(word) < window
            and len(ends) > len({component[state] for state in ends})
            and len(noted) < MAX_NOTED
        ):
            waiting += [(code, *word) for code in range(table.shape[1])]
    return noted


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges inside a component; states are numbered from 0, and each is reached from some root.

    `size`: number of states. `roots`: where the component is entered.
    """

    size: int
    roots: tuple[int, ...]
    edges: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a component.

    `labels`: code of the symbol, and class of the state before. `weights`: for each of d sums the weights of
    the labels. `values`: for each state its d values; for a root, where the sums begin. `classes`: states of
    one class are not told apart.
    """

    labels: tuple[tuple[int, int], ...]
    weights: tuple[tuple[int, ...], ...]
    values: tuple[tuple[int, ...], ...]
    classes: Classes


def find_levels(part: Edges, known: Classes) -> list[Level] | None:
    """Find the levels up to one that tells all states apart; None if there is none.

    Implements the decision procedure of [D26]_.

    `known`: what is known of the states beforehand.

    (ab)*, without its sink: #b − #a is 0 or −1. Two states that one loop leads through are not told apart.

    >>> find_levels(Edges(2, (0,), ((0, 0, 1), (1, 1, 0))), (0, 0))[0].values
    ((0,), (-1,))
    >>> find_levels(Edges(2, (0,), ((0, 0, 1), (1, 0, 0))), (0, 0)) is None
    True
    """
    classes, found = known, list[Level]()
    while len(set(classes)) < part.size:
        labels = tuple(sorted({(code, classes[source]) for source, code, _ in part.edges}))
        weights, values = _simplest(*_solved(part, labels, classes), known)
        now = _numbered(known, values)
        if len(set(now)) == len(set(classes)):
            return None
        columns = tuple(tuple(row) for row in weights[: len(labels)].T.tolist())
        found.append(Level(labels, columns, tuple(map(tuple, values.tolist())), now))
        classes = now
    return found


def _solved(part: Edges, labels: Sequence[tuple[int, int]], classes: Classes) -> tuple[Matrix, Matrix]:
    """A basis of weights of labels and beginnings of roots, (labels + roots, d); values, (n, d)."""
    place = {label: k for k, label in enumerate(labels)}
    width = len(labels) + len(part.roots)
    ways = {root: np.eye(width, dtype=np.int64)[len(labels) + k] for k, root in enumerate(part.roots)}
    leaving: dict[int, list[tuple[int, int]]] = {}
    for source, code, target in part.edges:
        leaving.setdefault(source, []).append((place[code, classes[source]], target))
    unit, order, equations = np.eye(width, dtype=np.int64), list(part.roots), []
    for source in order:  # grows while it is read: breadth-first
        for label, target in leaving.get(source, ()):
            way = ways[source] + unit[label]
            if target in ways:
                equations.append(way - ways[target])
            else:
                ways[target] = way
                order.append(target)
    # One beginning may be chosen freely: it is 0.
    equations.append(unit[len(labels)])
    basis = solve_kernel(np.array(equations))
    return basis, np.array([ways[state] for state in range(part.size)]) @ basis


def _simplest(weights: Matrix, values: Matrix, known: Classes) -> tuple[Matrix, Matrix]:
    """A few of the weightings, with few and small weights, that tell apart what all of them do."""
    kept: list[int] = []
    for k in sorted(range(weights.shape[1]), key=lambda k: _size(weights[:, [k]])):
        if len(set(_numbered(known, values[:, [*kept, k]]))) > len(set(_numbered(known, values[:, kept]))):
            kept.append(k)
    return weights[:, kept], values[:, kept]


def _size(weights: Matrix) -> tuple[int, int]:
    return int((weights != 0).sum()), int(np.abs(weights).sum())


def _numbered(known: Classes, values: Matrix) -> Classes:
    """Number the states by what is known beforehand and their values."""
    numbers: dict[tuple[int, ...], int] = {}
    rows = zip(known, values.tolist(), strict=True)
    return tuple(numbers.setdefault((own, *row), len(numbers)) for own, row in rows)
