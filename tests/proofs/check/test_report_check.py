"""Real reports are right; each planted falsification is caught where it stands; what is unchecked is said."""

import json
import re
from dataclasses import replace
from functools import partial

import pytest

from idinf.errors import IdinfError, ReportFormatError
from idinf.inference.procedure import list_shapes
from idinf.nets.regularizer import Aggregate
from idinf.proofs.check.floors import find_shape_faults
from idinf.proofs.check.report_check import check_report
from idinf.report.files import report_from_dict
from idinf.space.structures import StructureSpace
from idinf.targets.build import build_target
from tests.proofs.check.small_reports import RUNS, UNCHECKED, UNTOLD, leaves_of, place_of, read, report_of

#: Words up to this length are tried in most tests.
LENGTH = 3


def faults(report, length=LENGTH):
    """Every fault with its place; the refusal where there is nothing to check."""
    try:
        checks = check_report(report_from_dict(report, "r.json"), length).checks
    except ReportFormatError as refusal:
        return [str(refusal)]
    return [f"{check.place}: {fault}" for check in checks for fault in check.faults]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", RUNS)
def test_real_reports_are_right(name):
    result = check_report(read(name), LENGTH)
    assert [check for check in result.checks if check.faults] == []
    assert result.right
    assert result.length == LENGTH


@pytest.mark.parametrize(("name", "longest"), [("not-identified", 6), ("open", 4), ("next", LENGTH)])
def test_a_witness_binds_as_far_as_it_is_right(name, longest):
    """By its steps where it is wrong beyond the words that are tried; words of a domain have none."""
    report = read(name)
    nets = [record.hypothesis for record in report.records]
    checks = check_report(report, LENGTH, witness=nets).checks
    told = {check.place: check.about for check in checks if check.place.startswith("witness")}
    for number, record in enumerate(report.records):
        last = longest if record.fail is None else min(record.fail - 1, longest)
        assert told[f"witness[{number}]"].endswith(f" is above its R for n <= {last}")
    assert not any(check.faults for check in checks)
    # What lasts longer than the record says shows that R*_n is too large.
    level = round(report.records[-1].r + 1, 9)
    stages = tuple(replace(stage, r_star=level, r_star_lower=level) for stage in report.stages)
    checks = check_report(replace(report, stages=stages), LENGTH, witness=nets[-1:]).checks
    (fault,) = (fault for check in checks if check.place == "witness[0]" for fault in check.faults)
    assert fault.startswith(f"R*_1 = {level:.9f}; expected at most R = {report.records[-1].r:.9f} of what")


def _put(*path_and_value):
    """Put a value at a path of a report."""
    *path, value = path_and_value

    def edit(report):
        place_of(report, path[:-1])[path[-1]] = value

    return edit


def _drop(*path):
    def edit(report):
        del place_of(report, path[:-1])[path[-1]]

    return edit


def _first_factor(value):
    """Change the first factor of a derivation that there is."""

    def edit(report):
        for *_, reasons in report["proofs"][0]["reasons"]:
            for reason in reasons:
                if isinstance(reason, list) and reason:
                    reason[0][1] = value
                    return
        raise AssertionError("no derivation")

    return edit


def _first_claim(column, value):
    """Change a number of the first inequality that there is."""

    def edit(report):
        claims = next(rows for rows in report["proofs"][0]["claims"].values() if rows)
        claims[0][column] += value

    return edit


def _all(*edits):
    def edit(report):
        for each in edits:
            each(report)

    return edit


#: Of a proof that no longer proves what it claims.
LOST = r"proofs\[0\]: .*(follow|does not hold|0 reasons; expected 1|nothing shows that it is never taken)"

#: A value of a report, what it is changed to, and the fault that must name it.
VALUES = r"""
R of a record | proved | records 1 r = 5.5
    records\[1\]\.r: R = 5\.5; expected 5\.0
R of a record in the ninth decimal | open | records 1 r = 9.118033992
    records\[1\]\.r: R = 9\.118033992; expected 9\.118033989
a term of R | proved | records 2 r_terms norm_V = 0.5
    records\[2\]\.r: r_terms\.norm_V = 0\.5; expected
a term that is none | proved | records 2 r_terms = {"R": 8.0}
    r\.json: records\[2\]\.r_terms\.R is an unknown key
fail | proved | records 1 fail = 3
    records\[1\]\.fail: fail = 3, but the counterexample
a later counterexample | not-identified | records 2 counterexample = "101"
    records\[2\]\.fail: .*'101'
a counterexample beyond the words that are tried | not-identified | records 3 counterexample = "0000000"
    records\[3\]\.fail: it is right on '0000000'
a foreign symbol | proved | records 0 counterexample = "x"
    records\[0\]\.fail: word 'x': symbol 'x' at position 1 is not in the alphabet
no counterexample | proved | records 0 counterexample = null
    records\[0\]\.fail: counterexample = null; expected a word of length 1
no counterexample, though nothing stopped the run | open | records 0 counterexample = null
    records\[0\]\.fail: counterexample = null; expected a word of length
no counterexample of a stage, though nothing stopped the run | open | stages 1 counterexample = null
    stages: at n = 2 good = false without a counterexample
the basis | proved | records 1 hypothesis embedding $ 0 = -1
    records\[1\]\.hypothesis: the hypothesis is not written in the searched family
the space | proved | space heads = 0
    records\[2\]\.hypothesis: heads = 1; expected at most 0
the budget | proved | space max_r = 7.5
    records: records\[2\]\.r = 8\.0; expected at most
the alphabet | proved | target alphabet = ["1", "0"]
    r\.json: records\[0\]\.hypothesis\.alphabet = \["0", "1"\]; expected that of the target
a smaller alphabet | proved | target alphabet = ["1"]
    r\.json: records\[0\]\.hypothesis\.alphabet = \["0", "1"\]; expected that of the target
the mode | proved | target mode = "next"
    records\[0\]\.hypothesis: answers accept; expected set
r_star of a stage | proved | stages 1 r_star = 7.0
    stages: at n = 2 r_star = 7\.0; expected 8
r_star_lower | unknown | stages 2 r_star_lower = 9.0
    stages: at n = 3 r_star_lower = 9\.0; expected 8\.0
n of a stage | proved | stages 3 n = 5
    r\.json: stages = .*; expected one row for each n
max_n | proved | max_n = 5
    r\.json: stages = .*; expected one row for each n
good where something fails | not-identified | stages 5 good = true
    stages: at n = 6 good = true, but something selected fails
bad without a reason | proved | stages 3 good = false
    stages: at n = 4 good = false without a counterexample
undetermined though decided | proved | stages 3 good = null
    stages: at n = 4 good = null; expected a verdict
decided though open | unknown | stages 2 good = true
    stages: at n = 3 something is selected or decided; expected nothing where r_star is null
the counterexample of a stage | not-identified | stages 5 counterexample = "0111"
    stages: at n = 6 counterexample = '0111'; expected a word that counts, of length
a later counterexample of a stage | not-identified | stages 5 counterexample = "1111000"
    stages: at n = 6 counterexample = '1111000'; '0001111' of a record comes before
a word that what is wrong gets right | alone | stages 0 counterexample = "ab"
    worst: at n = 1 nothing has its fail and counterexample
R of what is wrong | alone | worst 1 r = 8.5
    worst\[1\]\.r: R = 8\.5; expected 8\.4
what is wrong, and proved | alone | worst 0 proved_all_n = true
    worst: worst\[0\]\.proved_all_n = true; expected false
the formula of what is wrong | alone | worst 0 formula = "accept iff true"
    records: worst\[0\]\.formula = 'accept iff true'; expected 'accept iff false'
what fails first | not-identified | stages 2 fail_of_worst = 8
    stages: at n = 3 fail_of_worst = 8; a selected record has fail 7
a fail beside what never fails | proved | stages 1 fail_of_worst = 5
    stages: at n = 2 fail_of_worst = 5; expected null, no more is selected than the records
two functions that never fail | proved | stages 3 num_selected = 2
    stages: at n = 4 num_selected = 2; expected 1
fewer functions than records | wide | stages 0 num_selected = 0
    stages: at n = 1 num_selected = 0; expected at least 1, that many records are selected
n0 | proved | n0 = 1
    n0: n0 = 1; expected 2
n0 of a run that has none | not-identified | n0 = 6
    n0: n0 = 6; expected null
n0 of an open run | open | n0 = 4
    n0: n0 = 4; expected null
n0 of the canonical pick | proved | n0_canonical = 3
    n0: n0_canonical = 3; expected at most 2
no n0 of the canonical pick | proved | n0_canonical = null
    n0: n0_canonical = null; expected at most 2
n0 of a canonical pick that is bad | not-identified | n0_canonical = 6
    n0: n0_canonical = 6; expected more than 6, where all with R = R\* fail too early
complete_up_to_r | proved | complete_up_to_r = 8.05
    outcome: stop bound 8\.25; expected at most complete_up_to_r = 8\.05
the tolerance | proved | regularizer tolerance = 1
    outcome: stop bound 9\.0; expected at most complete_up_to_r
a better outcome | not-identified | outcome = "identified"
    outcome: identified, good at max_n = false; expected true
identified though open | unknown | outcome = "identified"
    outcome: stop = max-r; expected stop-bound iff the outcome is not open
a worse outcome | proved | outcome = "not-identified"
    outcome: not-identified, good at max_n = true; expected false
proofs beside a weaker outcome | proved | outcome = "identified"
    outcome: there are proofs; expected none with the outcome identified
a proof missing | proved | proofs = []
    outcome: no proved hypothesis has R = 8\.0
a record not marked as proved | proved | records 2 proved_all_n = false
    records: records\[2\]\.proved_all_n = false; expected true
a record marked as proved | open | records 1 proved_all_n = true
    records: records\[1\]\.proved_all_n = true; expected false
R of a proof | proved | proofs 0 r = 7.0
    proofs\[0\]\.r: R = 7\.0; expected 8\.0
a bracket missing | open | bracket = null
    bracket: bracket = null; expected one iff
the lower end | open | bracket r_lower = 9.0
    bracket: r_lower = 9\.0; expected 9\.118
the upper end | open | bracket r_upper = 9.0
    bracket: r_upper = 9\.0; expected at least r_lower
the length of the upper end | open | bracket upper_length = 7
    bracket: upper_length = 7; expected 8
half a bracket | open | bracket hypothesis = null
    bracket: r_upper, upper_length or hypothesis
n0_lower | open | bracket n0_lower = 1
    bracket: n0_lower = 1; expected 3
the stop bound above | open | bracket stop_bound_upper = 9.2
    bracket: stop_bound_upper = 9\.2; expected 9\.
why it ended, of an open run | open | stop = "stop-bound"
    outcome: stop = stop-bound; expected stop-bound iff the outcome is not open
why it ended | proved | stop = "memory"
    outcome: stop = memory; expected stop-bound iff
the stop bound, in words | proved | stop_reason = "complete to the stop bound R = 8.200000000"
    stop_reason: stop_reason = .*; expected it to begin with 'complete to the stop bound R = 8\.25
nothing said of proofs | proved | beyond = null
    beyond: beyond = null; expected proofs to be told iff
something beyond max_n without an n0 | open | beyond = "no proof was finished: interrupted"
    beyond: beyond = .*; expected null, there is no n0
a shape that the search does not list | open | shapes number = 5
    shapes: number = 5; expected \d+ with floors of at most 9\.2
a space with more shapes | open | space layers = 2
    shapes: number = \d+; expected \d+ with floors of at most 9\.2
the budget that ended it | open | space max_r = 9.3
    outcome: stop = max-r, complete_up_to_r = 9\.2; expected 9\.3
"""


def _read(table):
    """Rows of two lines: what it is, a report, a path and a JSON value; and the fault."""
    lines = table.strip().splitlines()
    for change, fault in zip(lines[::2], lines[1::2], strict=True):
        kind, name, put = change.split(" | ")
        path, _, value = put.partition(" = ")
        keys = (int(key) if key.lstrip("-").isdigit() else key for key in path.split())
        yield kind, (name, _put(*keys, json.loads(value)), fault.strip())


#: A falsification of each kind: the report, what is changed, the fault that must name it.
PLANTED = {
    **dict(_read(VALUES)),
    "the tolerance of an open run": ("open", _put("regularizer", "tolerance", 0.5),
        r"bracket: stop_bound_upper = "),
    "fail and a longer counterexample": ("proved", _all(_put("records", 1, "fail", 3), _put("records", 1,
        "counterexample", "100")), r"records\[1\]\.fail: the first word it gets wrong is"),
    "a fail where none was": ("proved", _all(_put("records", 2, "fail", 8), _put("records", 2,
        "counterexample", "11111110")), r"records\[2\]\.fail: it is right on '11111110'"),
    "no fail where one was": ("not-identified", _all(_put("records", 1, "fail", None), _put("records", 1,
        "counterexample", None)),
        r"records\[1\]\.fail: it is wrong on '01'; the report claims no mistake there"),
    "a weight of the MLP": ("proved", _put("records", 2, "hypothesis", "layers", 0, "mlp", "b", 0, 1),
        r"records\[2\]\.(r|fail): "),
    "a weight of V": ("not-identified", _put("records", 3, "hypothesis", "layers", 0, "heads", 0, "V", -1,
        1, 0), r"records\[3\]\.(r|fail): "),
    "the reading": ("proved", _put("records", 2, "hypothesis", "accept", "threshold", 5),
        r"records\[2\]\.(hypothesis|fail): "),
    "the target": ("proved", _put("target", "source", "1*0?"), r"records\[\d\]\.fail: "),
    "a next symbol": ("next", lambda report: report["records"][1]["hypothesis"]["unembedding"].reverse(),
        r"records\[1\]\.fail: it is wrong on ''"),
    "a missing record": ("not-identified", _drop("records", 2),
        r"stages: at n = 2 r_star = 8\.0; expected 8\.8"),
    "the last record missing": ("proved", _drop("records", 2),
        r"stages: at n = 2 r_star = 8\.0; expected null"),
    "records out of order": ("proved", lambda report: report["records"].reverse(),
        r"records: records\[0\]\.fail = null; expected that of the last record only"),
    "a record twice": ("proved", lambda report: report["records"].insert(1, report["records"][0]),
        r"records: records\[1\]\.r = 4\.0; expected more than 4\.0"),
    "a stage missing": ("proved", _drop("stages", 3),
        r"r\.json: stages = .*; expected one row for each n from 1 to max_n = 4"),
    "good, and nothing said to fail": ("not-identified",
        lambda report: report["stages"][5].update(good=True, counterexample=None, fail_of_worst=None,
        num_selected_bad=0, num_selected_exact=True),
        r"stages: at n = 6 fail_of_worst = null; a selected record has fail 7"),
    "a word that what is wrong gets right, twice": ("alone", _all(_put("stages", 0, "counterexample", "ab"),
        _put("worst", 0, "counterexample", "ab")), r"worst\[0\]\.fail: it is right on 'ab'"),
    "a later word that it gets wrong": ("wide", _all(_put("stages", 0, "counterexample", "11"),
        _put("worst", 0, "counterexample", "11")), r"worst\[0\]\.fail: "),
    "what is wrong, and not selected": ("alone", _put("worst", 1, "r", 9.5),
        r"worst: worst\[1\] is not selected at n = 2; expected fail > 2 and R from "),
    "the matrices of what is wrong": ("alone",
        lambda report: report["worst"][0].update(hypothesis=report["records"][1]["hypothesis"]),
        r"worst\[0\]\.(r|fail): "),
    "nothing named that is wrong": ("alone", _drop("worst", 1), r"worst: at n = 2 nothing has its fail"),
    "something named that is wrong at no n": ("proved",
        lambda report: report["worst"].append(report["worst"][0]),
        r"worst: there are others; expected each once"),
    "a fail before that of the only function": ("not-identified",
        lambda report: (report["stages"][2].update(fail_of_worst=4, good=False,
        counterexample="0000") or report["stages"][2].update(num_selected_bad=1)),
        r"stages: at n = 3 fail_of_worst = 4; expected 7, no more is selected than the records"),
    "identified though a level is unknown": ("unknown", _all(_put("outcome", "identified"), _put("stop",
        "stop-bound")), r"outcome: stop bound null; expected at most complete_up_to_r"),
    "a factor of a proof": ("proved", _first_factor(7), LOST),
    "a negative factor": ("proved", _first_factor(-1), LOST),
    "a coefficient of a claim": ("proved", _first_claim(0, 1), LOST),
    "the bound of a claim": ("proved", _first_claim(-1, 1), LOST),
    "a claim too long": ("proved",
        lambda report: next(r for r in report["proofs"][0]["claims"].values() if r)[0].append(0),
        r"proofs\[0\]: an inequality of place .* has not"),
    "a place of a proof": ("proved", lambda report: report["proofs"][0]["claims"].popitem(),
        r"proofs\[0\]: place .*"),
    "a reason of a proof": ("proved", _drop("proofs", 0, "reasons", 0),
        r"proofs\[0\]: .*no reason is given"),
    "the kind of a proof": ("proved", _put("proofs", 0, "kind", "belief"),
        r'r\.json: proofs\[0\]\.kind = "belief"; expected "invariant"'),
    "the detail of a proof": ("proved",
        lambda report: report["proofs"][0].update(detail=(report["proofs"][0]["detail"] + 1) % 3),
        r"proofs\[0\]: place .* has no inequalities"),
    "counters of a proof": ("proved", _put("proofs", 0, "counters", 0, "#2"),
        r"proofs\[0\]: counters #2, "),
    "what is proved, and cheaper than every record": ("proved", _all(_put("records", 2, "r", 8.1),
        _put("proofs", 0, "r", 8.0), lambda report: report["proofs"].append({**report["proofs"][0],
        "r": 8.1}), *(_put("stages", n, "r_star", 8.1) for n in (1, 2, 3))),
        r"outcome: proofs\[0\]\.r = 8\.0; expected at least R\* = 8\.1"),
    "the proof of another hypothesis": ("proved",
        lambda report: report["proofs"][0].update(hypothesis=report["records"][1]["hypothesis"]),
        r"proofs\[0\]\.hypothesis: it is wrong on"),
    "a wrong hypothesis above": ("open",
        lambda report: report["bracket"].update(hypothesis=report["records"][0]["hypothesis"], r_upper=4.0),
        r"bracket\.hypothesis: it is wrong on '000'|bracket\.hypothesis: it is wrong on '111'"),
    "why it ended, in words": ("open", _put("stop_reason",
        "the budget max_r = 9.3 ended before the stop bound; raise --max-r"),
        r"stop_reason: stop_reason = .*; expected it to begin with 'the budget max_r = 9\.2 ende"),
    "what was proved, in words": ("proved", _put("beyond",
        "each of the 2 hypotheses that can be selected is proved right on all words"),
        r"beyond: beyond = .*; expected what fits 1 proof"),
    "how many were proved, in words": ("next", _put("beyond",
        "the one hypothesis that can be selected is proved right on all words"),
        r"beyond: beyond = .*; expected what fits \d+ proofs"),
    "proofs told of where there are none": ("wide", _put("beyond",
        "the one hypothesis that can be selected is proved right on all words"),
        r"beyond: beyond = .*; expected proofs to be told iff"),
    "a formula": ("proved", _put("records", 2, "formula", "accept iff #0 > 0"),
        r"records: records\[2\]\.formula = 'accept iff #0 > 0'; expected 'accept iff "),
    "another shape in its place": ("proved", _put("shapes", "digest", "0" * 64),
        r"shapes: digest = 0+; expected that of the \d+ shapes"),
}  # fmt: skip


@pytest.mark.thinned(13)
@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_falsification_is_caught(kind):
    name, edit, expected = PLANTED[kind]
    report = report_of(name)
    edit(report)
    assert report != report_of(name)
    found = faults(report)
    assert any(re.match(expected, fault) for fault in found), found


def test_a_shape_without_heads_that_the_search_leaves_out_is_seen(monkeypatch):
    report = read("alone")
    named = partial(list_shapes, report.space, Aggregate.MAX, build_target(report.target.spec()))
    assert named(report.complete_up_to_r) == report.shapes
    whole = StructureSpace.headless
    monkeypatch.setattr(StructureSpace, "headless", lambda *how: list(whole(*how))[:-1])
    left_out = replace(report, shapes=named(report.complete_up_to_r))
    assert left_out.shapes.number == report.shapes.number - 1
    [fault] = find_shape_faults(left_out, report.target.spec())
    assert fault.startswith(f"number = {left_out.shapes.number}; expected {report.shapes.number} with floors")


def test_the_aggregate_decides_r():
    """Two layers with heads: the sum of the norms is above the largest."""
    report = report_of("layers")
    assert not faults(report, 2)
    report["regularizer"]["aggregate"] = "sum"
    assert any(re.match(r"bracket\.r_upper: R = .*; expected", fault) for fault in faults(report, 2))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (_put("regularizer", "tolerance", "1/n"), r'regularizer\.tolerance = "1/n"; expected "1/\(2n\)" or'),
        (_put("stop", "tired"), r'stop = "tired"; expected "stop-bound" or "max-r" or'),
        (_put("target", "kind", "dfa"), r"target\.source: not JSON .*; expected the automaton of kind dfa"),
        (_put("target", "domain", 3), r"r\.json: target\.domain = 3; expected a text"),
        (
            _put("records", 1, "hypothesis", "colour", 1),
            r"records\[1\]\.hypothesis\.colour is an unknown key",
        ),
    ],
)
def test_what_nothing_can_be_checked_with_is_refused(edit, expected):
    report = report_of("proved")
    edit(report)
    with pytest.raises(ReportFormatError, match=expected):
        check_report(report_from_dict(report, "r.json"), LENGTH)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["proved", "next", "not-identified", "open", "unknown"])
def test_every_changed_value_is_caught_or_said_not_to_be_checked(name):
    """One number, text or truth value at a time, weights and proofs too."""
    free, derived = set(), 0
    for path, value in leaves_of(report_of(name)):
        if path[0] in UNTOLD:
            continue
        others = {bool: [not value], str: [f"{value}1"], type(None): [0, 3]}.get(type(value))
        for other in others or [value + 1, value - 1]:
            report = report_of(name)
            place_of(report, path[:-1])[path[-1]] = other
            try:
                right = check_report(report_from_dict(report, "r.json"), LENGTH).right
            except IdinfError:
                continue
            if right and "reasons" in path:
                derived += 1  # another derivation of the same
            elif right:
                free.add(path[-1])
    assert free <= UNCHECKED
    assert derived < 20


def test_never_is_refused_where_no_theorem_holds():
    refused = "no theorem is known by which no hypothesis of the space decides the target"
    open_run = report_of("unknown") | {"outcome": "never", "beyond": "so it is"}
    assert faults(open_run) == [f"beyond: outcome = never; {refused}"]
    never = report_of("never")
    assert faults(never) == []
    [found] = faults(never | {"beyond": "so it is"})
    assert found.startswith('beyond: beyond = "so it is"; expected \'no counts of words of leng')
    assert any(
        "expected null, as the outcome is never" in found for found in faults(never | {"n0_canonical": 1})
    )


def _without_record(report):
    """The first record that has R* at no n, if there is one; `worst` may show it."""
    r_stars = {stage["r_star"] for stage in report["stages"]}
    report["records"] = (rest := report["records"][:])
    for record in rest:
        if record["r"] not in r_stars:
            rest.remove(record)
            return


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (_put("space", "work", 12_345), "space.work, "),
        (_put("regularizer", "tolerance", 0), "regularizer.tolerance, where"),
        (_put("regularizer", "tolerance", 5), "regularizer.tolerance, where"),
        (_put("regularizer", "aggregate", "sum"), "regularizer.aggregate = "),
        (_put("regularizer", "aggregate", "max"), "regularizer.aggregate = "),
        (_without_record, "such as records that no n uses"),
    ],
    ids=["work", "tolerance 0", "tolerance 5", "sum", "max", "record"],
)
def test_a_setting_is_checked_or_said_not_to_be(name, edit, told):
    report = report_of(name)
    edit(report)
    if report == report_of(name):
        return
    found = check_report(report_from_dict(report, "r.json"), 2)
    assert not found.right or any(told in text for text in found.not_checked)
