"""First layers listed by what they compute: slices hold the same as where every parameter is listed."""

from __future__ import annotations

from functools import cache

import pytest

from idinf.base.words import Alphabet
from idinf.nets.regularizer import Aggregate
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import sieve
from idinf.space.forms import FormSpace
from idinf.space.structures import StructureSpace
from idinf.targets.regular import RegularTarget
from tests.spaces import list_structures, small_space

#: Two layers of one unit each: a language, bounds, the length up to which something is right, and R.
CHAINS = {
    "contains": ("(a|b)*ab(a|b)*", {"precision": 1}, 3, 9.9),
    "alternates": ("(ab)*", {"precision": 0}, 3, 11.2),
    "period": ("(aa|ab)*", {"precision": 0, "period": 2}, 3, 12.6),
    "local": ("a*b(a|b)*", {"precision": 0, "reach": 1, "logit_max": 1}, 3, 10.2),
}


def slices(name, mode):
    """Every hypothesis by structure, R, fail and outputs, and how many parameters were looked at."""
    regex, more, consistent, high = CHAINS[name]
    bounds = small_space(**{"layers": 2, "units": 1, "max_r": high, **more})
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    search = Search(target, bounds, 8)
    chains = [s for s in list_structures(StructureSpace(bounds, Aggregate.MAX, 2), high) if s.depth == 2]
    found = [
        (batch.structure, round(float(r), 9), int(fail), outputs.tobytes())
        for low, end in ((0.0, high - 0.4), (high - 0.4, high))
        for batch in search.slice(low, end, consistent, mode, chains)
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr)


@cache
def kept(name, by_forms):
    """What nobody has changed anything about, and several tests compare with."""
    return slices(name, modes()[by_forms])


def least(found):
    """The least R by everything else."""
    rows = dict[tuple[object, ...], float]()
    for structure, r, *rest in sorted(found, key=lambda row: -row[1]):
        rows[structure, *rest] = r
    return rows


def modes():
    plain = {"use_confusion": False}
    return Mode(use_certificates=False, **plain), Mode(certified_above=0.0, **plain)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", CHAINS)
def test_nothing_is_lost(name):
    assert kept(name, True) == kept(name, False) != []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CHAINS))
def test_shares_are_the_whole(name, monkeypatch):
    """Lower units that are constant, or alike on short words, may come from each share."""
    want = kept(name, True)
    monkeypatch.setattr(sieve, "SHARED_FROM", 0)
    found = slices(name, modes()[1])
    assert {*found} >= {*want}
    assert least(found) == least(want)
    assert len(found) < 4 * len(want)


@pytest.mark.slow
def test_a_share_that_is_left_out_loses_hypotheses(monkeypatch):
    """A planted fault: nobody lists the last share."""
    want, parts = kept("alternates", True), FormSpace.parts
    monkeypatch.setattr(sieve, "SHARED_FROM", 0)
    monkeypatch.setattr(
        FormSpace, "parts", lambda self, corners, share: parts(self, corners, share) if share[0] < 3 else ()
    )
    assert least(slices("alternates", modes()[1])) != least(want)


def test_forgetting_the_sign_at_sos_loses_hypotheses(monkeypatch):
    """A planted fault: units that are 1 at SOS are not listed."""
    whole = FormSpace._forms
    want = kept("contains", False)

    def forgetful(self, *args):
        both = whole(self, *args)
        return both.take(slice(0, len(both) // 2))

    monkeypatch.setattr(FormSpace, "_forms", forgetful)
    assert slices("contains", modes()[1]) != want
