"""Every shipped program against an independent definition on all short words; names, sources, refusals."""

import re
from pathlib import Path

import pytest

from idinf.base.words import words_up_to
from idinf.crasp.interpreter import compute_labels, lay_out_words
from idinf.crasp.programs import list_names, load
from idinf.errors import ProgramError
from idinf.spec import catalogue
from tests.targets.test_languages import LANGUAGES


def successors(w):
    """What followed earlier occurrences of the last symbol, with repetitions; None for ε."""
    return [w[k + 1] for k in range(len(w) - 1) if w[k] == w[-1]] if w else None


def argmax(w):
    found = successors(w)
    return found is not None and found.count("a") == max(found.count(letter) for letter in "abc")


#: Language, alphabet: those of the shipped target of the name, and some without one.
DEFINITIONS = {
    **{
        name: (LANGUAGES[name][1], "".join(catalogue.load(name).alphabet.symbols))
        for name in list_names()
        if name in LANGUAGES
    },
    "a-then-b": (lambda w: "b" in w[(w + "a").index("a") :], "abc"),
    "exists-a": (lambda w: "a" in w, "ab"),
    "induction-all": (lambda w: "a" in (successors(w) or ""), "ab"),
    "induction-argmax": (argmax, "abc"),
    "tomita-7-local": (LANGUAGES["tomita-7"][1], "01"),
}


def test_every_program_has_a_definition() -> None:
    assert list_names() == tuple(sorted(DEFINITIONS))


@pytest.mark.thinned(18)
@pytest.mark.parametrize("name", DEFINITIONS)
def test_programs_are_their_languages_on_all_short_words(name: str) -> None:
    member, symbols = DEFINITIONS[name]
    loaded = load(name)
    alphabet = loaded.alphabet()
    assert alphabet.symbols == tuple(symbols)
    words = list(words_up_to(len(symbols), 10 if len(symbols) <= 3 else 6))
    found = compute_labels(loaded.program, alphabet, lay_out_words(words))
    wrong = [w for w, label in zip(words, found.tolist(), strict=True) if member(alphabet.decode(w)) != label]
    assert wrong == []
    assert found.any()
    assert not found.all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; expected a readable file"),
        (b"\xff\xfe", "not UTF-8 text; expected a readable file"),
        (b'// first\n\nx = # "a"\n', "line 3, column 1: the last operation 'x' is a count"),
        (b'#import pred\n\n// c\ny = #[pred] "a" +\n', "line 4, column 18: unexpected the end"),
    ],
)
def test_a_refusal_names_the_file(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "bad.crasp"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProgramError, match=f"^{re.escape(str(path))}: {message}"):
        load(str(path))
