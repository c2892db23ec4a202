"""What a page shows of a report, read from its JSON object and checked; every refusal names the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from idinf.errors import HypothesisFormatError
from idinf.reports.comparison import ReportFormatError
from idinf.reports.formula import Formula, formula_of
from idinf.reports.report import FORMAT, JsonObject
from idinf.transformers.json_format import from_json_object
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.reading import gated_of
from idinf.transformers.regularizer import Aggregate, r_terms
from idinf.words import SOS

__all__ = ["Bracket", "Content", "Shown", "Stage", "read_content"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shown:
    """A hypothesis of the page.

    Attributes
    ----------
    r : float
    terms : mapping of str to float
        The terms of R.
    fail : int or None
        Least length of a word it gets wrong; None if there is none up to ``checked``.
    checked : int
        It is known to be right on all words up to this length, and at ``fail`` wrong.
    counterexample : str or None
        A word of length ``fail`` it gets wrong.
    record : bool
        Whether it is a record; otherwise it is the upper end of the bracket of an open run.
    text : str
        Its formula.
    formula : Formula or None
        None if the hypothesis is not written in the searched family.
    net : LimitTransformer
    """

    r: float
    terms: Mapping[str, float]
    fail: int | None
    checked: int
    counterexample: str | None
    record: bool
    text: str
    formula: Formula | None
    net: LimitTransformer

    def coordinates(self) -> list[str]:
        """Names of the d coordinates: features and channels in the one-hot form, else numbers."""
        net = self.net
        if self.formula is None:
            return [f"y[{place}]" for place in range(net.width)]
        names = [SOS, *net.alphabet.symbols]
        if net.period > 1:
            names += [f"i mod {net.period} = {residue}" for residue in range(net.period)]
        for number, layer in enumerate(net.layers, start=1):
            names += [f"unit {number}.{u}" for u in range(1, len(layer.mlp.b) + 1)]
        return names + [f"channel {place}" for place in range(1, net.width - len(names) + 1)]


@dataclass(frozen=True, slots=True)
class Stage:
    """One n of the report; the attributes are its keys."""

    n: int
    r_star: float | None
    r_star_lower: float
    num_selected: int
    num_selected_bad: int
    num_selected_exact: bool
    good: bool | None
    counterexample: str | None
    fail_of_worst: int | None


@dataclass(frozen=True, slots=True)
class Bracket:
    """What an open run proves; the attributes are its keys, without the hypothesis."""

    r_lower: float
    r_upper: float | None
    upper_length: int | None
    stop_bound_upper: float | None
    n0_lower: int | None


@dataclass(frozen=True, slots=True)
class Content:
    """A report as far as a page shows it."""

    name: str
    alphabet: tuple[str, ...]
    source: str
    space: Mapping[str, object]
    aggregate: str
    tolerance: float | None
    max_n: int
    outcome: str
    n0: int | None
    n0_canonical: int | None
    complete_up_to_r: float
    stop_reason: str
    stages: tuple[Stage, ...]
    bracket: Bracket | None
    hypotheses: tuple[Shown, ...]
    version: str

    @property
    def records(self) -> tuple[Shown, ...]:
        """The hypotheses that are records."""
        return tuple(shown for shown in self.hypotheses if shown.record)


def read_content(report: JsonObject) -> Content:
    """Read what a page shows.

    Raises
    ------
    ReportFormatError
        If it is not an ``idinf-report/1``, or a key that the page needs is missing or of a wrong type.
    """
    if report.get("format") != FORMAT:
        raise ReportFormatError(
            f"format = {report.get('format')!r}; expected {FORMAT}; give a file that 'idinf identify -o' wrote"
        )
    root = _Object(report, "")
    target, regularizer = root.child("target"), root.child("regularizer")
    max_n = root.get("max_n", int)
    stages = tuple(_read_stage(item) for item in root.children("stages"))
    if max_n < 1 or [stage.n for stage in stages] != list(range(1, max_n + 1)):
        raise ReportFormatError(f"stages: expected one for each n from 1 to {max_n}; write the report again")
    aggregate = regularizer.get("aggregate", str)
    tolerance = regularizer.get("tolerance", (str, int, float))
    bracket = None if root.get("bracket", (dict, type(None))) is None else root.child("bracket")
    hypotheses = [_read_record(item, max_n) for item in root.children("records")]
    bound = None if bracket is None else _read_bound(bracket, aggregate, [h.net for h in hypotheses])
    alphabet = tuple(str(symbol) for symbol in target.get("alphabet", list))
    shown = (*hypotheses, *([] if bound is None else [bound]))
    for place, hypothesis in enumerate(shown):
        if hypothesis.net.alphabet.symbols != alphabet:
            raise ReportFormatError(
                f"hypothesis {place + 1}: alphabet {' '.join(hypothesis.net.alphabet.symbols)}; "
                f"expected that of the target, {' '.join(alphabet)}; write the report again"
            )
    return Content(
        name=target.get("name", str),
        alphabet=alphabet,
        source=target.get("source", str).strip(),
        space=root.child("space").value,
        aggregate=aggregate,
        tolerance=None if isinstance(tolerance, str) else float(tolerance),
        max_n=max_n,
        outcome=root.get("outcome", str),
        n0=root.optional("n0", int),
        n0_canonical=root.optional("n0_canonical", int),
        complete_up_to_r=float(root.get("complete_up_to_r", (int, float))),
        stop_reason=root.get("stop_reason", str),
        stages=stages,
        bracket=None if bracket is None else _read_bracket(bracket),
        hypotheses=shown,
        version=str(report.get("idinf_version", "")),
    )


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object that knows where it stands."""

    value: Mapping[str, object]
    path: str

    def get(self, key: str, kind: type[T] | tuple[type[T], ...]) -> T:
        value = self.value.get(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if (
            key not in self.value
            or not isinstance(value, kind)
            or (isinstance(value, bool) and bool not in kinds)
        ):
            raise ReportFormatError(
                f"{self.path}{key} = {str(value)[:40] if key in self.value else 'missing'}; expected "
                f"{' or '.join('null' if k is type(None) else k.__name__ for k in kinds)}; "
                "write the report again with 'idinf identify -o'"
            )
        return value

    def optional(self, key: str, *kinds: type[T]) -> T | None:
        return None if self.value.get(key) is None else self.get(key, kinds)

    def child(self, key: str) -> _Object:
        return _Object(self.get(key, dict), f"{self.path}{key}.")

    def children(self, key: str) -> list[_Object]:
        items = self.get(key, list)
        for place, item in enumerate(items):
            if not isinstance(item, dict):
                raise ReportFormatError(
                    f"{self.path}{key}[{place}]: expected an object; write the report again"
                )
        return [_Object(item, f"{self.path}{key}[{place}].") for place, item in enumerate(items)]


def _number(item: _Object, key: str) -> float:
    return float(item.get(key, (int, float)))


def _optional_number(item: _Object, key: str) -> float | None:
    return None if item.value.get(key) is None else _number(item, key)


def _read_stage(item: _Object) -> Stage:
    return Stage(
        n=item.get("n", int),
        r_star=_optional_number(item, "r_star"),
        r_star_lower=_number(item, "r_star_lower"),
        num_selected=item.get("num_selected", int),
        num_selected_bad=item.get("num_selected_bad", int),
        num_selected_exact=item.get("num_selected_exact", bool),
        good=item.optional("good", bool),
        counterexample=item.optional("counterexample", str),
        fail_of_worst=item.optional("fail_of_worst", int),
    )


def _read_record(item: _Object, max_n: int) -> Shown:
    fail = item.optional("fail", int)
    terms = item.child("r_terms")
    net, formula = _read_net(item)
    return Shown(
        r=_number(item, "r"),
        terms={key: _number(terms, key) for key in terms.value},
        fail=fail,
        checked=2 * max_n if fail is None else fail - 1,
        counterexample=item.optional("counterexample", str),
        record=True,
        text=item.get("formula", str),
        formula=formula,
        net=net,
    )


def _read_bracket(item: _Object) -> Bracket:
    return Bracket(
        r_lower=_number(item, "r_lower"),
        r_upper=_optional_number(item, "r_upper"),
        upper_length=item.optional("upper_length", int),
        stop_bound_upper=_optional_number(item, "stop_bound_upper"),
        n0_lower=item.optional("n0_lower", int),
    )


def _read_bound(item: _Object, aggregate: str, known: list[LimitTransformer]) -> Shown | None:
    """The upper end of a bracket, unless it is a record itself."""
    if item.value.get("hypothesis") is None:
        return None
    net, formula = _read_net(item)
    if net in known:
        return None
    return Shown(
        r=_number(item, "r_upper"),
        terms=r_terms(net, Aggregate(aggregate)).as_dict(),
        fail=None,
        checked=item.get("upper_length", int),
        counterexample=None,
        record=False,
        text="" if formula is None else str(formula),
        formula=formula,
        net=net,
    )


def _read_net(item: _Object) -> tuple[LimitTransformer, Formula | None]:
    try:
        net = from_json_object(item.child("hypothesis").value, f"{item.path}hypothesis")
    except HypothesisFormatError as error:
        raise ReportFormatError(str(error)) from None
    try:
        return net, formula_of(gated_of(net))
    except HypothesisFormatError:
        return net, None
