"""Theorem 9 of [HYB25] as code: from a C-RASP program to a Limit Transformer of the searched family."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.base.words import Alphabet
from idinf.crasp import syntax as s
from idinf.crasp.checker import check
from idinf.crasp.meaning import find_common_period
from idinf.errors import BudgetError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer
from idinf.nets.regularizer import EPSILON, Aggregate, compute_r_terms
from idinf.translate.compilation.acceptance import Acceptance, compile_acceptance
from idinf.translate.compilation.assembly import assemble
from idinf.translate.compilation.circuit import UnitCircuit
from idinf.translate.compilation.diagrams import TOO_MANY_CASES
from idinf.translate.compilation.operations import find_last_operation
from idinf.translate.compilation.units import CompiledUnits

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
        reading = compile_acceptance(circuit, find_last_operation(program, alphabet, circuit))
    except RecursionError:
        raise BudgetError(TOO_MANY_CASES) from None
    return circuit.units, reading


def compile_cheapest(
    program: s.ProgramTree,
    alphabet: Alphabet,
    most: int | None = None,
    aggregate: Aggregate = Aggregate.MAX,
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

    >>> from idinf.crasp.parser import parse
    >>> ab, program = Alphabet(("a", "b")), parse('accept = i mod 1025 == 3 && # "a" > 0')
    >>> result = compile_by_any_route(program, ab)
    >>> result.transformer.period, result.outside[:51]
    (1025, 'line 1, column 10: the moduli up to here have the c')
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
