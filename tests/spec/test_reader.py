"""The spec format: a good file in full, then one fault at a time."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from idinf.base.words import Alphabet
from idinf.errors import SpecError
from idinf.spec.catalogue import load
from idinf.spec.reader import parse_spec
from idinf.spec.spec import FiniteAutomaton, Kind, Spec, Verdict

GOOD = """\
name = "majority"
alphabet = ["0", "1"]
crasp = '''
accept = # "0" <= # "1"
'''
mode = "accept"
source = "somewhere"
max_n = 32

[space]
preset = "nope"
layers = 1
max_r = 9

[expected]
crasp_periodic_local = "unknown"
crasp = "yes"

[parameters]
"""

DFA = """\
name = "even"
alphabet = "ab"
[dfa]
states = ["q0", "q1"]
start = "q0"
accept = ["q0"]
transitions = { q0 = { a = "q1" }, q1 = { a = "q0" } }
"""


def test_every_key_is_read() -> None:
    spec = parse_spec(GOOD, "good.toml")
    assert (spec.name, spec.alphabet.symbols, spec.kind) == ("majority", ("0", "1"), Kind.CRASP)
    assert spec.text == 'accept = # "0" <= # "1"\n'
    assert (spec.mode, spec.source, spec.max_n, spec.origin) == ("accept", "somewhere", 32, "good.toml")
    assert (spec.space.layers, spec.space.units, spec.space.max_r) == (1, 4096, 9.0)
    assert spec.expected == (("crasp", Verdict.YES), ("crasp_periodic_local", Verdict.UNKNOWN))
    assert (spec.domain, spec.parameters) == (None, ())


def test_dfa_is_read() -> None:
    spec = parse_spec(DFA)
    assert spec.definition == FiniteAutomaton(
        ("q0", "q1"), "q0", ("q0",), (("q0", "a", "q1"), ("q1", "a", "q0"))
    )
    assert spec.kind is Kind.DFA


@pytest.mark.parametrize(
    ("lines", "symbols", "spaced"),
    [
        ('alphabet = "ab"', ("a", "b"), False),
        ('alphabet = ["a", "b"]', ("a", "b"), False),
        ('alphabet = ["aa", "b"]\ntokens = "space"', ("aa", "b"), True),
        ('alphabet = "aa b"\ntokens = "space"', ("aa", "b"), True),
    ],
)
def test_spellings_of_an_alphabet(lines: str, symbols: tuple[str, ...], spaced: bool) -> None:
    alphabet = parse_spec(f'name = "x"\nregex = "b"\n{lines}').alphabet
    assert (alphabet.symbols, alphabet.spaced) == (symbols, spaced)


def with_line(old: str, new: str, text: str = GOOD) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", r"not valid TOML.*line 1"),
        (with_line("layers = 1", "layer = 1"), r"space.layer is an unknown key; .*did you mean 'layers'\?"),
        (with_line('["0", "1"]', '""'), r"alphabet = \[\]; expected at least one symbol"),
        (
            with_line('["0", "1"]', '"0,1"'),
            r"alphabet = '0,1'; expected .* write '01', or '01,'",
        ),
        (with_line('["0", "1"]', '["0", 1]'), r"alphabet\[1\] = 1; expected a text in quotes"),
        ('name = "x"\nalphabet = "a"\nregex = " "', r"regex is empty; expected a regex; write \(\)"),
        (with_line("max_n = 32", "max_n = true"), r"max_n = true; expected an integer"),
        (with_line("max_r = 9", 'max_r = "9"'), r"space.max_r = '9'; expected a finite number"),
        (with_line('crasp = "yes"', 'crasp = "maybe"'), r'expected.crasp = "maybe"; expected "yes" or "no"'),
        (with_line('a = "q1"', 'a = "q7"', DFA), r"dfa.transitions.q0.a: state 'q7'"),
        ("[space]\nlayers = 1\nname = " + "[" * 3000, r"not valid TOML"),
    ],
)
def test_one_fault_at_a_time(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=rf"^bad\.toml: {message}") as caught:
        parse_spec(text, "bad.toml")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(SpecError, match=re.escape(str(missing)) + ": no such file"):
        load(str(missing))
    with pytest.raises(SpecError, match="is a folder, not a file; expected a spec in TOML"):
        load(str(tmp_path))
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'name = "\xe9"')
    with pytest.raises(SpecError, match=r"latin\.toml: not UTF-8 text"):
        load(str(latin))


def test_few_hypotheses_bound_r_from_above() -> None:
    with pytest.raises(SpecError, match=r"upper lists 33 files; expected at most 32; keep"):
        parse_spec(GOOD.replace("name =", f"upper = {['a.json'] * 33}\nname ="))


# The digest covers the content and nothing else; the text form of every kind


SPEC = Spec("x", Alphabet(("a", "b")), Kind.REGEX, "a*")


def test_digest_ignores_comments_layout_and_place() -> None:
    first = parse_spec('name = "x"\nalphabet = "ab"\nregex = "a*"', "one.toml")
    second = parse_spec('# why\nregex = "a*"\n\nalphabet = ["a","b"]\nname = "x"', "two.toml")
    assert first.digest == second.digest == SPEC.digest
    assert len(first.digest) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"name": "y"},
        {"alphabet": Alphabet(("a", "b"), spaced=True)},
        {"definition": "a"},
        {"source": "s"},
        {"max_n": 3},
        {"expected": (("crasp", Verdict.YES),)},
    ],
)
def test_digest_sees_every_field(change: dict[str, object]) -> None:
    assert replace(SPEC, **change).digest != SPEC.digest
