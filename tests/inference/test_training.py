"""f(n)-inference: against loops over all rows, and the known case n / 2."""

import random

import pytest

from idinf.errors import SpecError, UnsupportedBoundError
from idinf.inference.run import run
from idinf.inference.settings import Settings
from idinf.inference.table import StageTable, examine, widen
from idinf.nets.regularizer import Aggregate
from idinf.report.value import Outcome, Regularizer, Report
from idinf.spec.bounds import HypothesisClass
from idinf.spec.catalogue import load
from idinf.spec.training import TrainingLength
from idinf.work.limits import Limits
from tests.inference.test_table import table_of
from tests.inference.training_by_loops import check_stages

RULE = Regularizer(Aggregate.MAX, None)


class Answers(StageTable):
    """A table whose hypotheses nobody asks for."""

    def hypothesis(self, row):
        raise NotImplementedError

    nets = formula = picks = first_of = count_functions = hypothesis

    def counterexample(self, rows, high):
        return "0" * rows[0].fail


def asked(name: str, training: TrainingLength, max_n: int = 8, **more: object) -> Report:
    if "hypothesis_class" not in more:
        more = {"space": "spec", **more}
    settings = Settings(max_n=max_n, training_length=training, **more).about(load(name), name)
    return run(settings, Limits()).report


@pytest.mark.parametrize("name", ["n/2", "n/4", "sqrt", "log2"])
def test_stages_are_what_loops_over_all_rows_say(name):
    """Random tables: bad iff something within the tolerance above R*_t(n) has fail in (t(n), n]."""
    generator = random.Random(name)
    verdicts = set()
    for _ in range(40):
        levels = [generator.choice([4.0, 5.0, 5.1, 5.3, 6.0]) + k / 50 for k in range(6)]
        rows = [(r, generator.randrange(1, 17)) for r in levels]
        rows.append((6.5, None))
        complete = generator.choice([5.2, 6.6, 8.0])
        rule = TrainingLength.named(name, counts_sos=generator.random() < 0.5)
        table = table_of(*rows, max_n=8)
        found = examine(rule, Answers(table, complete, None, None, 0, None), RULE, 8)
        verdicts |= check_stages(found.stages, rows, complete, rule.counts_sos)
    assert verdicts == {True, False, None}


def test_half_the_length_is_the_procedure_itself():
    """At even test lengths n / 2 says what the stages of the report say."""
    report = asked("majority", TrainingLength("n/2"), hypothesis_class=HypothesisClass.THETA)
    even = [stage for stage in report.training.stages if stage.n % 2 == 0]
    assert [stage.trained for stage in even] == [stage.n for stage in report.stages]
    assert [stage.good for stage in even] == [stage.good for stage in report.stages]
    assert [stage.counterexample for stage in even] == [stage.counterexample for stage in report.stages]


def test_slower_training_needs_a_longer_stop_bound():
    """With t(n) = log2 n the window at small n is wider, so the search goes further up."""
    usual = asked("tomita-1", TrainingLength("n/2"))
    slow = asked("tomita-1", TrainingLength("log2"))
    assert usual.complete_up_to_r <= slow.complete_up_to_r
    assert slow.outcome is not Outcome.OPEN
    assert None not in [stage.good for stage in slow.training.stages]


def test_tables_are_read_and_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,t\n2,1\n8,4\n", encoding="utf-8")
    assert TrainingLength.named(str(path)).pairs(8) == ((2, 1, 0.5), (8, 4, 0.125))
    assert TrainingLength.of({2: 1}).table == ((2, 1),)
    for text, message in (
        ("", "no row"),
        ("n,t\n3,4\n", r"t\(3\) = 4; expected from 1 to n = 3"),
        ("4,2\n5,1\n", r"t\(5\) = 1 after t\(4\) = 2; expected n to rise and t not to fall"),
        ("4,2\n4,2\n", "expected n to rise"),
        ("4;2\n", "line 1: '4;2'; expected two whole numbers n,t"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(SpecError, match=message):
            TrainingLength.named(str(path))
    with pytest.raises(SpecError, match="expected one of n/2, n/4, sqrt, log2, or a CSV table"):
        TrainingLength.named("n/3")
    with pytest.raises(UnsupportedBoundError, match="expected at most 2 \\* max_n = 4"):
        widen(TrainingLength.of({8: 2}), RULE, 2)
    with pytest.raises(UnsupportedBoundError, match="no row is left"):
        widen(TrainingLength.of({3: 1}, counts_sos=True), RULE, 4)
    assert widen(TrainingLength.of({9: 4}, counts_sos=True), RULE, 4)(3) == 1 / 6
    with pytest.raises(UnsupportedBoundError, match="expected at most max_n = 4; raise --max-n"):
        widen(TrainingLength.of({8: 6}), RULE, 4)
