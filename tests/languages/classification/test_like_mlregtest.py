"""Sixty automata like those of MLRegTest: twenty languages over 4, 16 and 64 letters, from a packed file.

The file is of our own making: `IDINF_GOLDEN=1` packs it anew from the languages below, whose verdicts follow
from their classes. Every letter beside a, b and c does what d does.
"""

import io
import os
import tarfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from idinf.api.languages import read_target
from idinf.api.sources import read_source
from idinf.base.words import Alphabet
from idinf.languages.classification.classes import classify
from idinf.spec.automata import dump_automaton
from idinf.targets.build import build_target
from idinf.targets.letters import merge_letters
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tools.mlregtest import find_problem

PACKED = Path(__file__).with_name("like_mlregtest.tar.xz")

LETTERS = "abcd" + "".join(map(chr, range(0x4E00, 0x4E00 + 60)))

#: By name the language over a, b, c, d, and whether it is in C-RASP[], C-RASP[periodic,local], R-trivial.
LANGUAGES = {
    "SL.2.1.0": ("(a?(b|c|d))*a?", "no yes no"),
    "SL.2.1.1": ("(b|c|d|aa*(c|d))*a*", "no yes no"),
    "SL.2.1.2": ("a.*(b|c|d)", "yes yes no"),
    "coSL.2.1.0": (".*aa.*", "no yes no"),
    "coSL.2.1.1": (".*ab.*", "no yes no"),
    "LT.2.1.0": (".*aa.*bb.*|.*bb.*aa.*", "no yes no"),
    "LTT.2.2.0": (".*ab.*ab.*", "no yes no"),
    "SP.2.1.0": ("(b|c|d)*(a|c|d)*", "yes yes yes"),
    "coSP.2.1.0": (".*a.*b.*", "yes yes yes"),
    "PT.2.1.0": (".*a.*b.*|(b|c|d)*", "yes yes yes"),
    "PT.2.1.1": (".*a.*a.*", "yes yes yes"),
    "PLT.2.1.0": (".*c.*ab.*", "no yes no"),
    "SF.0.0.0": ("(c|d)*(a(c|d)*b(c|d)*)*", "yes yes no"),
    "SF.0.0.1": (".*a(c|d)*", "no no no"),
    "Zp.2.1.0": ("((b|c|d)*a(b|c|d)*a)*(b|c|d)*", "no no no"),
    "Zp.3.1.0": ("((b|c|d)*a(b|c|d)*a(b|c|d)*a)*(b|c|d)*", "no no no"),
    "Reg.0.0.0": ("(..)*", "no yes no"),
    "TSL.2.1.0": ("(b|c|d|a(a|d)*c)*(a(a|d)*)?", "no no no"),
    "TcoSL.2.1.0": (".*ad*b.*", "no no no"),
    "TLT.2.1.0": (".*ad*a.*", "no no no"),
}


def make(name: str, size: int) -> RegularTarget:
    """One of the languages over so many letters."""
    plain = RegularTarget.from_regex(LANGUAGES[name][0], Alphabet(tuple("abcd")))
    columns = [min(code, 3) for code in range(size)]
    return RegularTarget(Alphabet(tuple(LETTERS[:size])), plain.table[:, columns].copy(), plain.accepting)


def pack() -> None:
    """Write the packed file."""
    with tarfile.open(PACKED, "w:xz") as folder:
        for name in LANGUAGES:
            for size in (4, 16, 64):
                text = dump_automaton(make(name, size).automaton, ".att").encode()
                about = tarfile.TarInfo(f"{size:02}.{size:02}.{name}.att")
                about.size = len(text)
                folder.addfile(about, io.BytesIO(text))


@cache
def read_packed() -> dict[str, bytes]:
    """The files by their names."""
    if os.environ.get("IDINF_GOLDEN") == "1":
        pack()
    with tarfile.open(PACKED) as folder:
        return {each.name: folder.extractfile(each).read() for each in folder}


def test_there_are_sixty() -> None:
    assert len(read_packed()) == 60


@pytest.mark.parametrize("name", LANGUAGES)
def test_verdicts_follow_from_the_class_over_any_alphabet(name: str, tmp_path: Path) -> None:
    problems = set()
    for size in (4, 16, 64):
        path = tmp_path / f"{size:02}.{size:02}.{name}.att"
        path.write_bytes(read_packed()[path.name])
        spec = read_source(path).spec
        machine = build_target(spec)
        assert isinstance(machine, RegularTarget)
        assert (spec.name, len(spec.alphabet)) == (path.stem, size)
        found = classify(machine)
        verdicts = (found.crasp, found.crasp_periodic_local, found.r_trivial)
        assert " ".join(str(each.verdict) for each in verdicts) == LANGUAGES[name][1]
        problems.add(find_problem(merge_letters(spec, machine)[1]))
        word = np.random.default_rng(size).integers(size, size=12)
        text = [spec.alphabet.symbols[code] for code in word]
        four = read_target(f"regex:{LANGUAGES[name][0]}", alphabet="abcd")
        assert accepts(machine, tuple(word.tolist())) == (
            ["abcd"[min(LETTERS.index(x), 3)] for x in text] in four
        )
    assert len(problems) == 1
