"""Theorem 9 of [HYB25] word for word: one dimension for each operation, conditionals by ReLU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from idinf.affine import ONE, ZERO, Affine
from idinf.compilation.direct_layers import stacked
from idinf.compilation.local_counts import local_head
from idinf.compilation.moduli import common_period
from idinf.compilation.stream import Stream
from idinf.compilation.tallies import Tallies, Tally, added
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.meaning import Algebra
from idinf.errors import BudgetError, ProgramError
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet

#: Largest Δ: a file has a row for each residue.
MAX_POSITIONS = 1 << 14


def compile_directly(program: s.ProgramTree, alphabet: Alphabet, precision: int = 0) -> LimitTransformer:
    """Compile a program by the construction of the theorem, however many conditionals it has.

    The alphabet has every symbol it names; the empty word is accepted alike. Integer parameters for precision
    p = 0; with p > 0 what Heaviside units read is divided by 2^p, which can lower R. No φ without local
    counts, no positions without periodic predicates. The result need not lie in the searched family.

    Raises
    ------
    ProgramError
        If the program breaks a rule of `check`, or its moduli have a common multiple above `MAX_POSITIONS`.
    BudgetError
        If it needs too many dimensions or entries.

    Notes
    -----
    Implements Theorem 9 of [HYB25]. A head for each distance of a layer of counting, and uniform attention
    for all other counts of it. A layer without heads is added where a Boolean joins several made in one
    layer, where a conditional is compared or asks for one made in the layer of its counts, and where the
    truth value of a Boolean is added to counts.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> text = 'accept = max(# "a", # "b") > 2'
    >>> net = compile_directly(parse(text), Alphabet(("a", "b")))
    >>> net.depth, [kind.value for kind in net.layers[0].mlp.activation]
    (2, ['relu'])
    """
    check(program, alphabet)
    period = common_period(program, MAX_POSITIONS, ProgramError, "the positions repeat no sooner")
    reading = _Direct(alphabet, period)
    try:
        decision = reading.decision(program)
    except RecursionError:
        raise BudgetError(
            "the program is nested too deep to be compiled; expected fewer brackets in each other; "
            "name its parts as operations"
        ) from None
    return stacked(alphabet, reading.stream, decision, precision)


class _Direct(Algebra[Affine, Tally]):
    """Booleans are combinations of dimensions of a stream, counts tallies."""

    def __init__(self, alphabet: Alphabet, period: int) -> None:
        super().__init__(alphabet)
        self.period = period
        self.stream = Stream(1 + len(alphabet))
        self.tallies = Tallies(self.stream)

    def symbol(self, code: int) -> Affine:
        return self.stream.token(1 + code)

    def truth(self, value: bool) -> Affine:
        return ONE if value else ZERO

    def residue(self, modulus: int, residue: int) -> Affine:
        return self.stream.of_residue(tuple(r % modulus == residue for r in range(self.period)))

    def negated(self, operand: Affine) -> Affine:
        return ONE - operand

    def conjunction(self, parts: Sequence[Affine]) -> Affine:
        return self.stream.conjunction(parts)

    def disjunction(self, parts: Sequence[Affine]) -> Affine:
        return self.stream.disjunction(parts)

    def one_of(self, left: Affine, right: Affine) -> Affine:
        return left + right

    def positive(self, total: Tally) -> Affine:
        return self.tallies.positive(total)

    def number(self, value: int) -> Tally:
        return Tally(Affine((), value))

    def value_of(self, total: Tally) -> int | None:
        return None if total.rate.terms or total.indicators else total.rate.constant

    def added(self, left: Tally, right: Tally, factor: int) -> Tally:
        return added(left, right, factor)

    def counted(self, operand: Affine) -> Tally:
        return self.tallies.counted(operand)

    def windowed(self, low: int, high: int, operand: Affine) -> Tally:
        recalled = (self._recalled(distance, operand) for distance in range(low, high + 1))
        return reduce(added, map(self.tallies.indicator, recalled), Tally())

    def _recalled(self, distance: int, held: Affine) -> Affine:
        """Whether a Boolean held so far back, at a position of the word: a local head and its threshold."""
        values = self.stream.without_sos(held)
        if distance == 0 or values == ZERO:
            return values
        head = local_head(distance)
        average = self.stream.averaged(values + self.stream.token(0).times(head.at_sos), distance)
        return self.stream.heaviside(average.times(2) - ONE)

    def chosen(self, condition: Affine, then: Tally, otherwise: Tally) -> Tally:
        return self.tallies.chosen(condition, then, otherwise)

    def largest(self, left: Tally, right: Tally) -> Tally:
        return self.tallies.largest(left, right)
