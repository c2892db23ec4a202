"""LaTeX, graphs, programs and JSON of hypotheses."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from idinf.crasp.library import loads
from idinf.errors import ArgumentError, HypothesisFormatError
from idinf.export.forms import FORMS, export
from idinf.export.latex_formula import escape, write_math
from idinf.export.naming import list_formula
from idinf.library.programs import compile_source
from idinf.render.readings import write_formula_if_one_hot
from idinf.transformers import json_format
from idinf.words import Alphabet
from tests.asked_for import few
from tests.export import nets


def imbalances(text):
    """What is not balanced in a LaTeX text: braces, environments, brackets of displays, dollars."""
    bare = re.sub(r"(?<!\\)%.*", "", text).replace(r"\\", "  ")
    found = [] if bare.count(r"\left") == bare.count(r"\right") else ["left"]
    open_braces = 0
    for sign in re.sub(r"\\[{}]", "", bare):
        open_braces += {"{": 1, "}": -1}.get(sign, 0)
        if open_braces < 0:
            return [*found, "}"]
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", bare):
        if name == "document":
            continue
        if kind == "begin":
            stack.append(name)
        elif not stack or stack.pop() != name:
            return [*found, f"end {name}"]
    inside = re.split(r"\\\[|\\\]", bare)[1::2]
    if any("$" in part.replace(r"\$", "") for part in inside):
        found.append("$ inside a display")
    dollars = len(re.findall(r"(?<!\\)\$", bare))
    return found + ["{"] * open_braces + stack + ["$"] * (dollars % 2)


def test_latex_is_balanced():
    for net in nets.drawn()[:: few(2, 1)]:
        text = export(net, "latex")
        assert imbalances(text) == [], text
        assert all(line.isascii() for line in text.splitlines() if not line.startswith("%"))
        assert text.count("&") >= len(net.layers)


@pytest.mark.parametrize("fault", ["{", "}", "$", r"\begin{bmatrix}", r"\end{bmatrix}", r"\left["])
def test_a_planted_imbalance_is_noticed(fault):
    text = export(nets.heavy(), "latex")
    assert imbalances(text.replace("Rows and", f"{fault} Rows and")) != []


def number(text):
    return Fraction(re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text.strip()))


def read_matrices(text):
    """The matrices of a LaTeX text by name, displayed or listed."""
    shown = r"\\\[ (?P<name>\S+) = \\begin\{bmatrix\}\n(?P<body>.*?)\n\\end\{bmatrix\} \\\]"
    listed = r"\$(?P<of>\S+)\$ is \$(?P<rows>\d+) \\times (?P<columns>\d+)\$: (?P<entries>[^\n]*)\.\}$"
    found = {}
    for part in re.finditer(f"{shown}|{listed}", text, re.MULTILINE | re.DOTALL):
        if part["name"]:
            rows = [[number(x) for x in row.split("&")] for row in part["body"].split("\\\\\n")]
        else:
            rows = [[Fraction(0)] * int(part["columns"]) for _ in range(int(part["rows"]))]
            for value, where in re.findall(
                r"\$([^$()]+)\$ at ((?:\$\(\d+,\d+\)\$(?:, )?)+)", part["entries"]
            ):
                for i, j in re.findall(r"(\d+),(\d+)", where):
                    rows[int(i)][int(j)] = number(value)
        found[part["name"] or part["of"]] = tuple(map(tuple, rows))
    return found


def matrices_of(net):
    found = {"E": net.embedding, "U": net.unembedding}
    if any(map(any, net.positions)):
        found["P"] = net.positions
    for number, layer in enumerate(net.layers, 1):
        for place, head in enumerate(layer.heads, 1):
            read = {"K": head.K, "Q": head.Q, "V": head.V} if head.has_logits else {"V": head.V}
            found |= {f"{name}_{{{number},{place}}}": rows for name, rows in read.items()}
        if layer.mlp.A:
            column = tuple((entry,) for entry in layer.mlp.b)
            parts = {"A": layer.mlp.A, "b": column, "B": layer.mlp.B}
            found |= {f"{name}_{{{number}}}": rows for name, rows in parts.items()}
    return found


def test_matrices_of_latex_are_those_of_the_hypothesis():
    for net in nets.drawn()[:: few(2, 1)]:
        text = export(net, "latex")
        assert read_matrices(text) == matrices_of(net)
        biases = [
            tuple(map(number, re.findall(r"\) = ([^$]+)\$", line)))
            for line in text.splitlines()
            if "varphi_" in line
        ]
        assert biases == [head.phi for layer in net.layers for head in layer.heads if head.phi]


def test_formulas_become_mathematics():
    assert write_math("u12 := avg[φ(1)=1](#a) > 1/2") == (
        r"u_{12} := \operatorname{avg}[\varphi(1)=1](\#\idinfsymbol{a})>1/2"
    )
    assert write_math("accept iff not u1 and i mod 3 = 2") == (
        r"\text{accept iff not }u_{1}\allowbreak\text{ and }i\bmod 3=2"
    )
    assert (
        write_math('last in {a, "and"}')
        == r"\mathit{last}\text{ in }\{\idinfsymbol{a},\allowbreak \idinfsymbol{and}\}"
    )
    assert write_math("{last = a: u1 else: 0}") == (
        r"\{\mathit{last}=\idinfsymbol{a}\colon\allowbreak u_{1}\text{ else}\colon\allowbreak 0\}"
    )
    assert write_math("next is # if #0 = 1") == (
        r"\text{next is }\idinfsymbol{\#}\text{ if }\#\idinfsymbol{0}=1"
    )
    assert write_math("otherwise 0") == r"\text{otherwise }\idinfsymbol{0}"
    assert escape("~?`") == r"\symbol{126}?{\symbol{96}}"


def test_a_next_symbol_that_separates_definitions_cuts_no_line():
    net = nets.known(next(p for p in nets.KNOWN if p.stem == "sort-next"))
    lines = list_formula(net)
    assert str(write_formula_if_one_hot(net)) == "; ".join(lines)
    symbols = Alphabet(("0", ";", "#")), replace(net.output, symbols=("0", ";", "#", "$"))
    odd = replace(net, alphabet=symbols[0], output=symbols[1])
    assert len(list_formula(odd)) == len(lines)
    assert any(line.startswith("next is ; if ") for line in list_formula(odd))
    assert r"\text{next is }\idinfsymbol{;}\text{ if }" in export(odd, "latex")


def test_symbols_that_tex_may_lack_are_announced():
    net = replace(nets.known(next(p for p in nets.KNOWN if p.stem == "d-12")), alphabet=Alphabet(("α", "β")))
    assert "\n% Symbols outside ASCII: LuaLaTeX or XeLaTeX" in export(net, "latex")


_ARROW = re.compile(r'^  (\w+) -> (\w+) \[label="((?:[^"\\]|\\.)*)"\];$', re.MULTILINE)


def test_graphs_have_every_factor():
    """Of a hypothesis in the one-hot form every entry that is read has one arrow with its value."""
    for net in nets.drawn()[:-8]:
        text = export(net, "dot")
        arrows = sorted(label.replace("−", "-").split(" by ")[0] for *_, label in _ARROW.findall(text))
        written = [row for layer in net.layers for head in layer.heads for row in head.V]
        written += [row for layer in net.layers for row in layer.mlp.A]
        rows = [net.accept_row] if net.output is None else net.output.rows
        written += [net.unembedding[row] for row in rows]
        assert arrows == sorted(str(entry) for row in written for entry in row if entry)


def test_graphs_name_what_they_have():
    for net in nets.drawn():
        text = export(net, "dot")
        nodes = re.findall(r"^ +(\w+) \[label=", text, re.MULTILINE)
        assert len(nodes) == len(set(nodes))
        ends = {end for arrow in re.findall(r"(\w+) -> (\w+)", text) for end in arrow}
        assert ends <= set(nodes)
        assert text.count("{") - text.count('{"') >= len(net.layers)
        assert all(
            len(re.sub(r"\\.", "", line).split('"')) % 2 for line in text.splitlines() if "//" not in line
        )


def test_a_dashed_arrow_is_a_logit():
    net = next(
        n for n in map(nets.of_family, range(40)) if any(h.has_logits for la in n.layers for h in la.heads)
    )
    text = export(net, "dot")
    assert 'label="key' in text
    assert 'label="query' in text


def test_programs_and_json_come_back():
    net = compile_source("dyck-1").transformer
    assert loads(export(net, "crasp")).facts.class_name == "C-RASP[]"
    for other in nets.drawn():
        again = json_format.loads(export(other, "json"))
        assert again == other


def test_the_same_hypothesis_is_the_same_text():
    for form in FORMS:
        assert export(compile_source("majority").transformer, form) == export(
            compile_source("majority").transformer, form
        )


def test_what_cannot_be_written_is_refused():
    with pytest.raises(ArgumentError, match=r"^form = 'onnx'; expected one of json, crasp, numpy"):
        export(nets.heavy(), "onnx")
    with pytest.raises(HypothesisFormatError, match="names next symbols"):
        export(nets.known(next(p for p in nets.KNOWN if p.stem == "sort-next")), "crasp")
