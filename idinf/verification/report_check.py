"""A report, checked again from its own text: by the definitions, without the search.

R comes from the matrices, answers from the reference, one word at a time, what is right of a word from the
definition of the target, proofs from steps made anew, which are replayed on words. What a report claims and
no such check can reach is listed as not checked. docs/formats.md lists what each check rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from idinf.errors import IdinfError, ReportFormatError
from idinf.experiments.bounds import LOGITS, TRAINING_RULES, SpaceBounds
from idinf.quoting import list_some, quote
from idinf.report.proof import Invariant, ProofError
from idinf.report.value import Report, round_r
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise
from idinf.transformers.limit_transformer import LimitTransformer
from idinf.transformers.regularizer import RTerms, compute_r_terms
from idinf.verification.definition import TargetDefinition
from idinf.verification.invariant import check
from idinf.verification.joint_steps import JointSteps
from idinf.verification.report_table import ReportTable, differs
from idinf.verification.space_check import find_space_faults
from idinf.verification.step_check import find_automaton_faults, replay
from idinf.verification.target_steps import Unprovable
from idinf.verification.training_check import TrainingCheck
from idinf.verification.word_check import WordCheck

#: Pairs of positions, layer by layer, that are evaluated if no length is given: 10^4 words of two letters.
PAIRS = 2_500_000


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
    r_terms: RTerms | None = None
    proof: Invariant | None = None

    def tried_to(self, length: int) -> int:
        """Up to where words are tried if there is time for a length: what is claimed is no more than that."""
        return length if self.right_to is None else min(length, self.right_to + self.fails)


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


def check_report(
    report: Report, length: int | None = None, beat: Callable[[], None] = lambda: None
) -> ReportCheck:
    """Check a report, with all words up to a length; if it is not given, as far as `PAIRS` goes.

    ``beat`` is called before every word, and may raise to stop.

    Raises
    ------
    ReportFormatError
        If its target cannot be built.
    """
    try:
        spec = report.target.spec()
        definition, machine = TargetDefinition.of(spec), supervise(build_target(spec))
    except IdinfError as error:
        raise ReportFormatError(f"nothing can be checked: {error}") from None
    claims = tuple(_claims(report))
    by_logits = isinstance(report.space, SpaceBounds) and report.space.match == LOGITS
    return _ReportChecker(report, definition, machine, claims, WordCheck(definition, beat, by_logits)).run(
        length
    )


@dataclass(frozen=True)
class _ReportChecker:
    """The parts of a report, read; the machine of its target is what proofs speak of, and judges nothing."""

    report: Report
    definition: TargetDefinition
    machine: SupervisedTarget
    claims: tuple[_Claim, ...]
    words: WordCheck

    def run(self, length: int | None) -> ReportCheck:
        """All checks, in the order of the report."""
        table = ReportTable(self.report, self.definition)
        length = self._default_length() if length is None else length
        checks = [item for claim in self.claims for item in self._claim_checks(claim, length)]
        if self.report.proofs and any(self.definition.automata()):
            about = "the automata that proofs speak of are right on all words"
            checks.append(_check("target", about, find_automaton_faults(self.definition, self.machine)))
        checks += [
            _check("records", "R and fail rise, proved_all_n fits the proofs", table.record_faults()),
            _check("stages", "r_star follows from the records", table.r_star_faults()),
            _check("stages", "good, counterexample, fail_of_worst fit", table.good_faults()),
            _check("n0", f"{self.report.n0}; n0_canonical fits", table.n0_faults()),
            _check("outcome", self.report.outcome.value, table.outcome_faults()),
            _check("bracket", "fits the stages", table.bracket_faults()),
        ]
        training = None
        if self.report.training is not None:
            training = TrainingCheck(table, self.words, self.report.training)
            about = "its rule, r_star, all_fail_by, n0 and the lengths of its words fit the records"
            checks.append(_check("training", about, training.faults()))
        return ReportCheck(length, tuple(checks), tuple(self._not_checked(table, training, length)))

    def _default_length(self) -> int:
        size, most = len(self.definition.alphabet), self.report.horizon
        tops = {c.net: most if c.right_to is None else c.right_to + c.fails for c in self.claims}
        length, pairs = 0, 0
        while length < max(tops.values(), default=0) and pairs <= PAIRS:
            length += 1
            layers = sum(net.depth for net, top in tops.items() if top >= length)
            pairs += layers * size**length * (length + 1) ** 2
        return length if pairs <= PAIRS or length == 1 else length - 1

    def _claim_checks(self, claim: _Claim, length: int) -> Iterator[Check]:
        place = claim.place
        in_space = find_space_faults(claim.net, self.definition.spec, self.report, claim.place == "bracket")
        yield (own := _check(f"{place}.hypothesis", "in the space", in_space))
        key = "r_upper" if place == "bracket" else "r"
        yield _check(f"{place}.{key}", f"{claim.r}", self._r_faults(claim))
        if own.faults:
            return
        upto = claim.tried_to(length)
        about = f"right on all words up to length {upto}"
        if claim.fails and claim.right_to is not None:
            about = f"first wrong on {quote(claim.counterexample)}, all words up to length {upto}"
        key = "fail" if place.startswith("records") else "hypothesis"
        yield _check(f"{place}.{key}", about, self._word_faults(claim, upto))
        if claim.proof is not None:
            yield from self._proof_checks(claim, claim.proof, upto)

    def _r_faults(self, claim: _Claim) -> Iterator[str]:
        terms = compute_r_terms(claim.net, self.report.regularizer.aggregate)
        yield from differs("R", claim.r, round_r(terms.total))
        if claim.r_terms is not None:
            given = claim.r_terms.as_dict()
            for name, value in terms.rounded().as_dict().items():
                yield from differs(f"r_terms.{name}", given[name], value)

    def _word_faults(self, claim: _Claim, upto: int) -> Iterator[str]:
        """Whether it is right as long as is claimed, and wrong on its counterexample first."""
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

    def _proof_checks(self, claim: _Claim, proof: Invariant, upto: int) -> Iterator[Check]:
        """The proof; then its steps on words: none is wrong, and none is taken that the proof excludes."""
        about = "proves it right on all words"
        try:
            joint = JointSteps(claim.net, self.machine)
            admitted = check(proof, joint).steps
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

    def _not_checked(self, table: ReportTable, training: TrainingCheck | None, length: int) -> Iterator[str]:
        """What the report claims and no check above reaches, in plain words."""
        yield (
            f"completeness: that no hypothesis of the space with R up to {self.report.complete_up_to_r} "
            "was missed, and no fail of one that is no record misjudged; R*, what is good and n0 rest on it"
        )
        proved = {claim.net for claim in self.claims if claim.right_to is None}
        for claim in self.claims:
            end = claim.right_to
            if end is not None and length < end + claim.fails and claim.net not in proved:
                rest = f"longer than {length}, before {quote(claim.counterexample)}" if claim.fails else None
                yield f"{claim.place}: words {rest or f'of length {length + 1} to {end}'}"
        if proved:
            regular = any(name == "target" for name, *_ in self.definition.automata())
            who = "hypotheses" if regular else "hypotheses and the program"
            yield f"proofs: that after words longer than {length} {who} still go by the steps proved of them"
            yield "for all n: that nothing but what is proved can make an n beyond max_n bad"
        bad = [(stage.n, stage.fail_of_worst) for stage in self.report.stages if stage.good is False]
        unshown = [str(n) for n, worst in bad if worst not in {record.fail for record in table.selected(n)}]
        if unshown:
            yield f"at n = {', '.join(unshown)}: what is selected and fails first, which is no record"
        yield (
            "how many functions are selected and how many of them are bad, whether that was counted exactly, "
            "and that none of them fails before fail_of_worst"
        )
        if self.report.stopped:
            yield "counterexamples that are null, as where a stopped run had no time to find them"
        yield "n0_canonical, but that it fits n0; which of equal hypotheses the records show"
        yield "that the target is the one of its name and digest, and the space that of its preset"
        if training is not None:
            if training.training.rule not in TRAINING_RULES:
                yield f"training: that its table is {quote(training.training.rule)}"
            with suppress(IdinfError):  # a word that is none is a fault already
                unseen = list_some(map(str, training.unshown()), ", ")
                if unseen:
                    yield f"training, n = {unseen}: which word its counterexample is, no record gets it wrong"
        yield "formula, idinf_version, stop, stop_reason, beyond, counts, seconds, peak_bytes"


def _claims(report: Report) -> Iterator[_Claim]:
    """All hypotheses of a report."""
    for number, record in enumerate(report.records):
        fails, word = record.fail is not None, record.counterexample
        right_to = report.horizon if record.fail is None else record.fail - 1
        place = f"records[{number}]"
        yield _Claim(place, record.hypothesis, record.r, right_to, fails, word, record.r_terms)
    for number, proof in enumerate(report.proofs):
        yield _Claim(f"proofs[{number}]", proof.hypothesis, proof.r, None, proof=proof.invariant)
    if report.upper_end is not None:
        r, length, net = report.upper_end
        yield _Claim("bracket", net, r, length)


def _check(place: str, about: str, faults: Iterable[str]) -> Check:
    """Gather what is wrong; what cannot be evaluated is wrong too, and says why."""
    found: list[str] = []
    try:
        found.extend(faults)
    except IdinfError as error:
        found.append(str(error))
    return Check(place, about, tuple(found))
