r"""Printed formulas and symbols in LaTeX, with amsmath and the command ``\idinfsymbol``."""

from __future__ import annotations

import re

from idinf.show.export.naming import show

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
