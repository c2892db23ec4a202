"""The spec format: a good file in full, then one fault at a time."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from idinf.errors import IdinfError, SpecError
from idinf.experiments.catalogue import load
from idinf.experiments.reader import MAX_NAME, parse_spec
from idinf.experiments.spec import FiniteAutomaton, Kind, Verdict
from idinf.targets.build import build_target

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
        (GOOD + "[space]\n", r"not valid TOML.*line 20"),
        (with_line("name =", "nam ="), r"unknown key 'nam'; did you mean 'name'\?"),
        (with_line("name =", "zzzz ="), r"unknown key 'zzzz'; expected one of: name, alphabet"),
        (with_line("layers = 1", "layer = 1"), r"unknown key 'space.layer'; did you mean 'space.layers'\?"),
        (
            with_line('crasp = "yes"', 'craps = "yes"'),
            r"unknown key 'expected.craps'; did you mean 'expected.crasp'\?",
        ),
        (with_line('name = "majority"\n', ""), r"name is missing"),
        (with_line('"majority"', "3"), r"name = 3; expected a text"),
        (with_line('"majority"', '""'), r"name = ''; expected letters"),
        (with_line('"majority"', '"a\\tb"'), r"name = 'a\\tb'; expected letters"),
        (with_line('alphabet = ["0", "1"]\n', ""), r"alphabet is missing"),
        (with_line('["0", "1"]', "[]"), r"alphabet = \[\]; expected at least one symbol"),
        (with_line('["0", "1"]', '""'), r"alphabet = \[\]; expected at least one symbol"),
        (with_line('["0", "1"]', '["0", "$"]'), r"alphabet: '\$' is the start symbol"),
        (
            with_line('["0", "1"]', '["0", "10"]'),
            r"alphabet: symbol '10' has more than one character.*tokens = \"space\"",
        ),
        (with_line('["0", "1"]', '["0", "0"]'), r"alphabet: symbol '0' is listed twice"),
        (with_line('["0", "1"]', '["0", 1]'), r"alphabet = \['0', 1\]; expected a list of texts"),
        (with_line('["0", "1"]', "7"), r"alphabet = 7; expected a list of texts"),
        (with_line("max_n = 32", 'upper = "net.json"'), r"upper = 'net.json'; expected a list of texts"),
        (with_line("max_n = 32", "upper = [3]"), r"upper = \[3\]; expected a list of texts"),
        (with_line('mode = "accept"', 'tokens = "comma"'), r"tokens = 'comma'; expected \"space\""),
        (with_line('mode = "accept"', 'regex = "0"'), r"crasp and regex given; expected exactly one"),
        (
            with_line("crasp = '''\naccept = # \"0\" <= # \"1\"\n'''\n", ""),
            r"none given; expected exactly one",
        ),
        (with_line('accept = # "0" <= # "1"\n', ""), r"crasp is empty"),
        ('name = "x"\nalphabet = "a"\nregex = " "', r"regex is empty; write \(\)"),
        ('name = "x"\nalphabet = "a"\nregex = ["a"]', r"regex = \['a'\]; expected a text"),
        ('name = "x"\nalphabet = "a"\ndfa = "a"', r"dfa = 'a'; expected a table"),
        (with_line('"somewhere"', "1"), r"source = 1; expected a text"),
        (with_line("max_n = 32", "max_n = 0"), r"max_n = 0; expected an integer of at least 1"),
        (with_line("max_n = 32", "max_n = true"), r"max_n = True; expected an integer"),
        (with_line("max_n = 32", "max_n = 3.5"), r"max_n = 3.5; expected an integer"),
        (with_line('mode = "accept"', 'mode = "nxt"'), r"mode = 'nxt'; expected \"accept\" or \"next\""),
        (with_line('mode = "accept"', "domain = 1"), r"domain = 1; expected a text"),
        (with_line('mode = "accept"', 'domain = " "'), r"domain is empty; .*write \(\)"),
        (GOOD + "k = [1, 2]\n", r"a family with the parameters k; expected a single target.*--set k=1"),
        (with_line("layers = 1", "layers = 0"), r"space.layers = 0; expected an integer from 1 to 64"),
        (with_line("layers = 1", "precision = 99"), r"space.precision = 99; .*lower it to 64"),
        (with_line("max_r = 9", 'max_r = "9"'), r"space.max_r = '9'; expected a finite number"),
        (with_line("max_r = 9", "max_r = nan"), r"space.max_r = nan; expected a finite number above 0"),
        (
            with_line('preset = "nope"', 'preset = "fuII"'),
            r"space.preset = 'fuII'; expected one of: family, nope, local, periodic",
        ),
        (with_line('preset = "nope"', "preset = 1"), r"space.preset = 1; expected a text"),
        (with_line('crasp = "yes"', 'crasp = "maybe"'), r"expected.crasp = 'maybe'; expected \"yes\""),
        (with_line('crasp = "yes"', "crasp = true"), r"expected.crasp = True; expected \"yes\""),
        (with_line('start = "q0"\n', "", DFA), r"dfa.start is missing"),
        (with_line('start = "q0"', 'start = "q7"', DFA), r"dfa.start: state 'q7' is not in dfa.states"),
        (with_line('accept = ["q0"]', 'accept = ["q7"]', DFA), r"dfa.accept: state 'q7'"),
        (with_line('accept = ["q0"]', 'accept = "q0"', DFA), r"dfa.accept = 'q0'; expected a list"),
        (with_line('["q0", "q1"]', '["q0", "q0"]', DFA), r"dfa.states: state 'q0' is listed twice"),
        (with_line('a = "q1"', 'c = "q1"', DFA), r"dfa.transitions.q0: symbol 'c' is not in the alphabet"),
        (with_line('a = "q1"', 'a = "q7"', DFA), r"dfa.transitions.q0.a: state 'q7'"),
        (with_line('a = "q1"', "a = 1", DFA), r"dfa.transitions.q0.a = 1; expected a text"),
        (with_line("{ q0 =", "{ q7 =", DFA), r"dfa.transitions: state 'q7'"),
        (with_line("start =", "strat =", DFA), r"unknown key 'dfa.strat'; did you mean 'dfa.start'\?"),
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


def test_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "crlf.toml"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert load(str(path)).digest == parse_spec(GOOD).digest


#: Values of every kind that TOML has, large and ugly ones among them.
WRONG = (
    *("0", "-1", "1.5", "nan", "inf", "true", "[]", "[[]]", "[1]", '["a", 1]', "{}", "{ a = 1 }", "07:32:00"),
    *("1979-05-27", f"0x{'f' * 5000}", '"\\u001b[2J"', f'"{"x" * 10**5}"', f'["{"x" * 10**5}"]', '"\\u0000"'),
    *('{ "\\u0007" = { b = [] } }', f'{{ {"k" * 10**5} = "a" }}', '[["a"], { a = "b" }]'),
)

#: Keys that are given each of them, by what stands before the key, and what else the spec then has.
PROGRAM = {"name": '"x"', "alphabet": '"ab"', "crasp": "'accept = # \"a\" > 0'"}
AUTOMATON = {"name": '"x"', "alphabet": '"ab"', "mode": '"next"'}
PLACES = (
    (
        PROGRAM,
        "",
        {},
        ("name", "alphabet", "crasp", "max_n", "source", "upper", "space", "expected", "tokens"),
    ),
    (PROGRAM, "[space]\n", {}, ("preset", "layers", "max_r")),
    (PROGRAM, "[expected]\n", {}, ("crasp",)),
    (PROGRAM, "[parameters]\n", {}, ("k", "gcd", "size", "up_to", "max_n_cap")),
    (PROGRAM | {"mode": '"next"'}, "", {}, ("next", "judged", "domain", "output", "parameters")),
    (AUTOMATON, "", {}, ("dfa", "mode", "regex")),
    (
        AUTOMATON,
        "[dfa]\n",
        {"states": '["p"]', "start": '"p"', "accept": '["p"]', "transitions": "{}"},
        ("states", "start", "accept", "transitions"),
    ),
)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("value", WRONG, ids=range(len(WRONG)))
def test_no_value_of_a_wrong_kind_is_an_accident(value: str) -> None:
    for base, heading, beside, keys in PLACES:
        for key in keys:
            lines = [f"{k} = {v}" for k, v in base.items() if heading or k != key]
            more = [f"{k} = {v}" for k, v in beside.items() if k != key]
            text = "\n".join([*lines, f"{heading}{key} = {value}", *more])
            told = ""
            try:
                build_target(parse_spec(text, "bad.toml"))
            except IdinfError as error:
                told = str(error)
            assert len(told) < 700, key
            assert told.isprintable(), key


def test_few_hypotheses_bound_r_from_above() -> None:
    with pytest.raises(SpecError, match=r"upper lists 33 files; expected at most 32; keep"):
        parse_spec(GOOD.replace("name =", f"upper = {['a.json'] * 33}\nname ="))


def test_a_name_is_that_of_a_file() -> None:
    assert parse_spec(GOOD.replace('"majority"', f'"{"n" * MAX_NAME}"')).name == "n" * MAX_NAME
    with pytest.raises(
        SpecError, match=r"name = 'nnn.*…n.*' has 101 characters; expected at most 100; short"
    ):
        parse_spec(GOOD.replace('"majority"', f'"{"n" * (MAX_NAME + 1)}"'))


def test_many_states_and_symbols_take_little_time() -> None:
    states = [f"q{number}" for number in range(5_000)]
    rows = "\n".join(f'{state} = {{ a = "q0" }}' for state in states)
    listed = ", ".join(f'"{state}"' for state in states)
    head = f'name = "x"\nalphabet = "a"\n[dfa]\nstart = "q0"\naccept = [{listed}]\n'
    begin = time.perf_counter()
    spec = parse_spec(f"{head}states = [{listed}]\n[dfa.transitions]\n{rows}")
    assert len(spec.definition.states) == len(states)
    with pytest.raises(SpecError, match="state 'q7' is listed twice"):
        parse_spec(f'{head}states = [{listed}, "q7"]\n[dfa.transitions]\n{rows}')
    many = "".join(map(chr, range(0x4E00, 0x4E00 + 20_000)))
    with pytest.raises(SpecError, match="alphabet: 20000 symbols; expected at most 1000"):
        parse_spec(f'name = "x"\nalphabet = "{many}"\nregex = "a"')
    assert time.perf_counter() - begin < 7


def test_a_message_begins_with_the_end_of_a_long_path() -> None:
    with pytest.raises(SpecError, match=r"^…x+/my\.toml: alphabet is missing") as caught:
        parse_spec("", "x" * 5000 + "/my.toml")
    assert len(str(caught.value)) < 250
