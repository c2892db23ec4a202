"""How operands are recognised."""

from __future__ import annotations

import pytest

from idinf.crasp.library import LoadedProgram
from idinf.experiments.spec import Spec
from idinf.library.sources import read_operand
from idinf.transformers import json_format
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.one_hot import OneHotTransformer
from idinf.transformers.one_hot_parts import OneHotLayer, OneHotUnit
from idinf.words import Alphabet


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A file of every kind in the present folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.cr").write_text('x = # "a" > # "b"')
    (tmp_path / "t.toml").write_text('name = "t"\nalphabet = "ba"\nregex = "a*b"\n')
    unit = OneHotUnit((), s=(0, 1, 0), b=0)
    net = OneHotTransformer(Alphabet(("a", "b")), 0, (OneHotLayer((), (unit,)),), (1,), 0)
    (tmp_path / "h.json").write_text(json_format.dumps(net.to_dense()))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "kind", "symbols"),
    [
        ("p.cr", LoadedProgram, "ab"),
        ("./p.cr", LoadedProgram, "ab"),
        ("t.toml", Spec, "ab"),
        ("target:./t.toml", Spec, "ab"),
        ("h.json", LimitTransformer, "ab"),
        ("regex:c(a|b)*\\*{3}", str, "*abc"),
        ("target:dyck-1", Spec, "ab"),
        ("parity", Spec, "01"),
    ],
)
def test_recognition(files, text, kind, symbols):
    operand = read_operand(text)
    assert isinstance(operand.definition, kind)
    assert "".join(operand.symbols) == symbols
    assert operand.name == text
