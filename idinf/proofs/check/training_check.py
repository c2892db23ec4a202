"""What a report says of another training length, checked from its records and by words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from json import dumps as _shown

from idinf.base.quoting import list_some, quote
from idinf.base.words import Word
from idinf.errors import IdinfError
from idinf.proofs.check.report_table import SLACK, ReportTable, differs
from idinf.proofs.check.word_check import WordCheck
from idinf.report.value import Record, Training, TrainingStage, find_n0
from idinf.spec.bounds import TRAINING_RULES
from idinf.spec.training import TrainingLength


@dataclass(frozen=True)
class TrainingCheck:
    """A training length with its rows, beside the records of the report."""

    table: ReportTable
    words: WordCheck
    training: Training
    #: What was already tried: whether a record is wrong on a word.
    tried: dict[tuple[int, Word], bool] = field(default_factory=dict)

    def faults(self) -> Iterator[str]:
        """Lengths by the rule, R*_t(n), verdicts as far as records decide them, all_fail_by, words and n0."""
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
        """What it says and nothing here reaches, in plain words."""
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
        # At the end of what is complete, and of the window, a rounded R may be in or out.
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
        """The fail of the last record that is selected: whatever else is selected fails no later.

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
        """Whether a selected record is wrong on a word, which its own check has shown of its own."""
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
