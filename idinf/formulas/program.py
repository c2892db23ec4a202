"""From a hypothesis of the searched family back to a C-RASP program: its formula, read as a program."""

from __future__ import annotations

from idinf.crasp import syntax as s
from idinf.crasp.notation.reader import read_formula
from idinf.errors import BudgetError, HypothesisFormatError, ProgramError
from idinf.formulas.formula import write_formula
from idinf.transformers.one_hot import OneHotTransformer


def decompile(hypothesis: OneHotTransformer) -> s.ProgramTree:
    """Write a hypothesis as a program over its alphabet that accepts the same words, ε among them.

    Raises
    ------
    HypothesisFormatError
        If the answer of a unit depends on the weights N^a in a way that counts do not express for all N;
        the message has the average that its formula has there.
    BudgetError
        If it needs too many cases.

    Notes
    -----
    The converse of Theorem 9 of [HYB25] for the searched family. With uniform weights a unit compares
    Σ v + (i + 1) · (s + b) with 0, a sum of counts for each value of s + b. With φ its sign is decided for
    all N from bounds on the sums (`idinf.crasp.notation.local`), with M if higher weights outrank lower
    ones (`idinf.crasp.notation.ranked`).

    Examples
    --------
    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.printer import format_program
    >>> from idinf.compilation.compiler import compile_program
    >>> from idinf.words import Alphabet
    >>> text = 'as = # "a" dead = # as == 2 accept = 2 * as >= 2 * # "b" + 2'
    >>> net = compile_program(parse(text.replace("# as", "as")), Alphabet(("a", "b")))
    >>> print(format_program(decompile(net)), end="")
    accept = # "a" > # "b"
    """
    if hypothesis.reads is not None:
        raise HypothesisFormatError(
            "the hypothesis names next symbols; expected one that accepts words, as its programs do"
        )
    try:
        return read_formula(str(write_formula(hypothesis)), hypothesis.alphabet.symbols)
    except ProgramError as error:
        raise HypothesisFormatError(f"its formula, {error}") from None
    except RecursionError:
        raise BudgetError("the hypothesis needs too many cases as a program; expected fewer units") from None
