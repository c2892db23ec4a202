"""Each kind of definition becomes its machine; faults name file and key."""

from __future__ import annotations

import pytest

from idinf.errors import ProgramError, SpecError
from idinf.experiments.reader import parse_spec
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.regular import RegularTarget

HEAD = 'name = "x"\nalphabet = "ab"\n'


def test_kinds() -> None:
    assert isinstance(build_target(parse_spec(HEAD + "crasp = 'x = true'")), CountingTarget)
    assert isinstance(build_target(parse_spec(HEAD + "regex = 'a'")), RegularTarget)
    dfa = 'dfa = { states = ["q"], start = "q", accept = [], transitions = {} }'
    assert isinstance(build_target(parse_spec(HEAD + dfa)), RegularTarget)


def test_faults_name_file_and_key() -> None:
    with pytest.raises(ProgramError, match=r"^my\.toml: crasp program, line 2, column 5: 'z' is not defined"):
        build_target(parse_spec(HEAD + "crasp = '''\ny = true\nx = z\n'''", "my.toml"))
    with pytest.raises(
        SpecError, match=r"^my\.toml: regex: line 1, column 2: symbol 'c' is not in the alphabet"
    ):
        build_target(parse_spec(HEAD + "regex = 'ac'", "my.toml"))
