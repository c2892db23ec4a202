"""LaTeX, programs and JSON of hypotheses."""

import re
from fractions import Fraction

from idinf.api.programs import compile_source
from idinf.crasp.programs import loads
from idinf.nets import json_format
from idinf.show.export.forms import export
from idinf.show.export.latex import escape, write_math
from tests.asked_for import few
from tests.show.export import nets


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


def test_programs_and_json_come_back():
    net = compile_source("dyck-1").transformer
    assert loads(export(net, "crasp")).facts.class_name == "C-RASP[]"
    for other in nets.drawn():
        again = json_format.loads(export(other, "json"))
        assert again == other
