"""The answer to a language of one's own: classes, a program, the search, the page, each as it is found."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from idinf.api.classification import classify
from idinf.api.languages import read_target
from idinf.api.limits import hold, take_limits
from idinf.api.programs import compile_source, synthesize
from idinf.api.sources import read_typed
from idinf.base.numbers import format_complete, format_r, format_word
from idinf.base.quoting import list_some, name_file
from idinf.base.words import words_up_to
from idinf.errors import IdinfError, LimitReached, SpecError, UnsupportedBoundError, describe_internal_error
from idinf.inference.outcome import Progress as Heartbeat
from idinf.inference.run import run
from idinf.inference.settings import KnownHypothesis, RunSettings
from idinf.lesson.bounds import in_steps, small_settings
from idinf.lesson.messages import (
    Asked,
    Classes,
    Known,
    Language,
    Message,
    Page,
    ProgramFound,
    Progress,
    Refusal,
)
from idinf.report.target import TargetDescription
from idinf.report.value import Report
from idinf.show.html.page import KnownClasses, render_page
from idinf.show.quiz import MODULO
from idinf.show.sentences import (
    describe_expectation,
    describe_question,
    describe_theory,
    describe_worst,
    headline,
    sentences,
)
from idinf.spec.bounds import SpaceBounds
from idinf.spec.spec import Kind, Spec
from idinf.work.limits import ENDS, Limits, StopReason

Tell = Callable[[Message], None]

#: Words that are shown before a guess.
SHOWN_WORDS = 15

#: Seconds that each of these may take: to read the language, to classify it, to write a program.
PART_S = 10.0

#: Sentence about a run that was stopped, or had no time, before anything was searched.
NOTHING = "before anything was searched, so nothing is known of an n0."


def answer(asked: Asked, tell: Tell) -> None:
    """Answer piece by piece; every error becomes a sentence."""
    try:
        _answer(asked, tell)
    except IdinfError as error:
        tell(Refusal(str(error)))
    except ENDS:
        tell(Refusal(f"It was stopped {NOTHING}"))
    except OSError:
        raise  # nobody hears it any more
    except Exception as error:
        tell(Refusal(describe_internal_error(error)))


def _answer(asked: Asked, tell: Tell) -> None:
    if not asked.target.strip():
        raise SpecError(
            "nothing is written; expected a language, such as regex:(ab)* or majority; write one of these"
        )
    text = asked.target.strip()
    if "#" in text and "accept" not in text:  # the part behind "accept iff"
        text = f"accept iff {text}"
    try:
        source = read_typed(text, asked.alphabet.strip() or None)
    except IdinfError as error:
        raise IdinfError(MODULO if "modulo" in str(error) else str(error).removeprefix(": ")) from error
    spec = source.spec
    try:
        tell(_describe(spec))
        if asked.is_look:
            return
        found = classify(spec, time_limit=PART_S)
    except LimitReached as error:
        told = f"{source.name}: its automaton or monoid took longer than {PART_S:g} s"
        raise LimitReached(f"{told}; expected a language of fewer states; write a shorter one") from error
    inside = str(found.crasp_periodic_local.verdict)
    title = TargetDescription.of(spec).title
    tell(Classes(describe_expectation(title, inside), found.crasp_periodic_local.reason, (*found.rows,)))
    program, known = _write_program(spec)
    tell(program)
    report = _search(small_settings(spec, max_r=asked.max_r, known=known), asked, tell)
    tell(_tell_known(report, is_last=True, theory=describe_theory(report, inside)))
    page = render_page(report, KnownClasses(found.rows, inside))
    tell(Page(page, f"{name_file(report.target.name)}.html"))


def _describe(spec: Spec) -> Language:
    """The first words of a language, of which at most a few thousand are looked at."""
    about = TargetDescription.of(spec)
    note, words = " ".join(describe_question(about)), list[tuple[str, bool]]()
    if not note:
        with hold(take_limits(PART_S)):
            language = read_target(spec)
            for word in itertools.islice(words_up_to(len(spec.alphabet), SHOWN_WORDS), SHOWN_WORDS):
                text = spec.alphabet.decode(word)
                words.append((format_word(text), text in language))
    return Language(about.title, list_some(spec.alphabet.symbols), tuple(words), note)


def _write_program(spec: Spec) -> tuple[ProgramFound, tuple[KnownHypothesis, ...]]:
    """The shortest program proved within its time, and its compiled hypothesis; a program has itself."""
    is_program = spec.kind is Kind.CRASP
    text, note = spec.text.strip(), "It defines the language"
    try:
        if not is_program:
            text = synthesize(spec, time_limit=PART_S).text.strip()
            note = "Proved to accept the same words, of every length"
        net = compile_source(text, alphabet=spec.alphabet, time_limit=PART_S)
    except IdinfError as error:
        return (ProgramFound(text, f"{note}.") if is_program else ProgramFound("", str(error))), ()
    found = ProgramFound(text, f"{note}; compiled, it costs R = {format_r(net.r)}.")
    return found, (KnownHypothesis("the program", net.transformer),)


def _search(settings: RunSettings, asked: Asked, tell: Tell) -> Report:
    """Search step by step, and tell the results of each; the report is that of the furthest step."""
    limits = Limits(asked.time_limit_s, enforced=True)
    known: Report | None = None
    with limits.requests.deferred():
        for step in in_steps(settings):
            try:
                report = run(step, limits, watch=partial(_tell_progress, tell, step)).report
            except UnsupportedBoundError:
                if step is settings:
                    raise
                continue  # no net is so cheap
            known = report if known is None else _take_further(known, report)
            if report.stop is not StopReason.MAX_R:
                break
            tell(_tell_known(report))
    assert known is not None
    return replace(known, space=settings.bounds)


def _tell_progress(tell: Tell, step: RunSettings, progress: Heartbeat) -> None:
    assert isinstance(step.bounds, SpaceBounds)
    tell(
        Progress(
            f"now at R = {progress.high:.2f} of {step.bounds.max_r:g} at most, "
            f"{progress.counts.enumerated:,} enumerated, {progress.elapsed_s:.0f} s"
        )
    )


def _take_further(known: Report, report: Report) -> Report:
    """The later step, unless a limit ended it at a smaller R than the one before."""
    if not report.stopped or report.complete_up_to_r >= known.complete_up_to_r:
        return report
    return replace(
        known,
        stop=report.stop,
        stop_reason=report.stop_reason,
        seconds=report.seconds,
        peak_bytes=report.peak_bytes,
    )


def _tell_known(report: Report, is_last: bool = False, theory: tuple[str, ...] = ()) -> Known:
    return Known(
        headline=headline(report),
        sentences=sentences(report),
        records=tuple(
            (format_r(record.r), format_word(record.counterexample), record.formula)
            for record in report.records
        ),
        complete=format_complete(report.complete_up_to_r),
        outcome=report.outcome.value,
        n0=report.n0,
        n0_lower=report.n0_lower,
        span=report.max_n,
        worst=describe_worst(report),
        is_last=is_last,
        is_stopped=is_last and report.stop is StopReason.INTERRUPTED,
        theory=theory,
    )
