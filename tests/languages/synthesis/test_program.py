"""Programs written from automata, word by word and by proof."""

import random

import pytest

from idinf.base.words import Alphabet
from idinf.crasp.checker import read_program
from idinf.crasp.syntax import format_program
from idinf.errors import BudgetError
from idinf.languages.classification.membership import drop_last_symbol, in_crasp, is_separable
from idinf.languages.equivalence.affine import AffineProof
from idinf.languages.synthesis.program import write_program
from idinf.languages.synthesis.synthesize import Sample, synthesize
from idinf.targets.regular import RegularTarget
from tests.languages.equivalence.test_affine import agree, random_machine


@pytest.mark.thinned(16)
@pytest.mark.parametrize("seed", range(40))
def test_a_program_is_written_iff_counts_decide_the_language(seed):
    rng, written = random.Random(seed), 0
    while written < 12:
        symbols = rng.choice(["a", "ab", "abc"])
        machine = random_machine(rng, states=6, symbols=symbols)
        program = write_program(machine)
        assert (program is not None) is in_crasp(machine).is_yes
        if program is None:
            continue
        written += 1
        read = read_program(format_program(program), machine.alphabet)
        assert agree(read, machine, {1: 20, 2: 8, 3: 5}[len(symbols)])
        assert AffineProof(machine, 10**8).decides(read)


@pytest.mark.thinned(8)
@pytest.mark.parametrize("seed", range(40))
def test_notes_of_last_symbols_and_residues(seed):
    rng, written, tried = random.Random(seed), 0, 0
    while written < 6 and tried < 200:
        tried += 1
        window, modulus = rng.choice([(1, 1), (2, 1), (0, 2), (0, 3), (1, 2)])
        machine = random_machine(rng, states=5)
        program = write_program(machine, window, modulus)
        possible = is_separable(drop_last_symbol(machine.table)[0], window, modulus)
        assert program is not None or not possible
        if program is None:
            continue
        written += 1
        read = read_program(format_program(program), machine.alphabet)
        assert agree(read, machine, 8)
        assert AffineProof(machine, 10**8).decides(read)
    assert written


def test_what_counts_do_not_decide_has_none():
    parity = RegularTarget.from_regex("(b*ab*a)*b*", Alphabet(("a", "b")))
    assert all(write_program(parity, window, modulus) is None for window in (0, 2) for modulus in (1, 2, 3))


# Shorter programs, which are proved again


def synthesized(machine):
    return synthesize(machine).program


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(20))
def test_the_language_stays_and_the_text_is_no_longer(seed):
    rng, met = random.Random(seed), 0
    while met < 4:
        machine = random_machine(rng, states=5)
        program = write_program(machine)
        if program is None:
            continue
        met += 1
        shorter = synthesized(machine)
        assert agree(shorter, machine, 9)
        assert len(format_program(shorter)) <= len(format_program(program))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", range(12))
def test_a_wrong_program_that_is_admitted_is_not_kept(seed, monkeypatch):
    monkeypatch.setattr(Sample, "admits", lambda self, program: True)
    rng, machine = random.Random(seed), None
    while machine is None or write_program(machine) is None:
        machine = random_machine(rng, states=4)
    assert agree(synthesized(machine), machine, 9)


def test_without_a_proof_there_is_no_program(monkeypatch):
    monkeypatch.setattr(AffineProof, "decides", lambda self, program: False)
    with pytest.raises(BudgetError, match="2 states are too many"):
        synthesized(RegularTarget.from_regex("a*", Alphabet(("a", "b"))))


@pytest.mark.parametrize("regex", ["(ab)*", "a*", "a(a|b)*"])
def test_a_sample_admits_what_agrees_on_its_words(regex):
    alphabet = Alphabet(("a", "b"))
    sample = Sample(RegularTarget.from_regex(regex, alphabet))
    programs = [
        write_program(RegularTarget.from_regex(text, alphabet)) for text in ("(ab)*", "a*", "a(a|b)*")
    ]
    assert [sample.admits(program) for program in programs].count(True) == 1
    assert sample.admits(write_program(RegularTarget.from_regex(regex, alphabet)))
