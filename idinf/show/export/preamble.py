"""First lines of every exported text, about its hypothesis; and the filling of the templates of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from idinf.base.numbers import format_r
from idinf.base.quoting import escape_controls
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import compute_r_terms
from idinf.show.report_facts import write_formula_if_one_hot
from idinf.version import __version__


def fill(template: str, filters: Mapping[str, Callable[..., object]], **values: object) -> str:
    """Fill a template of the folder beside; nothing is escaped but by the filters that it uses."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # braces and number signs are frequent in the texts themselves
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        loader=PackageLoader("idinf.show.export", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(filters)
    return environment.get_template(template).render(values)


def list_formula(net: LimitTransformer) -> list[str]:
    """The formula, a definition to the line; nothing if the hypothesis is not of the searched family."""
    formula = write_formula_if_one_hot(net)
    return [] if formula is None else formula.list_lines()


def describe(net: LimitTransformer) -> list[str]:
    """R and the formula, in lines.

    >>> from idinf.api.programs import compile_source
    >>> describe(compile_source("majority").transformer)
    ['Written by idinf 0.3.0. R = 8.414213562.', 'As a formula:', '    accept iff #1 - #0 >= 0']
    """
    lines = [f"Written by idinf {__version__}. R = {format_r(compute_r_terms(net).total)}."]
    formula = list_formula(net)
    return [*lines, "As a formula:", *(f"    {line}" for line in formula)] if formula else lines


def show(text: str) -> str:
    """A text without control characters and ends of lines."""
    return escape_controls(text).replace("\n", " ")
