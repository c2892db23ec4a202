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
from idinf.targets.machine import NEVER, BoolArray, IntArray, Relabelled, SideBySide, Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget
from idinf.words import Alphabet, Word


@dataclass(frozen=True)
class Continuations(Relabelled):
    """Legal continuations of a regular language.

    Of a prefix w these are the symbols a such that wa begins a word of it, and end-of-string iff w is one. A
    prefix that begins no word has none.

    Examples
    --------
    >>> legal = Continuations(RegularTarget.from_regex("a*b", Alphabet(("a", "b"))))
    >>> legal.labels(legal.start()).tolist(), legal.labels(legal.step(legal.start(), 1)).tolist()
    ([[True, True, False]], [[False, False, True]])
    """

    machine: RegularTarget

    def labels(self, states: IntArray) -> BoolArray:
        """Which next symbols are legal; (S, 1) → (S, K)."""
        return np.asarray(self._legal[states[:, 0]])

    @cached_property
    def _legal(self) -> BoolArray:
        """Of every state of the language."""
        table, accepting = self.machine.table, self.machine.accepting
        alive = self.machine.distances < NEVER
        return np.concatenate([alive[table], accepting[:, None]], axis=1)


@dataclass(frozen=True)
class Operations:
    """One target for each next symbol, None for one that never is; states of all stand side by side."""

    alphabet: Alphabet
    parts: tuple[Target | None, ...]

    @cached_property
    def _known(self) -> SideBySide:
        return SideBySide(tuple(part for part in self.parts if part is not None))

    def start(self) -> IntArray:
        """The start states; (1, k)."""
        return self._known.start()

    def step(self, states: IntArray, symbol: int) -> IntArray:
        """Read one symbol; (S, k) → (S, k)."""
        return self._known.step(states, symbol)

    def labels(self, states: IntArray) -> BoolArray:
        """Which operations hold; (S, k) → (S, K)."""
        labels = np.zeros((len(states), len(self.parts)), dtype=np.bool_)
        columns = iter(self._known.columns)
        for place, part in enumerate(self.parts):
            if part is not None:
                labels[:, place] = part.labels(states[:, next(columns)])
        return labels

    def settled(self, states: IntArray, left: int) -> IntArray:
        """States that behave alike for up to ``left`` more symbols; (S, k) → (S, k)."""
        return self._known.settled(states, left)


@dataclass(frozen=True)
class SingleSymbol(Relabelled):
    """One next symbol: the first that a set holds; the first of all where it holds none, as of equal rows."""

    machine: Continuations | Operations

    def labels(self, states: IntArray) -> BoolArray:
        """The one next symbol; (S, k) → (S, K), one of each row true."""
        first = self.machine.labels(states).argmax(axis=1)
        return np.asarray(first[:, None] == np.arange(len(self.alphabet) + 1))


def check_single(target: SupervisedTarget) -> None:
    """Refuse `Continuations` without one legal continuation of every prefix that is judged.

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
    """Refuse places that no word of the domain has, of a target with finitely many states.

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
