"""Proofs that a program decides no regular language: powers of a symbol that what follows tells apart.

Let words x^(c·j) y^(k·i + e) z^(…) get one answer where j = i, and the other one where j = i + d, for all
d ≥ d0 and i ≥ i0 + λd, i and d multiples of m. Then no DFA decides the language: reading x^c again and again
it comes back to a state after some number of rounds, hence also after a multiple d ≥ d0 of it that m
divides; and for all large multiples i of m the words x^(c·i) and x^(c·(i + d)) lead to one state, though the
rest tells them apart. With λ = 0 infinitely many words x^(c·i) are told apart pairwise, which is how the
theorem of Myhill and Nerode is mostly applied.

A reading of the program on all words of such a kind proves it (`idinf.crasp.runs`), with nested and local
counts. Moduli become places of blocks: every symbol is repeated so often that all of them divide the length
of a block, and an inverse image of a regular language is regular.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise, product
from math import gcd

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.inverse_images import Morphism, check_size, pull_back
from idinf.crasp.runs import Indivisible, Number, Region, accepts_runs, is_everywhere
from idinf.errors import BudgetError

#: Kinds of words that are tried times parts of the program, at least so many kinds; proofs that are tried.
MAX_WORK, LEAST_KINDS, MAX_PROOFS = 10_000, 30, 4

#: Numbers of a program that lengths are made of.
MAX_NUMBERS = 3

#: Least i and d that are tried, and how often i is at least d.
LEAST, TIMES = (1, 8, 64, 4_096, 1 << 30), (0, 4)

#: Largest m that is tried.
MAX_MULTIPLE = 64

#: An i on trial, with a d far below it; what is likely to divide them divides them.
_LONG, _MORE = 10**15 * 720_720, 720_720


@dataclass(frozen=True, slots=True)
class PumpedWords:
    """Words x^(c·j) y^(k·i + e) z^(…): the first power grows with j, the others with i."""

    symbols: tuple[str, ...]
    factors: tuple[int, ...]
    offsets: tuple[int, ...]  # the first one is 0

    def runs(self, j: Number, i: Number) -> list[tuple[str, Number]]:
        """The word as symbols with their numbers."""
        rows = zip(self.symbols, self.factors, self.offsets, strict=True)
        return [(symbol, k * (i if n else j) + e) for n, (symbol, k, e) in enumerate(rows)]


@dataclass(frozen=True, slots=True)
class SeparatedWords:
    """Words behind x^(c·i) and x^(c·(i + d)) that tell them apart, for all i ≥ i0 + λd and d ≥ d0."""

    kind: PumpedWords
    repeated: int  # how often every symbol stands for itself in the words of the program
    accepted: bool  # whether the word with d = 0 is accepted
    multiple: int  # m, which divides i and d
    least: int  # d0, and i0
    times: int  # λ

    def holds_of(self, program: s.ProgramTree) -> bool:
        """True if a reading of the program, which has no moduli, on all these words proves it."""
        region = Region(
            ((-self.least, self.multiple, -self.times * self.multiple), (-self.least, 0, self.multiple))
        )

        def is_right(grown: bool, part: Region) -> bool:
            i, d = (self.multiple * length for length in part.parameters)
            return accepts_runs(program, self.kind.runs(i + grown * d, i)) == (self.accepted != grown)

        return all(is_everywhere(region, partial(is_right, grown)) for grown in (False, True))

    def told(self) -> str:
        """It in words.

        >>> SeparatedWords(PumpedWords(("a", "b", "c"), (1, 1, 2), (0, 0, 1)), 1, True, 1, 1, 0).told()
        'a^i and a^j, 0 < i < j, are told apart by b^i c^(2i+1)'
        """

        def power(symbol: str, factor: int, offset: int, name: str) -> str:
            factor, offset = factor * self.repeated, offset * self.repeated
            number = f"{'' if factor == 1 else factor}{name}" if factor else ""
            number += f"+{offset}" if number and offset else str(offset or "")
            return (
                symbol
                if number == "1"
                else f"{symbol}^{number}"
                if len(number) == 1
                else f"{symbol}^({number})"
            )

        rows = list(zip(self.kind.symbols, self.kind.factors, self.kind.offsets, strict=True))
        one, other = (power(*rows[0], name) for name in "ij")
        rest = " ".join(power(*row, "i") for row in rows[1:])
        where = [f"i and j multiples of {self.multiple}"] * (self.multiple > 1)
        if self.least == 1 and not self.times:
            where.append("0 < i < j")
        else:
            where += [f"j - i >= {self.least}"]
            at_least = f"{self.least}" + f" + {self.times} (j - i)".replace(" 1 ", " ") * (self.times > 0)
            where += [f"i >= {at_least}"]
        return f"{one} and {other}, {', '.join(where)}, are told apart by {rest}"


def find_powers_told_apart(program: s.ProgramTree, alphabet: Alphabet) -> SeparatedWords | None:
    """Powers of a symbol that a program tells apart by what follows; None if none are found.

    Exact: what is returned is proved for every i and d.
    """
    repeated = check(program).period
    try:
        check_size(program, repeated)
    except BudgetError:
        return None
    if repeated > 1:
        images = tuple((code,) * repeated for code in range(len(alphabet)))
        program = pull_back(program, Morphism(alphabet, alphabet, images))
    candidates = (kind for kind in _list_kinds(program, alphabet) if _seems_told_apart(program, kind))
    proofs = (_prove(program, kind, repeated) for kind in islice(candidates, MAX_PROOFS))
    return next((proof for proof in proofs if proof is not None), None)


def _seems_told_apart(program: s.ProgramTree, kind: PumpedWords) -> bool:
    """True if a program answers differently on two long words."""
    one, other = (accepts_runs(program, kind.runs(_LONG + more, _LONG)) for more in (0, _MORE))
    return one != other


def _prove(program: s.ProgramTree, kind: PumpedWords, repeated: int) -> SeparatedWords | None:
    multiple, accepted = 1, accepts_runs(program, kind.runs(_LONG, _LONG))
    for times, least in product(TIMES, LEAST):
        while multiple <= MAX_MULTIPLE:
            found = SeparatedWords(kind, repeated, accepted, multiple, least, times)
            try:
                if found.holds_of(program):
                    return found
                break
            except Indivisible as length:
                multiple *= length.divisor
    return None


def _list_kinds(program: s.ProgramTree, alphabet: Alphabet) -> Iterator[PumpedWords]:
    """Words of two and three runs; the simplest ones first."""
    numbers = list_numbers(program)
    factors, offsets = [1, *numbers], [0, 1, *numbers]
    kinds = (
        PumpedWords(symbols, sizes, (0, offset, *(int(not size) for size in sizes[2:])))
        for runs in (2, 3)
        for offset in offsets
        for sizes in product(factors, factors, *[[*factors, 0]] * (runs - 2))
        if gcd(*sizes) == 1
        for symbols in product(alphabet.symbols, repeat=runs)
        if all(one != other for one, other in pairwise(symbols))
    )
    parts = sum(1 for row in program.definitions for _ in s.iter_parts(row.expression))
    return islice(kinds, max(LEAST_KINDS, MAX_WORK // parts))


def list_numbers(program: s.ProgramTree) -> list[int]:
    """The least numbers above 1 that a program names: its factors and thresholds are among them.

    >>> from idinf.crasp.parser import parse
    >>> list_numbers(parse('x = 3 * # "a" >= 2 * # "b" - 3'))
    [2, 3]
    """
    parts = (part for row in program.definitions for part in s.iter_parts(row.expression))
    return sorted({abs(part.value) for part in parts if isinstance(part, s.Number)} - {0, 1})[:MAX_NUMBERS]
