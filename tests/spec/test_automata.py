"""Files of automata: read, and written back, in every form; and every fault of one."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import idinf
from idinf.base.words import Alphabet
from idinf.spec.automata import dump_automaton, load_automaton
from idinf.spec.catalogue import list_entries
from idinf.spec.spec import FiniteAutomaton, Spec
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.commands.refusals import refused, runner

FORMS = (".att", ".jff")

#: Letters that a form may trip over, and 64 plain ones.
ODD = ("a", "b", ",", "a,", '"', "\\", "\\n", "<", "&amp;", "]]>", "-", "a-z", "a/b", "…", "..", "0", "1",
       "Infinity", "é", "ε'", "up", "#", "//", "--", "@", ";", "symbols", "or", "*", "Σ", "<p>", "ab",
       "[ab]", "+", "\\N", "λ", "eps")  # fmt: skip
SIXTY_FOUR = tuple(map(chr, range(0x4E00, 0x4E40)))


def machine(spec: Spec) -> RegularTarget:
    """What an automaton decides."""
    assert isinstance(spec.definition, FiniteAutomaton)
    return RegularTarget.from_automaton(spec.definition, spec.alphabet)


def put(folder: Path, text: str, name: str = "x.att") -> str:
    """A file of a text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


# There and back


@st.composite
def automata(draw: st.DrawFn, letters: tuple[str, ...]) -> tuple[FiniteAutomaton, Alphabet]:
    """An automaton that may lack transitions and final states, and its alphabet, which may be larger."""
    symbols = draw(
        st.one_of(st.lists(st.sampled_from(letters), min_size=1, unique=True), st.just(SIXTY_FOUR))
    )
    states = [f"q{number}" for number in range(draw(st.integers(1, 5)))]
    moves = {
        (draw(st.sampled_from(states)), symbol): draw(st.sampled_from(states))
        for symbol in symbols
        for _ in range(draw(st.integers(0, 3)))
    }
    accept = tuple(state for state in states if draw(st.booleans()))
    rows = tuple((state, symbol, after) for (state, symbol), after in moves.items())
    return FiniteAutomaton(tuple(states), draw(st.sampled_from(states)), accept, rows), Alphabet(
        tuple(symbols), spaced=True
    )


@pytest.mark.parametrize("form", FORMS)
def test_what_is_written_is_read_back(form: str, tmp_path: Path) -> None:
    letters = {
        ".att": ODD[:-2],
        ".jff": tuple(letter for letter in ODD[:-2] if len(letter) == 1),
    }

    @given(automata(letters[form]))
    def check(drawn: tuple[FiniteAutomaton, Alphabet]) -> None:
        automaton, alphabet = drawn
        path = put(tmp_path, dump_automaton(automaton, form), f"x{form}")
        before, after = (
            RegularTarget.from_automaton(automaton, alphabet),
            machine(load_automaton(path, alphabet)),
        )
        assert np.array_equal(before.table, after.table)
        assert np.array_equal(before.accepting, after.accepting)
        # Complete ones name every letter, so that the alphabet need not be given.
        path = put(tmp_path, dump_automaton(before.automaton, form), f"x{form}")
        own = load_automaton(path)
        assert own.alphabet.symbols == tuple(sorted(alphabet.symbols))
        assert own.alphabet.spaced == any(len(symbol) > 1 for symbol in alphabet.symbols)
        assert np.array_equal(before.table, machine(load_automaton(path, alphabet)).table)

    check()


# Nondeterministic ones, against all their runs


@given(st.data())
def test_a_nondeterministic_automaton_has_the_words_of_its_runs(data: st.DataObject) -> None:
    states = data.draw(st.integers(1, 4))
    state = st.integers(0, states - 1)
    moves = data.draw(st.sets(st.tuples(state, state, st.sampled_from(("a", "b", "@0@"))), max_size=10))
    accept = data.draw(st.sets(state))
    text = "0\tInfinity\n9\n" + "".join("{}\t{}\t{}\n".format(*move) for move in moves)
    text += "".join(f"{each}\n" for each in accept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idinf.spec.automata.read_text", lambda *_: text)
        found = machine(load_automaton("x.att", Alphabet(("a", "b"))))

    def reach(word: tuple[int, ...]) -> set[int]:
        """Every state after a word, by all runs that are no longer than they need to be."""
        runs = {(0, 0)}
        for _ in range((len(word) + 1) * states):
            runs |= {
                (place + (symbol != "@0@"), after)
                for place, before in runs
                for source, after, symbol in moves
                if source == before
                and (symbol == "@0@" or "ab"[word[place]] == symbol if place < len(word) else symbol == "@0@")
            }
        return {end for place, end in runs if place == len(word)}

    for length in range(4):
        for word in itertools.product((0, 1), repeat=length):
            assert accepts(found, word) is not accept.isdisjoint(reach(word))


# Twenty automata that the project draws, and what a user does with them


def draw_automaton(seed: int) -> FiniteAutomaton:
    """One of two to seven states over 2 to 64 letters, of one character or several."""
    rng = random.Random(seed)
    states = [f"s{number}" for number in range(rng.randint(2, 7))]
    letters = rng.choice((("a", "b"), ("0", "1", "2"), ("up", "down"), SIXTY_FOUR))
    rows = tuple((state, letter, rng.choice(states)) for state in states for letter in letters)
    accept = tuple(state for state in states if rng.random() < 0.5)
    return FiniteAutomaton(tuple(states), states[0], accept, rows)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(20))
def test_a_file_is_a_target_in_every_form(seed: int, tmp_path: Path) -> None:
    automaton = draw_automaton(seed)
    letters = sorted({letter for _, letter, _ in automaton.transitions})
    alphabet = Alphabet(tuple(letters), any(len(letter) > 1 for letter in letters))
    wanted = RegularTarget.from_automaton(automaton, alphabet)
    for form in FORMS[:: 2 if alphabet.spaced else 1]:  # JFLAP has letters of one character
        first = idinf.target(put(tmp_path, dump_automaton(automaton, form), f"t{seed}{form}"))
        assert first.spec.name == f"t{seed}"
        written = tmp_path / f"again{form}"
        assert first.automaton(written) == wanted.automaton
        assert idinf.target(written) == first
        word = " ".join(letters[:2]) if alphabet.spaced else "".join(letters[:2])
        said = runner("run")(str(written), word).stdout
        assert said == f"{word}\t{'accept' if accepts(wanted, (0, 1)) else 'reject'}\n"


def test_an_alphabet_that_is_given(tmp_path: Path) -> None:
    path = put(tmp_path, "0 0 b\n0 0 a\n0\n")
    assert idinf.target(path).alphabet.symbols == ("a", "b")
    larger = idinf.target(path, alphabet="bca")
    assert larger.alphabet.symbols == ("b", "c", "a")
    assert "ab" in larger
    assert "abc" not in larger
    refused(
        runner("compare")(path, "tomita-1"),
        3,
        "x.att: dfa: symbol 'b' is not in the alphabet; expected one of: 0",
    )
    assert idinf.target(path) == idinf.target("regex:(a|b)*")  # a program or a regex may decide the alphabet


def test_a_folder_of_specs_and_automata(tmp_path: Path) -> None:
    put(tmp_path, "0 0 a\n0\n", "b.att")
    put(tmp_path, "no automaton", "a.jff")
    put(tmp_path, 'name = "c"\nalphabet = "a"\nregex = "a"\n', "c.toml")
    put(tmp_path, "ignored", "d.txt")
    assert [(entry.name, entry.error is None) for entry in list_entries([str(tmp_path)])] == [
        ("a", False), ("b", True), ("c", True),
    ]  # fmt: skip


# What is written by others


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("0 1 a\n1\n", "a", id="an acceptor of OpenFst"),
        pytest.param("0 1 a 0.5\n1 2.5\n", "a", id="with weights"),
        pytest.param("0\t1\ta\ta\t0.0\n1\t0.0\n", "a", id="as HFST writes it"),
        pytest.param("0\t1\ta\ta\r\n1\r\n\r\n", "a", id="with ends of lines of Windows"),
        pytest.param("3 7 a\n7\n", "a", id="the first line has the start"),
        pytest.param("0\n0 1 a\n1 0 a\n", " aa", id="a final state first"),
        pytest.param("0 1 a\n0 2 a\n1 Infinity\n2\n", "a", id="an infinite weight is no final state"),
        pytest.param("0 1 a Infinity\n0 1 aa\n1\n", "aa", id="nor a transition"),
        pytest.param("0 1 <eps>\n1 2 a\n2\n", "a", id="the empty word"),
        pytest.param("0 1 0\n1 1 1\n1\n", "0 01 011", id="numbers are letters"),
    ],
)
def test_text_of_other_programs(text: str, words: str, tmp_path: Path) -> None:
    found = idinf.target(put(tmp_path, text))
    spelled = tuple((word,) if found.alphabet.spaced else word for word in words.split(" "))
    assert found.words(up_to=3)[: len(spelled)] == spelled


JFLAP = """<?xml version="1.0" encoding="UTF-8"?><!--Created with JFLAP 6.4.--><structure>&#13;
	<type>fa</type>&#13;
	<automaton>&#13;
		<!--The list of states.-->&#13;
		<state id="0" name="q0">&#13;
			<x>75.0</x>&#13;
			<initial/>&#13;
		</state>&#13;
		<state id="1" name="q1"><label>end</label><final/></state>&#13;
		<!--The list of transitions.-->&#13;
		<transition>&#13;
			<from>0</from>&#13;
			<to>1</to>&#13;
			<read/>&#13;
		</transition>&#13;
		<transition><from>1</from><to>1</to><read>a</read></transition>
	</automaton>&#13;
</structure>"""


def test_a_file_of_jflap(tmp_path: Path) -> None:
    assert idinf.target(put(tmp_path, JFLAP, "x.jff")).words(up_to=2) == ("", "a", "aa")
    older = JFLAP.replace("<automaton>", "").replace("</automaton>", "")
    assert idinf.target(put(tmp_path, older, "x.jff")).words(up_to=1) == ("", "a")


# Faults, each through the command line


def jff(inner: str) -> str:
    return f"<structure><type>fa</type>\n{inner}\n</structure>"


TWO = '<state id="0"><initial/></state><state id="1"><final/></state>'
MOVE = "<transition><from>0</from><to>1</to><read>{}</read></transition>"

FAULTS = {
    "empty.att": ("", "no state is named; expected an automaton"),
    "no letter.att": ("0\n", "no symbol is named; expected an alphabet; give --alphabet"),
    "six columns.att": ("0 1 a\n0 1 a a 0.5 x\n", "line 2: 6 columns; expected 1 to 5"),
    "empty column.att": ("0\t1\t\t\n", "line 1: 4 columns, some empty; expected 1 to 5"),
    "blank.att": ("0\t1\t \t \n", "line 1: alphabet: ' ' is not a symbol"),
    "start symbol.att": ("0 1 $\n", "line 1: alphabet: '$' is the start symbol"),
    "control.att": ("0 1 \x1b\n", r"line 1: alphabet: '\x1b' is not a symbol"),
    "named state.att": ("0 1 a\nq 1 b\n", "line 2: state 'q'; expected a number"),
    "two columns.att": ("0 a\n", "line 1: weight 'a'; expected a number"),
    "no weight.att": ("0 1 a a x\n", "line 1: weight 'x'; expected a number"),
    "transducer.att": ("0 1 a a\n1 0 a b\n", "line 2: output 'b' beside 'a'; expected an acceptor"),
    "numbers.att": ("0 1 a 1\n1 0 1\n", "line 1: output '1' beside 'a'; expected an acceptor"),
    "weighted.att": ("0 1 a b 0.5\n", "line 1: output 'b' beside 'a'; expected an acceptor"),
    "two numbers.att": ("0 1 1 2\n1 1 3 4\n1\n", "line 1: output '2' beside '1'; expected an acceptor"),
    "not final.att": ("0 1 a\n1 Infinity\n", "no final state; expected <final/>"),
    "not final.jff": (jff('<state id="0"><initial/></state>'), "no final state; expected <final/>"),
    "any letter.att": ("0 1 @_IDENTITY_SYMBOL_@\n", "line 1: '@_IDENTITY_SYMBOL_@' is no letter in foma"),
    "twice.att": ("0 1 a\n0 1 b\n0 1 a\n", "line 3: a second transition from '0' to '1' with 'a'"),
    "two starts.att": ("0 1 a\n1\n\n0 1 b\n1\n", "line 4: a second automaton; expected one"),
    "two of HFST.att": ("0 1 a\n1\n--\n0 1 b\n1\n", "line 3: a second automaton; expected one"),
    "no XML.jff": ("<structure>\n<type>fa</structure>", "line 2: not valid XML: mismatched tag"),
    "empty.jff": ("", "line 1: not valid XML: no element found"),
    "another.jff": ("<svg/>", "line 1: <svg>; expected <structure>"),
    "entity.jff": ('<!DOCTYPE x [<!ENTITY a "b">]>\n<structure/>', "line 1: a document type; expected none"),
    "stack.jff": ("<structure><type>pda</type></structure>", "line 1: type 'pda'; expected fa"),
    "no state.jff": (jff(""), "no state is named"),
    "no start.jff": (jff('<state id="0"/>'), "no start.jff: no start; expected <initial/>"),
    "two starts.jff": (jff(TWO + '\n<state id="2"><initial/></state>'), "line 3: a second start, '2'"),
    "same state.jff": (jff(TWO + '\n<state id="1"/>'), "line 3: state id '1'; expected a new one"),
    "no such state.jff": (
        jff(TWO + "<transition><from>0</from><to>7</to><read>a</read></transition>"),
        "line 2: a transition '0' to '7'; expected ids of states",
    ),
    "no read.jff": (jff(TWO + "<transition><from>0</from><to>1</to></transition>"), "and <read>"),
    "blank.jff": (jff(TWO + MOVE.format(" ")), "line 2: alphabet: ' ' is not a symbol"),
    "word.jff": (jff(TWO + MOVE.format("ab")), "line 2: 'ab' may be several letters; expected one"),
    "range.jff": (jff(TWO + MOVE.format("[a-c]")), "line 2: '[a-c]' may be several letters; expected one"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str, tmp_path: Path) -> None:
    text, told = FAULTS[name]
    refused(
        runner("run")(put(tmp_path, text, name), "a"), 3, f"{name}: {told}" if "line" in told else told, name
    )


@pytest.mark.parametrize("form", FORMS)
def test_files_that_are_none(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"x{form}"
    refused(runner("classify")(path), 3, "no such file")
    path.write_bytes(b"\xff\xfe")
    refused(runner("classify")(path), 3, "not UTF-8 text")
    monkeypatch.setattr("idinf.spec.automata.MOST_BYTES", 2**10)
    path.write_bytes(b" " * 2**11)
    refused(runner("classify")(path), 3, "is larger than 1 KiB")
    monkeypatch.setattr("idinf.spec.automata.MOST_TRANSITIONS", 1)
    put(tmp_path, dump_automaton(draw_automaton(0), form)[:1000], path.name)
    refused(runner("classify")(put(tmp_path, "0 1 a\n0 1 b\n")), 3, "line 2: more than 1 transitions")


# Writing


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ("majority", "--automaton", "x.att"),
            2,
            "majority: no automaton was found, with at most 2000 states",
        ),
        (("tomita-1", "--automaton", "x.fst"), 2, "x.fst: expected an ending of: .att .jff"),
        (("tomita-1", "--automaton", "no/x.att"), 3, "there is no folder"),
        (("dyck-1-next", "--automaton", "x.att"), 3, "it is no language"),
    ],
)
def test_what_is_not_written(
    arguments: tuple[str, ...], code: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(runner("run")(*arguments), code, told)
    assert list(tmp_path.iterdir()) == []


def test_a_program_and_a_hypothesis_are_written(tmp_path: Path) -> None:
    few = idinf.crasp.program('accept = # "a" <= 2', alphabet="ab")
    path = tmp_path / "few.jff"
    assert len(few.automaton(path).states) == 4
    assert idinf.target(path) == few
    net = idinf.crasp.compile("tomita-1")
    assert net.automaton() == idinf.target("tomita-1").automaton()
