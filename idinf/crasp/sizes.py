"""How large the counts of a program can become: whoever computes them must know which integers hold them."""

from __future__ import annotations

from idinf.crasp import syntax as s
from idinf.errors import ProgramError
from idinf.quoting import quoted

#: Bound on a modulus and on the |coefficients| of one count, summed. A count of a word of length n is then at
#: most 2^40 · (n + 1): int64 counters are exact up to n = 2^22, far beyond every length that is examined.
MAX_COEFFICIENT = 2**40

#: Bound on the common multiple of all moduli of a program, so that it is a machine integer, too.
MAX_PERIOD = 2**62


class Sizes:
    """Bounds of the counts met so far. Mutable: an operation may read only those defined before it.

    Attributes
    ----------
    largest : int
        The largest bound of any count asked about.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> count, twice = parse('as = # "a" + 3 twice = -2 * as').definitions
    >>> sizes = Sizes()
    >>> sizes.define(count.name, count.expression)
    >>> sizes.size(twice.expression), sizes.constant(twice.expression)
    (8, None)
    """

    def __init__(self) -> None:
        self.largest = 1
        self._sizes: dict[str, int] = {}
        self._constants: dict[str, int] = {}

    def define(self, name: str, expression: s.Expression) -> None:
        """Bind a name to a count."""
        self._sizes[name] = self.size(expression)
        value = self.constant(expression)
        if value is not None:
            self._constants[name] = value

    def size(self, expression: s.Expression) -> int:
        """A c with |value| ≤ c · (n + 1) on every word of length n.

        Raises
        ------
        ProgramError
            If c is above `MAX_COEFFICIENT`.
        """
        match expression:
            case s.Name(name):
                size = self._sizes[name]
            case s.Number(value):
                size = abs(value)
            case s.Added(_, left, right):
                size = self.size(left) + self.size(right)
            case s.Multiplied(left, right):
                size = self._of_product(left, right)
            case s.Negative(operand):
                size = self.size(operand)
            case s.Conditional(then, _, otherwise):
                size = max(self.size(then), self.size(otherwise))
            case s.Extremum(_, left, right):
                size = max(self.size(left), self.size(right))
            case _:
                size = 1
        if size > MAX_COEFFICIENT:
            raise ProgramError(
                f"{expression.place}: coefficients add up to {quoted(size)}; expected at most "
                f"{MAX_COEFFICIENT} "
                "(2^40), so that 64-bit counters stay exact; use smaller numbers"
            )
        self.largest = max(self.largest, size)
        return size

    def _of_product(self, left: s.Expression, right: s.Expression) -> int:
        factor = self.constant(left)
        if factor is not None:
            return abs(factor) * self.size(right)
        return abs(self.constant(right) or 0) * self.size(left)

    def constant(self, expression: s.Expression) -> int | None:
        """The value of a count that is made of numbers alone; None for anything else."""
        match expression:
            case s.Number(value):
                return value
            case s.Name(name):
                return self._constants.get(name)
            case s.Negative(operand):
                inner = self.constant(operand)
                return None if inner is None else -inner
            case s.Added(_, left, right) | s.Multiplied(left, right):
                first, second = self.constant(left), self.constant(right)
                if first is None or second is None:
                    return None
                return first + expression.sign * second if isinstance(expression, s.Added) else first * second
        return None
