r"""A hypothesis for a paper: its formula, the terms of R and the matrices, in LaTeX with amsmath.

The same file is a document of its own and can be read by ``\input``: what makes it a document is left out
where one has begun.
"""

from __future__ import annotations

import re
from fractions import Fraction

from idinf.export.naming import describe, list_formula, show
from idinf.numbers import format_r
from idinf.render.coordinates import Names
from idinf.transformers.dense import Activation, Head, Layer, Matrix, Vector
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import compute_r_terms
from idinf.words import SOS

#: Columns that a matrix of amsmath has at most, and that fit a page in its usual size.
WIDEST = 10

_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "{}$&#_%"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "≡": r"$\equiv$",
}

_TERMS = {
    "layers_plus_heads": "L + H",
    "precision": "p",
    "rank_V": r"\max \operatorname{rank} V",
    "norm_KQ": r"\max \lVert K^\top Q \rVert",
    "norm_V": r"\max \lVert V \rVert",
    "norm_A": r"\max \lVert A \rVert_F",
    "norm_B": r"\max \lVert B \rVert_F",
    "norm_U": r"\lVert U \rVert",
    "norm_p": r"\max_i \lVert p_i \rVert",
    "norm_E": r"\max_\sigma \lVert E_\sigma \rVert",
    "norm_b": r"\max \lVert b \rVert",
    "phi": r"\sum \varphi(k)^2",
    "period": r"\Delta \text{ (0 if 1)}",
}

_BEGIN = r"""\expandafter\ifx\csname @nodocument\endcsname\relax
  \let\idinfend\relax % read by \input
\else
  \documentclass{article}
  \usepackage{amsmath}
  \begin{document}
  \def\idinfend{\end{document}}
\fi
\providecommand{\idinfsymbol}[1]{\text{\texttt{#1}}}
"""

#: Signs, words and names of a printed formula.
_TOKEN = re.compile(
    r'"(?P<quoted>.+?)"(?!")|(?P<sign>:=|>=|<=|!=)|(?P<name>[^\W\d]\w*|\d\w*)|(?P<other>\S)| +'
)
_SIGNS = {">=": r"\ge ", "<=": r"\le ", "!=": r"\ne ", ":=": " := "}
_OTHER = {"#": r"\#", "{": r"\{", "}": r"\}", "$": r"\$", "φ": r"\varphi "}
_WORDS = {"accept", "and", "at", "else", "empty", "even", "false", "given", "if", "iff", "in", "is", "least"}
_WORDS |= {"next", "nonempty", "not", "odd", "of", "or", "otherwise", "true"}
_MATH = {
    "mod": r"\bmod ",
    "avg": r"\operatorname{avg}",
    "last": r"\mathit{last}",
    "i": "i",
    "p": "p",
    "φ": r"\varphi",
}


def write_latex(net: LimitTransformer) -> str:
    """Write a hypothesis as LaTeX.

    Examples
    --------
    >>> from idinf.library.programs import compile_source
    >>> print(write_latex(compile_source("majority").transformer).splitlines()[-2])
    \\[ \\text{accept iff } (U y_n)_{0} > -1 \\]
    """
    names = Names.of(net)
    listed = ", ".join(f"{k}: {escape(name)}" for k, name in enumerate(names.coordinates))
    text = [_BEGIN.rstrip()]
    formula = list_formula(net)
    if formula:
        text += [r"\begin{flushleft}", " \\\\\n".join(f"${write_math(line)}$" for line in formula)]
        text.append(r"\end{flushleft}")
    text += [*_terms(net), "", f"Coordinates of the residual stream: {listed}.", "", *_matrices(net)]
    for number, layer in enumerate(net.layers, start=1):
        text += _layer(layer, number)
    text += [_display("U", net.unembedding), _answer(net), r"\idinfend", ""]
    about = [f"% {show(line)}" for line in describe(net)]
    if not "".join(text).isascii():
        about.append("% Symbols outside ASCII: LuaLaTeX or XeLaTeX, with a font that has them.")
    return "\n".join([*about, *text])


def escape(text: str) -> str:
    r"""A text without the signs that LaTeX reads as its own.

    Examples
    --------
    >>> print(escape("a_1 & {b}"))
    a\_1 \& \{b\}
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in show(text))


def write_math(formula: str) -> str:
    r"""A printed formula as a formula of mathematics.

    Examples
    --------
    >>> print(write_math('u1 := #1 - #"&" >= 0'))
    u_{1} := \#\idinfsymbol{1}-\#\idinfsymbol{\&}\ge 0
    """
    parts: list[str] = []
    for found in _TOKEN.finditer(formula):
        if found["quoted"]:
            parts.append(_symbol(found["quoted"]))
        elif found["sign"]:
            parts.append(_SIGNS[found["sign"]])
        elif found["name"]:
            parts.append(_name(found["name"], bool(parts) and parts[-1] == r"\#"))
        elif found["other"]:
            parts.append(_OTHER.get(found["other"], found["other"]))
    return "".join(parts).replace(r" }\text{ ", " ").strip()


def _name(name: str, counted: bool) -> str:
    unit = re.fullmatch(r"(u_*)(\d+)", name)
    if unit:
        return f"{escape(unit[1])}_{{{unit[2]}}}"
    if counted:
        return _symbol(name)
    if name in _WORDS:
        return rf"\text{{ {name} }}"
    return _MATH.get(name) or (name if name.isdecimal() else _symbol(name))


def _symbol(name: str) -> str:
    return rf"\idinfsymbol{{{escape(name)}}}"


def _terms(net: LimitTransformer) -> list[str]:
    terms = compute_r_terms(net)
    rows = [rf"  ${_TERMS[name]}$ & {format_r(value)} \\" for name, value in terms.as_dict().items()]
    return [
        "",
        r"\begin{tabular}{lr}",
        *rows,
        r"  \hline",
        rf"  $R$ & {format_r(terms.total)} \\",
        r"\end{tabular}",
    ]


def _matrices(net: LimitTransformer) -> list[str]:
    tokens = ", ".join(_symbol(token) for token in (SOS, *net.alphabet.symbols))
    lines = [f"Rows of $E$: ${tokens}$.", _display("E", net.embedding)]
    if any(map(any, net.positions)):
        lines += [f"Row $i \\bmod {net.period}$ of $P$ is $p_i$.", _display("P", net.positions)]
    return lines


def _layer(layer: Layer, number: int) -> list[str]:
    lines = []
    for place, head in enumerate(layer.heads, start=1):
        lines += _head(head, f"{number},{place}")
    mlp = layer.mlp
    if not mlp.A:
        return lines
    relu = [str(k) for k, kind in enumerate(mlp.activation, start=1) if kind is Activation.RELU]
    if relu:
        lines.append(f"Units with ReLU in layer {number}: {', '.join(relu)}.")
    column = tuple((entry,) for entry in mlp.b)
    for name, rows in (("A", mlp.A), ("b", column), ("B", mlp.B)):
        lines.append(_display(f"{name}_{{{number}}}", rows))
    return lines


def _head(head: Head, name: str) -> list[str]:
    if head.has_logits:
        lines = [_display(f"K_{{{name}}}", head.K), _display(f"Q_{{{name}}}", head.Q)]
    else:
        lines = [rf"\[ K_{{{name}}}^\top Q_{{{name}}} = 0 \]"]
    lines.append(_display(f"V_{{{name}}}", head.V))
    if head.phi:
        symbol = rf"\varphi_{{{name}}}"
        lines.append(_display(rf"({symbol}(0), \dots, {symbol}({len(head.phi) - 1}))", (head.phi,)))
    return lines


def _answer(net: LimitTransformer) -> str:
    threshold = _entry(Fraction(net.threshold))
    if net.output is None:
        return rf"\[ \text{{accept iff }} (U y_n)_{{{net.accept_row}}} > {threshold} \]"
    pairs = ", ".join(
        f"${_symbol(s)}$: {row}" for s, row in zip(net.output.symbols, net.output.rows, strict=True)
    )
    rule = (
        f"exceeds ${threshold}$"
        if net.output.kind.value == "set"
        else "is the largest, the first of equal ones"
    )
    return rf"A symbol is named where its row of $U y_i$ {rule}; rows, from 0 on: {pairs}."


def _display(name: str, rows: Matrix) -> str:
    """A matrix on lines of its own; small where it has many columns."""
    wide = len(rows[0]) > WIDEST
    body = " \\\\\n".join(f"  {_row(row)}" for row in rows)
    begin, end = (
        ("\\left[\\begin{smallmatrix}", "\\end{smallmatrix}\\right]")
        if wide
        else (
            "\\begin{bmatrix}",
            "\\end{bmatrix}",
        )
    )
    return f"\\[ {name} = {begin}\n{body}\n{end} \\]"


def _row(row: Vector) -> str:
    return " & ".join(map(_entry, row))


def _entry(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    return rf"{'-' if value < 0 else ''}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
