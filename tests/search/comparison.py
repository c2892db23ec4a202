"""A run of the search beside all hypotheses of a tiny space: table, selected sets, n0, records."""

from dataclasses import replace

import pytest

from idinf.base.words import words_up_to
from idinf.nets.attention import Attention
from idinf.nets.reference import trace
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Outcome
from idinf.search.patterned.shapes import PatternedShapes
from idinf.space.structures import StructureSpace
from idinf.spec.spec import Answer
from tests.search.brute_force import expected, first
from tests.small_runs import prepare
from tests.spaces import list_structures, small_space

__all__ = ["Restricted", "admits", "bounds_of", "by_logits", "compare", "run_in"]


def bounds_of(space):
    """The bounds of a space as the search takes them."""
    names = ("layers", "heads", "units", "precision", "max_r", "period", "reach", "logit_max", "content_max")
    return small_space(**{name: getattr(space, name) for name in names})


class Restricted(StructureSpace):
    """The structures of a tiny space that its restrictions allow; ``only`` is asked last, about patterns."""

    def __init__(self, space, aggregate, symbols, answer=Answer.ACCEPT):
        super().__init__(bounds_of(space), aggregate, symbols, answer)
        self.space = space

    def shapes(self, high):
        any_patterns = replace(self.space, only=None)
        return [item for item in super().shapes(high) if admits(any_patterns, item[-1])]

    def headless(self, high, period):
        return [item for item in super().headless(high, period) if admits(self.space, item[-1])]

    def with_patterns(self, shape, high, attention=Attention.CONTENT):
        return [
            item for item in super().with_patterns(shape, high, attention) if admits(self.space, item[-1])
        ]


def admits(space, structure):
    layers = tuple((layer.heads, layer.units) for layer in structure.layers)
    return space.admits(structure.period, structure.precision, layers)


def run_in(space, target, max_n, aggregate="max", tolerance=None, bounds=None, answer=Answer.ACCEPT, **more):
    """Run the procedure on the structures of a tiny space, with more options of `Procedure`.

    ``bounds`` are those of the space unless a rule of the search is changed; ``answer`` is what the target
    says of a word.
    """
    rule = Aggregate(aggregate)
    with pytest.MonkeyPatch.context() as patch:
        left = PatternedShapes.left
        patch.setattr(
            PatternedShapes, "left", lambda *asked: (x for x in left(*asked) if admits(space, x[0]))
        )
        procedure = prepare(target, bounds or bounds_of(space), max_n, rule, tolerance, **more)
        structures = Restricted(space, rule, len(target.alphabet), answer)
        assert list_structures(structures, space.max_r)
        procedure.search.structures = structures
        return procedure.run()


def compare(run, entries, language, max_r, tolerance=None):
    """What a run reports is what follows from all hypotheses of a space up to ``max_r``.

    ``language`` has an alphabet, and a label for every word; that of words that do not count is None.
    """
    max_n, complete = len(run.stages), run.complete_up_to_r
    entries = [e for e in entries if e.r <= complete + 1e-9]
    good = []
    picks = []
    named = []
    for n, stage in enumerate(run.stages, start=1):
        want = expected(entries, n, language.alphabet, language.label, 2 * max_n, tolerance)
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
        assert stage.counterexample == (None if want.word is None else language.alphabet.decode(want.word))
        shown = worst_at(run, stage)
        if want.wrong is None:
            assert shown is None
        else:
            assert (shown.fail, shown.hypothesis) == (want.worst, want.wrong.hypothesis.to_dense())
            assert shown.r == pytest.approx(want.wrong.r, abs=1e-9)
            named.append(shown)
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
    assert run.worst == tuple(dict.fromkeys(named))
    settled = run.outcome is not Outcome.OPEN
    if settled:
        bad = [n for n, value in enumerate(good, start=1) if value is not True]
        n0 = max(bad, default=0) + 1
        assert run.n0 == (n0 if n0 <= max_n else None)
    else:
        assert complete == pytest.approx(max_r)
    check_records(run, entries)
    weak = [n for n, value in enumerate(picks, start=1) if value is not True]
    n0 = max(weak, default=0) + 1
    assert run.n0_canonical == (n0 if n0 <= max_n else None)


def worst_at(run, stage):
    """The worst hypothesis of a stage, as reports find it."""
    key = stage.fail_of_worst, stage.counterexample
    found = (record for record in run.worst if (record.fail, record.counterexample) == key)
    return next(found, None) if stage.good is False else None


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
            want.append((pick.r, pick.fail, pick.hypothesis.to_dense()))
    found = [record for record in run.records if record.fail is None or record.fail > 1]
    assert [(record.fail, record.hypothesis) for record in found] == [(f, h) for _, f, h in want]
    assert [record.r for record in found] == pytest.approx([r for r, _, _ in want], abs=1e-9)


def by_logits(entry, language, horizon):
    """A hypothesis as its numbers say: right where they are just 1 and 0."""
    words = list(words_up_to(len(language.alphabet), horizon))
    net = entry.hypothesis.to_dense()
    logits = tuple(int(trace(net, word).logits[0]) for word in words)
    wrong = [len(w) for w, value in zip(words, logits, strict=True) if value != language.label(w)]
    return replace(entry, fail=min(wrong, default=None), answers=logits)
