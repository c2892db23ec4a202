"""Data for the script of a page: the hypotheses that are shown, and the target as it runs there.

Targets are tables of automata or circuits of programs, both read left to right.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np

from idinf.base.json_text import JsonObject
from idinf.base.words import SOS
from idinf.errors import IdinfError, ReportFormatError
from idinf.nets.json_format import to_json_object
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.regularizer import RTerms, compute_r_terms
from idinf.report.value import Report
from idinf.show.report_facts import write_formula_if_one_hot
from idinf.show.rules import list_rules
from idinf.spec.spec import END, Answer
from idinf.targets.build import build_target
from idinf.targets.counting import CountingTarget
from idinf.targets.machine import Target
from idinf.targets.regular import RegularTarget
from idinf.targets.supervised import Continuations, Operations, SingleSymbol, SupervisedTarget, supervise
from idinf.translate.formulas.formula import Formula


@dataclass(frozen=True, slots=True)
class ShownHypothesis:
    """A hypothesis of the page."""

    r: float
    terms: RTerms
    fail: int | None  #: least length of a word it gets wrong; None if there is none up to ``checked``
    checked: int  #: it is known to be right on all words up to this length, and at ``fail`` wrong
    counterexample: str | None  #: a word of length ``fail`` it gets wrong
    is_record: bool  #: otherwise it is the upper end of the bracket of an open run
    text: str  #: its formula
    formula: Formula | None  #: None if the hypothesis is not written in the searched family
    net: LimitTransformer

    def coordinates(self) -> list[str]:
        """Name the d coordinates: by features and channels in the one-hot form, else by numbers."""
        net = self.net
        if self.formula is None:
            return [f"y[{place}]" for place in range(net.width)]
        names = [SOS, *net.alphabet.symbols]
        if net.period > 1:
            names += [f"i mod {net.period} = {residue}" for residue in range(net.period)]
        for number, layer in enumerate(net.layers, start=1):
            names += [f"unit {number}.{u}" for u in range(1, len(layer.mlp.b) + 1)]
        return names + [f"channel {place}" for place in range(1, net.width - len(names) + 1)]


def collect_hypotheses(report: Report, answer: Answer) -> tuple[ShownHypothesis, ...]:
    """Collect the records of a report, and the upper end of its bracket if that is none of them.

    Raises ReportFormatError if one of them has another kind of answer than the target, or R of the upper end
    cannot be computed.
    """
    shown = []
    for place, record in enumerate(report.records):
        net, fail, word = record.hypothesis, record.fail, record.counterexample
        _check_answer(net, answer, f"records[{place}]")
        checked = report.horizon if fail is None else fail - 1
        texts = (record.formula, write_formula_if_one_hot(net))
        shown.append(ShownHypothesis(record.r, record.r_terms, fail, checked, word, True, *texts, net))
    if report.upper_end is not None and all(report.upper_end[2] != known.net for known in shown):
        r, length, net = report.upper_end
        _check_answer(net, answer, "bracket")
        formula = write_formula_if_one_hot(net)
        try:
            terms = compute_r_terms(net, report.regularizer.aggregate)
        except IdinfError as error:
            raise ReportFormatError(
                f"bracket.hypothesis: {error}; write the report again with 'idinf identify -o'"
            ) from None
        text = str(formula or "")
        shown.append(ShownHypothesis(r, terms, None, length, None, False, text, formula, net))
    return tuple(shown)


def _check_answer(net: LimitTransformer, answer: Answer, key: str) -> None:
    own = Answer.ACCEPT if net.output is None else net.output.kind
    if own is not answer:
        raise ReportFormatError(
            f"{key}.hypothesis: it answers {own.value}; expected {answer.value}, which the target asks; "
            "write the report again with 'idinf identify -o'"
        )


def describe_target(target: SupervisedTarget) -> JsonObject:
    """Questions and right answers of a target, for the script of a page.

    ``answer`` is the kind of question, ``outputs`` are the next symbols, empty for acceptance. ``machines``
    give the right truth values, one machine after the other; ``domain`` and ``judged`` are a machine or null.

    >>> from idinf.base.words import Alphabet
    >>> ones = RegularTarget.from_regex("1*", Alphabet(("0", "1")))
    >>> data = describe_target(SupervisedTarget(Continuations(ones), Answer.SET))
    >>> data["outputs"], data["machines"]
    (['0', '1', '$'], [{'table': [[1, 0], [1, 1]], 'labels': [[0, 1, 1], [0, 0, 0]]}])
    """
    outputs = [*target.alphabet.symbols, END] if target.answer is not Answer.ACCEPT else []
    return {
        "answer": target.answer.value,
        "outputs": outputs,
        "machines": _machines(target.machine),
        "domain": None if target.domain is None else _machine(target.domain),
        "judged": None if target.places is None else _machine(target.places),
    }


def _machines(target: Target) -> list[JsonObject]:
    match target:
        case SingleSymbol(sets):
            return _machines(sets)
        case Operations(parts):
            return [{"never": 1} if part is None else _machine(part) for part in parts]
        case _:
            return [_machine(target)]


def _machine(target: Target) -> JsonObject:
    match target:
        case RegularTarget():
            return {"table": target.table.tolist(), "labels": [[int(q)] for q in target.accepting]}
        case Continuations(language):
            states = np.arange(len(language.accepting))[:, None]
            return {"table": language.table.tolist(), "labels": target.labels(states).astype(int).tolist()}
        case CountingTarget(circuit=circuit):
            # Nodes with the name of their class.
            nodes = [
                [number, type(node).__name__, turn_into_texts(asdict(node))] for number, node in circuit.nodes
            ]
            return {"nodes": nodes, "output": circuit.output}
        case _:
            raise TypeError(f"{type(target).__name__}; expected an automaton or a program")


def turn_into_texts(value: object) -> object:
    """Write the numbers inside a value as texts, so that none passes through a float of the browser.

    >>> turn_into_texts({"row": [1, "1/2"], "right": True})
    {'row': ['1', '1/2'], 'right': True}
    """
    match value:
        case dict():
            return {key: turn_into_texts(item) for key, item in value.items()}
        case tuple() | list():
            return [turn_into_texts(item) for item in value]
        case bool():
            return value
        case _:
            return str(value)


def build_script_data(
    report: Report, shown: tuple[ShownHypothesis, ...], asked: SupervisedTarget | None
) -> JsonObject:
    """Data for the script; parameters are texts, so that no number passes through a float.

    ``target`` is None if the target cannot be built from the report. ``rules`` are rules that a reader can
    try, where the target asks for acceptance.
    """
    target = None
    with suppress(IdinfError, ValueError, RecursionError):
        target = describe_target(supervise(build_target(report.target.spec())) if asked is None else asked)
    return {
        "name": report.target.name,
        "alphabet": list(report.target.alphabet),
        "alike": {letter: symbol for symbol, own in report.target.letters.items() for letter in own},
        "spaced": report.target.spaced,
        "target": target,
        "maxN": report.max_n,
        "horizon": report.horizon,
        "n0": report.n0,
        "tolerance": report.regularizer.tolerance,
        "rules": [asdict(rule) for rule in (() if asked and asked.everywhere else list_rules(report))],
        "stages": [
            {
                "rStar": stage.r_star,
                "lower": stage.r_star_lower,
                "selected": stage.num_selected,
                "bad": stage.num_selected_bad,
                "exact": stage.num_selected_exact,
                "worst": stage.fail_of_worst,
                "good": stage.good,
                "word": stage.counterexample,
            }
            for stage in report.stages
        ],
        "hypotheses": [
            {
                "r": hypothesis.r,
                "fail": hypothesis.fail,
                "checked": hypothesis.checked,
                "word": hypothesis.counterexample,
                "record": hypothesis.is_record,
                "terms": {name: value for name, value in hypothesis.terms.as_dict().items() if value},
                "isNamed": hypothesis.formula is not None,
                "text": hypothesis.text,
                "names": hypothesis.coordinates(),
                "net": turn_into_texts(to_json_object(hypothesis.net)),
            }
            for hypothesis in shown
        ],
    }
