"""Exported LaTeX through pdflatex: no error, no missing sign, nothing off the page."""

import os
import re
import shutil
import subprocess

import pytest

from idinf.show.export.forms import export
from tests.show.export import nets

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed"),
]

#: Points by which a line may be too wide.
TOLERATED = 10


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
