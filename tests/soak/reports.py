"""Reports of random runs: a check finds them right, and a changed value wrong, or says it is not checked."""

from __future__ import annotations

import json
import random

from idinf.errors import IdinfError
from idinf.experiments.reader import parse_spec
from idinf.experiments.spec import Answer
from idinf.experiments.training import TrainingLength
from idinf.inference.run import RunOptions
from idinf.inference.run import run as ask
from idinf.report.files import report_from_dict, report_to_dict
from idinf.report.value import Regularizer
from idinf.runtime.limits import Limits
from idinf.transformers.regularizer import Aggregate
from idinf.verification.report_check import ReportCheck, check_report
from tests.perf.second_look import find_contradictions
from tests.soak.questions import Question, draw_question
from tests.soak.tools import Tools, rng_of
from tests.verification.small_reports import UNCHECKED, UNTOLD, leaves_of, place_of

__all__ = ["run"]

#: Places of every report that are changed, one at a time.
CHANGES = 10

#: What says what was asked and how, so that another value is another question.
DESCRIBING = ("space", "regularizer", "target", "idinf_version", "max_n", "format")

#: Another name of a training length is that of a table, which no report has; and why there is no proof.
UNREAD = (("training", "rule"), ("beyond",))

#: What is rightly refused of a random target and space.
REFUSALS = ("counts anywhere", "else every hypothesis is right", "expected max_r")

#: Steps of work of a run: seconds.
WORK = 2500


def run(seed: int, tools: Tools) -> str:
    """Check one report, and changed ones; its outcome."""
    rng = rng_of("report", seed)
    question = draw_question(rng, rng.choice(("a", "ab", "ab", "abc")))
    plain = question.answer is Answer.ACCEPT and question.domain is None
    bounds = {
        "layers": rng.choice((1, 1, 2)), "heads": 1, "units": rng.choice((1, 2)),
        "precision": rng.choice((0, 1)), "period": rng.choice((1, 1, 2)),
        "max_r": round(rng.uniform(6, 11), 2), "work": WORK,
    }  # fmt: skip
    training = (
        TrainingLength(rng.choice(("n/4", "sqrt")), counts_sos=rng.random() < 0.5)
        if rng.random() < 0.2
        else None
    )
    rule = Regularizer(rng.choice([*Aggregate]), rng.choice((None, None, None, 0.0, 0.5)))
    asking = RunOptions(
        rng.randint(2, 4), rng.choice(("nope", "periodic", "local")), bounds, rule,
        rng.choice((0, 50)) if plain else 0, rng.random() < 0.8, training=training)  # fmt: skip
    try:
        report = ask(asking.about(parse_spec(question.toml), "soak"), Limits()).report
    except IdinfError as refusal:
        if any(word in str(refusal) for word in REFUSALS):
            return "refused"
        raise
    document = report_to_dict(report)
    assert report_from_dict(json.loads(json.dumps(document))) == report
    result = check_report(report)
    assert result.right, [(check.place, check.faults) for check in result.checks if check.faults]
    places = [(path, value) for path, value in leaves_of(document) if path[0] not in UNTOLD]
    for path, value in rng.sample(places, min(CHANGES, len(places))):
        changed = json.loads(json.dumps(document))
        place_of(changed, path[:-1])[path[-1]] = other = another(rng, value)
        try:
            found = check_report(report_from_dict(changed, "r.json"), result.length)
        except IdinfError:
            continue
        if found.right and not may_be_right(path, changed, found, question):
            raise AssertionError(f"{path} = {other!r} in place of {value!r} is said to be right")
    return report.outcome.value


def may_be_right(path: tuple, changed: dict, found: ReportCheck, question: Question) -> bool:
    """Whether a changed report may pass: what was changed is no claim, is not checked, or is still true."""
    if path[-1] in UNCHECKED or path[-1] == "fail_of_worst" or path in UNREAD:
        return True
    if path[0] in DESCRIBING or "reasons" in path:
        return True
    if len(path) > 1 and f"{path[0]}[{path[1]}]" in "\n".join(found.not_checked):
        return True
    if "hypothesis" not in path:
        return False
    if question.answer is not Answer.ACCEPT or question.domain is not None:
        return True  # the second look is for acceptance of all words
    return not [*find_contradictions(changed, question.language.membership, 2 * changed["max_n"])]


def another(rng: random.Random, value: object) -> object:
    """Another value of the same kind, or a number where there was none."""
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice((-2, -1, 1, 2, 10**6))
        case float():
            return value + rng.choice((-1.0, 1.0, 1e-6, -0.25))
        case str():
            return f"{value}1"
        case _:
            return rng.choice((0, 3))
