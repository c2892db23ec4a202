"""Certificates of single layers; those that are handed on: by words, the most useful, where they count."""

from __future__ import annotations

import pytest

from idinf.base.words import Alphabet
from idinf.search.enumeration import Search
from idinf.search.found import Mode
from idinf.search.last_layer import certificates as exclusion
from idinf.targets.regular import RegularTarget
from tests.spaces import small_space

#: Languages and single layers that are just dear enough: with and without φ, M and residues.
SINGLE_LAYERS = {
    "counts": ("b*ab*ab*a(a|b)*", {}, 4, 10.2),
    "local": ("a*(b|())", {"reach": 1, "logit_max": 1}, 3, 10.4),
    "content": ("(b|ab)*(a|())", {"logit_max": 1, "content_max": 1, "precision": 0}, 2, 9.2),
    "period": ("(aa|ab)*", {"period": 2, "precision": 0}, 3, 12.5),
}

#: Without the shortcuts that leave out whole structures.
PLAIN = {"use_confusion": False}


def single_layers(name, mode):
    """What is found in steps of R, every hypothesis by structure, R, fail and outputs, and how many lists."""
    regex, more, consistent, high = SINGLE_LAYERS[name]
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    bounds = small_space("nope", **{"layers": 1, "units": 1, "precision": 1, "max_r": high, **more})
    search = Search(target, bounds, 6)
    found = [
        (batch.structure, round(float(r), 9), int(fail), outputs.tobytes())
        for low, end in ((0.0, high - 0.9), (high - 0.9, high))
        for batch in search.slice(low, end, consistent, mode)
        for r, fail, outputs in zip(batch.r, batch.fail, batch.outputs, strict=True)
    ]
    return sorted(found, key=repr), search.counts.enumerated


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", SINGLE_LAYERS)
def test_certificates_of_single_layers_lose_nothing(name):
    want, looked_at = single_layers(name, Mode(use_certificates=False, **PLAIN))
    found, less = single_layers(name, Mode(certified_above=0.0, **PLAIN))
    assert found == want
    assert want
    assert less < looked_at


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("regex", "layers", "high"), [("b*ab*ab*a(a|b)*", 1, 10.2), ("a*b*a*", 3, 10.3)])
def test_bounds_in_blocks_of_any_size_say_the_same(regex, layers, high, monkeypatch):
    """What is found and what it takes, also with several Pareto points of the layers below."""
    target = RegularTarget.from_regex(regex, Alphabet(("a", "b")))
    bounds = small_space(layers=layers, units=1, precision=1, max_r=high)
    told = []
    for most in (exclusion.MOST_BOUNDS, 50):
        monkeypatch.setattr(exclusion, "MOST_BOUNDS", most)
        search = Search(target, bounds, 6)
        found = search.slice(0.0, high, 4, Mode(certified_above=0.0, **PLAIN))
        told.append((sorted(float(r) for batch in found for r in batch.r), search.counts))
    assert told[0] == told[1]
    assert told[0][1].lower_layers


def test_certificates_that_promise_too_much_are_noticed(monkeypatch):
    want, _ = single_layers("counts", Mode(use_certificates=False, **PLAIN))
    monkeypatch.setattr(exclusion, "SLACK", -0.3)
    assert single_layers("counts", Mode(certified_above=0.0, **PLAIN))[0] != want
