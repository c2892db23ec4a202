"""Rules to try: R and the first wrong word of each, as the library says them about one rule alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

import idinf
from idinf.base.words import words_up_to
from idinf.report.value import Report
from idinf.show.rules import OfferedRule, list_rules
from tests.show.reports import GOLDEN, golden


def check(report: Report, rules: Sequence[OfferedRule]) -> None:
    """Compare every rule with the target, word by word, and its R with that of `idinf crasp compile`."""
    symbols = "".join(report.target.alphabet)
    right = idinf.target(report.target.spec())
    records = {record.formula: record.r for record in report.records}
    for rule in rules:
        own, until = idinf.target(rule.text, alphabet=symbols), min(rule.checked, 6)
        words = ["".join(symbols[code] for code in word) for word in words_up_to(len(symbols), until)]
        assert rule.word == next((word for word in words if (word in own) is not (word in right)), None)
        assert rule.fail == (None if rule.word is None else len(rule.word))
        compiled = idinf.crasp.compile(rule.text, alphabet=symbols).r
        assert rule.r == records.get(rule.text, pytest.approx(compiled, abs=1e-9))
        assert rule.r <= compiled + 1e-9


@pytest.mark.parametrize("name", sorted({path.stem for path in GOLDEN.glob("*.json")} - {"hypothesis"}))
def test_rules_cost_and_fail_as_the_library_says(name: str) -> None:
    report = golden(name)
    rules = list_rules(report)
    assert 38 <= len({rule.text for rule in rules}) == len(rules) <= 50
    check(report, rules)


@pytest.mark.parametrize("fault", [{"r": 8.5}, {"word": "11", "fail": 2}, {"word": None, "fail": None}])
def test_a_planted_fault_is_seen(fault: dict[str, object]) -> None:
    (even,) = (rule for rule in list_rules(golden("parity")) if rule.text == "accept iff i even")
    check(golden("parity"), [even])
    with pytest.raises(AssertionError):
        check(golden("parity"), [replace(even, checked=2, **fault)])


@pytest.mark.parametrize(("regex", "alphabet", "most"), [("(aa)*", "a", 20), ("(a|b|c|d|e)*c", "abcde", 65)])
def test_rules_over_one_symbol_and_over_many(regex: str, alphabet: str, most: int) -> None:
    report = idinf.identify(f"regex:{regex}", alphabet=alphabet, max_n=2, layers=1, max_r=6)
    rules = list_rules(report)
    assert len(rules) <= most
    check(report, [rule for rule in rules if rule.fail is not None])


def test_a_report_that_defines_no_target_offers_no_rules() -> None:
    report = golden("parity")
    assert list_rules(replace(report, target=replace(report.target, source="("))) == ()
