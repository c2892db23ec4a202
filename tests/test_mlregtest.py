"""The tables of MLRegTest that are committed, and the lemma on which its page rests."""

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.languages.classification.membership import in_crasp
from idinf.targets.regular import RegularTarget
from tools import mlregtest
from tools.mlregtest import BEGIN, CLASSES, COMPLEMENTS, DOCUMENT, END, find_steady_word, read_rows


@pytest.fixture(scope="module")
def rows():
    return read_rows("classes")


def test_every_language_of_the_suite_is_decided(rows):
    assert len({row.name for row in rows}) == len(rows) == 1_800
    verdicts = {getattr(row, key) for row in rows for key in ("crasp", "crasp_periodic_local", "r_trivial")}
    assert verdicts == {"yes", "no"}
    assert {row.kind for row in rows} == set(CLASSES)


def test_complements_have_the_verdicts_of_their_languages(rows):
    by_name = {row.name: row for row in rows}
    for row in rows:
        if row.kind not in COMPLEMENTS:
            continue
        other = by_name[row.name.replace(f".{row.kind}.", f".{COMPLEMENTS[row.kind]}.")]
        for key in ("states", "monoid", "star_free", "r_trivial", "crasp", "crasp_periodic_local"):
            assert getattr(row, key) == getattr(other, key), row.name


def test_what_the_page_says_of_classes_holds(rows):
    for row in rows:
        if row.kind in ("SL", "coSL", "LT", "LTT", "PLT"):
            assert row.crasp_periodic_local == "yes"
            assert row.modulus == "1"
        if row.kind in ("SP", "coSP", "PT"):
            assert (row.crasp, row.r_trivial) == ("yes", "yes")
        if row.kind.startswith("T") or row.kind == "Zp":
            assert row.neutral
            assert row.crasp_periodic_local == "no"
        assert bool(row.steady) == (row.crasp == "no"), row.name
    inside = {row.name.split(".", 2)[2] for row in rows if row.crasp == "yes" and row.kind in ("SL", "SF")}
    assert inside == {"SL.2.1.8", "SL.2.1.9", "SF.0.0.2", "SF.0.0.7"}


def test_the_page_is_what_the_tables_say(tmp_path, monkeypatch):
    text = DOCUMENT.read_text(encoding="utf-8")
    copy = tmp_path / "mlregtest.md"
    copy.write_text(f"{BEGIN}\n{END}", encoding="utf-8")
    monkeypatch.setattr(mlregtest, "DOCUMENT", copy)
    mlregtest.write_document()
    assert copy.read_text(encoding="utf-8") in text


def test_a_steady_word_is_a_proof_and_a_planted_one_is_found():
    """On random automata: what the lemma excludes, the decision procedure excludes; both kinds are met."""
    rng = np.random.default_rng(40)
    met = {True: 0, False: 0}
    for _ in range(400):
        states, size = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        table = rng.integers(states, size=(states, size)).tolist()
        machine = RegularTarget.minimal(Alphabet(tuple("abc"[:size])), table, rng.random(states) < 0.5)
        found = find_steady_word(machine)
        assert not found or in_crasp(machine).is_no
        met[bool(found)] += 1
    assert min(met.values()) > 40
    assert find_steady_word(machine_of("((a|c)*b(a|b|c)*a)*c*"))
    assert not find_steady_word(machine_of("(ab)*"))


def machine_of(text, alphabet="abc"):
    return RegularTarget.from_regex(text, Alphabet(tuple(alphabet)))
