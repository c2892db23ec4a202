"""Many words at once beside each word alone."""

from __future__ import annotations

import numpy as np
import pytest

from idinf.base.words import words_up_to
from idinf.commands import words as commands
from idinf.crasp.interpreter import lay_out_words
from idinf.spec.catalogue import load
from idinf.targets import supervised
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.supervised import answer_words, name_next, supervise


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


@pytest.mark.thinned(8)
@pytest.mark.parametrize(
    "name", ["tomita-2-next", "dyck-1-next", "induction-argmax-next", "sort-next", "addition-next"]
)
@pytest.mark.parametrize("pieces", [1, 30, 4096])
def test_next_symbols(name, pieces, monkeypatch):
    target = supervise(build_target(load(name)))
    words = _words(target, 3, np.random.default_rng(2))
    monkeypatch.setattr(supervised, "ROWS", 100)
    batch = lay_out_words(words)
    sets, numbers, counted = name_next(target, batch)
    named = [[sets[number] for number in row if number >= 0] for row in numbers.tolist()]
    assert list(map(tuple, named)) == [target.next_symbols(word) for word in words]
    monkeypatch.setattr(commands, "PIECES", pieces)
    expected = [commands.next_text(target.next_symbols(word)) for word in words]
    assert commands.label_texts(target, batch) == (expected, counted)
    assert counted == [target.is_counted(word) for word in words]
