"""Baselines of regular targets: the bound against all automata, RPNI where AALpy is installed."""

from __future__ import annotations

import builtins
import itertools

import numpy as np
import pytest

from idinf.baselines.automata import BaselineError, has_rpni_learned, measure_baseline, settle_length
from idinf.experiments.catalogue import load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from idinf.words import Alphabet, words_up_to

AB = Alphabet(("a", "b"))


def automata(states: int):
    """Every complete automaton over ab with so many states, state 0 the start."""
    for table in itertools.product(range(states), repeat=2 * states):
        rows = np.array(table, dtype=np.int64).reshape(states, 2)
        for accepting in itertools.product((False, True), repeat=states):
            yield RegularTarget(AB, rows.copy(), np.array(accepting, dtype=np.bool_))


@pytest.mark.parametrize("regex", ["(a|b)*", "(ab)*", "(a|b)*a", "(a(a|b))*"])
def test_all_words_up_to_the_bound_leave_one_small_automaton(regex: str) -> None:
    target = RegularTarget.from_regex(regex, AB)
    bound = settle_length(target)
    sample = list(words_up_to(2, bound))
    longer = list(words_up_to(2, bound + 2))
    others = 0
    for states in range(1, len(target.table) + 1):
        for other in automata(states):
            if all(accepts(other, word) == accepts(target, word) for word in sample):
                others += 1
                assert all(accepts(other, word) == accepts(target, word) for word in longer)
    assert others >= 1


def test_the_bound_cannot_be_lowered() -> None:
    """Two automata of k = 2 states that first differ on a word of length 2k − 2."""
    pairs = ((one, other) for one in automata(2) for other in automata(2))
    longest = 0
    for one, other in pairs:
        differ = (word for word in words_up_to(2, 4) if accepts(one, word) != accepts(other, word))
        longest = max(longest, len(next(differ, ())))
    assert longest == 2


@pytest.mark.parametrize("name", ["tomita-1", "tomita-2", "tomita-3", "tomita-4", "parity", "d-2", "aa-star"])
def test_rpni_has_shipped_targets(name: str) -> None:
    pytest.importorskip("aalpy")
    target = build_target(load(name))
    found = measure_baseline(target)
    assert found.tried == settle_length(target) + 2
    assert found.since is not None
    assert found.since <= settle_length(target)  # samples are characteristic from there on
    assert found.since == 0 or not has_rpni_learned(target, found.since - 1)


def test_rpni_is_wrong_on_small_samples_and_bounded() -> None:
    pytest.importorskip("aalpy")
    target = build_target(load("d-12"))
    found = measure_baseline(target, max_words=300)
    assert (found.since, found.tried) == (None, 7)
    assert found.right == (False,) * 8


def test_from_the_bound_on_rpni_has_every_small_automaton() -> None:
    """What `identify -v` says of samples that it does not run: they are characteristic."""
    pytest.importorskip("aalpy")
    rng = np.random.default_rng(7)
    larger = [
        RegularTarget(AB, rng.integers(0, k, (k, 2)), rng.integers(0, 2, k).astype(np.bool_))
        for k in (3, 4) * 40
    ]
    for target in [*automata(1), *automata(2), *larger]:
        bound = max(1, settle_length(target))  # the word of length 0 says nothing about transitions
        assert all(has_rpni_learned(target, n) for n in range(bound, bound + 3))


def test_without_aalpy_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: object, **named: object) -> object:
        if name.startswith("aalpy"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(BaselineError, match=r"RPNI needs AALpy, which is not installed; expected the extra"):
        has_rpni_learned(RegularTarget.from_regex("a*", AB), 2)
