"""Two ways to compile a program: into the searched family, or else by the direct construction."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.compilation.compiler import compile_program
from idinf.compilation.direct import compile_directly
from idinf.crasp import syntax as s
from idinf.errors import BudgetError
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.words import Alphabet


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled program.

    Parameters
    ----------
    transformer : LimitTransformer
    outside : str
        Why it was compiled directly and so lies outside the searched family, where its R bounds no R*;
        empty where it lies in the family.
    """

    transformer: LimitTransformer
    outside: str = ""


def compile_by_any_route(
    program: s.ProgramTree, alphabet: Alphabet, precision: int = 0, direct: bool = False
) -> Compiled:
    """Compile into the family, or by the direct construction where that is asked for or needed.

    Raises
    ------
    ProgramError, BudgetError
        As `compile_directly`.

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> ab, program = Alphabet(("a", "b")), parse('accept = i mod 1025 == 3 && # "a" > 0')
    >>> result = compile_by_any_route(program, ab)
    >>> result.transformer.period, result.outside[:51]
    (1025, 'line 1, column 10: the moduli up to here have the c')
    """
    if direct:
        return Compiled(compile_directly(program, alphabet, precision), "asked for")
    try:
        return Compiled(compile_program(program, alphabet, precision).to_dense())
    except BudgetError as error:
        return Compiled(compile_directly(program, alphabet, precision), str(error).partition(";")[0])
