"""The judgement of a trained model: where it is wrong, exactly, and which simpler rule it follows."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from idinf.base.documents import write
from idinf.base.files import write_whole
from idinf.base.options import check_options, option
from idinf.base.quoting import quote
from idinf.base.words import Word
from idinf.errors import ArgumentError, HypothesisFormatError
from idinf.spec.bounds import BUDGET, READING
from idinf.spec.spec import Answer, Spec
from idinf.targets.drawing import UniformWords
from idinf.targets.machine import BoolArray, IntArray, read_word
from idinf.targets.regular import RegularTarget, draw_pumped_words
from idinf.targets.supervised import Continuations
from idinf.trained.dataset import draw_near_misses, draw_of_bin
from idinf.trained.decoder import Decoder
from idinf.trained.rivals import make_machine
from idinf.trained.task import NO, YES, AnswerReader
from idinf.trained.tree import Count, FirstDisagreement, Rival, Survey, Walk
from idinf.version import __version__
from idinf.work.limits import ENDS, Limits, StopReason

if TYPE_CHECKING:
    from idinf.report.value import Path, Report

#: The tag of the only version of the file.
FORMAT = "idinf-judgement/1"

#: Prefixes, each at every offset, that are read where no length is given: some 20 seconds of a small model.
MOST_PREFIXES = 1_000_000

#: A walk to a greater length reads so many times more prefixes than the one before it, or all of them.
GROWTH = 4.0

#: Where the lengths of drawn words end, as of the data sets of the field.
BINS = (50, 100, 150)

#: Words of each kind that are drawn for one bin of lengths.
SAMPLES = 1000

#: Where offsets of all positions are meant.
ALL = "all"

_OFFSETS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")

#: The confidence of intervals.
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Mistake:
    """A word that a model answers wrong, or that two answers part on."""

    word: str
    length: int
    offset: int  #: the position of the first token
    prefix: str  #: behind which the answer is wrong; of acceptance the word itself
    said: str  #: by the model: the next symbols (``$`` is the end), ``accept``, ``reject`` or ``neither``
    right: str  #: by the target


@dataclass(frozen=True, slots=True)
class Sample:
    """Words beyond the exhaustive length that were drawn, at one drawn offset each."""

    kind: str  #: ``uniform``, ``accepted``, ``near miss`` or ``pumped``
    shortest: int
    longest: int
    words: int
    wrong: int
    #: The Clopper-Pearson interval of the share of wrong answers among such words; None of words that were
    #: chosen and not drawn.
    interval: tuple[float, float] | None
    first: Mistake | None  #: a shortest one among them


@dataclass(frozen=True, slots=True)
class Follower:
    """Length up to which a model answers as a record of the target's report."""

    record: int  #: its number in the report, from 1 on
    r: float
    fail: int | None  #: least length at which the record itself is wrong; None if it is right so far
    formula: str
    agrees_to: int  #: all words up to this length are answered alike; −1 if not even the empty word
    parting: Mistake | None  #: a shortest word on which they differ; ``right`` is the answer of the target
    record_says: str | None
    reason: str | None = None  #: reason why it was not compared


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Name and sizes of a judged model."""

    name: str
    layers: int
    heads: int
    width: int
    positions: int | None  #: None where all positions are alike


@dataclass(frozen=True, slots=True)
class Judgement:
    """Results about a trained model and a target; the keys of ``idinf-judgement/1``."""

    idinf_version: str
    model: ModelShape
    target: str
    alphabet: tuple[str, ...]
    answer: str  #: ``set``, ``symbol`` or ``accept``
    answers: tuple[str, str] | None  #: the tokens for no and yes, if they are not ``<no>`` and ``<yes>``
    offsets: tuple[int, ...]  #: offsets that were asked at length 0; longer words leave room for fewer
    exhaustive_to: int  #: every word of the task up to this length was asked at these offsets
    ended_by: str  #: reason why no longer words were all asked
    counts: tuple[Count, ...]  #: of the lengths 0 to ``exhaustive_to``
    mistakes: tuple[Mistake, ...]  #: the first wrong word of each length that has one
    differing: tuple[Mistake, ...]  #: words that float32 and float64 answer differently; ``said`` by float64
    samples: tuple[Sample, ...]
    report: str | None  #: name of the target of the records
    followers: tuple[Follower, ...]
    seconds: float
    #: Limit that ended the work, other than its time: memory, the size of something, or its user.
    stopped: StopReason | None = None

    @property
    def first(self) -> Mistake | None:
        """A shortest wrong word that was found."""
        drawn = (sample.first for sample in self.samples)
        found = [*self.mistakes[:1], *(mistake for mistake in drawn if mistake is not None)]
        return min(found, key=lambda mistake: mistake.length, default=None)

    @property
    def is_wrong(self) -> bool:
        """True if a wrong word was found."""
        return self.first is not None

    @property
    def follows(self) -> Follower | None:
        """The record with which the model agrees longest, of equal ones the cheapest."""
        compared = [each for each in self.followers if each.reason is None]
        return max(compared, key=lambda each: (each.agrees_to, -each.record), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Write ``idinf-judgement/1``, plain values that JSON takes."""
        return {"format": FORMAT, **write(self)}

    def __str__(self) -> str:
        from idinf import report as later

        return later.render_judgement(self)

    def page(self, path: Path | None = None) -> str:
        """Give an HTML page of the judgement, which needs no network; it is put into ``path`` if named."""
        from idinf import report as later

        page = later.render_page(self)
        if path is not None:
            write_whole(os.fspath(path), page)
        return page

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _read_offsets(text: str) -> str | tuple[int, ...]:
    if text == ALL:
        return ALL
    if not _OFFSETS.fullmatch(text):
        raise ArgumentError(f"{quote(text)} is no offset; expected all, or numbers such as 0 or 0,7")
    return tuple(int(each) for each in text.split(","))


def _read_answers(text: str) -> tuple[str, ...]:
    return tuple(text.partition(",")[::2])


@dataclass(frozen=True, slots=True)
class Questions:
    """Settings of the questions to a model and of its answers; ArgumentError if a value does not fit."""

    answer: str | None = option(
        None,
        "How it answers: logits above 0, the largest logit, or that behind the separator.",
        kind=str,
        choices=tuple(each.value for each in Answer),
        shown="as the model says",
        section=READING,
    )
    answers: tuple[str, str] | None = option(
        None,
        "Of accept: the tokens for no and yes.",
        "NO,YES",
        object,
        read=_read_answers,
        section=READING,
        rare=True,
    )
    #: The positions of the first token, or `ALL` that the model has.
    offsets: str | Sequence[int] = option(
        (0,),
        "Positions of the first token.",
        "all|K,...",
        object,
        read=_read_offsets,
        flag="--offset",
        shown="0",
        section=READING,
    )
    #: All words up to here are asked; None: up to the length that ``prefixes`` allow.
    length: int | None = option(
        None,
        "Ask all words up to length K.",
        "K",
        least=0,
        most=1000,
        shown="as far as a million prefixes go",
        section=BUDGET,
    )
    samples: int = option(
        SAMPLES,
        "Words of each kind that are drawn beyond.",
        "N",
        least=0,
        most=1_000_000,  # some minutes
        shown=f"{SAMPLES}",
        section=BUDGET,
    )
    seed: int = option(
        0, "Of what is drawn.", "S", least=0, most=2**63 - 1, shown="0", section=BUDGET, rare=True
    )
    prefixes: int | None = None  #: that are read at most; None: `MOST_PREFIXES`, any number up to ``length``
    longest: int = BINS[-1]  #: length of the longest words that are drawn

    def __post_init__(self) -> None:
        check_options(self, ArgumentError)
        if self.answers is not None and not _are_tokens(self.answers):
            raise ArgumentError(f"answers = {quote(self.answers)}; expected two tokens NO,YES; give 0,1, say")
        if self.offsets != ALL and not _are_positions(self.offsets):
            told = "expected 'all' or integers of at least 0; correct it"
            raise ArgumentError(f"offsets = {quote(self.offsets)}; {told}")

    @property
    def places(self) -> tuple[int, ...] | None:
        """The offsets in order; None for all that the model has."""
        return None if self.offsets == ALL else tuple(sorted({int(each) for each in self.offsets}))


def _are_tokens(answers: Any) -> bool:
    is_pair = isinstance(answers, list | tuple) and len(answers) == 2
    return is_pair and all(isinstance(each, str) and each for each in answers) and answers[0] != answers[1]


def _are_positions(offsets: Any) -> bool:
    is_some = isinstance(offsets, list | tuple | range) and len(offsets) > 0
    return is_some and all(type(each) is int and each >= 0 for each in offsets)


def judge(
    model: Decoder,
    spec: Spec,
    speech: AnswerReader,
    questions: Questions = Questions(),
    report: Report | None = None,
    limits: Limits | None = None,
    progress: Callable[[str], None] | None = None,
) -> Judgement:
    """Judge a model within the limits.

    Exact up to ``exhaustive_to``, by `idinf.trained.tree.Walk`; words drawn beyond depend on the seed alone.
    A walk is done anew for greater lengths: where time ends, the last one that was finished counts.
    """
    return _Judge(model, spec, speech, questions, report, limits or Limits(), progress).judge()


class _Judge:
    """One judgement. Mutable: the results so far."""

    def __init__(
        self,
        model: Decoder,
        spec: Spec,
        speech: AnswerReader,
        questions: Questions,
        report: Report | None,
        limits: Limits,
        progress: Callable[[str], None] | None,
    ) -> None:
        self.began = time.perf_counter()
        self.model, self.spec, self.speech, self.task = model, spec, speech, speech.task
        self.questions, self.limits, self.progress = questions, limits, progress
        self.records = list(report.records) if report is not None else []
        self.report = report
        self.rivals, self.reasons = self._make_rivals()
        offsets = questions.places or tuple(range(max(1, model.shape.positions - self.task.extra + 1)))
        self.walk = Walk(model, speech, offsets, self.rivals, self._beat)
        self.survey = Survey((), (), (), (FirstDisagreement(None),) * len(self.rivals))
        self.samples: list[Sample] = []
        self.ended_by = ""

    def judge(self) -> Judgement:
        """The whole judgement, or its results up to the limit that ends the work."""
        stopped = None
        try:
            with self.limits.part(2 / 3 if self.questions.samples else 1.0):
                self._survey()
        except ENDS as end:
            stopped = self._stop(end)
        if stopped in (None, StopReason.TIME):
            try:
                self._draw()
            except ENDS as end:
                stopped = self._stop(end)
        return self._tell(None if stopped is StopReason.TIME else stopped)

    def _stop(self, end: BaseException) -> StopReason:
        ending = self.limits.ending(end)
        self.limits.closing()
        self.ended_by = (
            f"{self.ended_by}; not all were drawn: {ending.text}" if self.ended_by else ending.text
        )
        return ending.reason

    def _beat(self, length: int) -> None:
        self.limits.check()
        if self.progress is not None:
            self.progress(f"all words up to length {length}")

    def _survey(self) -> None:
        """Walk to greater and greater lengths."""
        wanted, most, done = self.questions.length, self.questions.prefixes, 0.0
        if most is None:
            most = MOST_PREFIXES if wanted is None else sys.maxsize
        lengths = list[int]()
        totals = list[float]()
        last_asked = self.questions.longest if wanted is None else wanted
        for length, total in enumerate(self.walk.count_prefixes(most)):
            self.limits.check()
            lengths.append(length)
            totals.append(total)
            if length == last_asked:
                break
            if total >= GROWTH * max(done, 1000.0):
                done = total
                self.survey = self.walk.to(length)
        if lengths and len(self.survey.counts) <= lengths[-1]:
            self.survey = self.walk.to(lengths[-1])
        last = lengths[-1] if lengths else -1
        if last == wanted:
            self.ended_by = f"the length {wanted} that was asked for"
        elif last == last_asked:
            self.ended_by = f"no longer words are asked than of length {last}"
        elif not len(self.walk.list_offsets(last + 1)):
            self.ended_by = "the model has no positions for longer words"
        else:
            self.ended_by = f"longer words have more than {most:,} prefixes at these offsets"

    def _make_rivals(self) -> tuple[list[Rival], list[str | None]]:
        rivals, reasons = list[Rival](), list[str | None]()
        outputs = 1 if self.task.is_derived else self.task.target.outputs
        for record in self.records:
            try:
                machine = make_machine(record.hypothesis.over(self.task.alphabet))
            except HypothesisFormatError as error:
                reasons.append(str(error))
                continue
            if machine.labels(machine.start()).size != outputs:
                reasons.append("it is not compared: it answers something else than the model is asked")
                continue
            reasons.append(None)
            rivals.append(Rival(record.formula, machine))
        return rivals, reasons

    def _draw(self) -> None:
        """Longer words: at random, near misses and pumped ones."""
        exhaustive = len(self.survey.counts) - 1
        room = self.model.shape.positions - self.task.extra if self.model.has_positions else sys.maxsize
        rng = np.random.default_rng(self.questions.seed)
        target, begin = self.task.target, exhaustive + 1
        longest = min(room - min(self.questions.places or (0,)), self.questions.longest)

        def is_word(states: IntArray) -> BoolArray:
            return np.asarray(target.distance(states) == 0)

        wanted = {"uniform": is_word}
        if self.task.answer is Answer.ACCEPT:
            wanted["accepted"] = lambda states: is_word(states) & target.labels(states)
        words = {kind: UniformWords(target, every, longest) for kind, every in wanted.items()}
        for end in (min(end, longest) for end in (*BINS, longest)):
            if begin > end:
                continue
            for kind, kept in words.items():
                drawn = draw_of_bin(kept, (begin, end), self.questions.samples, rng)
                self._ask(kind, begin, end, drawn, rng)
                if kind == "accepted" and drawn:
                    misses = draw_near_misses(target, (begin, end), drawn, self.questions.samples, rng)
                    self._ask("near miss", begin, end, misses, rng)
            begin = end + 1
        language = target.machine.machine if isinstance(target.machine, Continuations) else target.machine
        if isinstance(language, RegularTarget):
            pumped = draw_pumped_words(language, exhaustive + 1, longest, self.questions.samples)
            self._ask(
                "pumped", exhaustive + 1, longest, [word for word in pumped if target.is_counted(word)], rng
            )

    def _ask(self, kind: str, begin: int, end: int, words: Sequence[Word], rng: np.random.Generator) -> None:
        """Ask words, all of a length together."""
        if not words:
            return
        wrong, first = 0, None
        for length in sorted({len(word) for word in words}):
            self.limits.check()
            if self.progress is not None:
                self.progress(f"{kind} words of length {length}")
            chosen = [word for word in words if len(word) == length]
            offsets = rng.choice(self.walk.list_offsets(length), size=len(chosen))
            codes = np.array(chosen, dtype=np.int64).reshape(len(chosen), -1)
            labels, asked = self.task.answer_words(codes)
            said = self.speech.ask(self.model, codes, offsets)
            flags = (asked & (said != labels).any(axis=2)).any(axis=1)
            wrong += int(flags.sum())
            if first is None and flags.any():
                place = int(np.flatnonzero(flags)[0])
                first = self._describe(chosen[place], int(offsets[place]))
        drawn = None if kind == "pumped" else clopper_pearson(wrong, len(words))
        self.samples.append(Sample(kind, begin, end, len(words), wrong, drawn, first))

    def _describe(self, word: Word, offset: int) -> Mistake:
        found = find_wrong_place(self.model, self.speech, word, offset)
        assert found is not None
        place, said, right = found
        show, decode = self.task.show, self.task.alphabet.decode
        return Mistake(decode(word), len(word), offset, decode(word[:place]), show(said), show(right))

    def _describe_differing(self, word: Word, offset: int) -> Mistake:
        """Answers of float64 and float32 on a word; that of float32 stands in the place of the right one."""
        codes = np.array([word], dtype=np.int64).reshape(1, -1)
        models = (self.model, self.model.astype(np.float32))
        one, other = (self.speech.ask(model, codes, np.array([offset]))[0] for model in models)
        place = int((one != other).any(axis=1).argmax())
        prefix = word[: place + len(word) + 1 - len(one)]
        show, decode = self.task.show, self.task.alphabet.decode
        return Mistake(decode(word), len(word), offset, decode(prefix), show(one[place]), show(other[place]))

    def _tell(self, stopped: StopReason | None) -> Judgement:
        survey, shape, walk = self.survey, self.model.shape, self.walk
        offsets = walk.list_offsets(0)
        return Judgement(
            __version__,
            ModelShape(
                self.model.origin,
                shape.layers,
                shape.heads,
                shape.width,
                shape.positions if self.model.has_positions else None,
            ),
            self.spec.name,
            self.task.alphabet.symbols,
            str(self.task.answer),
            None if self.speech.answers == (NO, YES) else self.speech.answers,
            tuple(offsets.tolist()),
            len(survey.counts) - 1,
            self.ended_by,
            survey.counts,
            tuple(self._describe(*found) for found in survey.wrong),
            tuple(self._describe_differing(*found) for found in survey.differing),
            tuple(self.samples),
            None if self.report is None else self.report.target.name,
            tuple(self._followers()),
            round(time.perf_counter() - self.began, 3),
            stopped,
        )

    def _followers(self) -> Iterator[Follower]:
        partings = iter(zip(self.rivals, self.survey.partings, strict=True))
        for number, (record, reason) in enumerate(zip(self.records, self.reasons, strict=True), start=1):
            about = (number, record.r, record.fail, record.formula)
            if reason is not None:
                yield Follower(*about, -1, None, None, reason)
                continue
            rival, parting = next(partings)
            if parting.length is None:
                yield Follower(*about, len(self.survey.counts) - 1, None, None)
                continue
            yield Follower(*about, parting.length - 1, *self._describe_parting(rival, parting))

    def _describe_parting(self, rival: Rival, parting: FirstDisagreement) -> tuple[Mistake, str]:
        task, prefix, target = self.task, parting.prefix, self.task.target
        states = read_word(target, prefix)
        assert parting.length is not None
        rest = () if task.answer is Answer.ACCEPT else target.completion(states, parting.length - len(prefix))
        codes = np.array([prefix], dtype=np.int64).reshape(1, -1)
        own = self.speech.ask(self.model, codes, np.array([parting.offset]))[0, -1]
        labels = rival.machine.labels(read_word(rival.machine, prefix)).reshape(-1)
        right = task.labels(states)[0]
        show, decode = task.show, task.alphabet.decode
        if task.is_derived:
            texts = tuple("accept" if each else "reject" for each in (own[-2], labels[0], right[-2]))
        else:
            texts = (show(own), show(np.append(labels, False)), show(right))
        word = prefix + rest
        told = Mistake(decode(word), len(word), parting.offset, decode(prefix), texts[0], texts[2])
        return told, texts[1]


def find_wrong_place(
    model: Decoder, speech: AnswerReader, word: Word, offset: int
) -> tuple[int, BoolArray, BoolArray] | None:
    """First wrong answer in a word: the number of symbols before it, the answer there, and the right one.

    None if all answers are right. Each answer is (K + 1,), as `AnswerReader.read` gives it.
    """
    words = np.array([word], dtype=np.int64).reshape(1, -1)
    said, (labels, asked) = speech.ask(model, words, np.array([offset])), speech.task.answer_words(words)
    wrong = np.flatnonzero((asked & (said != labels).any(axis=2))[0])
    if not len(wrong):
        return None
    place = int(wrong[0])
    return place + len(word) + 1 - said.shape[1], said[0, place], labels[0, place]


def clopper_pearson(wrong: int, words: int) -> tuple[float, float]:
    """The exact interval of a share of which ``wrong`` among so many independent draws were found.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 2000)
    >>> low, round(high, 6)
    (0.0, 0.001843)
    """
    from scipy.stats import beta

    outside = (1 - CONFIDENCE) / 2
    low = 0.0 if wrong == 0 else float(beta.ppf(outside, wrong, words - wrong + 1))
    high = 1.0 if wrong == words else float(beta.ppf(1 - outside, wrong + 1, words - wrong))
    return low, high
