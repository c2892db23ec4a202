"""Exported LaTeX through pdflatex, alone and in a paper: no error, no missing sign, nothing off the page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from idinf.export.forms import export
from tests.export import nets

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed"),
]

#: Points by which a line may be too wide.
TOLERATED = 10

PAPER = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{amsmath}\begin{document}A paper."


def complaints(folder, text):
    """What pdflatex has against a document."""
    (folder / "net.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "net.tex"],
        cwd=folder,
        capture_output=True,
        timeout=120,
        env={**os.environ, "max_print_line": "1000"},
    )
    log = (folder / "net.log").read_text(encoding="latin-1")
    found = re.findall(r"^!.*|^Missing character.*", log, re.MULTILINE)
    wide = re.findall(r"^Overfull \\[hv]box \(([\d.]+)pt.*", log, re.MULTILINE)
    found += [f"{points} pt too large" for points in wide if float(points) > TOLERATED]
    return found or [f"exit code {done.returncode}"] * bool(done.returncode)


def test_it_compiles_as_it_is(tmp_path):
    found = {n: complaints(tmp_path, export(net, "latex")) for n, net in enumerate(nets.drawn())}
    assert {number: said for number, said in found.items() if said} == {}


def test_it_compiles_in_a_paper(tmp_path):
    lines = [PAPER]
    for number, net in enumerate(nets.drawn()):
        (tmp_path / f"part{number}.tex").write_text(export(net, "latex"), encoding="utf-8")
        lines.append(rf"\input{{part{number}}} Afterwards.")
    assert complaints(tmp_path, "\n".join([*lines, r"\end{document}"])) == []


@pytest.mark.parametrize(
    ("plain", "fault", "said"),
    [
        (r"\idinfline{", r"\idinfnoline{", "! Undefined control sequence."),
        (r"\idinfline{", r"\hbox{", "pt too large"),
        (r"\[ K", r"\[ \begin{bmatrix} 1 &&&&&&&&&&& 1 \end{bmatrix}", "! Extra alignment tab"),
        ("Coordinates of", r"\font\few=cmex10 \few\char200", "Missing character"),
    ],
)
def test_a_planted_fault_is_noticed(plain, fault, said, tmp_path):
    text = export(nets.many_letters(), "latex")
    assert any(said in found for found in complaints(tmp_path, text.replace(plain, fault)))
