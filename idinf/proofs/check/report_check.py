"""A report, checked again from its own text: by the definitions, without the search.

R comes from the matrices; answers come from the reference, one word at a time; right answers come from the
definition of the target; proofs are checked by steps made anew, which are replayed on words. Claims of a
report that no such check can reach are listed as not checked. docs/formats.md lists the basis of each check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from idinf.base.numbers import format_up_to
from idinf.base.quoting import quote
from idinf.errors import IdinfError, ReportFormatError
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.one_hot import read_over, to_one_hot
from idinf.nets.regularizer import Aggregate, RTerms, compute_r_terms
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.floors import find_shape_faults, tell_shapes
from idinf.proofs.check.invariant import check
from idinf.proofs.check.joint_steps import JointSteps, WordComparison
from idinf.proofs.check.report_table import (
    ReportTable,
    TrainingCheck,
    beyond_faults,
    differs,
    formula_faults,
    never_faults,
    smaller_faults,
    stop_faults,
    witness_faults,
)
from idinf.proofs.check.step_check import find_automaton_faults, replay
from idinf.proofs.check.target_steps import Unprovable
from idinf.proofs.check.word_check import WordCheck
from idinf.report.proof import Invariant, ProofError
from idinf.report.value import Outcome, Report, round_r
from idinf.spec.bounds import LOGITS, ZERO, HypothesisClass, SpaceBounds, WholeClass
from idinf.spec.spec import Answer, Spec
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise
from idinf.work.limits import StopReason


@dataclass(frozen=True, slots=True)
class Claim:
    """A hypothesis with the claims of a report about it.

    It is right on all words up to length ``right_to`` (None: on all words), and wrong on ``counterexample``
    next if ``fails``.
    """

    place: str
    net: LimitTransformer
    r: float
    right_to: int | None
    fails: bool = False
    counterexample: str | None = None
    r_terms: RTerms | None = None
    proof: Invariant | None = None

    @property
    def end(self) -> int:
        """The greatest length of words of which something is claimed, where it is not all of them."""
        return 0 if self.right_to is None else self.right_to + self.fails

    def tried_to(self, length: int) -> int:
        """Length up to which words are tried if there is time for ``length``: no more than is claimed."""
        return length if self.right_to is None else min(length, self.end)


def list_claims(report: Report) -> Iterator[Claim]:
    """All hypotheses of a report."""
    placed = [(f"records[{number}]", record) for number, record in enumerate(report.records)]
    placed += [(f"worst[{number}]", record) for number, record in enumerate(report.worst)]
    for place, record in placed:
        fails, word = record.fail is not None, record.counterexample
        right_to = report.horizon if record.fail is None else record.fail - 1
        yield Claim(place, record.hypothesis, record.r, right_to, fails, word, record.r_terms)
    for number, proof in enumerate(report.proofs):
        yield Claim(f"proofs[{number}]", proof.hypothesis, proof.r, None, proof=proof.invariant)
    if report.upper_end is not None:
        r, length, net = report.upper_end
        yield Claim("bracket", net, r, length)


def find_space_faults(net: LimitTransformer, spec: Spec, report: Report) -> Iterator[str]:
    """Faults of a hypothesis outside of the bounds of the space, or with another kind of answer."""
    bounds = report.space
    if isinstance(bounds, WholeClass):
        yield from _class_faults(net, bounds)
        return
    answer = Answer.ACCEPT if net.output is None else net.output.kind
    if answer is not spec.answer:
        yield f"answers {answer.value}; expected {spec.answer.value}"
    if net.threshold and bounds.threshold == ZERO:
        yield f"threshold = {net.threshold}; expected 0"
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
    over = {key: value for key, value in needs.items() if not bounds.allows(key, float(value))}
    if not over:  # so it is small enough to be read
        patterns = [head.pattern for layer in to_one_hot(net).layers for head in layer.heads]
        content = max((value for p in patterns for row in p.logits for value in row), default=0)
        largest = Fraction(content, 1 << net.precision)
        over = {} if bounds.allows("content_max", float(largest)) else {"content_max": largest}
    for key, value in over.items():
        yield f"{key} = {value}; expected at most {getattr(bounds, key)}"


def _class_faults(net: LimitTransformer, space: WholeClass) -> Iterator[str]:
    """Faults of a net that is outside of a class by its parts: without positions it is in every Θ_N."""
    if net.output is not None or net.threshold:
        yield "has next symbols or a threshold; expected acceptance by U y > 0"
    if space.kind is HypothesisClass.THETA and (net.period > 1 or any(map(any, net.positions)) or net.reach):
        yield "has φ or positions; expected neither, so that it is a transformer of every Θ_N"


#: Pairs of positions, layer by layer, that are evaluated if no length is given: 10^3 words of two letters;
#: 10^4 where a hypothesis has no steps, so that words are all there is.
PAIRS, PAIRS_WITHOUT_STEPS = 125_000, 2_500_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: its place in the report, its subject, and its faults."""

    place: str
    about: str
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportCheck:
    """Checks of a report, with all words up to ``length``, and claims that were not checked."""

    length: int
    checks: tuple[Check, ...]
    not_checked: tuple[str, ...]

    @property
    def right(self) -> bool:
        """True if no check found a fault."""
        return not any(check.faults for check in self.checks)

    def __str__(self) -> str:
        lines = []
        for each in self.checks:
            lines += [f"WRONG  {each.place}: {fault}" for fault in each.faults]
            if not each.faults:
                lines.append(f"ok     {each.place}: {each.about}")
        lines += ["", *(f"not checked: {item}" for item in self.not_checked), ""]
        wrong = sum(bool(each.faults) for each in self.checks)
        verdict = f"{wrong} of them WRONG" if wrong else "all of them right"
        return "\n".join([*lines, f"{len(self.checks)} things checked, {verdict}"])


def check_report(
    report: Report,
    length: int | None = None,
    beat: Callable[[], None] = lambda: None,
    witness: Sequence[LimitTransformer] = (),
) -> ReportCheck:
    """Check a report, with all words up to a length; by default, up to the length that `PAIRS` allows.

    ``beat`` is called before every word, and may raise to stop. A ``witness`` is a hypothesis from elsewhere:
    no R*_n may be above its R where it is right.

    Raises `ReportFormatError` if its target cannot be built.
    """
    try:
        spec = report.target.spec()
        definition, machine = TargetDefinition.of(spec), supervise(build_target(spec))
    except IdinfError as error:
        raise ReportFormatError(f"nothing can be checked: {error}") from None
    claims = tuple(list_claims(report))
    by_logits = isinstance(report.space, SpaceBounds) and report.space.match == LOGITS
    words = WordCheck(definition, beat, by_logits)
    witnesses, unread = dict[str, LimitTransformer](), list[Check]()
    for number, given in enumerate(witness):
        is_as_written = isinstance(report.space, WholeClass) and given.alphabet == spec.alphabet
        try:
            net = given if is_as_written else read_over(given, spec.alphabet).to_dense()
            witnesses[f"witness[{number}]"] = net
        except IdinfError as error:
            unread.append(Check(f"witness[{number}].hypothesis", "in the space", (str(error),)))
    found = _ReportChecker(report, definition, machine, claims, words, witnesses).run(length)
    found = replace(found, checks=(*found.checks, *unread))
    for number, smaller in enumerate(report.smaller):
        inside, place = check_report(smaller, length, beat), f"smaller[{number}]"
        fits = _check(place, "a part of the space that fits what was found", smaller_faults(report, smaller))
        checks = [fits, *(replace(check, place=f"{place}.{check.place}") for check in inside.checks)]
        rest = [f"{place}: {text}" for text in inside.not_checked if text not in found.not_checked]
        found = replace(found, checks=(*found.checks, *checks), not_checked=(*found.not_checked, *rest))
    return found


@dataclass(frozen=True)
class _ReportChecker:
    """The parts of a report, read; the machine of its target serves proofs alone, and judges nothing."""

    report: Report
    definition: TargetDefinition
    machine: SupervisedTarget
    claims: tuple[Claim, ...]
    words: WordCheck
    witnesses: Mapping[str, LimitTransformer]

    def run(self, length: int | None) -> ReportCheck:
        """All checks, in the order of the report."""
        table = ReportTable(self.report, self.definition)
        length = self._default_length() if length is None else length
        checks = [item for claim in self.claims for item in self._claim_checks(claim, length)]
        if isinstance(self.report.space, SpaceBounds):  # a whole class is written of its sets
            faults = formula_faults(self.report)
            checks.append(_check("records", "formulas are those of the matrices", faults))
        if self.report.proofs and any(self.definition.automata()):
            about = "the automata that proofs speak of are right on all words"
            checks.append(_check("target", about, find_automaton_faults(self.definition, self.machine)))
        checks += [
            _check("records", "R and fail rise, proved_all_n fits the proofs", table.record_faults()),
            _check("stages", "r_star follows from the records", table.r_star_faults()),
            _check("stages", "good, counterexample, fail_of_worst fit", table.good_faults()),
            _check("worst", "one for every bad n, which is selected there", table.worst_faults()),
            _check("n0", f"{self.report.n0}; n0_canonical fits", table.n0_faults()),
            _check("outcome", self.report.outcome.value, table.outcome_faults()),
            _check("bracket", "fits the stages", table.bracket_faults()),
            _check("beyond", "fits the proofs", beyond_faults(self.report)),
            _check("stop_reason", "fits stop and the numbers", stop_faults(self.report)),
        ]
        if self.report.outcome is Outcome.NEVER:
            faults = never_faults(self.report, self.machine.machine if self.machine.plain else self.machine)
            checks.append(_check("beyond", "no net decides the target", faults))
        faults = find_shape_faults(self.report, self.definition.spec)
        checks.append(_check("shapes", tell_shapes(self.report), faults))
        training = None
        if self.report.training is not None:
            training = TrainingCheck(table, self.words, self.report.training)
            about = "its rule, r_star, all_fail_by, n0 and the lengths of its words fit the records"
            checks.append(_check("training", about, training.faults()))
        for place, net in self.witnesses.items():
            checks += self._witness_checks(place, net, length)
        return ReportCheck(length, tuple(checks), tuple(self._not_checked(training, length)))

    @cached_property
    def _followed(self) -> dict[LimitTransformer, WordComparison]:
        """Comparisons on all words, by the steps of hypotheses without a proof; none without steps."""
        proved = {claim.net for claim in self.claims if claim.right_to is None} - {*self.witnesses.values()}
        followed: dict[LimitTransformer, WordComparison] = {}
        for net, top in self._tops.items():
            with suppress(Unprovable):
                if net not in proved and not self.words.by_logits:
                    joint = JointSteps(net, self.machine)
                    followed[net] = WordComparison.of(joint, top, self.words.beat)
        return followed

    @cached_property
    def _tops(self) -> dict[LimitTransformer, int]:
        """The length up to which something is claimed of each hypothesis, or looked for."""
        tops = dict.fromkeys(self.witnesses.values(), self.report.horizon)
        for claim in self.claims:
            top = self.report.horizon if claim.right_to is None else claim.end
            tops[claim.net] = max(top, tops.get(claim.net, 0))
        return tops

    def _default_length(self) -> int:
        size, tops, length, pairs = len(self.definition.alphabet), self._tops, 0, 0
        needed = tops.keys() - {claim.net for claim in self.claims if claim.right_to is None}
        allowed = PAIRS if needed <= self._followed.keys() else PAIRS_WITHOUT_STEPS
        while length < max(tops.values(), default=0) and pairs <= allowed:
            length += 1
            layers = sum(net.depth for net, top in tops.items() if top >= length)
            pairs += layers * size**length * (length + 1) ** 2
        return length if pairs <= allowed or length == 1 else length - 1

    def _claim_checks(self, claim: Claim, length: int) -> Iterator[Check]:
        place = claim.place
        in_space = find_space_faults(claim.net, self.definition.spec, self.report)
        yield (own := _check(f"{place}.hypothesis", "in the space", in_space))
        key = "r_upper" if place == "bracket" else "r"
        yield _check(f"{place}.{key}", f"{claim.r}", self._r_faults(claim))
        if own.faults:
            return
        upto = claim.tried_to(length)
        about = f"right on all words up to length {upto}"
        if claim.fails and claim.right_to is not None:
            about = f"first wrong on {quote(claim.counterexample)}, all words up to length {upto}"
        key = "fail" if place.startswith(("records", "worst")) else "hypothesis"
        yield _check(f"{place}.{key}", about, self._word_faults(claim, upto))
        if claim.proof is not None:
            yield from self._proof_checks(claim, claim.proof, upto)
        elif claim.net in self._followed and upto < claim.end:
            steps = self._followed[claim.net]
            length = min(steps.length, claim.end)
            what = "the same" if length == claim.end else "no mistake"
            about = f"{what} by its steps on all words up to length {length}; these are right up to {upto}"
            yield _check(place, about, self._step_faults(claim, steps, upto))

    def _witness_checks(self, place: str, net: LimitTransformer, length: int) -> Iterator[Check]:
        """Checks that it is right up to a length found by words and steps, and no R*_n there is above its R.

        If it also lies in a smaller space that was asked, both spaces are checked.
        """
        spec, upto = self.definition.spec, min(length, self.report.horizon)
        spaces = [part for part in self.report.answers if not any(find_space_faults(net, spec, part))]
        first, right_to, shown = None, upto, None
        if self.report in spaces:
            steps, first = self._followed.get(net), self.words.first_wrong(net, upto)
            if first is None and steps is not None:
                first, right_to = steps.wrong, max(upto, steps.length)
        if first is not None:
            right_to, shown = len(first) - 1, self.definition.alphabet.decode(first)
        r = round_r(compute_r_terms(net, self.report.regularizer.aggregate).total)
        yield from self._claim_checks(Claim(place, net, r, right_to, first is not None, shown), length)
        for part in spaces:
            last = max(0, min(right_to, part.max_n))
            about = f"no R*_n of {part.space.name} is above its R for n <= {last}"
            yield _check(place, about, witness_faults(part, r, right_to))

    def _r_faults(self, claim: Claim) -> Iterator[str]:
        terms = compute_r_terms(claim.net, self.report.regularizer.aggregate)
        yield from differs("R", claim.r, round_r(terms.total))
        if claim.r_terms is not None:
            given = claim.r_terms.as_dict()
            for name, value in terms.rounded().as_dict().items():
                yield from differs(f"r_terms.{name}", given[name], value)

    def _word_faults(self, claim: Claim, upto: int) -> Iterator[str]:
        """Faults where it is not right up to the claimed length, or not wrong on its counterexample first."""
        first, text = self.words.first_wrong(claim.net, upto), claim.counterexample
        shown = None if first is None else self.definition.alphabet.decode(first)
        if not claim.fails or claim.right_to is None:
            if shown is not None:
                yield f"it is wrong on {quote(shown)}; the report claims no mistake there"
            if text is not None:
                yield f"counterexample = {quote(text)}; expected none beside a fail of null"
            return
        if text is None:
            if not self.report.stopped:  # there may have been no time to find it
                yield f"counterexample = null; expected a word of length {claim.right_to + 1}"
            if first is not None and len(first) != claim.right_to + 1:
                yield f"fail = {claim.right_to + 1}, but the first word it gets wrong is {quote(shown)}"
            return
        if len(word := self.definition.alphabet.encode(text)) != claim.right_to + 1:
            yield f"fail = {claim.right_to + 1}, but the counterexample {quote(text)} has length {len(word)}"
        if not self.words.is_wrong(claim.net, word):
            yield f"it is right on {quote(text)}, or that word does not count; expected a mistake"
        if shown is not None and shown != text:
            yield f"the first word it gets wrong is {quote(shown)}; the report names {quote(text)}"

    def _proof_checks(self, claim: Claim, proof: Invariant, upto: int) -> Iterator[Check]:
        """The proof; then its steps on words: none is wrong, and none is taken that the proof excludes."""
        about = "proves it right on all words"
        try:
            joint = JointSteps(claim.net, self.machine)
            admitted = check(proof, joint)
            yield Check(claim.place, about, ())
            about = f"its steps are right on all words up to length {upto}"
            fault, taken = replay(replace(joint, detail=proof.detail), self.words, upto)
            excluded = sorted(taken - admitted)
            faults = [fault] if fault else []
            faults += [f"a word takes the step {step}, which the proof excludes" for step in excluded[:1]]
            about += f", which take {len(taken)} of the {len(admitted)} that it does not exclude"
            yield Check(claim.place, about, tuple(faults))
        except (IdinfError, ProofError, Unprovable) as error:
            yield Check(claim.place, about, (str(error),))

    def _step_faults(self, claim: Claim, followed: WordComparison, upto: int) -> Iterator[str]:
        """Faults on all words up to which its steps were followed, and on short ones beside the reference."""
        fault, _ = replay(followed.joint, self.words, upto, taken_alone=True)
        yield from [fault] if fault else []
        word = followed.wrong
        if word is not None and len(word) <= claim.end:
            shown = self.definition.alphabet.decode(word)
            if not claim.fails or len(word) < claim.end or claim.counterexample not in (None, shown):
                yield f"by its steps the first word it gets wrong is {quote(shown)}"
        elif claim.fails and followed.length >= claim.end:
            yield f"by its steps it is right on all words up to length {claim.end}"

    def _not_checked(self, training: TrainingCheck | None, length: int) -> Iterator[str]:
        """Claims of the report that no check above reaches, in plain words."""
        level = format_up_to(self.report.complete_up_to_r)
        where = "of the space" if self.report.shapes is None else "of these shapes or without heads"
        yield (
            f"completeness: that no hypothesis {where} with R {level} was missed, such as records that no n "
            "uses, and no fail of one that is not shown misjudged; R*, what is good and n0 rest on it"
        )
        proved = {claim.net for claim in self.claims if claim.right_to is None}
        for claim in self.claims:
            steps = self._followed.get(claim.net)
            known = length if steps is None else max(length, steps.length)
            if known < claim.end and claim.net not in proved:
                rest = f"longer than {known}, before {quote(claim.counterexample)}" if claim.fails else None
                yield f"{claim.place}: words {rest or f'of length {known + 1} to {claim.end}'}"
        if proved or any(length < self._tops[net] for net in self._followed):
            regular = any(name == "target" for name, *_ in self.definition.automata())
            who = "hypotheses" if regular else "hypotheses and the program"
            yield f"steps: that after words longer than {length} {who} still go by the steps made of them"
        yield "that R within 1e-9 is equal: a convention, which decides closer ties and ends of windows"
        if proved:
            yield "for all n: that nothing but what is proved can make an n beyond max_n bad"
        yield (
            "how many functions are selected and how many of them are bad, whether that was counted exactly, "
            "and that none of them fails before fail_of_worst"
        )
        if self.report.stopped:
            yield "counterexamples that are null, as where a stopped run had no time to find them"
        yield "n0_canonical, but that it fits n0; which of equal hypotheses the records and worst show"
        yield "that the target is the one of its name and digest"
        yield from self._free_settings()
        yield from [] if training is None else training.unchecked()
        whole = "" if isinstance(self.report.space, SpaceBounds) else "formula, "
        work = "" if self.report.stop is StopReason.WORK else "space.work, "
        rest = "the rest of stop_reason and beyond, counts, seconds, peak_bytes"
        yield f"{whole}idinf_version, {work}stop, {rest}"

    def _free_settings(self) -> Iterator[str]:
        """Settings that could have another value beside all that the report shows."""
        report, rule = self.report, self.report.regularizer
        if not report.is_complete and (report.bracket is None or report.bracket.stop_bound_upper is None):
            yield "regularizer.tolerance, where it decides no row: the stop bound is not known"
        if all(len({compute_r_terms(c.net, how).total for how in Aggregate}) == 1 for c in self.claims):
            yield f"regularizer.aggregate = {rule.aggregate.value}: what is shown has the same R by others"


def _check(place: str, about: str, faults: Iterable[str]) -> Check:
    """Gather faults; a check that cannot be evaluated is a fault, too, with its reason."""
    found: list[str] = []
    try:
        found.extend(faults)
    except IdinfError as error:
        found.append(str(error))
    return Check(place, about, tuple(found))
