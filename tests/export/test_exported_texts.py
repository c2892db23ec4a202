"""LaTeX, graphs, programs and JSON of hypotheses."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from idinf.crasp.library import loads
from idinf.errors import ArgumentError, HypothesisFormatError
from idinf.export.forms import FORMS, export
from idinf.export.latex import escape, write_math
from idinf.library.programs import compile_source
from idinf.transformers import json_format
from idinf.words import Alphabet
from tests.export import nets

ODD = Alphabet(('"', "\\", "{", "%", "~^_&#$"), spaced=True)


def drawn():
    """Hypotheses of all kinds, with symbols that notations read as their own."""
    odd = replace(nets.known(next(p for p in nets.KNOWN if p.stem == "aa-bb-cc-dd-ee")), alphabet=ODD)
    return [
        *map(nets.known, nets.KNOWN),
        odd,
        nets.heavy(),
        *map(nets.of_family, range(8)),
        *map(nets.dense, range(8)),
    ]


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
    for net in drawn():
        text = export(net, "latex")
        assert imbalances(text) == [], text
        assert all(line.isascii() for line in text.splitlines() if not line.startswith("%"))
        assert text.count("&") >= len(net.layers)


@pytest.mark.parametrize("fault", ["{", "}", "$", r"\begin{bmatrix}", r"\end{bmatrix}", r"\left["])
def test_a_planted_imbalance_is_noticed(fault):
    text = export(nets.heavy(), "latex")
    assert imbalances(text.replace("Rows of", f"{fault} Rows of")) != []


def test_matrices_of_latex_are_those_of_the_hypothesis():
    for net in drawn():
        text = export(net, "latex")
        shapes = [
            (len(rows.split("\\\\\n")), rows.split("\\\\\n")[0].count("&") + 1)
            for rows in re.findall(r"\\begin\{(?:b|small)matrix\}\n(.*?)\n\\end", text, re.DOTALL)
        ]
        d = net.width
        assert shapes[0] == (1 + len(net.alphabet), d)
        assert shapes[-1] == (len(net.unembedding), d)
        heads = [head for layer in net.layers for head in layer.heads]
        expected = (
            2 + any(map(any, net.positions)) + sum(3 if len(layer.mlp.A) else 0 for layer in net.layers)
        )
        expected += sum(1 + 2 * head.has_logits + bool(head.phi) for head in heads)
        assert len(shapes) == expected


def test_formulas_become_mathematics():
    assert write_math("u12 := avg[φ(1)=1](#a) > 1/2") == (
        r"u_{12} := \operatorname{avg}[\varphi(1)=1](\#\idinfsymbol{a})>1/2"
    )
    assert write_math("accept iff not u1 and i mod 3 = 2") == (
        r"\text{ accept iff not }u_{1}\text{ and }i\bmod 3=2"
    )
    assert (
        write_math('last in {a, "and"}') == r"\mathit{last}\text{ in }\{\idinfsymbol{a},\idinfsymbol{and}\}"
    )
    assert escape("~^\\") == r"\textasciitilde{}\textasciicircum{}\textbackslash{}"


def test_symbols_that_tex_may_lack_are_announced():
    net = replace(nets.known(next(p for p in nets.KNOWN if p.stem == "d-12")), alphabet=Alphabet(("α", "β")))
    assert "\n% Symbols outside ASCII: LuaLaTeX or XeLaTeX" in export(net, "latex")


_ARROW = re.compile(r'^  (\w+) -> (\w+) \[label="((?:[^"\\]|\\.)*)"\];$', re.MULTILINE)


def test_graphs_have_every_factor():
    """Of a hypothesis in the one-hot form every entry that is read has one arrow with its value."""
    for net in drawn()[:-8]:
        text = export(net, "dot")
        arrows = sorted(label.replace("−", "-").split(" by ")[0] for *_, label in _ARROW.findall(text))
        written = [row for layer in net.layers for head in layer.heads for row in head.V]
        written += [row for layer in net.layers for row in layer.mlp.A]
        rows = [net.accept_row] if net.output is None else net.output.rows
        written += [net.unembedding[row] for row in rows]
        assert arrows == sorted(str(entry) for row in written for entry in row if entry)


def test_graphs_name_what_they_have():
    for net in drawn():
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


def logits_of(net):
    return [head for layer in net.layers for head in layer.heads if head.has_logits]


def test_programs_and_json_come_back():
    net = compile_source("dyck-1").transformer
    assert loads(export(net, "crasp")).facts.class_name == "C-RASP[]"
    for other in drawn():
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
