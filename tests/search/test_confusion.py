"""Structures that words with equal counts rule out: nothing is lost, and much is not looked at."""

import pytest

from idinf.base.words import Alphabet
from idinf.search.enumeration import Search
from idinf.search.short_words.prefix_trees import ShortWords
from idinf.search.slice_types import Mode
from idinf.targets.regular import RegularTarget
from tests.spaces import small_space

AB = Alphabet(("a", "b"))
#: Decided by the last symbol and counts; by counts at residues of Δ = 2; by neither.
LANGUAGES = ("(a|b)*b", "((a|b)(a|b))*", "(ab)*", "(a|b)*ab(a|b)*", "b*a*")


def found_in(regex, use, high, consistent=2, **bounds):
    """What a slice lists of what is right up to a length, and how many units were looked at."""
    space = small_space("periodic", **{"units": 1, "precision": 0, "max_r": high, **bounds})
    search = Search(RegularTarget.from_regex(regex, AB), space, 6)
    mode = Mode(expand=True, use_confusion=use)
    found = [
        (batch.structure, round(float(r), 9), int(fail), outputs.tobytes())
        for batch in search.slice(0.0, high, consistent, mode)
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr), search.counts.enumerated


@pytest.mark.thinned(4)
@pytest.mark.parametrize("regex", LANGUAGES)
@pytest.mark.parametrize("bounds", [{"layers": 1, "period": 2}, {"layers": 2, "period": 1}])
def test_nothing_is_lost(regex, bounds):
    found, seen = found_in(regex, True, 9.5, **bounds)
    want, all_seen = found_in(regex, False, 9.5, **bounds)
    assert found == want
    assert seen <= all_seen


def test_what_counts_cannot_tell_apart_is_not_looked_at():
    assert found_in("(a|b)*ab(a|b)*", True, 9.0, 4, layers=1) == ([], 0)
    assert found_in("(a|b)*ab(a|b)*", False, 9.0, 4, layers=1)[1] > 0


@pytest.mark.parametrize("regex", LANGUAGES)
@pytest.mark.parametrize("period", [1, 2, 3])
@pytest.mark.parametrize("counts", [False, True])
def test_words_are_confused_iff_two_look_alike(regex, period, counts):
    target = RegularTarget.from_regex(regex, AB)
    words = ShortWords.of(target, 5)
    for length in range(6):
        known: dict[object, set[bool]] = {}
        for word, label in zip(map(words.word, range(len(words.labels))), words.labels, strict=True):
            if len(word) <= length:
                classes = [(code, i % period) for i, code in enumerate(word, start=1)]
                last = classes[-1] if classes else None
                key = (last, tuple(sorted(classes))) if counts else last
                known.setdefault(key, set()).add(bool(label))
        alike = any(len(labels) == 2 for labels in known.values())
        assert words.is_confused(period, length, counts) == alike


def test_forgetting_the_period_loses_hypotheses(monkeypatch):
    """A planted fault: nets with periodic positions are judged as if they saw the last symbol alone."""
    bounds = {"layers": 1, "period": 2}
    want, _ = found_in("((a|b)(a|b))*", True, 9.5, **bounds)
    assert want
    whole = ShortWords.is_confused

    def forgetful(self, period, length, counts=False):
        return whole(self, 1, length, counts)

    monkeypatch.setattr(ShortWords, "is_confused", forgetful)
    assert found_in("((a|b)(a|b))*", True, 9.5, **bounds)[0] != want
