"""Theorem 9 of [HYB25] as code: from a C-RASP program to a Limit Transformer of the searched family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from idinf.base.linear_algebra import ONE, ZERO, Affine, combine, read_feature
from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.meaning import SumAlgebra, find_common_period
from idinf.crasp.syntax import list_needed_definitions
from idinf.errors import BudgetError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, Aggregate, compute_r_terms
from idinf.translate.compilation.circuit import UnitCircuit, compile_acceptance
from idinf.translate.compilation.diagrams import FALSE, TOO_MANY_CASES, TRUE, Node
from idinf.translate.compilation.units import Acceptance, CompiledUnits, assemble

#: Comparisons that conditionals, maxima and local counts of a program may split into.
MAX_CASES = 20_000


@dataclass(frozen=True, slots=True)
class _CountSum:
    """#P over all positions up to here."""

    node: Node


@dataclass(frozen=True, slots=True)
class _Indicator:
    """1 where P holds, 0 elsewhere."""

    node: Node


@dataclass(frozen=True, slots=True)
class _CaseSum:
    """C where P holds, C' elsewhere."""

    node: Node
    then: Affine
    otherwise: Affine


@dataclass(frozen=True, slots=True)
class _Largest:
    """max(C, C')."""

    left: Affine
    right: Affine


_Atom = _CountSum | _Indicator | _CaseSum | _Largest


class _Operations(SumAlgebra[Node]):
    """Booleans are nodes of a circuit, counts sums of atoms; every comparison with 0 is made once."""

    def __init__(self, alphabet: Alphabet, circuit: UnitCircuit) -> None:
        super().__init__(alphabet)
        self.circuit, self.diagrams = circuit, circuit.diagrams
        self._atoms: list[_Atom] = []
        self._numbers: dict[_Atom, int] = {}
        self._positive: dict[Affine, Node] = {}

    def symbol(self, code: int) -> Node:
        return self.circuit.symbol(code)

    def truth(self, value: bool) -> Node:
        return TRUE if value else FALSE

    def residue(self, modulus: int, residue: int) -> Node:
        return self.circuit.residues(modulus, residue)

    def negated(self, operand: Node) -> Node:
        return self.diagrams.negated(operand)

    def conjunction(self, parts: Sequence[Node]) -> Node:
        return reduce(self.diagrams.both, parts)

    def disjunction(self, parts: Sequence[Node]) -> Node:
        return reduce(self.diagrams.either, parts)

    def counted(self, operand: Node) -> Affine:
        return ZERO if operand == FALSE else self._atom(_CountSum(operand))

    def windowed(self, low: int, high: int, operand: Node) -> Affine:
        held = [self.circuit.recalled(distance, operand) for distance in range(low, high + 1)]
        return combine((self._atom(_Indicator(node)), 1) for node in held if node != FALSE)

    def chosen(self, condition: Node, then: Affine, otherwise: Affine) -> Affine:
        if condition in (FALSE, TRUE) or then == otherwise:
            return then if condition == TRUE else otherwise
        return self._atom(_CaseSum(condition, then, otherwise))

    def largest(self, left: Affine, right: Affine) -> Affine:
        return left if left == right else self._atom(_Largest(left, right))

    def _atom(self, atom: _Atom) -> Affine:
        if atom not in self._numbers:
            self._numbers[atom] = len(self._atoms)
            self._atoms.append(atom)
        return read_feature(self._numbers[atom])

    def positive(self, total: Affine) -> Node:
        """A node that holds where C > 0.

        A maximum is an "or" where it counts for C and an "and" where it counts against it; a conditional
        and the truth value of a Boolean split the comparison into one for each case.
        """
        if total not in self._positive:
            if len(self._positive) >= MAX_CASES:
                raise BudgetError(TOO_MANY_CASES)
            node = self._split(total)
            self._positive[total] = node
            self._note_vote(total, node)
        return self._positive[total]

    def _split(self, total: Affine) -> Node:
        for number, coefficient in sorted(total.terms, key=self._turn):
            rest = total - read_feature(number).times(coefficient)
            match self._atoms[number]:
                case _Largest(left, right):
                    parts = [self.positive(rest + part.times(coefficient)) for part in (left, right)]
                    return self.diagrams.either(*parts) if coefficient > 0 else self.diagrams.both(*parts)
                case _CaseSum(node, then, otherwise):
                    parts = [self.positive(rest + part.times(coefficient)) for part in (then, otherwise)]
                    return self.diagrams.choice(node, *parts)
                case _Indicator(node):
                    parts = [self.positive(rest.plus(coefficient)), self.positive(rest)]
                    return self.diagrams.choice(node, *parts)
        return self.circuit.above(self._nodes(total, _CountSum), -total.constant)

    def _turn(self, term: tuple[int, int]) -> tuple[int, int]:
        """The part that is split first: maxima, which need no case, then conditionals; counts never are."""
        kinds = (_Largest, _CaseSum, _Indicator, _CountSum)
        return kinds.index(type(self._atoms[term[0]])), term[0]

    def _nodes(self, total: Affine, kind: type[_CountSum] | type[_Indicator]) -> list[tuple[Node, int]]:
        """The Booleans of the atoms of one kind, with their coefficients."""
        atoms = ((self._atoms[number], c) for number, c in total.terms)
        return [(atom.node, c) for atom, c in atoms if isinstance(atom, kind)]

    def _note_vote(self, total: Affine, node: Node) -> None:
        """Remember a Boolean that only adds up others: one unit above theirs computes it."""
        terms = self._nodes(total, _Indicator)
        if len(terms) == len(total.terms) > 1 and node not in (FALSE, TRUE):
            vote = combine([(read_feature(part), c) for part, c in terms]).plus(total.constant)
            self.circuit.votes.setdefault(node, vote)
            self.circuit.votes.setdefault(self.diagrams.negated(node), ONE - vote)


#: Largest Δ: every residue is a feature, and R counts Δ.
MAX_PERIOD = 1024

#: Terms of R that are the same whatever the precision of a compiled program is.
_OF_NO_PRECISION = ("layers_plus_heads", "rank_V", "norm_U", "norm_E", "norm_p", "phi", "period")


def compile_program(program: s.ProgramTree, alphabet: Alphabet, precision: int = 0) -> OneHotTransformer:
    """Compile a program over an alphabet that has every symbol it names; the empty word is accepted alike.

    Integer parameters for precision p = 0; with p > 0 the values of heads and the s and b of units are
    divided by 2^p, which can lower R. No φ without local counts, no positions without periodic predicates.

    Raises `ProgramError` if the program breaks a rule of `check`. `BudgetError` if its comparisons split into
    too many cases, its moduli have a common multiple above `MAX_PERIOD`, or the result is too large.

    Implements Theorem 9 of [HYB25], with these differences: a comparison and the Boolean gates around it are
    one unit, and conditionals become cases of comparisons instead of ReLU units, so the result always lies
    in the searched family and its R bounds R* from above. A layer for each level of counting, and one without
    heads where a Boolean of several comparisons is counted, or decides and is neither their conjunction nor
    their disjunction.

    >>> from idinf.crasp.parser import parse
    >>> majority = compile_program(parse('accept = # "0" <= # "1"'), Alphabet(("0", "1")))
    >>> len(majority.layers), majority.layers[0].heads[0].channels
    (1, ((0, 1, -1),))
    """
    return assemble(alphabet, *_build_units(program, alphabet), precision)


def _build_units(program: s.ProgramTree, alphabet: Alphabet) -> tuple[CompiledUnits, Acceptance]:
    """The units of a program, and how they are read; they are those of every precision."""
    check(program, alphabet)
    period = find_common_period(program, MAX_PERIOD, BudgetError, "every residue is a feature")
    circuit = UnitCircuit(len(alphabet), period)
    try:
        last = _Operations(alphabet, circuit).decision(list_needed_definitions(program))
        reading = compile_acceptance(circuit, last)
    except RecursionError:
        raise BudgetError(TOO_MANY_CASES) from None
    return circuit.units, reading


def compile_cheapest(
    program: s.ProgramTree, alphabet: Alphabet, most: int | None = None, aggregate: Aggregate = Aggregate.MAX
) -> tuple[OneHotTransformer, float]:
    """The compiled program of least R over all precisions p, the first of equals, and its R.

    This R belongs to the program alone, and is what is called its R everywhere. With ``most``, as in a space
    that bounds p, no larger p is looked at.

    Raises `ProgramError, BudgetError` as `compile_program`.

    R is at least p, and layers, heads, ranks, ‖U‖, embeddings, positions and φ do not depend on it, so from
    some p on nothing is cheaper.

    >>> from idinf.crasp.parser import parse
    >>> program = parse('accept = 2 * # "0" <= 3 * # "1"')
    >>> net, r = compile_cheapest(program, Alphabet(("0", "1")))
    >>> net.precision, round(r, 3), round(compile_cheapest(program, Alphabet(("0", "1")), 0)[1], 3)
    (1, 9.803, 10.606)
    """
    units, reading = _build_units(program, alphabet)
    best: tuple[OneHotTransformer, float] | None = None
    precision, rest = 0, 0.0
    while best is None or ((most is None or precision <= most) and rest + precision < best[1] - EPSILON):
        net = assemble(alphabet, units, reading, precision)
        terms = compute_r_terms(net.to_dense(), aggregate)
        rest = sum(getattr(terms, name) for name in _OF_NO_PRECISION)
        if best is None or terms.total < best[1] - EPSILON:
            best = net, terms.total
        precision += 1
    return best


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """A compiled program.

    ``outside`` says why it was compiled directly and so lies outside the searched family, where its R bounds
    no R*; empty where it lies in the family.
    """

    transformer: LimitTransformer
    outside: str = ""


def compile_by_any_route(
    program: s.ProgramTree, alphabet: Alphabet, precision: int | None = None, direct: bool = False
) -> CompiledProgram:
    """Compile into the family, or by the direct construction where that is asked for or needed.

    Without a precision it is the one of least R in the family, and 0 by the direct construction.

    Raises `ProgramError, BudgetError` as `compile_directly`.
    """
    from idinf.translate.compilation.direct import compile_directly  # no search needs it

    if direct:
        return CompiledProgram(compile_directly(program, alphabet, precision or 0), "asked for")
    try:
        if precision is None:
            return CompiledProgram(compile_cheapest(program, alphabet)[0].to_dense())
        return CompiledProgram(compile_program(program, alphabet, precision).to_dense())
    except BudgetError as error:
        return CompiledProgram(
            compile_directly(program, alphabet, precision or 0), str(error).partition(";")[0]
        )
