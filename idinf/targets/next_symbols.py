"""Next symbols as labels: the legal continuations of a regular language, or one operation for each symbol.

Labels have K = |Σ| + 1 columns: the symbols in the order of the alphabet, then end-of-string.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from idinf.base.quoting import quote
from idinf.errors import SpecError
from idinf.targets.explored import explore, find_least_word
from idinf.targets.machine import NEVER, BoolArray, IntArray, RelabelledTarget, SideBySide, Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget


@dataclass(frozen=True, eq=False)
class Continuations(RelabelledTarget):
    """Legal continuations of a regular language.

    Of a prefix w these are the symbols a such that wa begins a word of it, and end-of-string iff w is one. A
    prefix that begins no word has none.

    >>> from idinf.base.words import Alphabet
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


@dataclass(frozen=True, eq=False)
class Operations(SideBySide):
    """One target for each next symbol, None for one that never is; states of all stand side by side."""

    parts: tuple[Target | None, ...]

    @cached_property
    def machines(self) -> tuple[Target, ...]:
        """Those that are not None."""
        return tuple(part for part in self.parts if part is not None)

    def labels(self, states: IntArray) -> BoolArray:
        """Which operations hold; (S, k) → (S, K)."""
        labels = np.zeros((len(states), len(self.parts)), dtype=np.bool_)
        columns = iter(self.columns)
        for place, part in enumerate(self.parts):
            if part is not None:
                labels[:, place] = part.labels(states[:, next(columns)])
        return labels


@dataclass(frozen=True, eq=False)
class SingleSymbol(RelabelledTarget):
    """One next symbol: the first that a set holds; the first of all where it holds none, as of equal rows."""

    machine: Continuations | Operations

    def labels(self, states: IntArray) -> BoolArray:
        """The one next symbol; (S, k) → (S, K), one of each row true."""
        first = self.machine.labels(states).argmax(axis=1)
        return np.asarray(first[:, None] == np.arange(len(self.alphabet) + 1))


def check_single(target: SupervisedTarget) -> None:
    """Refuse `Continuations` without one legal continuation of every prefix that is judged.

    Raises `SpecError` with a least prefix that has none or several.
    """
    states, table = _explored(target)
    numbers = target.labels(states).sum(axis=1)
    wrong = np.flatnonzero((numbers != 1) & (target.due(states) < NEVER))
    if len(wrong):
        prefix = target.alphabet.decode(find_least_word(table, int(wrong[0]))) or "ε"
        raise SpecError(
            f"output = 'symbol': the prefix {quote(prefix)} has {numbers[wrong[0]]} legal "
            'next symbols; expected exactly one; use output = "set", another domain, or name the '
            "prefixes that are judged"
        )


def check_places(target: SupervisedTarget) -> None:
    """Refuse places that no word of the domain has, of a target with finitely many states.

    Raises `SpecError`.
    """
    if (target.due(_explored(target)[0]) >= NEVER).all():
        raise SpecError(
            "judged: no prefix of a word of the domain matches it; expected one that does, else every "
            "hypothesis is right; correct judged or domain"
        )


def _explored(target: SupervisedTarget) -> tuple[IntArray, IntArray]:
    """Every state of a target with finitely many, (S, k), and where the symbols lead, (S, |Σ|)."""

    def successors(found: list[tuple[int, ...]]) -> Iterable[Sequence[tuple[int, ...]]]:
        states = np.array(found, dtype=np.int64)
        after = (target.step(states, code).tolist() for code in range(len(target.alphabet)))
        return zip(*(map(tuple, rows) for rows in after), strict=True)

    states, table, _ = explore(tuple(target.start()[0].tolist()), successors)
    return np.array(states, dtype=np.int64), np.array(table, dtype=np.int64)
