"""Numbers that follow from the records of a report by the definitions alone, compared with the report.

These are stages, n0, outcome and bracket; the rows of another training length; answers of a smaller space;
and texts of the report: formulas, the end of the run, and the claim for all n.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from json import dumps as _shown

from idinf.base.numbers import format_amount, format_r
from idinf.base.quoting import list_some, quote
from idinf.base.words import Word
from idinf.errors import HypothesisFormatError, IdinfError
from idinf.languages.classification.beyond_nets import find_obstacle
from idinf.nets.one_hot import to_one_hot
from idinf.proofs.check.definition import TargetDefinition
from idinf.proofs.check.word_check import WordCheck
from idinf.report.proof import tell_proved
from idinf.report.value import SLACK, Outcome, Record, Report, Stage, Training, TrainingStage, find_n0
from idinf.spec.bounds import TRAINING_RULES, HypothesisClass, SpaceBounds
from idinf.spec.training import TrainingLength
from idinf.targets.machine import Target
from idinf.translate.formulas.formula import write_formula
from idinf.work.limits import PARTIAL, StopReason, tell_max_r, tell_stop_bound, tell_work


def differs(name: str, given: object, expected: object) -> Iterator[str]:
    """Say that a value is not the expected one, or within `SLACK` of it for numbers R.

    >>> list(differs("r", 4.0, 4.5)), list(differs("r", 4.0, 4.000000001)), list(differs("n0", None, 3))
    (['r = 4.0; expected 4.5'], [], ['n0 = null; expected 3'])
    """
    numbers = [x for x in (given, expected) if isinstance(x, int | float) and not isinstance(x, bool)]
    close = len(numbers) == 2 and abs(numbers[0] - numbers[1]) <= SLACK
    if not close and (given != expected or type(given) is not type(expected)):
        yield f"{name} = {_shown(given)}; expected {_shown(expected)}"


@dataclass(frozen=True)
class ReportTable:
    """The numbers of a report."""

    report: Report
    definition: TargetDefinition  #: decides which words count

    def selected(self, n: int) -> list[Record]:
        """Records that are selected at n for any rounding; other hypotheses may be selected, too."""
        r_star, report = self.r_star(n), self.report
        high = -1.0 if r_star is None else min(r_star + self._window(n), report.complete_up_to_r)
        return [record for record in report.records if record.fits(n) and record.r <= high]

    def record_faults(self) -> Iterator[str]:
        """Records rise in R and in fail; all lie where the search was complete; proved ones are marked."""
        report, before_r, before_fail = self.report, -1.0, 0
        proved = [proof.hypothesis for proof in report.proofs]
        for number, record in enumerate(report.records):
            place, r, fail = f"records[{number}]", record.r, record.fail
            if r <= before_r:
                yield f"{place}.r = {r}; expected more than {before_r}"
            if r > min(report.complete_up_to_r, report.space.max_r) + SLACK:
                yield f"{place}.r = {r}; expected at most complete_up_to_r and max_r"
            if fail is None and number + 1 < len(report.records):
                yield f"{place}.fail = null; expected that of the last record only"
            if fail is not None and not before_fail < fail <= report.horizon:
                yield f"{place}.fail = {fail}; expected from {before_fail + 1} to {report.horizon}"
            yield from differs(f"{place}.proved_all_n", record.proved_all_n, record.hypothesis in proved)
            before_r, before_fail = r, before_fail if fail is None else fail

    def r_star_faults(self) -> Iterator[str]:
        """R*_n is the R of the first record with fail > n, or above all that is complete."""
        for stage in self.report.stages:
            r_star = self.r_star(stage.n)
            yield from differs(f"at n = {stage.n} r_star", stage.r_star, r_star)
            lower = self.report.complete_up_to_r if r_star is None else r_star
            yield from differs(f"at n = {stage.n} r_star_lower", stage.r_star_lower, lower)

    def good_faults(self) -> Iterator[str]:
        """Faults in good, bad and undetermined, where records and the row itself decide them."""
        for stage in self.report.stages:
            yield from (f"at n = {stage.n} {fault}" for fault in self._stage_faults(stage))

    def _stage_faults(self, stage: Stage) -> Iterator[str]:
        n, good, worst, r_star = stage.n, stage.good, stage.fail_of_worst, self.r_star(stage.n)
        selected, number = self.selected(n), stage.num_selected
        least = min((record.fail for record in selected if record.fail is not None), default=None)
        complete, exact = self.report.complete_up_to_r + SLACK, stage.num_selected_exact
        whole = r_star is not None and r_star + self._window(n) <= complete
        fails_early = worst is not None and worst <= 2 * n
        decided = number or stage.num_selected_bad or worst is not None or good is not None
        if r_star is None and decided:
            yield "something is selected or decided; expected nothing where r_star is null"
        if number < (least_number := len(selected)):  # their fails differ: functions of their own
            yield f"num_selected = {number}; expected at least {least_number}, that many records are selected"
        if worst is not None and not n < worst <= self.report.horizon:
            yield f"fail_of_worst = {worst}; expected from {n + 1} to {self.report.horizon}"
        if least is not None and (worst is None or worst > least):
            yield f"fail_of_worst = {_shown(worst)}; a selected record has fail {least}"
        elif exact and number == len(selected) and worst != least:
            yield f"fail_of_worst = {worst}; expected {_shown(least)}, no more is selected than the records"
        if good is None and r_star is not None and (fails_early or (whole and exact)):
            yield "good = null; expected a verdict, its window is complete or something selected fails"
        if good is not False and (fails_early or stage.num_selected_bad or stage.counterexample is not None):
            yield f"good = {_shown(good)}, but something selected fails at a length up to {2 * n}"
        # Limit Transformers that differ at large distances alone are not all counted.
        of_limit = self.report.space.preset == HypothesisClass.LIMIT.value
        if good and not (whole and (exact or of_limit)):
            yield "good = true; expected a complete window, and all that is selected counted"
        if good and worst is None and number != 1:
            yield f"num_selected = {number}; expected 1: what never fails is one function"
        if good is False:
            yield from self._bad_faults(stage)

    def _bad_faults(self, stage: Stage) -> Iterator[str]:
        n, worst, text = stage.n, stage.fail_of_worst, stage.counterexample
        if not 1 <= stage.num_selected_bad <= stage.num_selected:
            yield f"num_selected_bad = {stage.num_selected_bad}; expected from 1 to num_selected"
        is_late = text is None and self.report.stopped  # there was no time to find it
        if worst is None or worst > 2 * n or (text is None and not is_late):
            yield f"good = false without a counterexample of length at most {2 * n}"
            return
        if text is None:
            return
        word = self.definition.alphabet.encode(text)
        if len(word) != worst or not self.definition.counts(word):
            wanted = f"a word that counts, of length fail_of_worst = {worst}"
            yield f"counterexample = {quote(text)}; expected {wanted}"
        for record in self.selected(n):
            if record.fail == worst and record.counterexample is not None:
                other = self.definition.alphabet.encode(record.counterexample)
                if (len(other), other) < (len(word), word):
                    earlier = quote(record.counterexample)
                    yield f"counterexample = {quote(text)}; {earlier} of a record comes before"

    def worst_faults(self) -> Iterator[str]:
        """Every bad n has a hypothesis that is selected there; none is named twice, or for no n."""
        report, used = self.report, list[int]()
        for number, named in enumerate(report.worst):
            yield from differs(f"worst[{number}].proved_all_n", named.proved_all_n, False)
        places = {id(named): number for number, named in enumerate(report.worst)}
        for stage in report.stages:
            record, r_star = report.worst_of(stage), self.r_star(stage.n)
            if stage.good is False and record is None:
                yield f"at n = {stage.n} nothing has its fail and counterexample; expected what is selected"
            if record is None or r_star is None:
                continue
            number = places[id(record)]
            used.append(number)
            high = min(r_star + self._window(stage.n), report.complete_up_to_r)
            if not record.fits(stage.n) or not r_star - SLACK <= record.r <= high + SLACK:
                yield (
                    f"worst[{number}] is not selected at n = {stage.n}; expected fail > {stage.n} and "
                    f"R from {r_star} to {high}"
                )
            for k, other in enumerate(report.records):
                is_same = (other.fail, other.counterexample) == (record.fail, record.counterexample)
                if is_same and other.r < record.r - SLACK:
                    yield f"worst[{number}].r = {record.r}; records[{k}] has less R and the same mistake"
        if list(dict.fromkeys(used)) != list(range(len(report.worst))):
            yield "there are others; expected each once, in the order of the first n of each"

    def n0_faults(self) -> Iterator[str]:
        """n0 is the least n from which every stage is good; that of the canonical pick is not above it.

        Of all hypotheses with R = R*_n a record has the largest fail; if that is at most 2n, the pick is bad.
        Where not all of them were listed it may be unknown.
        """
        stages, pick = self.report.stages, self.report.n0_canonical
        is_decided = self.report.outcome not in (Outcome.OPEN, Outcome.NEVER)
        n0 = find_n0([stage.good for stage in stages]) if is_decided else None
        yield from differs("n0", self.report.n0, n0)
        if pick is None:
            if n0 is not None and not self.report.stop_reason.endswith(PARTIAL):
                yield f"n0_canonical = null; expected at most {n0}, the pick is among what is selected"
            return
        if self.report.outcome is Outcome.NEVER:
            yield f"n0_canonical = {pick}; expected null, as the outcome is never"
        if n0 is not None and pick > n0:
            yield f"n0_canonical = {pick}; expected at most {n0}, the pick is among what is selected"
        if not 1 <= pick <= len(stages):
            yield f"n0_canonical = {pick}; expected from 1 to {len(stages)}"
        elif pick > 1 and stages[pick - 2].good:
            yield f"n0_canonical = {pick}; expected less, all that is selected at n = {pick - 1} is good"
        firsts = ((stage.n, self._first(stage.n)) for stage in stages)
        early = max((n for n, first in firsts if first and not first.fits(2 * n)), default=0)
        if early and pick <= early:
            yield f"n0_canonical = {pick}; expected more than {early}, where all with R = R* fail too early"
        if stages[-1].r_star is None:
            yield f"n0_canonical = {pick}; expected null, nothing is known to be selected at max_n"

    def outcome_faults(self) -> Iterator[str]:
        """Faults in claims of the outcome: complete to the stop bound, good at max_n, all of it proved."""
        report, outcome, bound = self.report, self.report.outcome, self._stop_bound(None)
        complete, is_never = report.complete_up_to_r, outcome is Outcome.NEVER
        if not 0 <= complete <= report.space.max_r + SLACK:
            yield f"complete_up_to_r = {complete}; expected from 0 to max_r"
        if not is_never and (outcome is Outcome.OPEN) is report.is_complete:
            yield f"stop = {report.stop.value}; expected stop-bound iff the outcome is not open"
        if report.stop is StopReason.MAX_R:
            yield from differs("stop = max-r, complete_up_to_r", complete, report.space.max_r)
        if report.is_complete:
            if bound is None or abs(bound - complete) > SLACK:  # a run is complete to it and no further
                yield f"stop bound {_shown(bound)}; expected complete_up_to_r = {complete}"
            good = report.stages[-1].good
            if not is_never:
                yield from differs(f"{outcome.value}, good at max_n", good, outcome.is_identified)
        if outcome is Outcome.IDENTIFIED_FOR_ALL_N:
            yield from self._for_all_faults()
        elif report.proofs:
            yield f"there are proofs; expected none with the outcome {outcome.value}"

    def _for_all_faults(self) -> Iterator[str]:
        max_n, proofs = self.report.max_n, self.report.proofs
        r_star = self.r_star(max_n)
        if r_star is None or not any(abs(proof.r - r_star) <= SLACK for proof in proofs):
            yield f"no proved hypothesis has R = {_shown(r_star)}, which is R* at max_n"
            return
        for number, proof in enumerate(proofs):
            if proof.r < r_star - SLACK:
                yield f"proofs[{number}].r = {proof.r}; expected at least R* = {r_star}"
        proved = [proof.hypothesis for proof in proofs]
        for number, record in enumerate(self.report.records):
            near = record.r <= r_star + self._window(max_n + 1)
            if near and record.fits(max_n + 1) and record.hypothesis not in proved:
                yield f"records[{number}] can be selected beyond max_n; expected a proof of it"

    def bracket_faults(self) -> Iterator[str]:
        """A run that is not complete to the stop bound brackets R* at max_n; no other does."""
        report, bracket = self.report, self.report.bracket
        if (bracket is None) is not report.is_complete:
            yield f"bracket = {'null' if bracket is None else '{…}'}; expected one iff stop is not stop-bound"
        if bracket is None:
            return
        r_star = self.r_star(report.max_n)
        yield from differs("r_lower", bracket.r_lower, report.complete_up_to_r if r_star is None else r_star)
        upper, length = bracket.r_upper, bracket.upper_length
        if len({value is None for value in (upper, length, bracket.hypothesis)}) > 1:
            yield "r_upper, upper_length or hypothesis is null; expected all of them or none"
            return
        if upper is not None and upper < bracket.r_lower - SLACK:
            yield f"r_upper = {upper}; expected at least r_lower"
        if length is not None and not 0 <= length <= report.horizon:
            yield f"upper_length = {length}; expected from 0 to {report.horizon}"
        if report.records and report.records[-1].fail is None:
            yield from differs("r_upper", upper, report.records[-1].r)
            yield from differs("upper_length", length, report.horizon)
        known = self._stop_bound(upper if length is not None and length >= report.max_n else None)
        yield from differs("stop_bound_upper", bracket.stop_bound_upper, known)
        bad = [stage.n for stage in report.stages if stage.good is False]
        yield from differs("n0_lower", bracket.n0_lower, max(bad, default=0) + 1)

    def _window(self, n: int) -> float:
        return self.report.regularizer.window(n)

    def _first(self, n: int) -> Record | None:
        """The first record that is consistent at n."""
        return next((record for record in self.report.records if record.fits(n)), None)

    def r_star(self, n: int) -> float | None:
        """R*_n by the records; None if it is above them."""
        first = self._first(n)
        return None if first is None else first.r

    def _stop_bound(self, at_most: float | None) -> float | None:
        """The maximum of R*_n + tolerance; ``at_most`` stands for an unknown R*_n."""
        firsts = [(n, self.r_star(n)) for n in range(1, self.report.max_n + 1)]
        levels = [(n, at_most if r_star is None else r_star) for n, r_star in firsts]
        ends = [level + self._window(n) for n, level in levels if level is not None]
        return max(ends) if len(ends) == len(levels) else None


def smaller_faults(report: Report, smaller: Report) -> Iterator[str]:
    """Faults of a report on a part of the space of an open one: a right hypothesis there bounds R* here."""
    if report.outcome is not Outcome.OPEN:
        yield f"outcome = {report.outcome.value}; expected open, or no report of a smaller space"
    space, inner = report.space, smaller.space
    if not isinstance(space, SpaceBounds) or not isinstance(inner, SpaceBounds):
        yield "a whole class; expected spaces of the one-hot family"
        return
    if not space.holds(inner) or inner.name == space.name:
        yield f"the space is {inner.name}; expected a smaller one than {space.name}"
    if smaller.regularizer != report.regularizer:
        yield "regularizer; expected that of the report around it"
    for record in smaller.records:
        is_early, last = record.r <= report.complete_up_to_r - SLACK, _last_fit(record.fail, report)
        if is_early and not any(own.fits(last) for own in report.records):
            yield f"R = {record.r}: it lasts longer than every record up to complete_up_to_r here"
        yield from witness_faults(report, record.r, last)
    if smaller.upper_end is not None:
        yield from witness_faults(report, *smaller.upper_end[:2])
    end = _right(smaller)
    if end is None or report.bracket is None or report.first_unknown is None or end[1] < report.max_n:
        return
    upper, length = report.bracket.r_upper, report.bracket.upper_length or 0
    if upper is None or length < report.max_n or upper > end[0] + SLACK:
        yield f"r_upper = {upper} up to length {length}; expected at most {end[0]}, which is right there"


def witness_faults(report: Report, r: float, right_to: int) -> Iterator[str]:
    """Faults where some R*_n is above the R of a hypothesis of the space that is right up to a length."""
    if (stage := report.contradicted_by(r, right_to)) is not None:
        is_above = "=" if stage.r_star is not None else ">"
        most = f"at most R = {format_r(r)} of what is right up to length {right_to}"
        yield f"R*_{stage.n} {is_above} {format_r(stage.r_star_lower)}; expected {most}"


def _last_fit(fail: int | None, report: Report) -> int:
    """The greatest length up to which something with this fail is right."""
    return report.horizon if fail is None else min(fail - 1, report.horizon)


def _right(report: Report) -> tuple[float, int] | None:
    """R of a right hypothesis of a report, and the length up to which it is right."""
    record = report.selected
    if record is not None and record.fail is None:
        return record.r, report.horizon
    return None if report.upper_end is None else report.upper_end[:2]


#: How many functions a sentence speaks of, where it is more than one.
_NUMBER = re.compile(r"[0-9]{1,9}")


def formula_faults(report: Report) -> Iterator[str]:
    """Faults where formulas of hypotheses of the one-hot family are not those of their matrices."""
    for name, records in (("records", report.records), ("worst", report.worst)):
        for number, record in enumerate(records):
            with suppress(HypothesisFormatError):  # it is not in the family, which is said elsewhere
                written = str(write_formula(to_one_hot(record.hypothesis)))
                if record.formula != written:
                    yield f"{name}[{number}].formula = {quote(record.formula)}; expected {quote(written)}"


def stop_faults(report: Report) -> Iterator[str]:
    """Faults of ``stop_reason`` against ``stop`` and the numbers, where these decide it."""
    work = report.space.work if isinstance(report.space, SpaceBounds) else None
    expected = {
        StopReason.STOP_BOUND: tell_stop_bound(report.complete_up_to_r),
        StopReason.MAX_R: tell_max_r(report.space.max_r),
        StopReason.WORK: tell_work(work or 0),
        StopReason.INTERRUPTED: "interrupted",
        StopReason.TIME: "the ",
        StopReason.MEMORY: "the memory bound of ",
    }.get(report.stop, "")
    if not report.stop_reason.startswith(expected):
        yield (
            f"stop_reason = {quote(report.stop_reason)}; expected it to begin with {quote(expected)}, "
            f"as stop = {report.stop.value}"
        )


def beyond_faults(report: Report) -> Iterator[str]:
    """Faults where ``beyond`` names another number of proofs than there are.

    Of k functions there are k proofs, and one more where the cheapest is written in two ways; fewer where
    some are said to fail later, at no n that matters.
    """
    number, said, outcome = len(report.proofs), report.beyond, report.outcome
    functions = int(found[0]) if (found := _NUMBER.search(said or "")) else 1
    later = said == tell_proved(functions, True)
    proved = later or said == tell_proved(functions, False)
    if proved is not (outcome is Outcome.IDENTIFIED_FOR_ALL_N):
        yield f"beyond = {_shown(said)}; expected proofs to be told iff outcome = identified-for-all-n"
    elif outcome is Outcome.NEVER:
        return  # `never_faults` judges it
    elif said is not None and not outcome.is_identified:
        yield f"beyond = {quote(said)}; expected null, there is no n0"
    elif proved and not (
        1 <= number <= functions if later else functions <= number <= functions + (functions > 1)
    ):
        yield f"beyond = {quote(said)}; expected what fits {format_amount(number, 'proof')}"


def never_faults(report: Report, target: Target) -> Iterator[str]:
    """Faults of the outcome ``never``: no known theorem excludes all nets of the space, or another does."""
    why = find_obstacle(target) if isinstance(report.space, SpaceBounds) else None
    if why is None:
        yield "outcome = never; no theorem is known by which no hypothesis of the space decides the target"
    elif report.beyond != why:
        yield f"beyond = {_shown(report.beyond)}; expected {quote(why)}"


@dataclass(frozen=True)
class TrainingCheck:
    """A training length with its rows, beside the records of the report."""

    table: ReportTable
    words: WordCheck
    training: Training
    #: Results of earlier trials: True if a record is wrong on a word.
    tried: dict[tuple[int, Word], bool] = field(default_factory=dict)

    def faults(self) -> Iterator[str]:
        """Faults in lengths by the rule, R*_t(n), verdicts that records decide, all_fail_by, words and n0."""
        training, stages = self.training, self.training.stages
        if training.rule in TRAINING_RULES:  # a table is not in the report
            rule = TrainingLength(training.rule, counts_sos=training.counts_sos)
            expected = [(n, trained) for n, trained, _ in rule.pairs(self.table.report.horizon)]
            if [(stage.n, stage.trained) for stage in stages] != expected:
                yield f"rule = {quote(training.rule)}; expected its n and trained in stages"
        for stage in stages:
            yield from (f"training, n = {stage.n}: {fault}" for fault in self._stage_faults(stage))
        start = find_n0([stage.good for stage in stages])
        yield from differs("training.n0", training.n0, None if start is None else stages[start - 1].n)

    def unshown(self) -> list[int]:
        """The n whose counterexample no selected record of the report gets wrong."""
        return [
            stage.n
            for stage in self.training.stages
            if stage.counterexample is not None and not self._shows(stage, stage.counterexample)
        ]

    def unchecked(self) -> Iterator[str]:
        """Claims of the training length that no check here reaches, in plain words."""
        if self.training.rule not in TRAINING_RULES:
            yield f"training: that its table is {quote(self.training.rule)}"
        with suppress(IdinfError):  # a word that is none is a fault already
            unseen = list_some(map(str, self.unshown()), ", ")
            if unseen:
                yield f"training, n = {unseen}: which word its counterexample is, no record gets it wrong"

    def _stage_faults(self, stage: TrainingStage) -> Iterator[str]:
        report, r_star = self.table.report, self.table.r_star(stage.trained)
        if not 1 <= stage.trained <= stage.n <= report.horizon:
            yield f"trained = {stage.trained}; expected from 1 to n, and n to {report.horizon}"
        yield from differs("r_star", stage.r_star, r_star)
        is_bad = any(not record.fits(stage.n) for record in self._selected(stage))
        is_whole = r_star is not None and r_star + self._width(stage) <= report.complete_up_to_r + SLACK
        if (stage.good and (is_bad or not is_whole)) or (is_bad and stage.good is None):
            yield f"good = {_shown(stage.good)}; expected what the records say"
        # At the end of the complete part, and of the window, a rounded R may be in or out.
        ends = [self._all_fail_by(stage, slack) for slack in (-SLACK, SLACK)]
        if stage.all_fail_by not in ends:
            yield f"all_fail_by = {_shown(stage.all_fail_by)}; expected {_shown(ends[-1])}"
        is_late = stage.counterexample is None and report.stopped  # there was no time to find it
        if (stage.counterexample is not None) is not (stage.good is False) and not is_late:
            yield f"counterexample = {_shown(stage.counterexample)}; expected one iff n is bad"
        elif stage.counterexample is not None:
            yield from self._word_faults(stage, stage.counterexample)

    def _word_faults(self, stage: TrainingStage, text: str) -> Iterator[str]:
        word = self._encode(text)
        longest = min((r.fail for r in self._selected(stage) if r.fail is not None), default=stage.n)
        longest = min(longest, stage.n)
        if not stage.trained < len(word) <= longest or not self.words.definition.counts(word):
            wanted = f"a word that counts, longer than {stage.trained} and no longer than {longest}"
            yield f"counterexample = {quote(text)}; expected {wanted}"
        for record in self._selected(stage):
            own = record.counterexample if record.fail == len(word) else None
            if own is not None and self._encode(own) < word:
                yield f"counterexample = {quote(text)}; {quote(own)} comes before"

    def _all_fail_by(self, stage: TrainingStage, slack: float) -> int | None:
        """The fail of the last record that is selected: other selected hypotheses fail no later.

        A record has the largest fail of all hypotheses that cost no more, and one that fails later than up to
        where it was trained is consistent.
        """
        r_star = self.table.r_star(stage.trained)
        if r_star is None or r_star + self._width(stage) > self.table.report.complete_up_to_r + slack:
            return None
        return self._selected(stage, slack)[-1].fail

    def _selected(self, stage: TrainingStage, slack: float = 0.0) -> list[Record]:
        """Records that are selected; more may be selected that are none."""
        report, r_star = self.table.report, self.table.r_star(stage.trained)
        if r_star is None:
            return []
        high = max(r_star, min(r_star + self._width(stage), report.complete_up_to_r) + slack)
        return [record for record in report.records if record.fits(stage.trained) and record.r <= high]

    def _width(self, stage: TrainingStage) -> float:
        width = self.table.report.regularizer.tolerance
        # An n of a spoiled report may be 0, which is said elsewhere.
        return 1.0 / max(1, stage.n + self.training.counts_sos) if width is None else width

    def _shows(self, stage: TrainingStage, text: str) -> bool:
        """True if a selected record is wrong on a word; for its counterexample another check has shown it."""
        word = self._encode(text)
        failing = [record for record in self._selected(stage) if record.fail == len(word)]
        if any(record.counterexample == text for record in failing):
            return True
        for record in failing:
            key = self.table.report.records.index(record), word
            if key not in self.tried:
                self.tried[key] = self.words.is_wrong(record.hypothesis, word)
            if self.tried[key]:
                return True
        return False

    def _encode(self, text: str) -> Word:
        return self.words.definition.alphabet.encode(text)
