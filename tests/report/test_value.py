"""The report of a run: its values, what follows from them, and the invariant on R."""

from dataclasses import replace

import pytest

from idinf.base.documents import read, write
from idinf.errors import ReportFormatError, SpecError
from idinf.inference.outcome import TableRecord, write_record
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import accepts
from idinf.nets.regularizer import compute_r_terms
from idinf.report.target import TargetDescription
from idinf.report.value import Outcome
from idinf.spec.catalogue import list_family_names, list_names, load, load_family
from idinf.spec.reader import parse_spec
from idinf.spec.spec import Spec
from idinf.work.limits import StopReason
from tests.small_runs import Run


def test_an_embedded_hypothesis_gives_back_its_record(identified: Run) -> None:
    for row in identified.report.records:
        assert isinstance(row.hypothesis, LimitTransformer)
        assert compute_r_terms(row.hypothesis).total == pytest.approx(row.r, abs=1e-9)
        assert sum(row.r_terms.as_dict().values()) == pytest.approx(row.r, abs=1e-8)
        if row.counterexample is not None:
            word = row.hypothesis.alphabet.encode(row.counterexample)
            assert accepts(row.hypothesis, word) is not (word.count(0) <= word.count(1))


def test_what_each_n_selects(identified: Run) -> None:
    report = identified.report
    for stage in report.stages:
        first = next(record for record in report.records if record.fits(stage.n))
        assert stage.r_star == stage.r_star_lower == first.r
    shorter = replace(report, max_n=1)
    assert shorter.selected == report.records[1]
    assert replace(report, records=report.records[:1]).selected is None


def test_brackets_of_open_runs(opened: Run, bracketed: Run) -> None:
    bracket = opened.report.bracket
    assert bracket is not None
    assert (bracket.r_lower, bracket.n0_lower) == (9.3, 3)
    assert (bracket.r_upper, bracket.upper_length, bracket.hypothesis) == (None, None, None)
    assert opened.report.first_unknown == 3
    assert (opened.report.stop, opened.report.stopped) == (StopReason.MAX_R, False)
    known = bracketed.report
    assert known.bracket is not None
    assert known.bracket.r_lower == known.bracket.r_upper == 8.414213562
    assert known.bracket.hypothesis == known.records[-1].hypothesis
    assert known.outcome is Outcome.OPEN


def test_an_r_that_is_not_that_of_the_matrices_is_an_internal_error(identified: Run) -> None:
    right = identified.report.records[-1]
    wrong = TableRecord(8.4142, None, None, right.hypothesis, right.formula)
    with pytest.raises(RuntimeError, match=r"reported R = 8\.414200000 .* have R = 8\.414213562"):
        write_record(wrong, identified.report.regularizer)


# What a report says of its target: the same target again, and refusals


DFA = (
    'name = "x"\nalphabet = "yes no"\ntokens = "space"\nmode = "next"\njudged = "."\n'
    '[dfa]\nstates = ["p", "q"]\nstart = "p"\naccept = ["q"]\ntransitions = { p = { yes = "q" } }\n'
)
SPECS = {name: load(name) for name in list_names()}
SPECS |= {name: load_family(name).first for name in list_family_names()}
SPECS |= {
    "automaton": parse_spec(DFA),
    "acceptance in a domain": parse_spec('name = "x"\nalphabet = "ab"\nregex = "a*"\ndomain = "(aa|b)*"\n'),
}


def asked(spec: Spec) -> tuple[object, ...]:
    """Everything that says what the target is."""
    return (
        *(spec.name, spec.alphabet, spec.kind, spec.definition),
        *(spec.answer, spec.next, spec.domain, spec.judged),
    )


@pytest.mark.parametrize("name", SPECS)
def test_a_report_gives_the_same_spec_again(name: str) -> None:
    spec = SPECS[name]
    description = read(write(TargetDescription.of(spec)), TargetDescription, "r.json", ReportFormatError)
    assert description == TargetDescription.of(spec)
    assert asked(description.spec()) == asked(spec)
    assert description.digest == spec.digest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "name = ''; expected one line"),
        ({"alphabet": ()}, "alphabet is missing; expected the symbols of words"),
        ({"domain": ""}, "domain is empty; expected a regex"),
        ({"next": {"a": "b"}}, "next: expected it with"),
        ({"source": " "}, "regex is empty"),
    ],
)
def test_what_defines_nothing_is_refused(changes: dict[str, object], message: str) -> None:
    description = replace(TargetDescription.of(SPECS["copy-unique-next"]), **changes)
    with pytest.raises(SpecError, match=f"^target: {message}"):
        description.spec()
