"""The fast search gives the same table, selected sets and n0 as nested loops over tiny spaces."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import pytest

from idinf.experiments.bounds import SpaceBounds
from idinf.inference.procedure import Procedure
from idinf.report.value import Outcome
from idinf.search import worthwhile
from idinf.space.structures import LayerShape, Structure, StructureSpace
from idinf.transformers.reference import trace
from idinf.transformers.regularizer import Aggregate
from idinf.words import words_up_to
from tests.search.brute_force import expected, first, table
from tests.search.tiny_spaces import CASES


@lru_cache(maxsize=2)
def brute_table(name):
    case = CASES[name]
    return table(case.space, case.target.alphabet, case.target.label, 2 * case.max_n, case.aggregate)


def bounds_of(space):
    """The bounds of a space as the search takes them."""
    names = ("layers", "heads", "units", "precision", "max_r", "period", "reach", "logit_max", "content_max")
    return SpaceBounds.from_preset("nope", **{name: getattr(space, name) for name in names})


class Restricted(StructureSpace):
    """The structures of a tiny space that its restrictions allow; ``only`` is asked last, about patterns."""

    def __init__(self, space, aggregate, symbols):
        super().__init__(bounds_of(space), aggregate, symbols)
        self.space = space

    def skeletons(self, high):
        any_patterns = replace(self.space, only=None)
        return [item for item in super().skeletons(high) if admits(any_patterns, item[-1])]

    def up_to(self, high):
        return tuple(s for s in super().up_to(high) if admits(self.space, s))


def admits(space, structure):
    layers = tuple((layer.heads, layer.units) for layer in structure.layers)
    return space.admits(structure.period, structure.precision, layers)


#: Cases of more than a second; each has a cheaper one with the same features.
LONG = frozenset(
    {
        "content",
        "content-above",
        "dyck-half",
        "even-unary-sum",
        "local-below-head",
        "plurality-c",
        "two-heads-two-units-local",
        "two-outputs-headless",
        "content-and-local",
        "content-half-unary",
        "even-hidden-pair",
        "local-below",
        "local-in-both",
        "period-2-head",
        "symmetric-local",
        "two-outputs-local",
        "two-units-two-heads",
    }
)

#: These are long where every decision is left to the exact check.
LONG_UNSCREENED = frozenset({"symmetric-pair", "symmetric-three", "two-outputs-above"})


def runs():
    """Every case with several tolerances and screening lengths; what takes longer is marked slow."""
    for name, case in CASES.items():
        for tolerance, screening in ((None, None), (0.0, None), (None, 1), (None, 2)):
            also = screening == 1 and (not case.uses or name in SCREENED)
            slow = case.slow or ((tolerance, screening) != (None, None) and not also) or name in LONG
            slow = slow or (screening == 1 and name in LONG_UNSCREENED)
            yield pytest.param(name, tolerance, screening, marks=pytest.mark.slow if slow else ())


#: New features that are also judged with every decision left to the exact check.
SCREENED = (
    "local",
    "local-half",
    "period-2-local",
    "one-unit-two-heads",
    "two-outputs-above",
    "content-above",
)


@pytest.mark.thinned(60)
@pytest.mark.parametrize(("name", "tolerance", "screening"), list(runs()))
def test_report_equals_brute_force(name, tolerance, screening, monkeypatch):
    case = CASES[name]
    target, space, max_n = case.target, case.space, case.max_n
    aggregate = Aggregate(case.aggregate)
    if not admits(space, Structure((LayerShape((), 1),), 0)):
        # Headless nets are bounded by the simplest net, which this space leaves out.
        monkeypatch.setattr(worthwhile, "bound_headless", lambda *_: math.inf)
    procedure = Procedure(target, bounds_of(space), max_n, aggregate, tolerance, screening=screening)
    procedure.search.structures = Restricted(space, aggregate, len(target.alphabet))
    assert procedure.search.structures.up_to(space.max_r)
    compare(procedure.run(), brute_table(name), case, tolerance)


def compare(run, entries, case, tolerance):
    """What a run reports, and what follows from all hypotheses of its space."""
    target, space, max_n = case.target, case.space, case.max_n
    horizon, complete = 2 * max_n, run.complete_up_to_r
    entries = [e for e in entries if e.r <= complete + 1e-9]
    good = []
    picks = []
    for n, stage in enumerate(run.stages, start=1):
        want = expected(entries, n, target.alphabet, target.label, horizon, tolerance)
        if want.r_star is None:
            assert stage.r_star is None
            assert stage.good is None
            good.append(None)
            picks.append(None)
            continue
        assert stage.r_star == pytest.approx(want.r_star, abs=1e-9)
        assert stage.num_selected_bad == want.bad or (
            stage.good is False and stage.num_selected_bad <= want.bad
        )
        assert stage.fail_of_worst == want.worst
        assert stage.counterexample == (None if want.word is None else target.alphabet.decode(want.word))
        window = want.r_star + (1 / (2 * n) if tolerance is None else tolerance)
        verdict = False if want.bad else (True if window <= complete + 1e-9 else None)
        assert stage.good is verdict
        if verdict:
            assert stage.num_selected == want.selected
            assert stage.num_selected_exact
        else:
            assert 1 <= stage.num_selected <= want.selected
        good.append(verdict)
        picks.append(want.pick_good)
    settled = run.outcome is not Outcome.OPEN
    if settled:
        bad = [n for n, value in enumerate(good, start=1) if value is not True]
        n0 = max(bad, default=0) + 1
        assert run.n0 == (n0 if n0 <= max_n else None)
    else:
        assert complete == pytest.approx(space.max_r)
    check_records(run, entries)
    weak = [n for n, value in enumerate(picks, start=1) if value is not True]
    n0 = max(weak, default=0) + 1
    assert run.n0_canonical == (n0 if n0 <= max_n else None)


#: Cases with one and two units, φ, positions and next to no room.
AT_ZERO = (
    *("local", "local-half", "period-2-local", "one-unit-two-heads", "symmetric-pair"),
    *("majority-1-layer", "majority-pair-p2", "three-units-shared", "dyck-head-above"),
)


@pytest.mark.parametrize("name", AT_ZERO)
def test_threshold_zero_equals_brute_force(name):
    """Of all hypotheses those alone that compare with 0: fewer, and a complement costs more."""
    case = CASES[name]
    bounds = replace(bounds_of(case.space), threshold="zero")
    procedure = Procedure(case.target, bounds, case.max_n, Aggregate(case.aggregate))
    procedure.search.structures = Restricted(case.space, procedure.aggregate, len(case.target.alphabet))
    every = brute_table(name)
    entries = [entry for entry in every if not entry.hypothesis.threshold]
    assert 0 < len(entries) < len(every)
    compare(procedure.run(), entries, case, None)


def by_logits(entry, case):
    """A hypothesis as its numbers say: right where they are just 1 and 0."""
    words = list(words_up_to(len(case.target.alphabet), 2 * case.max_n))
    net = entry.hypothesis.to_dense()
    logits = tuple(int(trace(net, word).logits[0]) for word in words)
    wrong = [len(w) for w, value in zip(words, logits, strict=True) if value != case.target.label(w)]
    return replace(entry, fail=min(wrong, default=None), answers=logits)


@pytest.mark.parametrize("name", ["majority-pair-p2", "three-units-shared", "even-unary-shared-channel"])
def test_match_logits_equals_brute_force(name):
    """Of all hypotheses those that compare with 0, by the numbers that the reference gives at every word."""
    case = CASES[name]
    bounds = replace(bounds_of(case.space), match="logits")
    assert bounds.threshold == "zero"
    procedure = Procedure(case.target, bounds, case.max_n, Aggregate(case.aggregate))
    procedure.search.structures = Restricted(case.space, procedure.aggregate, len(case.target.alphabet))
    at_zero = [entry for entry in brute_table(name) if not entry.hypothesis.threshold]
    entries = [by_logits(entry, case) for entry in at_zero]
    assert [entry.fail for entry in entries] != [entry.fail for entry in at_zero]
    compare(procedure.run(), entries, case, None)


def check_records(run, entries):
    """Records with fail > 1: level, fail, and the first hypothesis in the total order."""
    longest = 1
    want = []
    for level in sorted({round(e.r, 8) for e in entries}):
        tied = [e for e in entries if abs(e.r - level) < 1e-7]
        fails = [float("inf") if e.fail is None else e.fail for e in tied]
        if max(fails) > longest:
            longest = max(fails)
            best = [e for e, f in zip(tied, fails, strict=True) if f == longest]
            pick = first(best)
            want.append((pick.r, pick.fail, pick.hypothesis))
    found = [record for record in run.records if record.fail is None or record.fail > 1]
    assert [(record.fail, record.hypothesis) for record in found] == [(f, h) for _, f, h in want]
    assert [record.r for record in found] == pytest.approx([r for r, _, _ in want], abs=1e-9)
