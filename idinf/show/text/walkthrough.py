"""A report told step by step, as for a class: hypotheses, one n after the other, and the proved answer.

Nothing here runs a search or draws: a step is a title with sentences and tables, made from a report alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from idinf.base.numbers import format_above, format_amount, format_number, format_r, format_up_to, format_word
from idinf.base.words import words_up_to
from idinf.crasp.interpreter import lay_out_words
from idinf.report.value import Outcome, Record, Report, Stage
from idinf.show.exercises import (
    ask_falling,
    ask_labels,
    ask_least,
    ask_n0,
    ask_reason,
    ask_rule,
    ask_word,
)
from idinf.show.quiz import Question, build_acceptance
from idinf.show.report_facts import (
    build_supervision,
    collect_legend,
    format_level,
    format_stage,
    is_selected,
)
from idinf.show.sentences import describe_question, describe_theory, list_caveats, sentences
from idinf.show.text.labels import label_texts
from idinf.targets.build import build_target
from idinf.targets.supervised import SupervisedTarget, supervise

#: Columns of the longest bar of the chart.
BAR = 40

#: State of a hypothesis that may be picked.
SELECTED = "fits, selected"

#: Words whose labels the first step shows, and words among which counted ones are sought.
SHOWN_LABELS, LOOKED_AT = 15, (15, 2000)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = str | Table


class Part(StrEnum):
    """Parts that the page of a report shows at a step."""

    TEXT = "text"  #: the text of the step alone
    PICTURE = "picture"  #: the hypotheses at n
    WHOLE = "whole"  #: the picture, and the answer
    THEORY = "theory"


@dataclass(frozen=True, slots=True)
class WalkthroughStep:
    """A title, a question to guess at, and the paragraphs and tables that follow it."""

    title: str
    blocks: tuple[Block, ...]
    part: Part
    question: Question | None = None
    n: int = 1  #: the n of the picture
    before: tuple[Block, ...] = ()  #: paragraphs before the question


def tell(report: Report, inside: str | None = None, is_second: bool = False) -> tuple[WalkthroughStep, ...]:
    """Tell a report: target, price, each n or run of alike n, records, proved answers, theory, caveats.

    A step may begin with a question, and no step gives away the answer of a later one. ``inside`` is the
    verdict of [HYB25] on the target and C-RASP[periodic, local]: ``yes``, ``no``, ``unknown``. A second
    report leaves out the price.
    """
    runs = [tuple(stages) for _, stages in itertools.groupby(report.stages, format_stage)]
    asked = build_supervision(report.target)
    theory = describe_theory(report, inside) or tuple(_argue(report))
    can_ask, last = build_acceptance(report) is not None, report.max_n
    n0 = ask_n0(report) if can_ask else None
    reason = ask_reason(report) if can_ask else None
    proved = (*sentences(report), *_further(report))
    steps = (
        _target(report, asked, ask_labels(report) if can_ask else None),
        *(() if is_second else (_price(ask_least(report) if can_ask else None),)),
        _stage(report, runs[0], asked, can_ask),
        *_rule(report, can_ask),
        *(_stage(report, run, asked, can_ask) for run in runs[1:]),
        _hypotheses(report),
        replace(_chart(runs), question=ask_falling(report) if can_ask else None, n=last),
        WalkthroughStep("What this run proves", proved, Part.WHOLE, n0 if report.n0 is None else None, last),
        *((WalkthroughStep(_why(report), theory, Part.THEORY, reason, last),) if theory else ()),
        WalkthroughStep("What it does not show", list_caveats(report), Part.THEORY, n=last),
    )
    return tuple(_explain_signs(report, steps))


def _explain_signs(report: Report, steps: Sequence[WalkthroughStep]) -> Iterator[WalkthroughStep]:
    """Add the meanings of signs of formulas to the step that has them first."""
    known = set[str]()
    for step in steps:
        text = "\n".join(_list_texts(step))
        shown = [record for record in (*report.records, *report.worst) if record.formula in text]
        new = [f"{sign}." for sign in collect_legend(shown) if sign not in known]
        known.update(collect_legend(shown))
        yield replace(step, before=(*step.before, *new))


def _list_texts(step: WalkthroughStep) -> Iterator[str]:
    for block in (*step.before, *step.blocks):
        yield from [block] if isinstance(block, str) else itertools.chain(*block.rows)
    if step.question is not None:
        yield from (step.question.text, *(option.text for option in step.question.options))


def _why(report: Report) -> str:
    """The title of the step that gives the reason of the outcome."""
    match report.outcome:
        case Outcome.NEVER:
            return "Why there is no n0"
        case Outcome.IDENTIFIED_FOR_ALL_N:
            return "Why n0 stays for ever"
    return "What the theory adds"


def _argue(report: Report) -> Iterator[str]:
    """Why the n0 of a language with a right hypothesis stays, in three steps."""
    chosen = report.selected
    if report.outcome is not Outcome.IDENTIFIED_FOR_ALL_N or chosen is None:
        return
    yield f"A right hypothesis has a price, here R = {format_r(chosen.r)}. So R*_n is never above it."
    yield (
        "Up to this price and a little above it there are finitely many functions. Each wrong one has a "
        "first wrong word. Once n reaches the longest of these words, all wrong ones are out."
    )
    yield f"From n = {report.n0} on that is so, for every n: {report.beyond}."


def _rule(report: Report, can_ask: bool) -> Iterator[WalkthroughStep]:
    """A rule that the reader gives; the page says its cost."""
    question = ask_rule(report) if can_ask else None
    if question is not None:
        told = "The learner settles on the cheapest rule that fits, which need not be the shortest to write."
        yield WalkthroughStep("A rule that lasts", (told,), Part.TEXT, question, report.max_n)


def count_words(symbols: int, target: SupervisedTarget | None, length: int) -> int:
    """Count the words up to a length that count, exactly.

    >>> count_words(2, None, 2)
    7
    """
    if target is None or target.domain is None:
        return sum(symbols**n for n in range(length + 1))
    domain = target.domain
    # Axes: a state, the next one; how many symbols lead there. Python's integers: the counts are large.
    steps = np.array(
        [[row.count(k) for k in range(len(domain.table))] for row in domain.table.tolist()], object
    )
    reached = np.array([1] + [0] * (len(steps) - 1), object)
    total = 0
    for _ in range(length + 1):
        total += int(reached[domain.accepting].sum())
        reached = reached @ steps
    return total


def _labels(report: Report) -> tuple[tuple[str, str], ...]:
    """The first words that count, in shortlex order, and the answers of the target."""
    spec = report.target.spec()
    machine = supervise(build_target(spec))
    for most in LOOKED_AT:
        words = list(itertools.islice(words_up_to(len(spec.alphabet), most), most))
        texts = zip(words, *label_texts(machine, lay_out_words(words)), strict=True)
        shown = [(spec.alphabet.decode(word), label) for word, label, counts in texts if counts]
        if len(shown) >= SHOWN_LABELS:
            break
    return tuple(shown[:SHOWN_LABELS])


def _target(report: Report, asked: SupervisedTarget | None, question: Question | None) -> WalkthroughStep:
    target = report.target
    source = "\n".join(f"  {line.strip()}" for line in target.source.strip().splitlines())
    is_next = asked is not None and asked.everywhere
    kind, label = ("target", "what follows its prefixes") if is_next else ("language", "label")
    words = "words" if asked is None or asked.domain is None else "words that count"
    signs = "ε is the empty word" + ("; $ the end, - nothing, * where nothing is asked" if is_next else "")
    shown = tuple((format_word(word), said) for word, said in _labels(report))
    told = (
        f"A learner sees the labels of all {words} up to some length n. It must then be right on longer "
        f"words, up to length 2n. From which n on is it? The labels begin like this ({signs}):",
        Table(("word", label), shown),
    )
    defined = (f"It is defined by\n{source}", *describe_question(target))
    title = f"The {kind} {target.name}, over {target.over}"
    return WalkthroughStep(title, told, Part.TEXT, question, before=defined)


def _price(question: Question | None) -> WalkthroughStep:
    told = (
        "The learner chooses among small idealized transformers, Limit Transformers "
        "(arXiv 2410.02140). Each one has a price R: more layers, heads and bits and larger weights cost "
        "more. The learner takes a cheap one that fits.",
    )
    return WalkthroughStep("The price of a hypothesis", (), Part.TEXT, question, before=told)


def _hypotheses(report: Report) -> WalkthroughStep:
    title = "The hypotheses that it went through"
    if not report.records:
        none = f"None with R {format_up_to(report.complete_up_to_r)} is right on the empty word."
        return WalkthroughStep(title, (none,), Part.TEXT, n=report.max_n)
    rows = tuple(
        (format_r(record.r), _lasts(report, record), format_word(record.counterexample), record.formula)
        for record in report.records
    )
    last = report.records[-1]
    terms = {name.replace("_", " "): value for name, value in last.r_terms.as_dict().items() if value}
    told: tuple[Block, ...] = (
        "Of all hypotheses searched, only those matter that last longer than every cheaper one:",
        Table(("R", "right up to length", "first wrong word", "what it does"), rows),
        "The last one pays "
        + ", ".join(f"{name} = {format_number(value)}" for name, value in terms.items())
        + f": R = {format_r(last.r)} together.",
    )
    return WalkthroughStep(title, told, Part.TEXT, n=report.max_n)


def _lasts(report: Report, record: Record) -> str:
    """The longest length up to which a record is right on all words."""
    if record.fail is None:
        return f"{report.horizon}, all that count"
    return "none" if record.fail == 0 else str(record.fail - 1)


def _stage(
    report: Report, run: Sequence[Stage], asked: SupervisedTarget | None, can_ask: bool
) -> WalkthroughStep:
    first, last = run[0], run[-1]
    words = count_words(len(report.target.alphabet), asked, first.n)
    seen = f"n = {first.n}: the learner has seen {format_amount(words, 'word')}."
    rows = tuple(
        (format_r(record.r), record.formula, _status(record, first))
        for record in report.records
        if not record.fits(first.n) or is_selected(report, record, first)
    )
    table = (Table(("R", "hypothesis", "status"), rows),) if rows else ()
    before: tuple[Block, ...] = (seen, *_ruled_out(report, first.n), *table, *_window(report, first))
    question = _ask_at(report, first) if can_ask else None
    if question is not None and question.record is not None:
        wrong = question.record
        before += (f"'{wrong.formula}', with R = {format_r(wrong.r)}, is among what may be selected.",)
    title = f"All words up to length {first.n}"
    return WalkthroughStep(
        title, tuple(_selection(report, first, last)), Part.PICTURE, question, first.n, before
    )


def _ask_at(report: Report, stage: Stage) -> Question | None:
    """Question at n: a word that shows that it is bad, or if good ones begin there."""
    if stage.n == report.n0:
        return ask_n0(report)
    worst = report.worst_of(stage)
    return None if worst is None or worst.counterexample is None else ask_word(report, worst)


def _ruled_out(report: Report, n: int) -> Iterator[str]:
    """Sentences on the records that words of length n rule out; n = 1 includes ε."""
    for record in report.records:
        if record.fail is not None and (record.fail == n or (n == 1 and record.fail == 0)):
            yield f"The word {format_word(record.counterexample)} rules out '{record.formula}'."
    worst = report.worst_of(report.stages[n - 2]) if n > 1 else None
    if worst is not None and worst.fail == n and worst not in report.records:
        word = format_word(worst.counterexample)
        yield f"The word {word} rules out '{worst.formula}', which could have been picked before."


def _status(record: Record, stage: Stage) -> str:
    if not record.fits(stage.n):
        return f"ruled out by {format_word(record.counterexample)}"
    return SELECTED


def _window(report: Report, stage: Stage) -> Iterator[str]:
    """R*_n, and up to where something may be selected."""
    n, rule = stage.n, report.regularizer
    if stage.r_star is not None:
        yield (
            f"R*_{n} = {format_r(stage.r_star)} is the least R that fits. The learner may select everything "
            f"that fits with R up to R*_{n} + {rule.window_text(n)} = "
            f"{format_r(stage.r_star + rule.window(n))}."
        )


def _selection(report: Report, first: Stage, last: Stage) -> Iterator[str]:
    """Sentences on the selected set, and the verdict."""
    n = first.n
    if first.r_star is None:
        lower = first.r_star_lower
        yield (
            f"No hypothesis with R {format_up_to(lower)} fits. So R*_{n} {format_above(lower)}, and what is "
            "selected here is not known: undetermined."
        )
        return
    at_least = "" if first.num_selected_exact else "at least "
    wrong, selected = first.num_selected_bad, first.num_selected
    counted = f"Selected: {at_least}{format_amount(selected, 'function')}"
    if selected > sum(is_selected(report, record, first) for record in report.records):
        counted += ", some of which the table does not list"
    if first.good is False:
        worst, word = report.worst_of(first), format_word(first.counterexample)
        shown = f"a shortest word that shows it is {word}"
        if worst is not None:
            shown = f"'{worst.formula}', with R = {format_r(worst.r)}, is wrong on {word}"
        yield (
            f"{counted}. Of these, {at_least}{wrong} fail{'s' if wrong == 1 else ''} within length {2 * n}: "
            f"{shown}. The learner may still pick a wrong one: n = {n} is bad."
        )
    elif first.good:
        where = f"n = {n}" if first is last else f"every n from {n} to {last.n}"
        yield f"{counted}. None fails within length 2n: {where} is good."
    else:
        yield f"{counted}. The window reaches above what was searched: undetermined."


def _chart(runs: Sequence[Sequence[Stage]]) -> WalkthroughStep:
    levels = [run[0].r_star_lower for run in runs]
    longest = max(levels)
    rows = []
    for first, last in ((run[0], run[-1]) for run in runs):
        numbers = f"{first.n}" if first is last else f"{first.n} to {last.n}"
        bar = "=" * round(BAR * first.r_star_lower / longest) if longest > 0 else ""
        rows.append((numbers, format_level(first), first.verdict, bar + ">" * (first.r_star is None)))
    if len(set(levels)) > 1:
        told = "Longer words rule the cheap hypotheses out, so R*_n can only rise."
    elif runs[0][0].r_star is None:
        told = "No R*_n is known: nothing that fits was found before the run ended."
    else:
        told = "R*_n does not move: the cheapest hypothesis that fits at n = 1 fits to the end."
    table = Table(("n", "R*_n", "verdict", ""), tuple(rows))
    return WalkthroughStep("How R*_n moves", (told, table), Part.PICTURE)


def _further(report: Report) -> Iterator[str]:
    """The learned rule, or advice for a further run; the outcome itself stands in `sentences`."""
    record = report.selected
    if report.outcome is Outcome.OPEN:
        max_r = report.space.max_r
        further = f"A run up to the budget R = {format_number(max_r)}"
        if math.isinf(max_r):
            further = "A larger --work"
        elif report.complete_up_to_r >= max_r:
            further = "A larger --max-r"
        yield f"Not proved: that nothing fits. {further} looks further."
    elif report.outcome is Outcome.NEVER:
        yield "No run finds an n0, however far it looks."
    elif report.n0 is None:
        yield "A larger --max-n may find an n0."
    elif record is not None:
        until = report.horizon if record.fail is None else record.fail - 1
        yield (
            f"What is learned: '{record.formula}'. It agrees with {report.target.title} on all words up to "
            f"length {until}; all of them were checked, not a sample."
        )
        if record.proved_all_n:
            yield "It is proved to agree on all longer words too."
