r"""A hypothesis for a paper: its formula, the terms of R and the matrices, in LaTeX with amsmath.

The same file is a document of its own and can be read by ``\input``: the frame of a document is left out
where one has begun. Large matrices are written as the list of their entries that are not 0, which fits a page
and can be read; displayed, one of 26 letters would be three pages of zeros that leave the paper on the right.
Printed formulas become mathematics, and symbols stand in typewriter type by the command ``\idinfsymbol``.
"""

from __future__ import annotations

import re
from fractions import Fraction

from idinf.base.numbers import format_r
from idinf.base.words import SOS
from idinf.nets.dense import Activation, Matrix
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import compute_r_terms
from idinf.show.coordinates import Names
from idinf.show.export.preamble import describe, fill, list_formula, show

#: In typewriter type every sign of ASCII has its code; braces keep ?` from being one sign.
_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "&#%"},
    **{sign: rf"\symbol{{{ord(sign)}}}" for sign in "{}$_^~\\"},
    "`": r"{\symbol{96}}",
    "≡": r"$\equiv$",
}

#: Signs, words and names of a printed formula.
_TOKEN = re.compile(
    r'"(?P<quoted>.+?)"(?!")|(?P<sign>:=|>=|<=|!=)|(?P<name>[^\W\d]\w*|\d\w*)|(?P<other>\S)| +'
)
#: A line about next symbols, which stand there without quotes.
_NEXT = re.compile(r"(?P<words>next is|next|otherwise) (?P<symbols>\S+?(?:, \S+?)*)(?P<rest> iff? .*)?")
_SIGNS = {">=": r"\ge ", "<=": r"\le ", "!=": r"\ne ", ":=": " := "}
_OTHER = {
    "#": r"\#",
    "{": r"\{",
    "}": r"\}",
    "$": r"\idinfsymbol{\symbol{36}}",
    "φ": r"\varphi ",
    ",": r",\allowbreak ",
    ":": r"\colon\allowbreak ",
}
#: Where a line may end, beside after + and −.
_BREAKS = {"and": r"\allowbreak", "or": r"\allowbreak"}
_SPACES = ((r" }\text{ ", " "), (r" }\colon", r"}\colon"))
_WORDS = {"accept", "and", "at", "else", "empty", "even", "false", "given", "if", "iff", "in", "is", "least"}
_WORDS |= {"nonempty", "not", "odd", "of", "or", "true"}
_MATH = {
    "mod": r"\bmod ",
    "avg": r"\operatorname{avg}",
    "last": r"\mathit{last}",
    "i": "i",
    "p": "p",
    "φ": r"\varphi",
}


def escape(text: str) -> str:
    r"""A text in typewriter type without the signs that LaTeX reads as its own.

    >>> print(escape("a_1 & 5 %"))
    a\symbol{95}1 \& 5 \%
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in show(text))


def write_symbol(name: str) -> str:
    """A symbol, or a name, in typewriter type; within mathematics or not."""
    return rf"\idinfsymbol{{{escape(name)}}}"


def write_math(formula: str) -> str:
    r"""A printed formula as a formula of mathematics.

    >>> print(write_math('u1 := #1 - #"&" >= 0'))
    u_{1} := \#\idinfsymbol{1}-\#\idinfsymbol{\&}\ge 0
    """
    about_next = _NEXT.fullmatch(formula)
    if about_next:
        symbols = r",\allowbreak ".join(map(write_symbol, about_next["symbols"].split(", ")))
        return rf"\text{{{about_next['words']} }}{symbols}{_translate(about_next['rest'] or '')}"
    return re.sub(r"^\\text{ ", r"\\text{", _translate(formula))


def _translate(formula: str) -> str:
    parts: list[str] = []
    for found in _TOKEN.finditer(formula):
        if found["quoted"]:
            parts.append(write_symbol(found["quoted"]))
        elif found["sign"]:
            parts.append(_SIGNS[found["sign"]])
        elif found["name"]:
            parts.append(_name(found["name"], bool(parts) and parts[-1] == r"\#"))
        elif found["other"]:
            parts.append(_OTHER.get(found["other"], found["other"]))
    text = "".join(parts)
    for spaced, shown in _SPACES:
        text = text.replace(spaced, shown)
    return text.strip()


def _name(name: str, counted: bool) -> str:
    unit = re.fullmatch(r"(u_*)(\d+)", name)
    if unit:
        return unit[1].replace("_", r"\_") + f"_{{{unit[2]}}}"
    if counted:
        return write_symbol(name)
    if name in _WORDS:
        return rf"{_BREAKS.get(name, '')}\text{{ {name} }}"
    return _MATH.get(name) or (name if name.isdecimal() else write_symbol(name))


#: Rows or columns of a matrix that is displayed, and characters of a row, two more for each column.
LARGEST, WIDEST = 10, 56


def write_latex(net: LimitTransformer) -> str:
    """Write a hypothesis as LaTeX.

    >>> from idinf.api.programs import compile_source
    >>> print(write_latex(compile_source("majority").transformer).splitlines()[-2])
    \\[ \\text{accept iff } (U y_n)_{0} > -1 \\]
    """
    terms = compute_r_terms(net)
    levels = [*terms.as_dict().items(), ("R", terms.total)]
    text = fill(
        "latex.tex",
        {
            "symbol": write_symbol,
            "matrix": _matrix,
            "entry": _entry,
            "column": lambda vector: tuple((entry,) for entry in vector),
            "relu_rows": lambda mlp: [k for k, kind in enumerate(mlp.activation) if kind is Activation.RELU],
        },
        net=net,
        formula=map(write_math, list_formula(net)),
        terms=[(name, *format_r(r).removesuffix(".000000000").partition(".")) for name, r in levels],
        names=Names.of(net).coordinates,
        tokens=(SOS, *net.alphabet.symbols),
        has_positions=any(map(any, net.positions)),
        threshold=_entry(Fraction(net.threshold)),
    )
    about = [f"% {show(line)}\n" for line in describe(net)]
    if not text.isascii():
        about.append("% Symbols outside ASCII: LuaLaTeX or XeLaTeX, with a font that has them.\n")
    return "".join(about) + text


def _matrix(rows: Matrix, name: str) -> str:
    """A matrix on lines of its own, or its entries that are not 0 by row and column if it is large."""
    width = sum(2 + max(len(str(entry)) for entry in column) for column in zip(*rows, strict=True))
    if max(len(rows), len(rows[0])) > LARGEST or width > WIDEST:
        return rf"\idinfline{{${name}$ is ${len(rows)} \times {len(rows[0])}$: {_list_entries(rows)}.}}"
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
