"""Slices whose lower layers are sifted by certificates hold the same as others."""

import math

import numpy as np
import pytest

from idinf.base.words import Alphabet
from idinf.nets.regularizer import Aggregate
from idinf.search.enumeration import Search
from idinf.search.last_layer.sieve import Sieve
from idinf.search.slice_types import Mode
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
        for batch in search.slice(low, end, consistent, mode, dict.fromkeys(chains))
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", CHAINS)
def test_nothing_is_lost(name):
    sifted = slices(name, Mode(certified_above=0.0, use_confusion=False))
    assert sifted == slices(name, Mode(certified_above=math.inf, use_confusion=False)) != []


def test_a_candidate_that_is_struck_out_is_missed(monkeypatch):
    """A planted fault: the sieve drops every other candidate."""
    want, whole = slices("contains", Mode(certified_above=0.0, use_confusion=False)), Sieve.left

    def wrong(self, *asked):
        left, times = whole(self, *asked)
        left[:, np.flatnonzero(left.any(axis=0))[::2]] = False
        return left, times

    monkeypatch.setattr(Sieve, "left", wrong)
    assert slices("contains", Mode(certified_above=0.0, use_confusion=False)) != want
