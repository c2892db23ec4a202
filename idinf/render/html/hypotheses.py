"""The hypotheses that a page shows: the records, and what bounds R* from above."""

from __future__ import annotations

from dataclasses import dataclass

from idinf.errors import IdinfError, ReportFormatError
from idinf.experiments.spec import Answer
from idinf.formulas.formula import Formula
from idinf.render.readings import formula_if_one_hot
from idinf.report.value import Report
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import RTerms, r_terms
from idinf.words import SOS


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


def shown_hypotheses(report: Report, answer: Answer) -> tuple[ShownHypothesis, ...]:
    """Collect the records of a report, and the upper end of its bracket if that is none of them.

    Raises
    ------
    ReportFormatError
        If one of them does not answer what the target asks, or R of the upper end cannot be computed.
    """
    shown = []
    for place, record in enumerate(report.records):
        net, fail, word = record.hypothesis, record.fail, record.counterexample
        _check_answer(net, answer, f"records[{place}]")
        checked = report.horizon if fail is None else fail - 1
        texts = (record.formula, formula_if_one_hot(net))
        shown.append(ShownHypothesis(record.r, record.r_terms, fail, checked, word, True, *texts, net))
    if report.upper_end is not None and all(report.upper_end[2] != known.net for known in shown):
        r, length, net = report.upper_end
        _check_answer(net, answer, "bracket")
        formula = formula_if_one_hot(net)
        try:
            terms = r_terms(net, report.regularizer.aggregate)
        except IdinfError as error:
            raise ReportFormatError(
                f"bracket.hypothesis: {error}; write the report again with 'idinf identify -o'"
            ) from None
        shown.append(ShownHypothesis(r, terms, None, length, None, False, str(formula or ""), formula, net))
    return tuple(shown)


def _check_answer(net: LimitTransformer, answer: Answer, key: str) -> None:
    own = Answer.ACCEPT if net.output is None else net.output.kind
    if own is not answer:
        raise ReportFormatError(
            f"{key}.hypothesis: it answers {own.value}; expected {answer.value}, which the target asks; "
            "write the report again with 'idinf identify -o'"
        )
