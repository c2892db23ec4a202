r"""A hypothesis for a paper: its formula, the terms of R and the matrices, in LaTeX with amsmath.

The same file is a document of its own and can be read by ``\input``: what makes it a document is left out
where one has begun. Large matrices are written as the list of their entries that are not 0, which fits a page
and can be read; displayed, one of 26 letters would be three pages of zeros that leave the paper on the right.
"""

from __future__ import annotations

from fractions import Fraction

from idinf.base.numbers import format_r
from idinf.base.words import SOS
from idinf.nets.dense import Activation, Head, Layer, Matrix
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import compute_r_terms
from idinf.show.coordinates import Names
from idinf.show.export.latex_formula import write_math, write_symbol
from idinf.show.export.naming import describe, list_formula, show

#: Rows or columns of a matrix that is displayed, and characters of a row, two more for each column.
LARGEST, WIDEST = 10, 56

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
\providecommand{\idinfline}[1]{{\par\raggedright\noindent\hangindent=2em\relpenalty=10000 #1\par\smallskip}}
"""


def write_latex(net: LimitTransformer) -> str:
    """Write a hypothesis as LaTeX.

    >>> from idinf.api.programs import compile_source
    >>> print(write_latex(compile_source("majority").transformer).splitlines()[-2])
    \\[ \\text{accept iff } (U y_n)_{0} > -1 \\]
    """
    names = Names.of(net)
    listed = ", ".join(f"{k}:~{write_symbol(name)}" for k, name in enumerate(names.coordinates))
    text = [_BEGIN.rstrip(), *(_line(f"${write_math(line)}$") for line in list_formula(net))]
    text += [*_terms(net), _line(f"Coordinates of the residual stream: {listed}.")]
    text += [_line("Rows and columns of matrices are counted from 0."), *_matrices(net)]
    for number, layer in enumerate(net.layers, start=1):
        text += _layer(layer, number)
    text += [_matrix("U", net.unembedding), _answer(net), r"\idinfend", ""]
    about = [f"% {show(line)}" for line in describe(net)]
    if not "".join(text).isascii():
        about.append("% Symbols outside ASCII: LuaLaTeX or XeLaTeX, with a font that has them.")
    return "\n".join([*about, *text])


def _line(text: str) -> str:
    return rf"\idinfline{{{text}}}"


def _terms(net: LimitTransformer) -> list[str]:
    terms = compute_r_terms(net)
    rows = [
        *((_TERMS[name], value) for name, value in terms.as_dict().items()),
        (r"\hline\rule{0pt}{2.5ex}R", terms.total),
    ]
    shown = [(name, *format_r(value).removesuffix(".000000000").partition(".")) for name, value in rows]
    lines = [rf"  {name} & {whole} & {point}{decimals} \\" for name, whole, point, decimals in shown]
    return ["\\[ \\begin{array}{lr@{}l}", *lines, "\\end{array} \\]"]


def _matrices(net: LimitTransformer) -> list[str]:
    tokens = ", ".join(map(write_symbol, (SOS, *net.alphabet.symbols)))
    lines = [_line(f"Rows of $E$: {tokens}."), _matrix("E", net.embedding)]
    if any(map(any, net.positions)):
        lines += [_line(rf"Row $i \bmod {net.period}$ of $P$ is $p_i$."), _matrix("P", net.positions)]
    return lines


def _layer(layer: Layer, number: int) -> list[str]:
    lines = []
    for place, head in enumerate(layer.heads, start=1):
        lines += _head(head, f"{number},{place}")
    mlp = layer.mlp
    if not mlp.A:
        return lines
    relu = [str(row) for row, kind in enumerate(mlp.activation) if kind is Activation.RELU]
    if relu:
        lines.append(_line(f"Rows of $A_{{{number}}}$ whose units have ReLU: {', '.join(relu)}."))
    column = tuple((entry,) for entry in mlp.b)
    for name, rows in (("A", mlp.A), ("b", column), ("B", mlp.B)):
        lines.append(_matrix(f"{name}_{{{number}}}", rows))
    return lines


def _head(head: Head, name: str) -> list[str]:
    if head.has_logits:
        lines = [_matrix(f"K_{{{name}}}", head.K), _matrix(f"Q_{{{name}}}", head.Q)]
    else:
        lines = [rf"\[ K_{{{name}}}^\top Q_{{{name}}} = 0 \]"]
    lines.append(_matrix(f"V_{{{name}}}", head.V))
    if head.phi:
        shown = [rf"$\varphi_{{{name}}}({k}) = {_entry(x)}$" for k, x in enumerate(head.phi)]
        lines.append(_line(f"{', '.join(shown)}, and $0$ from there on."))
    return lines


def _answer(net: LimitTransformer) -> str:
    threshold = _entry(Fraction(net.threshold))
    if net.output is None:
        return rf"\[ \text{{accept iff }} (U y_n)_{{{net.accept_row}}} > {threshold} \]"
    pairs = ", ".join(
        f"{write_symbol(s)}:~{row}" for s, row in zip(net.output.symbols, net.output.rows, strict=True)
    )
    rule = (
        f"exceeds ${threshold}$"
        if net.output.kind.value == "set"
        else "is the largest, the first of equal ones"
    )
    return _line(f"A symbol is named where its row of $U y_i$ {rule}; the rows are {pairs}.")


def _matrix(name: str, rows: Matrix) -> str:
    """A matrix on lines of its own, or its entries that are not 0 by row and column if it is large."""
    width = sum(2 + max(len(str(entry)) for entry in column) for column in zip(*rows, strict=True))
    if max(len(rows), len(rows[0])) > LARGEST or width > WIDEST:
        return _line(f"${name}$ is ${len(rows)} \\times {len(rows[0])}$: {_list_entries(rows)}.")
    body = " \\\\\n".join(f"  {' & '.join(map(_entry, row))}" for row in rows)
    return f"\\[ {name} = \\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}} \\]"


def _list_entries(rows: Matrix) -> str:
    places: dict[Fraction, list[str]] = {}
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            if entry:
                places.setdefault(entry, []).append(f"$({i},{j})$")
    listed = [f"${_entry(value)}$ at {', '.join(where)}" for value, where in places.items()]
    return "; ".join([*listed, "$0$ elsewhere"])


def _entry(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value)
    return rf"{'-' if value < 0 else ''}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
