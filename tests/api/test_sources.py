"""How what users name is recognised."""

from __future__ import annotations

import pytest

from idinf.api.languages import read_target
from idinf.base.words import Alphabet
from idinf.crasp.programs import LoadedProgram, loads
from idinf.errors import IdinfError
from idinf.nets import json_format
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.spec.spec import Spec


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
    ("text", "kind", "symbols", "name"),
    [
        ("p.cr", LoadedProgram, "ab", "p"),
        ("./p.cr", LoadedProgram, "ab", "p"),
        ("t.toml", Spec, "ba", "t"),
        ("./t.toml", Spec, "ba", "t"),
        ("h.json", LimitTransformer, "ab", "h"),
        ("regex:c(a|b)*\\*{3}", Spec, "*abc", "c(a|b)*\\*{3}"),
        ("dyck-1", Spec, "ab", "dyck-1"),
        ("program:dyck-1", LoadedProgram, "ab", "dyck-1"),
        ("tomita-7-local", LoadedProgram, "01", "tomita-7-local"),
        ("accept iff #a >= 2 #b", LoadedProgram, "ab", "accept iff #a >= 2 #b"),
        ('x = # "a" > 1\ny = !x', LoadedProgram, "a", 'x = # "a" > 1 y = !x'),
    ],
)
def test_recognition(files, text, kind, symbols, name):
    found = read_target(text)
    assert isinstance(found.definition, kind)
    assert "".join(found.alphabet.symbols) == symbols
    assert found.spec.name == name
    assert repr(found).count("\n") == 0


def test_values_stand_for_themselves(files):
    spec = read_target("t.toml").spec
    for value in (spec, read_target("p.cr"), LoadedProgram("p", 'x = # "a" > 1', *_checked())):
        assert read_target(value).words(up_to=2)
    assert read_target("regex:a|b", name="letters").spec.name == "letters"
    assert read_target("regex:a|b").spec.name == "a|b"


def _checked():
    loaded = loads('x = # "a" > 1')
    return loaded.program, loaded.facts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": "majorty"}, "unknown target 'majorty'; did you mean 'majority'\\? expected a name"),
        ({"source": "majority", "values": {"k": 1}}, "no \\[parameters\\], so 'k' cannot be set"),
        ({"source": "regex:a", "values": {"k": 1}}, "values are given, but a is no family"),
        ({"source": "majority", "record": 1}, "record 1 is asked of majority; expected a report"),
        ({"source": "majority", "alphabet": "abc"}, "an alphabet is given, but majority has its own"),
        ({"source": lambda word: True}, "is no target; expected a name, a path"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(IdinfError, match=message):
        read_target(**arguments)
