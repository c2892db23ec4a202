"""The forms in which a hypothesis leaves idinf, each as one text."""

from __future__ import annotations

from idinf.base.quoting import quote
from idinf.crasp.syntax import format_program
from idinf.errors import ArgumentError
from idinf.nets import json_format
from idinf.nets.limit_transformer import LimitTransformer
from idinf.show.export.code import write_code
from idinf.show.export.latex import write_latex
from idinf.translate.formulas.program import decompile_net

#: All of them.
FORMS = ("json", "crasp", "numpy", "torch", "latex")


def export(net: LimitTransformer, form: str) -> str:
    """Write a hypothesis in one of `FORMS`; the same hypothesis is always the same text.

    Raises ArgumentError if there is no such form, and HypothesisFormatError if the hypothesis cannot be
    written so: as a program of no counts, or with numbers that no float has.

    >>> from idinf.api.programs import compile_source
    >>> print(export(compile_source("majority").transformer, "crasp"), end="")
    accept = # "1" >= # "0"
    """
    net = net.over(net.alphabet.apart)
    match form:
        case "json":
            return json_format.dumps(net)
        case "crasp":
            return format_program(decompile_net(net))
        case "numpy" | "torch":
            return write_code(net, form)
        case "latex":
            return write_latex(net)
    raise ArgumentError(f"form = {quote(form)}; expected one of {', '.join(FORMS)}; choose one")


def check_weights(form: str, weights: object) -> None:
    """Refuse weights of a form that loads none. Raises ArgumentError.

    >>> check_weights("numpy", "net.safetensors")
    Traceback (most recent call last):
        ...
    idinf.errors.ArgumentError: weights are asked of numpy; expected torch, whose module loads them; leave
    them out
    """
    if weights is not None and form != "torch":
        raise ArgumentError(
            f"weights are asked of {form}; expected torch, whose module loads them; leave them out"
        )
