"""Languages as values: membership, equality and inclusion against all words."""

import itertools

import pytest

import idinf
from idinf import crasp, errors
from idinf.api.languages import read_target
from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.programs import LoadedProgram, loads
from idinf.languages.equivalence.comparison import intersect
from idinf.nets import json_format
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import OneHotLayer, OneHotTransformer, OneHotUnit
from idinf.spec.spec import Spec
from idinf.targets.machine import accepts


def all_words(symbols: str, length: int) -> list[str]:
    return ["".join(word) for n in range(length + 1) for word in itertools.product(symbols, repeat=n)]


SIDES = {
    "regular": lambda: idinf.target("regex:(ab)*", alphabet="ab"),
    "shipped": lambda: idinf.target("dyck-1"),
    "program": lambda: idinf.target('accept = # "b" <= # "a"'),
    "hypothesis": lambda: crasp.compile("dyck-1"),
}


@pytest.mark.parametrize("side", SIDES)
def test_words_are_those_that_are_in_the_language(side: str) -> None:
    language = SIDES[side]()
    assert list(language.words(up_to=6)) == [word for word in all_words("ab", 6) if word in language]
    assert len(language.words(up_to=6)) > 1


def test_membership_by_hand() -> None:
    dyck = idinf.target("dyck-1")
    assert ["" in dyck, "ab" in dyck, "ba" in dyck, ("a", "b") in dyck] == [True, True, False, True]
    with pytest.raises(errors.AlphabetMismatchError, match="'c' at position 2"):
        _ = "ac" in dyck
    with pytest.raises(errors.AlphabetMismatchError, match="'c' at position 2"):
        _ = ["a", "c"] in dyck


REGEXES = ("(ab)*", "(ab)*a", "a*b*", "(a|b)*", "()", "(a|b)*a", "((a|b)(a|b))*", "(ab|ba)*", "a*")


@pytest.mark.thinned(9)
@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(REGEXES, 2)))
def test_equality_and_inclusion_of_regular_languages(one: str, other: str) -> None:
    """Of minimal automata with at most 4 states words up to length 8 decide."""
    a, b = (idinf.target(f"regex:{regex}", alphabet="ab") for regex in (one, other))
    first, second = set(a.words(up_to=8)), set(b.words(up_to=8))
    assert (a == b) is (first == second)
    assert (a <= b) is (first <= second)
    assert (a >= b) is (first >= second)
    assert (a < b) is (first < second)
    assert (a > b) is (first > second)


def test_inclusion_of_programs_is_proved_by_integer_programs() -> None:
    few = idinf.target('accept = 2 * # "b" <= # "a"')
    more = idinf.target('accept = # "b" <= # "a"')
    assert few <= more
    assert not more <= few
    assert few != more
    assert more == idinf.target('x = 3 * # "b" <= 3 * # "a"')


@pytest.mark.thinned(9)
@pytest.mark.parametrize("regex", ["(ab)*", "a*b*", "(a|b)*a", "ab.*", "aab|b*", "(a(ab)*b)*", "..", "b.*|a"])
@pytest.mark.parametrize("program", ['# "b" <= # "a"', '# "a" == # "b"', '# "b" <= 1'])
def test_inclusion_beside_all_short_words(regex: str, program: str) -> None:
    few, more = (
        idinf.target(f"regex:{regex}", alphabet="ab"),
        idinf.target(f"accept = {program}", alphabet="ab"),
    )
    both = intersect(few.decider, more.decider)
    for word in words_up_to(2, 7):
        assert accepts(both, word) == (accepts(few.decider, word) and accepts(more.decider, word))
    try:
        assert (few <= more) is all(word in more for word in few.words(up_to=8))
    except errors.UndecidedError:
        assert all(word in more for word in few.words(up_to=8))


# How what users name is recognised


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
