"""The fast search gives the same table, selected sets and n0 as nested loops over tiny spaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pytest
from brute_force import Space, expected, table

from idinf.inference.outcome import Outcome
from idinf.inference.procedure import Procedure
from idinf.spec.bounds import SpaceBounds
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet


@dataclass(frozen=True)
class Machine:
    """A target from plain functions on one integer state per word."""

    alphabet: Alphabet
    step_of: object
    accept: object

    def start(self):
        return np.zeros((1, 1), dtype=np.int64)

    def step(self, states, symbol):
        return np.array([[self.step_of(int(s), symbol)] for s in states[:, 0]], dtype=np.int64).reshape(-1, 1)

    def labels(self, states):
        return np.array([self.accept(int(s)) for s in states[:, 0]], dtype=bool)

    def label(self, word):
        state = 0
        for symbol in word:
            state = self.step_of(state, symbol)
        return self.accept(state)


def difference(*weights):
    return lambda state, symbol: state + weights[symbol]


MAJORITY = Machine(Alphabet(("0", "1")), difference(-1, 1), lambda s: s >= 0)
PARITY = Machine(Alphabet(("0", "1")), lambda s, a: (s + a) % 2, lambda s: s == 0)
DYCK = Machine(
    Alphabet(("a", "b")),
    lambda s, a: -99 if s < 0 or s + (1, -1)[a] < 0 else s + (1, -1)[a],
    lambda s: s == 0,
)
SOME_B = Machine(Alphabet(("a", "b")), lambda s, a: s | a, lambda s: s == 1)
LAST_B_AFTER_A = Machine(
    Alphabet(("a", "b")), lambda s, a: {0: 1, 1: 2}[a] if a == 0 or s else 0, lambda s: s == 2
)
EVEN = Machine(Alphabet(("a",)), lambda s, a: 1 - s, lambda s: s == 0)
AT_LEAST_2 = Machine(Alphabet(("a",)), lambda s, a: s + 1, lambda s: s >= 2)
NONE_OF_C = Machine(Alphabet(("a", "b", "c")), lambda s, a: s | (a == 2), lambda s: s == 0)
PLURALITY = Machine(Alphabet(("a", "b", "c")), difference(1, -1, 0), lambda s: s > 0)

CASES = {
    "majority-1-layer": (MAJORITY, Space(1, 1, 1, 1, 8.9), 3, "max"),
    "majority-2-units": (MAJORITY, Space(1, 1, 2, 0, 8.7), 2, "max"),
    "majority-2-layers": (MAJORITY, Space(2, 1, 1, 0, 8.5), 2, "max"),
    "majority-2-layers-sum": (MAJORITY, Space(2, 1, 1, 0, 9.5), 2, "sum"),
    "parity-2-units": (PARITY, Space(1, 1, 2, 0, 8.3), 2, "max"),
    "dyck-half": (DYCK, Space(1, 1, 1, 1, 9.0), 3, "max"),
    "some-b": (SOME_B, Space(2, 1, 1, 0, 8.2), 2, "max"),
    "even-unary": (EVEN, Space(2, 1, 1, 1, 9.0), 3, "max"),
    "even-unary-2-units": (EVEN, Space(1, 1, 2, 1, 9.0), 3, "max"),
    "even-unary-sum": (EVEN, Space(2, 1, 1, 1, 9.5), 3, "sum"),
    "two-unary": (AT_LEAST_2, Space(2, 1, 1, 1, 9.0), 3, "max"),
    "no-c": (NONE_OF_C, Space(2, 1, 1, 0, 7.6), 2, "max"),
    "plurality-c": (PLURALITY, Space(1, 1, 1, 0, 8.5), 2, "max"),
    "dyck-heads-in-both": (DYCK, Space(2, 1, 1, 1, 9.9, (((1, 1), (1, 1)),)), 3, "max"),
    "dyck-head-above": (DYCK, Space(2, 1, 1, 0, 9.5, (((0, 1), (1, 1)),)), 3, "max"),
    "dyck-head-below": (DYCK, Space(2, 1, 1, 0, 9.5, (((1, 1), (0, 1)),)), 3, "max"),
    "even-hidden-pair": (EVEN, Space(2, 1, 2, 1, 10.0, (((1, 2), (1, 1)),)), 3, "max"),
    "two-hidden-pair-p2": (AT_LEAST_2, Space(2, 1, 2, 2, 10.2, (((1, 2), (1, 1)),)), 3, "max"),
    "dyck-hidden-pair": (DYCK, Space(2, 1, 2, 0, 10.0, (((1, 2), (1, 1)),)), 3, "max"),
    "dyck-hidden-pair-below": (DYCK, Space(2, 1, 2, 1, 9.7, (((1, 2), (0, 1)),)), 3, "max"),
    "two-hidden-pair-sum": (AT_LEAST_2, Space(2, 1, 2, 0, 11.3, (((0, 2), (1, 1)),)), 3, "sum"),
    "two-unary-2-units-p2": (AT_LEAST_2, Space(1, 1, 2, 2, 9.6, (((1, 2),),)), 3, "max"),
    "even-unary-shared-channel": (EVEN, Space(1, 1, 2, 1, 9.5, (((1, 2),),)), 3, "max"),
    "two-unary-half": (AT_LEAST_2, Space(1, 1, 1, 1, 9.8), 3, "max"),
    "majority-pair-p2": (MAJORITY, Space(1, 1, 2, 2, 9.3, (((1, 2),),)), 2, "max"),
    "no-c-heads-in-both": (NONE_OF_C, Space(2, 1, 1, 0, 9.5, (((1, 1), (1, 1)),)), 2, "max"),
    "unary-3-layers": (EVEN, Space(3, 1, 1, 0, 10.3, (((1, 1), (1, 1), (1, 1)),)), 3, "max"),
}


#: Cases that take a few seconds each; the others run in `make test-all`.
QUICK = (
    "majority-1-layer",
    "majority-2-layers-sum",
    "dyck-half",
    "even-unary-sum",
    "plurality-c",
    "dyck-head-above",
    "dyck-head-below",
    "even-hidden-pair",
    "unary-3-layers",
    "even-unary-shared-channel",
    "two-unary-half",
)


@lru_cache(maxsize=2)
def brute_table(name):
    target, space, max_n, aggregate = CASES[name]
    return table(space, target.alphabet, target.label, 2 * max_n, aggregate)


@pytest.mark.parametrize(("tolerance", "screening"), [(None, None), (0.0, None), (None, 1), (None, 2)])
@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in CASES]
)
def test_report_equals_brute_force(name, tolerance, screening):
    target, space, max_n, aggregate = CASES[name]
    bounds = SpaceBounds.from_preset(
        "nope",
        layers=space.layers,
        heads=space.heads,
        units=space.units,
        precision=space.precision,
        max_r=space.max_r,
    )
    procedure = Procedure(target, bounds, max_n, Aggregate(aggregate), tolerance, screening=screening)
    if space.shapes:
        kept = [
            s
            for s in procedure.search.structures
            if tuple((x.heads, x.units) for x in s.layers) in space.shapes
        ]
        procedure.search.structures = tuple(kept)
    run = procedure.run()
    horizon = 2 * max_n
    entries = brute_table(name)
    complete = run.complete_up_to_r
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
        assert stage.counterexample == want.word
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
            first = min(best, key=lambda e: (e.key, e.hypothesis.parameters_in_file_order()))
            want.append((first.r, first.fail, first.hypothesis))
    found = [record for record in run.records if record.fail is None or record.fail > 1]
    assert [(record.fail, record.hypothesis) for record in found] == [(f, h) for _, f, h in want]
    assert [record.r for record in found] == pytest.approx([r for r, _, _ in want], abs=1e-9)
