"""What every exported text says of its hypothesis first."""

from __future__ import annotations

from idinf.numbers import format_r
from idinf.quoting import escape_controls
from idinf.render.readings import write_formula_if_one_hot
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import compute_r_terms
from idinf.version import __version__


def list_formula(net: LimitTransformer) -> list[str]:
    """The formula, a definition to the line; nothing if the hypothesis is not of the searched family."""
    formula = write_formula_if_one_hot(net)
    return [] if formula is None else formula.list_lines()


def describe(net: LimitTransformer) -> list[str]:
    """R and the formula, in lines.

    Examples
    --------
    >>> from idinf.library.programs import compile_source
    >>> describe(compile_source("majority").transformer)
    ['Written by idinf 0.1.0. R = 8.414213562.', 'As a formula:', '    accept iff #1 - #0 >= 0']
    """
    lines = [f"Written by idinf {__version__}. R = {format_r(compute_r_terms(net).total)}."]
    formula = list_formula(net)
    return [*lines, "As a formula:", *(f"    {line}" for line in formula)] if formula else lines


def show(text: str) -> str:
    """A text without control characters and ends of lines."""
    return escape_controls(text).replace("\n", " ")
