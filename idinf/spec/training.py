"""Training lengths: up to which length t(n) words are seen before words of length n are asked.

[HYB25]_ Definition 22 calls a function t a training length if t(n) ≤ n and t(n) grows without end.
Definition 6 is the case n / 2.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from idinf.base.files import KIB, read_text, show_path
from idinf.base.quoting import quote
from idinf.errors import SpecError
from idinf.spec.bounds import LENGTHS, TRAINING_RULES

#: Bytes of a table: two numbers for every length that is ever examined.
MOST_TABLE = 64 * KIB

#: Rules by name; each is rounded down, and at least 1.
_RULES: dict[str, Callable[[int], int]] = dict(
    zip(
        TRAINING_RULES,
        (lambda n: n // 2, lambda n: n // 4, math.isqrt, lambda n: n.bit_length() - 1),
        strict=True,
    )
)

#: The name of a rule, the path of a table, t(n) for every n, or a training length made of one of them.
TrainingLike: TypeAlias = "str | os.PathLike[str] | Mapping[int, int] | TrainingLength"


@dataclass(frozen=True, slots=True)
class TrainingLength:
    """A training length by name, or as a table, and the rule by which lengths count."""

    name: str
    table: tuple[tuple[int, int], ...] = ()  #: n and t(n), ascending, where it is no rule
    #: True if lengths are those of the paper, |x| with $: n is then a context N, and t(N) ≤ N / 2 tokens.
    counts_sos: bool = False

    @classmethod
    def named(cls, name: str, counts_sos: bool = False) -> TrainingLength:
        """Take a rule by its name, or read a table.

        Raises `SpecError` if it is no rule, and no table can be read.
        """
        if name in _RULES:
            return cls(name, counts_sos=counts_sos)
        base = os.path.basename(name)
        return cls("table" if base in _RULES else base, _read_table(name), counts_sos)

    @classmethod
    def of(cls, given: TrainingLike, counts_sos: bool = False) -> TrainingLength:
        """Take a rule, a file, or a mapping from n to t(n). Errors as `named`."""
        if isinstance(given, TrainingLength):
            return given
        if isinstance(given, Mapping):
            return cls("table", _checked([*given.items()], "training length"), counts_sos)
        return cls.named(os.fspath(given), counts_sos)

    def pairs(self, longest: int) -> tuple[tuple[int, int, float], ...]:
        """Test lengths of words up to ``longest``, with the training length and the tolerance of each.

        A context of N tokens is asked about words up to length N − 1, fitted on those up to t(N) − 1, with
        tolerance 1/N; where lengths are those of words, all three are about n.
        """
        sos = int(self.counts_sos)
        rows = dict(self.table) or {
            n: max(1 + sos, _RULES[self.name](n)) for n in range(1, longest + sos + 1)
        }
        found = ((n - sos, t - sos, 1.0 / n) for n, t in rows.items() if t > sos and n - sos <= longest)
        return tuple((n, t, tolerance) for n, t, tolerance in found if t <= n)


def _read_table(path: str) -> tuple[tuple[int, int], ...]:
    named = ", ".join(TRAINING_RULES)
    expected = f"expected one of {named}, or a CSV table with the columns n and t; name one"
    text = read_text(path, MOST_TABLE, SpecError, expected)
    rows: list[tuple[int, int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        cells = [cell.strip() for cell in line.split(",")]
        if cells == ["n", "t"] and number == 1:
            continue
        if len(cells) != 2 or not all(cell.isascii() and cell.isdigit() and len(cell) < 6 for cell in cells):
            raise SpecError(
                f"{show_path(path)}: line {number}: {quote(line)}; expected two whole numbers n,t; write one "
                "row for each length"
            )
        rows.append((int(cells[0]), int(cells[1])))
    return _checked(rows, show_path(path))


def _checked(rows: list[tuple[int, int]], origin: str) -> tuple[tuple[int, int], ...]:
    """Refuse a table that is no training length."""
    if not rows:
        raise SpecError(f"{origin}: no row; expected one for each length; write n,t")
    before = (0, 1)
    for n, t in rows:
        if not 1 <= t <= n:
            raise SpecError(f"{origin}: t({n}) = {t}; expected from 1 to n = {n}; train on no longer words")
        if n <= before[0] or t < before[1]:
            raise SpecError(
                f"{origin}: t({n}) = {t} after t({before[0]}) = {before[1]}; expected n to rise and t not to "
                "fall; sort the table"
            )
        before = n, t
    return tuple(rows)


def take_training_length(given: TrainingLike | None, lengths: str) -> TrainingLength | None:
    """Take a training length, with ``lengths`` ``words`` or ``paper``; None if none is given.

    >>> take_training_length(None, "words"), take_training_length(None, "paper")
    (None, TrainingLength(name='n/2', table=(), counts_sos=True))
    """
    if given is None and lengths != LENGTHS[1]:
        return None
    return TrainingLength.of("n/2" if given is None else given, lengths == LENGTHS[1])
