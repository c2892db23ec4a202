"""Programs that count as symmetric functions between two powers: proofs that a language is not in AC0.

Take words x^M w y^M with M = N + 1, where w is any word of N symbols a and b. If a program, read for all of
them at once (`idinf.crasp.runs`), never asks for the order in w, its answer is a function of A = #a(w): a
symmetric function of N free places, the others being fixed. Let it change between A = ut and A + 1 for every
large t, where N = (u + v)t + e. Then A/N tends to u/(u + v), which is neither 0 nor 1, and circuits of
constant depth and polynomial size compute no such functions (Fagin, Klawe, Pippenger, Stockmeyer 1985;
Brustmann, Wegener 1987). Fixing inputs makes no circuit larger: the language is not in AC0.

For example, a^M w b^M is balanced iff w holds as many a's as b's. A power may also be left out, and the last
one be a single symbol. What `symmetric` finds for programs of one layer needs no powers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations, product
from math import gcd

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.runs import (
    DependentRun,
    FreeRun,
    Indivisible,
    Number,
    Region,
    Run,
    accepts_runs,
    is_everywhere,
)
from idinf.languages.classification.told_apart import list_numbers

#: Families that are tried, and the least t.
MAX_FAMILIES, LEAST = 500, (1, 64, 1 << 20)

#: A t on trial.
_TRIAL = 10**9


@dataclass(frozen=True, slots=True)
class PaddedFamily:
    """Words x^M w y^M with M = |w| + 1, where |w| = (u + v)t + e."""

    before: str  # x; empty if w comes first
    free: tuple[str, str]  # a and b
    step: tuple[int, int]  # u and v
    offset: int  # e
    behind: str  # y
    is_power: bool  # else one y stands behind

    def runs(self, t: Number, one: Number, so_far: tuple[Number, Number] | None) -> list[Run]:
        """The runs with so many a's; without places inside w as one word, its a's before its b's."""
        size = (self.step[0] + self.step[1]) * t + self.offset
        free: list[Run]
        if so_far is None:
            free = [(self.free[0], one), (self.free[1], size - one)]
        else:
            free = [FreeRun(self.free, (one, size - one), so_far)]
        return [
            *[(self.before, size + 1)] * bool(self.before),
            *free,
            (self.behind, size + 1 if self.is_power else 1),
        ]


@dataclass(frozen=True, slots=True)
class PaddedChange:
    """Words of a family with #a(w) = ut have one answer for all t ≥ the least one, with ut + 1 the other."""

    family: PaddedFamily
    accepted: bool
    least: int

    def holds_of(self, program: s.ProgramTree) -> bool:
        """Whether it is so, and the answer depends on t and #a(w) alone, by readings of all these words."""
        (u, v), e = self.family.step, self.family.offset
        # t, A, and how many a's and b's of w there are up to a position
        region = Region(
            (
                (-self.least, 1, 0, 0, 0),
                (0, 0, 1, 0, 0),
                (e, u + v, -1, 0, 0),
                (0, 0, 0, 1, 0),
                (0, 0, 1, -1, 0),
                (0, 0, 0, 0, 1),
                (e, u + v, -1, 0, -1),
            )
        )

        def answer(part: Region) -> bool:
            t, one, *so_far = part.parameters
            return accepts_runs(program, self.family.runs(t, one, (so_far[0], so_far[1])))

        def is_right(part: Region) -> bool:
            t, one = part.parameters[:2]
            return answer(part) == self.accepted if one <= u * t else answer(part) != self.accepted

        middle = region.where((0, -u, 1, 0, 0)).where((1, u, -1, 0, 0))  # A is ut or ut + 1
        try:
            return is_everywhere(region, lambda part: answer(part) in (False, True)) and is_everywhere(
                middle, is_right
            )
        except (DependentRun, Indivisible):
            return False

    def told(self) -> str:
        """It in words.

        >>> family = PaddedFamily("a", ("a", "b"), (1, 1), 0, "b", True)
        >>> PaddedChange(family, True, 1).told()[:70]
        'of words a^(n+1) w b^(n+1), w of n symbols a and b, #a(w) decides: wit'
        """
        family, (one, other) = self.family, self.family.free
        (u, v), e = family.step, family.offset
        before = f"{family.before}^(n+1) " if family.before else ""
        behind = f"{family.behind}^(n+1)" if family.is_power else family.behind
        size = f"{u + v}t" + f" + {e}" * bool(e)
        usual, changed = ("accepted", "rejected") if self.accepted else ("rejected", "accepted")
        return (
            f"of words {before}w {behind}, w of n symbols {one} and {other}, #{one}(w) decides: "
            f"with n = {size}, t >= {self.least}, they are {usual} if it is {'' if u == 1 else u}t, "
            f"and {changed} if it is one more"
        )


def find_padded_change(program: s.ProgramTree, alphabet: Alphabet) -> PaddedChange | None:
    """A change of value in the middle; None if none is found, or the program has moduli or local counts.

    Exact: what is returned is proved for every t.

    >>> from idinf.crasp.checker import read_program
    >>> sigma = Alphabet(("a", "b"))
    >>> text = 'bad = # "a" < # "b"  x = # "a" == # "b" && # bad == 0'
    >>> change = find_padded_change(read_program(text, sigma), sigma)
    >>> change.family.before, change.family.behind, change.family.step, change.accepted
    ('a', 'b', (1, 1), True)
    """
    facts = check(program)
    if facts.period > 1 or facts.local_counts:
        return None
    for family in islice(_list_families(program, alphabet), MAX_FAMILIES):
        t = _TRIAL
        accepted, changed = (
            accepts_runs(program, family.runs(t, family.step[0] * t + more, None)) for more in (0, 1)
        )
        if accepted != changed:
            for least in LEAST:
                change = PaddedChange(family, accepted, least)
                if change.holds_of(program):
                    return change
    return None


def _list_families(program: s.ProgramTree, alphabet: Alphabet) -> Iterator[PaddedFamily]:
    numbers = list_numbers(program)
    steps = [(u, v) for u, v in product([1, *numbers], repeat=2) if gcd(u, v) == 1]
    for offset, step, free in product([0, 1, *numbers], steps, permutations(alphabet.symbols, 2)):
        for before, behind, is_power in product(("", *alphabet.symbols), alphabet.symbols, (False, True)):
            yield PaddedFamily(before, free, step, offset, behind, is_power)
