"""A report told step by step, as a class is told it: hypotheses, one n after the other, what it proves.

Nothing here runs a search or draws: a step is a title with sentences and tables, made from a report alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from idinf.base.numbers import format_above, format_amount, format_number, format_r, format_up_to, format_word
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Outcome, Record, Report, Stage
from idinf.show.readings import build_supervision, collect_legend, format_level, format_stage
from idinf.show.sentences import describe_question, describe_theory, list_caveats, sentences
from idinf.targets.supervised import SupervisedTarget

#: Columns of the longest bar of the chart.
BAR = 40

#: What a hypothesis is that fits.
SELECTED, COSTS_MORE = "fits, selected", "fits, costs more"

#: Words whose labels the first step shows.
SHOWN_LABELS = 15


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = str | Table


@dataclass(frozen=True, slots=True)
class WalkthroughStep:
    """A title, then paragraphs and tables in order."""

    title: str
    blocks: tuple[Block, ...]


def tell(
    report: Report, labels: Sequence[tuple[str, str]], inside: str | None = None
) -> tuple[WalkthroughStep, ...]:
    """Tell a report: target, hypotheses, every n or run of alike n, the chart, what is proved and what not.

    Labels are some short words that count, in shortlex order, and what the target says about them; ``inside``
    is what [HYB25] says about the target and C-RASP[periodic, local]: ``yes``, ``no``, ``unknown``.
    """
    runs = [tuple(stages) for _, stages in itertools.groupby(report.stages, format_stage)]
    asked = build_supervision(report.target)
    theory = describe_theory(report, inside)
    return (
        _target(report, labels, asked),
        _hypotheses(report),
        *(_stage(report, run, asked) for run in runs),
        _chart(runs),
        WalkthroughStep("What this run proves", (*sentences(report), *_further(report))),
        WalkthroughStep("What it does not show", list_caveats(report)),
        *((WalkthroughStep("What the theory adds", theory),) if theory else ()),
    )


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


def is_selected(report: Report, record: Record, stage: Stage) -> bool:
    """Whether a record is in the window of selection at a stage; not known to be where R*_n is not."""
    if stage.r_star is None or not record.fits(stage.n):
        return False
    # R is written with 9 decimals, half of the last one away from the value that was compared.
    return record.r <= stage.r_star + report.regularizer.window(stage.n) + 2 * EPSILON


def _target(
    report: Report, labels: Sequence[tuple[str, str]], asked: SupervisedTarget | None
) -> WalkthroughStep:
    target = report.target
    source = "\n".join(f"  {line.strip()}" for line in target.source.strip().splitlines())
    is_next = asked is not None and asked.everywhere
    kind, label = ("target", "what follows its prefixes") if is_next else ("language", "label")
    words = "words" if asked is None or asked.domain is None else "words that count"
    signs = "ε is the empty word" + ("; $ the end, - nothing, * where nothing is asked" if is_next else "")
    return WalkthroughStep(
        f"The {kind} {target.name}, over {target.over}",
        (
            f"It is defined by\n{source}",
            *describe_question(target),
            f"A learner sees the labels of all {words} up to some length n. It must then be right on longer "
            f"words, up to length 2n. From which n on is it? The labels begin like this ({signs}):",
            Table(("word", label), tuple((format_word(word), said) for word, said in labels[:SHOWN_LABELS])),
        ),
    )


def _hypotheses(report: Report) -> WalkthroughStep:
    title = "The cheapest hypotheses"
    if not report.records:
        none = f"None with R {format_up_to(report.complete_up_to_r)} is right on the empty word."
        return WalkthroughStep(title, (none,))
    rows = tuple(
        (format_r(record.r), _lasts(report, record), format_word(record.counterexample), record.formula)
        for record in report.records
    )
    last = report.records[-1]
    terms = {name.replace("_", " "): value for name, value in last.r_terms.as_dict().items() if value}
    return WalkthroughStep(
        title,
        (
            "The learner chooses among small idealized transformers, Limit Transformers ([HYB25], "
            "arXiv 2410.02140). Each one has a price R: more layers, heads and bits and larger weights cost "
            "more. The learner takes a cheap one that fits.",
            "Of all hypotheses searched, only those matter that last longer than every cheaper one:",
            Table(("R", "right up to length", "first wrong word", "what it does"), rows),
            *collect_legend(report),
            "The last one pays "
            + ", ".join(f"{format_number(value)} for {name}" for name, value in terms.items())
            + f": R = {format_r(last.r)} together.",
        ),
    )


def _lasts(report: Report, record: Record) -> str:
    """The longest length up to which a record is right on all words."""
    if record.fail is None:
        return f"{report.horizon}, all that count"
    return "none" if record.fail == 0 else str(record.fail - 1)


def _stage(report: Report, run: Sequence[Stage], asked: SupervisedTarget | None) -> WalkthroughStep:
    first, last = run[0], run[-1]
    words = count_words(len(report.target.alphabet), asked, first.n)
    title = f"All words up to length {first.n}" + (f", and so on up to {last.n}" if len(run) > 1 else "")
    seen = f"n = {first.n}: the learner has seen {format_amount(words, 'word')}."
    rows = tuple(
        (format_r(record.r), record.formula, _status(report, record, first)) for record in report.records
    )
    table = (Table(("R", "hypothesis", "status"), rows),) if rows else ()
    return WalkthroughStep(
        title, (" ".join((seen, *_ruled_out(report, first.n))), *table, *_selection(report, first, last))
    )


def _ruled_out(report: Report, n: int) -> Iterator[str]:
    """What the words of length n do to the records; before n = 1 there is ε alone."""
    for record in report.records:
        if record.fail is not None and (record.fail == n or (n == 1 and record.fail == 0)):
            yield f"The word {format_word(record.counterexample)} rules out '{record.formula}'."


def _status(report: Report, record: Record, stage: Stage) -> str:
    if not record.fits(stage.n):
        return f"ruled out by {format_word(record.counterexample)}"
    return SELECTED if is_selected(report, record, stage) else COSTS_MORE


def _selection(report: Report, first: Stage, last: Stage) -> Iterator[str]:
    """The window, what is in it, and the verdict."""
    n = first.n
    if first.r_star is None:
        lower = first.r_star_lower
        yield (
            f"No hypothesis with R {format_up_to(lower)} fits. So R*_{n} {format_above(lower)}, and what is "
            "selected here is not known: undetermined."
        )
        return
    rule = report.regularizer
    yield (
        f"R*_{n} = {format_r(first.r_star)} is the least R that fits. The learner may select everything "
        f"that fits with R up to R*_{n} + {rule.window_text(n)} = {format_r(first.r_star + rule.window(n))}."
    )
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
    return WalkthroughStep("How R*_n moves", (told, Table(("n", "R*_n", "verdict", ""), tuple(rows))))


def _further(report: Report) -> Iterator[str]:
    """What is learned, or what would have to be looked at; the outcome itself is said by the sentences."""
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
