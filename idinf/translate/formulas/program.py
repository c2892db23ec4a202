"""From a hypothesis of the searched family back to a C-RASP program: its formula, read as one."""

from __future__ import annotations

from dataclasses import replace

from idinf.crasp import building as b
from idinf.crasp import syntax as s
from idinf.crasp.notation.reader import FormulaReader
from idinf.crasp.scanner import INTEGER, Token
from idinf.errors import BudgetError, HypothesisFormatError, ProgramError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotTransformer, share_letters, to_one_hot
from idinf.translate.formulas.formula import write_formula


def decompile(hypothesis: OneHotTransformer) -> s.ProgramTree:
    """Write a hypothesis as a program over its alphabet that accepts the same words, ε among them.

    Raises `HypothesisFormatError` if the answer of a unit depends on the weights N^a in a way that counts do
    not express for all N; the message has the average that its formula has there. `BudgetError` if it needs
    too many cases.

    The converse of Theorem 9 of [HYB25] for the searched family. With uniform weights a unit compares
    Σ v + (i + 1) · (s + b) with 0, a sum of counts for each value of s + b. With φ its sign is decided for
    all N from bounds on the sums, with M if higher weights outrank lower ones
    (`idinf.crasp.notation.averages`).

    >>> from idinf.crasp.parser import parse
    >>> from idinf.crasp.syntax import format_program
    >>> from idinf.translate.compilation.compiler import compile_program
    >>> from idinf.base.words import Alphabet
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
        return _PrintedFormula(str(write_formula(hypothesis)), hypothesis.alphabet.symbols).program()
    except ProgramError as error:
        raise HypothesisFormatError(f"its formula, {error}") from None
    except RecursionError:
        raise BudgetError("the hypothesis needs too many cases as a program; expected fewer units") from None


def decompile_net(net: LimitTransformer) -> s.ProgramTree:
    """Write a net of the family as a program over all its letters; errors as of `decompile`.

    Letters of one embedding are one symbol of the hypothesis, which the program spells out.
    """
    member = to_one_hot(share_letters(net))
    classes = member.alphabet.classes

    def spell(part: s.Expression) -> s.Expression:
        if isinstance(part, s.Symbol):
            return b.any_of(
                s.Symbol(letter, part.place) for letter in classes.get(part.symbol, (part.symbol,))
            )
        return s.replace_parts(part, spell)

    program = decompile(member)
    return s.ProgramTree(tuple(replace(row, expression=spell(row.expression)) for row in program.definitions))


class _PrintedFormula(FormulaReader):
    """A formula as a hypothesis is printed; messages name its units instead of places."""

    @property
    def place(self) -> s.TextPlace:
        return s.HERE

    def integer(self, piece: Token | None = None) -> int:
        return int((piece or self.need(INTEGER)).text)  # as large as those of the hypothesis

    def origin(self, place: s.TextPlace) -> str:
        return self.defined
