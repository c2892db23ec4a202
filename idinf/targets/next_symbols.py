"""Next symbols as labels: the legal continuations of a regular language, or one operation for each symbol.

Labels have K = |Σ| + 1 columns: the symbols in the order of the alphabet, then end-of-string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from idinf.errors import SpecError
from idinf.quoting import quoted
from idinf.targets.machine import BoolArray, IntArray, SettlingTarget, Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import NEVER, SupervisedTarget
from idinf.words import Alphabet, Word


@dataclass(frozen=True)
class Continuations:
    """Legal continuations of a regular language.

    Of a prefix w these are the symbols a such that wa begins a word of it, and end-of-string iff w is one. A
    prefix that begins no word has none.

    Parameters
    ----------
    language : RegularTarget

    Examples
    --------
    >>> legal = Continuations(RegularTarget.from_regex("a*b", Alphabet(("a", "b"))))
    >>> legal.labels(legal.start()).tolist(), legal.labels(legal.step(legal.start(), 1)).tolist()
    ([[True, True, False]], [[False, False, True]])
    """

    language: RegularTarget

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the language."""
        return self.language.alphabet

    def start(self) -> IntArray:
        """The start state; (1, 1)."""
        return self.language.start()

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Follow one symbol; (S, 1) → (S, 1)."""
        return self.language.step(states, symbol)

    def labels(self, states: IntArray) -> BoolArray:
        """Which next symbols are legal; (S, 1) → (S, K)."""
        return np.asarray(self._legal[states[:, 0]])

    @cached_property
    def _legal(self) -> BoolArray:
        """Of every state of the language."""
        table, accepting = self.language.table, self.language.accepting
        sources: list[list[int]] = [[] for _ in table]
        for state, row in enumerate(table.tolist()):
            for following in row:
                sources[following].append(state)
        alive, waiting = accepting.copy(), np.flatnonzero(accepting).tolist()
        while waiting:
            for state in sources[waiting.pop()]:
                if not alive[state]:
                    alive[state] = True
                    waiting.append(state)
        return np.concatenate([alive[table], accepting[:, None]], axis=1)


@dataclass(frozen=True)
class Operations:
    """One target for each next symbol, None for one that never is; states of all stand side by side."""

    sigma: Alphabet
    parts: tuple[Target | None, ...]

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of all parts."""
        return self.sigma

    def _split(self, states: IntArray) -> list[tuple[Target, IntArray]]:
        known = [part for part in self.parts if part is not None]
        ends = np.cumsum([part.start().shape[1] for part in known])[:-1]
        return list(zip(known, np.split(states, ends, axis=1), strict=True))

    def start(self) -> IntArray:
        """The start states; (1, k)."""
        return np.concatenate([part.start() for part in self.parts if part is not None], axis=1)

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        return np.concatenate([part.step(own, symbol) for part, own in self._split(states)], axis=1)

    def labels(self, states: IntArray) -> BoolArray:
        """Which operations hold; (S, k) → (S, K)."""
        known = iter(self._split(states))
        columns = []
        for part in self.parts:
            if part is None:
                columns.append(np.zeros(len(states), dtype=np.bool_))
            else:
                columns.append(part.labels(next(known)[1]))
        return np.stack(columns, axis=1)

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return np.concatenate(
            [
                part.settled(own, left) if isinstance(part, SettlingTarget) else own
                for part, own in self._split(states)
            ],
            axis=1,
        )


@dataclass(frozen=True)
class SingleSymbol:
    """One next symbol: the first that a set holds; the first of all where it holds none, as of equal rows.

    Parameters
    ----------
    sets : Target
        Its labels are (S, K).
    """

    sets: Continuations | Operations

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the sets."""
        return self.sets.alphabet

    def start(self) -> IntArray:
        """The start state; (1, k)."""
        return self.sets.start()

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        return self.sets.step(states, symbol)

    def labels(self, states: IntArray) -> BoolArray:
        """The one next symbol; (S, k) → (S, K), one of each row true."""
        first = self.sets.labels(states).argmax(axis=1)
        return np.asarray(first[:, None] == np.arange(len(self.alphabet) + 1))

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return self.sets.settled(states, left) if isinstance(self.sets, SettlingTarget) else states


def check_single(target: SupervisedTarget) -> None:
    """Refuse a language without one legal continuation of every prefix that is judged.

    Parameters
    ----------
    target : SupervisedTarget
        Of `Continuations`: it has finitely many states.

    Raises
    ------
    SpecError
        With a least prefix that has none or several.
    """
    for states, path in _reached(target):
        number = int(target.labels(states).sum())
        if number != 1 and target.due(states)[0] < NEVER:
            prefix = target.alphabet.decode(path()) or "ε"
            raise SpecError(
                f"output = 'symbol': the prefix {quoted(prefix)} has {number} legal "
                'next symbols; expected exactly one; use output = "set", another domain, or name the '
                "prefixes that are judged"
            )


def check_places(target: SupervisedTarget) -> None:
    """Refuse places that no word of the domain has.

    Parameters
    ----------
    target : SupervisedTarget
        With finitely many states.

    Raises
    ------
    SpecError
    """
    if all(target.due(states)[0] >= NEVER for states, _ in _reached(target)):
        raise SpecError(
            "judged: no prefix of a word of the domain matches it; expected one that does, else every "
            "hypothesis is right; correct judged or domain"
        )


def _reached(target: SupervisedTarget) -> Iterator[tuple[IntArray, Callable[[], Word]]]:
    """Every state, (1, k), of a target with finitely many, with what finds a least word that leads to it."""
    start = tuple(target.start()[0].tolist())
    before: dict[tuple[int, ...], tuple[tuple[int, ...], int] | None] = {start: None}
    waiting = [start]
    for key in waiting:  # grows while it is read: breadth-first
        states = np.array([key], dtype=np.int64)
        if target.distance(states)[0] >= NEVER:
            continue
        yield states, partial(_word_to, key, before)
        for code in range(len(target.alphabet)):
            following = tuple(target.step(states, code)[0].tolist())
            if following not in before:
                before[following] = key, code
                waiting.append(following)


def _word_to(
    key: tuple[int, ...], before: Mapping[tuple[int, ...], tuple[tuple[int, ...], int] | None]
) -> Word:
    codes: list[int] = []
    while (step := before[key]) is not None:
        key, code = step
        codes.append(code)
    return tuple(reversed(codes))
