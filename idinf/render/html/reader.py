"""Read a report into what a page shows; every refusal names the key."""

from __future__ import annotations

from idinf.errors import HypothesisFormatError, IdinfError
from idinf.experiments.spec import Answer
from idinf.formulas.formula import Formula, formula_of
from idinf.quoting import listed, quoted
from idinf.render.html.content import Bracket, Content, Shown, Stage
from idinf.render.html.entry import Entry
from idinf.report.comparison import ReportFormatError
from idinf.report.target import asked_lines, asked_target
from idinf.report.writer import FORMAT, JsonObject
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.json_format import from_json_object
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import Aggregate, r_terms

__all__ = ["read_content"]


def read_content(report: JsonObject) -> Content:
    """Read what a page shows.

    Raises
    ------
    ReportFormatError
        If it is not an ``idinf-report/1``, or a key that the page needs is missing or of a wrong type.
    """
    if report.get("format") != FORMAT:
        raise ReportFormatError(
            f"format = {quoted(report.get('format'))}; expected {FORMAT}; give a file that "
            "'idinf identify -o' wrote"
        )
    root = Entry(report)
    target, regularizer = root.child("target"), root.child("regularizer")
    max_n = root.integer("max_n")
    stages = tuple(_read_stage(item) for item in root.children("stages"))
    if not 1 <= max_n == len(stages) or any(stage.n != n for n, stage in enumerate(stages, start=1)):
        raise ReportFormatError(f"stages: expected one for each n from 1 to {max_n}; write the report again")
    aggregate = regularizer.text("aggregate")
    has_rule = regularizer.value.get("tolerance") == "1/(2n)"
    alphabet, asked = target.texts("alphabet"), asked_target(report)
    answer = Answer.ACCEPT if asked is None else asked.answer
    hypotheses = [_read_record(item, alphabet, answer, max_n) for item in root.children("records")]
    bracket = root.child("bracket") if root.has("bracket") else None
    if bracket is not None and bracket.has("hypothesis"):
        bound = _read_bound(bracket, alphabet, answer, aggregate)
        if all(bound.net != record.net for record in hypotheses):
            hypotheses.append(bound)
    return Content(
        name=target.text("name"),
        alphabet=alphabet,
        source=target.text("source").strip(),
        asked=asked,
        asked_text="" if asked is None else "\n".join(asked_lines(target.value)),
        space=root.child("space").value,
        aggregate=aggregate,
        tolerance=None if has_rule else regularizer.number("tolerance"),
        max_n=max_n,
        outcome=root.text("outcome"),
        n0=root.integer("n0") if root.has("n0") else None,
        n0_canonical=root.integer("n0_canonical") if root.has("n0_canonical") else None,
        complete_up_to_r=root.number("complete_up_to_r"),
        stop_reason=root.text("stop_reason"),
        beyond=root.text("beyond") if root.has("beyond") else None,
        stages=stages,
        bracket=None if bracket is None else _read_bracket(bracket),
        hypotheses=tuple(hypotheses),
        version=root.text("idinf_version") if root.has("idinf_version") else "",
    )


def _read_stage(item: Entry) -> Stage:
    return Stage(
        n=item.integer("n"),
        r_star=item.number("r_star") if item.has("r_star") else None,
        r_star_lower=item.number("r_star_lower"),
        num_selected=item.integer("num_selected"),
        num_selected_bad=item.integer("num_selected_bad"),
        num_selected_exact=item.flag("num_selected_exact"),
        good=item.flag("good") if item.has("good") else None,
        counterexample=item.text("counterexample") if item.has("counterexample") else None,
    )


def _read_record(item: Entry, alphabet: tuple[str, ...], answer: Answer, max_n: int) -> Shown:
    fail = item.integer("fail") if item.has("fail") else None
    terms = item.child("r_terms")
    net, formula = _read_net(item, alphabet, answer)
    return Shown(
        r=item.number("r"),
        terms={key: terms.number(key) for key in terms.value},
        fail=fail,
        checked=2 * max_n if fail is None else fail - 1,
        counterexample=item.text("counterexample") if item.has("counterexample") else None,
        record=True,
        text=item.text("formula"),
        formula=formula,
        net=net,
    )


def _read_bracket(item: Entry) -> Bracket:
    return Bracket(
        r_lower=item.number("r_lower"),
        r_upper=item.number("r_upper") if item.has("r_upper") else None,
        upper_length=item.integer("upper_length") if item.has("upper_length") else None,
        stop_bound_upper=item.number("stop_bound_upper") if item.has("stop_bound_upper") else None,
        n0_lower=item.integer("n0_lower") if item.has("n0_lower") else None,
    )


def _read_bound(item: Entry, alphabet: tuple[str, ...], answer: Answer, aggregate: str) -> Shown:
    """The upper end of a bracket."""
    net, formula = _read_net(item, alphabet, answer)
    try:
        terms = r_terms(net, Aggregate(aggregate)).as_dict()
    except (ValueError, IdinfError) as error:
        raise ReportFormatError(
            f"{item.path}hypothesis: {error}; write the report again with 'idinf identify -o'"
        ) from None
    return Shown(
        r=item.number("r_upper"),
        terms=terms,
        fail=None,
        checked=item.integer("upper_length"),
        counterexample=None,
        record=False,
        text="" if formula is None else str(formula),
        formula=formula,
        net=net,
    )


def _read_net(
    item: Entry, alphabet: tuple[str, ...], answer: Answer
) -> tuple[LimitTransformer, Formula | None]:
    """A hypothesis over the alphabet of the target, and its formula if it is written in the family."""
    try:
        net = from_json_object(item.child("hypothesis").value, f"{item.path}hypothesis")
    except HypothesisFormatError as error:
        raise ReportFormatError(str(error)) from None
    own = Answer.ACCEPT if net.output is None else net.output.kind
    if own is not answer:
        raise ReportFormatError(
            f"{item.path}hypothesis: it answers {own.value}; expected {answer.value}, which the target asks; "
            "write the report again with 'idinf identify -o'"
        )
    if net.alphabet.symbols != alphabet:
        raise ReportFormatError(
            f"{item.path}hypothesis: alphabet {listed(net.alphabet.symbols)}; expected that of the target, "
            f"{listed(alphabet)}; write the report again with 'idinf identify -o'"
        )
    try:
        return net, formula_of(to_one_hot(net))
    except HypothesisFormatError:
        return net, None
