"""Many words at once beside each word alone, and no slower for next symbols than for acceptance."""

from __future__ import annotations

import time

import numpy as np
import pytest
from click.testing import CliRunner

from idinf.commands import main
from idinf.commands import words as commands
from idinf.crasp.batch import lay_out_words
from idinf.experiments.catalogue import load
from idinf.experiments.spec import Answer
from idinf.targets import batches
from idinf.targets.batches import answer_words, name_next
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.next_symbols import Continuations
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import SupervisedTarget, supervise
from idinf.words import Alphabet, words_up_to


def _words(target, length, rng):
    """All words up to a length in a random order, one more than once, and a few long ones."""
    size = len(target.alphabet)
    words = [*words_up_to(size, length), (0,), ()]
    rng.shuffle(words)
    return [*words, *(tuple(rng.integers(0, size, 40).tolist()) for _ in range(5)), (0,)]


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "contains-ab-abc"])
def test_acceptance(name):
    target = supervise(build_target(load(name)))
    words = _words(target, 4, np.random.default_rng(1))
    accepted, counted = answer_words(target, lay_out_words(words))
    assert accepted == [accepts(target, word) for word in words]
    assert counted == [target.is_counted(word) for word in words]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "name", ["tomita-2-next", "dyck-1-next", "induction-argmax-next", "sort-next", "addition-next"]
)
@pytest.mark.parametrize("pieces", [1, 30, 4096])
def test_next_symbols(name, pieces, monkeypatch):
    target = supervise(build_target(load(name)))
    words = _words(target, 3, np.random.default_rng(2))
    monkeypatch.setattr(batches, "ROWS", 100)
    batch = lay_out_words(words)
    sets, numbers, counted = name_next(target, batch)
    named = [[sets[number] for number in row if number >= 0] for row in numbers.tolist()]
    assert list(map(tuple, named)) == [target.next_symbols(word) for word in words]
    monkeypatch.setattr(commands, "PIECES", pieces)
    expected = [commands.next_text(target.next_symbols(word)) for word in words]
    assert commands.label_texts(target, batch) == (expected, counted)
    assert counted == [target.is_counted(word) for word in words]


def test_no_words():
    target = supervise(build_target(load("dyck-1-next")))
    assert commands.label_texts(target, lay_out_words([])) == ([], [])
    assert commands.label_texts(target, lay_out_words([()])) == (["a,$"], [True])
    assert answer_words(supervise(build_target(load("dyck-1"))), lay_out_words([])) == ([], [])


def test_sets_of_many_symbols():
    """More than eight truth values are more than a byte, and equal bytes are not equal sets."""
    letters = "abcdefghijklmnopq"
    pairs = "|".join(f"{one}{other}" for one, other in zip(letters, letters[1:] + "a", strict=True))
    machine = RegularTarget.from_regex(f"({pairs})*", Alphabet(tuple(letters)))
    target = SupervisedTarget(Continuations(machine), Answer.SET)
    rng = np.random.default_rng(5)
    read = [tuple(rng.integers(0, len(letters), 5).tolist()) for _ in range(50)]
    read += [(code, (code + 1) % len(letters)) for code in range(len(letters))]
    sets, numbers, _ = name_next(target, lay_out_words(read))
    named = [tuple(sets[number] for number in row if number >= 0) for row in numbers.tolist()]
    assert named == [target.next_symbols(word) for word in read]
    assert len(sets) == len(set(sets))


def _processor_time(work):
    begun = time.process_time()
    work()
    return time.process_time() - begun


@pytest.mark.slow
@pytest.mark.parametrize(("name", "machines"), [("tomita-1", 1), ("tomita-4", 1), ("dyck-1", 3)])
def test_labels_of_next_symbols_take_about_twice_the_time_of_acceptance(name, machines):
    """The whole command on the same words, with 61 answers to each; dyck-1-next is three programs."""
    rng = np.random.default_rng(3)
    symbols = load(name).alphabet.symbols
    text = "".join("".join(rng.choice(symbols, 60)) + "\n" for _ in range(3_000))

    def ratio():
        times = [
            _processor_time(lambda made=made: CliRunner().invoke(main, ["label", made, "-"], input=text))
            for made in (name, f"{name}-next")
        ]
        return times[1] / times[0]

    assert min(ratio() for _ in range(5)) < (3 if machines == 1 else 4)


@pytest.mark.slow
def test_an_answer_at_every_prefix_takes_less_than_the_prefixes_as_words():
    rng = np.random.default_rng(3)
    words = [tuple(rng.integers(0, 2, 60).tolist()) for _ in range(300)]
    batch = lay_out_words(words)
    prefixes = lay_out_words([word[:length] for word in words for length in range(61)])
    plain, after = (supervise(build_target(load(name))) for name in ("tomita-4", "tomita-4-next"))

    def ratio():
        return _processor_time(lambda: commands.label_texts(after, batch)) / _processor_time(
            lambda: commands.label_texts(plain, prefixes)
        )

    assert min(ratio() for _ in range(5)) < 1
