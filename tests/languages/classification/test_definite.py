"""Ends of words that decide: by the minimal DFA, beside the equation in the whole monoid and beside words."""

import numpy as np
import pytest

from idinf.base.words import Alphabet, words_up_to
from idinf.languages.classification.by_automaton import EndLengths, find_ends
from idinf.languages.classification.monoid import build_monoid
from idinf.targets.machine import accepts
from idinf.targets.regular import RegularTarget
from tests.languages.equivalence.languages_by_words import random_regex

SIGMA = Alphabet(("a", "b"))


def by_definition(table):
    """Whether e·s·e = e for the idempotents e of non-empty words and all s, every product written out."""
    rows = [tuple(row) for row in build_monoid(table, 10_000).rows.tolist()]
    entered = {tuple(table[list(row), code].tolist()) for row in rows for code in range(table.shape[1])}

    def times(x, y):
        return tuple(y[state] for state in x)

    idempotents = [e for e in entered if times(e, e) == e]
    return all(times(times(e, s), e) == e for e in idempotents for s in rows)


def decide(machine, ends):
    """Whether words with equal ends are in the language together, all words up to a length."""
    answers = {}
    for word in words_up_to(2, ends.first + ends.last + 4):
        if len(word) >= ends.first + ends.last:
            key = word[: ends.first], word[len(word) - ends.last :]
            if answers.setdefault(key, accepts(machine, word)) != accepts(machine, word):
                return False
    return True


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("(a|b)*a(a|b){3}", EndLengths(0, 4)),
        ("(a|b){2}a(a|b)*", EndLengths(3, 0)),
        ("a(a|b)*b(a|b)", EndLengths(1, 2)),
        ("ab|b", EndLengths(3, 0)),
        ("a(a|b)*a|b(a|b)*(ab|bb)", None),
        ("(a|b)*ab(a|b)*", None),
        ("(ab)*", None),
        ("((a|b)(a|b))*", None),
    ],
)
def test_known_languages(text, ends):
    machine = RegularTarget.from_regex(text, SIGMA)
    found = find_ends(machine.table)
    assert (found is not None) == by_definition(machine.table)
    if ends is not None:
        assert found == ends
        assert decide(machine, ends)
        fewer = [EndLengths(ends.first - 1, ends.last), EndLengths(ends.first, ends.last - 1)]
        assert not any(decide(machine, less) for less in fewer if min(less.first, less.last) >= 0)


def test_random_languages_by_definition():
    rng = np.random.default_rng(11)
    met = set()
    for _ in range(150):
        text = random_regex(rng, "ab", int(rng.integers(2, 6)))
        text = str(rng.choice([text, f"({text})(a|b)*", f"(a|b)*({text})", f"a(a|b)*({text})"]))
        machine = RegularTarget.from_regex(text, SIGMA)
        found = find_ends(machine.table)
        assert (found is not None) == by_definition(machine.table), text
        assert found is None or decide(machine, found)
        met.add(None if found is None else (found.first > 0, found.last > 0))
    assert len(met) >= 4
