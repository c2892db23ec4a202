"""A report, checked again from its own text: by the definitions, without the search.

R comes from the matrices, answers from the reference, one word at a time, proofs from steps made anew. What
a report claims and no such check can reach is listed as not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from idinf.errors import IdinfError
from idinf.spec.bounds import SpaceBounds
from idinf.spec.experiment import Answer
from idinf.targets.judged import JudgedTarget
from idinf.targets.reported import reported_target
from idinf.transformers.json_format import from_json_object
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.reading import gated_of
from idinf.transformers.regularizer import Aggregate, r_terms
from idinf.verification.invariant import ProofError, check
from idinf.verification.joint_steps import JointSteps
from idinf.verification.proof_format import proof_from_json
from idinf.verification.report_shape import ReportError
from idinf.verification.report_table import OUTCOMES, ReportTable, differs
from idinf.verification.target_steps import Unprovable
from idinf.verification.word_check import WordCheck

__all__ = ["Check", "ReportCheck", "check_report"]

#: Pairs of positions, layer by layer, that are evaluated if no length is given: 10^4 words of two letters.
PAIRS = 2_500_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: where it stands, what was looked at, and what is wrong with it."""

    place: str
    about: str
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportCheck:
    """What was checked, with all words up to ``length``, and what was not."""

    length: int
    checks: tuple[Check, ...]
    not_checked: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        return not any(check.faults for check in self.checks)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A hypothesis with what a report says of it.

    It is right on all words up to length ``right_to`` (None: on all words), and wrong on ``counterexample``
    next if ``fails``.
    """

    place: str
    net: LimitTransformer
    r: float
    right_to: int | None
    fails: bool = False
    counterexample: str | None = None
    r_terms: Mapping[str, Any] | None = None
    proof: Mapping[str, Any] | None = None


def check_report(
    report: Mapping[str, Any], length: int | None = None, beat: Callable[[], None] = lambda: None
) -> ReportCheck:
    """Check a report.

    Parameters
    ----------
    report : mapping
        As `idinf.verification.report_shape.read_report` gives it.
    length : int, optional
        All words up to this length are tried; if it is not given, as far as `PAIRS` goes.
    beat : callable
        Called before every word; may raise to stop.

    Raises
    ------
    ReportError
        If there is no target, space, rule or hypothesis to check with.
    """
    return _Checker.of(report, beat).run(length)


@dataclass(frozen=True)
class _Checker:
    """The parts of a report, read."""

    report: Mapping[str, Any]
    target: JudgedTarget
    bounds: SpaceBounds
    aggregate: Aggregate
    claims: tuple[_Claim, ...]
    words: WordCheck

    @classmethod
    def of(cls, report: Mapping[str, Any], beat: Callable[[], None]) -> _Checker:
        """Read what is needed for all checks."""
        rule, space = report["regularizer"], dict(report["space"])
        given = rule["tolerance"]
        try:
            if not (given == "1/(2n)" if isinstance(given, str) else given >= 0):
                raise ReportError(f"regularizer.tolerance = {given!r}; expected '1/(2n)' or a number >= 0")
            for key, value, known in (
                ("space.realisation", space.pop("realisation"), ("one-hot",)),
                ("outcome", report["outcome"], OUTCOMES),
                ("regularizer.aggregate", rule["aggregate"], [known.value for known in Aggregate]),
            ):
                if value not in known:
                    raise ReportError(f"{key} = {value!r}; expected {' or '.join(map(repr, known))}")
            target, bounds = reported_target(report["target"]), SpaceBounds(**space)
            aggregate, claims = Aggregate(rule["aggregate"]), tuple(_claims(report))
            return cls(report, target, bounds, aggregate, claims, WordCheck(target, beat))
        except IdinfError as error:
            raise ReportError(f"nothing can be checked: {error}") from None

    def run(self, length: int | None) -> ReportCheck:
        """All checks, in the order of the report."""
        table = ReportTable(self.report, self.target)
        length = self._default_length() if length is None else length
        checks = [item for claim in self.claims for item in self._claim_checks(claim, length)]
        checks += [
            _check("records", "R and fail rise, proved_all_n fits the proofs", table.record_faults()),
            _check("stages", "r_star follows from the records", table.r_star_faults()),
            _check("stages", "good, counterexample, fail_of_worst fit", table.good_faults()),
            _check("n0", f"{self.report['n0']}; n0_canonical fits", table.n0_faults()),
            _check("outcome", self.report["outcome"], table.outcome_faults()),
            _check("bracket", "fits the stages", table.bracket_faults()),
        ]
        return ReportCheck(length, tuple(checks), tuple(self._not_checked(table, length)))

    def _default_length(self) -> int:
        size, most = len(self.target.alphabet), 2 * self.report["max_n"]
        tops = {c.net: most if c.right_to is None else c.right_to + c.fails for c in self.claims}
        length, pairs = 0, 0
        while length < max(tops.values(), default=0) and pairs <= PAIRS:
            length += 1
            layers = sum(net.depth for net, top in tops.items() if top >= length)
            pairs += layers * size**length * (length + 1) ** 2
        return length if pairs <= PAIRS or length == 1 else length - 1

    def _claim_checks(self, claim: _Claim, length: int) -> Iterator[Check]:
        place = claim.place
        yield (own := _check(f"{place}.hypothesis", "in the space", self._space_faults(claim.net)))
        key = "r_upper" if place == "bracket" else "r"
        yield _check(f"{place}.{key}", f"{claim.r}", self._r_faults(claim))
        if own.faults:
            return
        upto = length if claim.right_to is None else min(length, claim.right_to + claim.fails)
        about = f"right on all words up to length {upto}"
        if claim.fails and claim.right_to is not None:
            about = f"first wrong on {claim.counterexample!r}, all words up to length {upto}"
        key = "fail" if place.startswith("records") else "hypothesis"
        yield _check(f"{place}.{key}", about, self._word_faults(claim, upto))
        if claim.proof is not None:
            yield _check(place, "proves it right on all words", self._proof_faults(claim))

    def _space_faults(self, net: LimitTransformer) -> Iterator[str]:
        """Whether it is in the family, within the bounds of the space, and answers what is asked."""
        if net.alphabet.symbols != self.target.alphabet.symbols:
            yield f"alphabet {list(net.alphabet.symbols)}; expected {list(self.target.alphabet.symbols)}"
        answer = Answer.ACCEPT if net.output is None else net.output.kind
        if answer is not self.target.answer:
            yield f"answers {answer.value}; expected {self.target.answer.value}"
        heads = [head for layer in net.layers for head in layer.heads]
        needs = {
            "layers": net.depth,
            "heads": net.num_heads,
            "units": max(len(layer.mlp.b) for layer in net.layers),
            "precision": net.precision,
            "period": net.period,
            "reach": net.reach,
            "logit_max": max((value for head in heads for value in head.phi), default=0),
        }
        over = {key: value for key, value in needs.items() if value > getattr(self.bounds, key)}
        if not over:  # so it is small enough to be read
            patterns = [head.pattern for layer in gated_of(net).layers for head in layer.heads]
            content = max((value for p in patterns for row in p.logits for value in row), default=0)
            largest = Fraction(content, 1 << net.precision)
            over = {"content_max": largest} if largest > self.bounds.content_max else {}
        for key, value in over.items():
            yield f"{key} = {value}; expected at most {getattr(self.bounds, key)}"

    def _r_faults(self, claim: _Claim) -> Iterator[str]:
        terms = r_terms(claim.net, self.aggregate)
        yield from differs("R", claim.r, round(terms.total, 9))
        if claim.r_terms is not None:
            yield from differs("r_terms", list(claim.r_terms), list(terms.as_dict()))
            for name, value in terms.as_dict().items():
                yield from differs(f"r_terms.{name}", claim.r_terms.get(name), round(value, 9))

    def _word_faults(self, claim: _Claim, upto: int) -> Iterator[str]:
        """Whether it is right as long as is claimed, and wrong on its counterexample first."""
        first, text = self.words.first_wrong(claim.net, upto), claim.counterexample
        shown = None if first is None else self.target.alphabet.decode(first)
        if not claim.fails or claim.right_to is None:
            if shown is not None:
                yield f"it is wrong on {shown!r}; the report claims no mistake there"
            if text is not None:
                yield f"counterexample = {text!r}; expected none beside a fail of null"
            return
        if text is None:
            yield f"counterexample = null; expected a word of length {claim.right_to + 1}"
            return
        if len(word := self.target.alphabet.encode(text)) != claim.right_to + 1:
            yield f"fail = {claim.right_to + 1}, but the counterexample {text!r} has length {len(word)}"
        if not self.words.is_wrong(claim.net, word):
            yield f"it is right on {text!r}, or that word does not count; expected a mistake"
        if shown is not None and shown != text:
            yield f"the first word it gets wrong is {shown!r}; the report names {text!r}"

    def _proof_faults(self, claim: _Claim) -> Iterator[str]:
        try:
            check(proof_from_json(claim.proof), JointSteps(claim.net, self.target))
        except (ProofError, Unprovable) as error:
            yield str(error)

    def _not_checked(self, table: ReportTable, length: int) -> Iterator[str]:
        """What the report claims and no check above reaches, in plain words."""
        yield (
            f"completeness: that no hypothesis of the space with R up to {self.report['complete_up_to_r']} "
            "was missed; R* and n0 rest on it"
        )
        yield "the target's machine: it is built from the report by the code that the search uses"
        proved = {claim.net for claim in self.claims if claim.right_to is None}
        for claim in self.claims:
            end = claim.right_to
            if end is not None and length < end + claim.fails and claim.net not in proved:
                rest = f"longer than {length}, before {claim.counterexample!r}" if claim.fails else None
                yield f"{claim.place}: words {rest or f'of length {length + 1} to {end}'}"
        if proved:
            yield "for all n: that nothing but what is proved can make an n beyond max_n bad"
        bad = [(n, row["fail_of_worst"]) for n, row in enumerate(table.stages, 1) if row["good"] is False]
        shown = {n for n, worst in bad for record in table.selected(n) if record["fail"] == worst}
        if unshown := [str(n) for n, _ in bad if n not in shown]:
            yield f"at n = {', '.join(unshown)}: what is selected and fails first, which is no record"
        yield "how many functions are selected, and whether that was counted exactly"
        yield "n0_canonical, but that it fits n0; which of equal hypotheses the records show"
        yield "formula, digest, idinf_version, stop_reason, beyond, counts, seconds, peak_bytes"


def _claims(report: Mapping[str, Any]) -> Iterator[_Claim]:
    """All hypotheses of a report."""
    most, bracket = 2 * report["max_n"], report["bracket"]
    for number, record in enumerate(report["records"]):
        place, fail = f"records[{number}]", record["fail"]
        net = from_json_object(record["hypothesis"], f"{place}.hypothesis")
        word, right_to = record["counterexample"], most if fail is None else fail - 1
        yield _Claim(place, net, record["r"], right_to, fail is not None, word, record["r_terms"])
    for number, proof in enumerate(report["proofs"]):
        net = from_json_object(proof["hypothesis"], f"proofs[{number}].hypothesis")
        yield _Claim(f"proofs[{number}]", net, proof["r"], None, proof=proof)
    upper: list[Any] = [
        None if bracket is None else bracket[key] for key in ("hypothesis", "r_upper", "upper_length")
    ]
    if None not in upper:
        yield _Claim("bracket", from_json_object(upper[0], "bracket.hypothesis"), upper[1], upper[2])


def _check(place: str, about: str, faults: Iterable[str]) -> Check:
    """Gather what is wrong; what cannot be evaluated is wrong too, and says why."""
    found: list[str] = []
    try:
        found.extend(faults)
    except IdinfError as error:
        found.append(str(error))
    return Check(place, about, tuple(found))
