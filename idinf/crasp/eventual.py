"""C-RASP over one symbol: every count is linear in n from some n on, every Boolean constant.

On words a^n an operation at position i depends on i alone, so these are words of one run: see
`idinf.crasp.runs`. Thresholds of 2^40 cost no more than those of 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from idinf.crasp import syntax as s
from idinf.crasp.checker import Sort, check
from idinf.crasp.runs import Pieces, read_runs, value_at


@dataclass(frozen=True, slots=True)
class Eventual:
    """One operation on the words a^n."""

    name: str
    sort: Sort
    pieces: Pieces  # by increasing start, the first one at 0, which is SOS; neighbours are not on one line

    @property
    def since(self) -> int:
        """The least n from which the value is linear; of a Boolean: constant."""
        start = self.pieces[-1].start
        assert isinstance(start, int)  # no parameters
        # two lines may meet where one piece ends; more than one point they do not share
        meets = len(self.pieces) > 1 and self.pieces[-2].at(start - 1) == self.pieces[-1].at(start - 1)
        return start - meets

    def at(self, n: int) -> int:
        """The value at the last position of a^n."""
        value = value_at(self.pieces, n)
        assert isinstance(value, int)  # no parameters
        return value


def compute_eventual_values(program: s.ProgramTree, symbol: str) -> tuple[Eventual, ...]:
    """Every operation on the words a^n, for all n ≥ 0 at once.

    Exact. The last operation decides: the program answers alike on all a^n with n at least its `since`, and
    this is the least such number. Other symbols that the program names hold nowhere.

    Raises `ProgramError` if the program breaks a rule of `check`, or has a modulus above 1.

    Implements Lemma 37 of [HYB25]_ by the induction of its proof, with local counts added: they read a
    Boolean a bounded distance back, which is constant as soon as the Boolean is.

    >>> from idinf.crasp.parser import parse
    >>> program = parse('as = # "a" few = as < 3 accept = 2 * # few >= as')
    >>> [(value.name, value.since) for value in compute_eventual_values(program, "a")]
    [('as', 0), ('few', 3), ('accept', 5)]
    >>> [compute_eventual_values(program, "a")[-1].at(n) for n in range(7)]
    [1, 1, 1, 1, 1, 0, 0]
    """
    sorts = dict(check(program).sorts)
    table = read_runs(program, ((symbol, 0),)).table
    return tuple(Eventual(name, sorts[name], pieces) for name, pieces in table.items())
