"""Hypotheses: Limit Transformers with what they cost, what they answer and how they read."""

from __future__ import annotations

import os

from idinf.errors import HypothesisFormatError
from idinf.files import write_whole
from idinf.library.languages import Language, WordLike
from idinf.library.operands import Operand
from idinf.numbers import r_text
from idinf.render.hypotheses import formula_if_one_hot
from idinf.report import value
from idinf.report.hypotheses import hypothesis_of, read_hypothesis
from idinf.transformers import json_format, reference
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import Aggregate, RTerms, r_terms


class Hypothesis(Language):
    """A Limit Transformer; a language as well, that of the words it accepts.

    Parameters
    ----------
    transformer : LimitTransformer
    name : str
    outside : str
        Why a compiled program is outside of the searched family; empty if it is not known to be.

    Attributes
    ----------
    transformer : LimitTransformer
        Its matrices.
    outside : str
    """

    def __init__(self, transformer: LimitTransformer, name: str = "hypothesis", outside: str = "") -> None:
        self.transformer, self.outside = transformer, outside
        super().__init__(Operand(name, transformer))

    def __repr__(self) -> str:
        return f"<Hypothesis {self.name}: R = {r_text(self.r)}>"

    @property
    def r(self) -> float:
        """R, with terms of layers and heads by their maximum (float)."""
        return self.r_terms().total

    def r_terms(self, aggregate: str = "max") -> RTerms:
        """Compute the terms of R; ``aggregate`` is ``max`` or ``sum``."""
        return r_terms(self.transformer, Aggregate(aggregate))

    @property
    def formula(self) -> str | None:
        """The hypothesis as a counting formula; None if it is not of the searched family."""
        formula = formula_if_one_hot(self.transformer)
        return None if formula is None else str(formula)

    def next_symbols(self, word: WordLike) -> tuple[tuple[str, ...], ...]:
        """Say after every prefix of a word, the empty one first, what may come next; ``$`` is the end.

        Raises
        ------
        HypothesisFormatError
            If the hypothesis accepts words instead.
        """
        if self.transformer.output is None:
            raise HypothesisFormatError(
                f"{self.name} accepts words; expected one about next symbols; use 'in'"
            )
        return tuple(reference.next_symbols(self.transformer, self._codes(word)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``limit-transformer/1`` file."""
        write_whole(os.fspath(path), json_format.dumps(self.transformer))


HypothesisLike = str | os.PathLike[str] | value.Report | Hypothesis | LimitTransformer


def hypothesis(source: HypothesisLike, *, record: int | None = None) -> Hypothesis:
    """Take a hypothesis: a ``limit-transformer/1`` file, or one of a report.

    Parameters
    ----------
    source : path, Report, Hypothesis or LimitTransformer
        The path may be that of a report.
    record : int, optional
        Which record of a report, from 1 on; the selected one if it is not given.

    Raises
    ------
    HypothesisFormatError, ReportFormatError, ArgumentError
        If there is none.
    """
    if isinstance(source, Hypothesis):
        return source
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else "hypothesis"
    return Hypothesis(read_any(source, record), name)


def read_any(source: HypothesisLike, record: int | None = None) -> LimitTransformer:
    """Take the matrices of a hypothesis; parameters and errors as `hypothesis`."""
    match source:
        case LimitTransformer():
            return source
        case Hypothesis():
            return source.transformer
        case value.Report():
            return hypothesis_of(source, record)
        case _:
            return read_hypothesis(source, record)
