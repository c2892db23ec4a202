"""A report told step by step, as a class is told it: hypotheses, one n after the other, what it proves.

Nothing here runs a search or draws: a step is a title with sentences and tables, made from the JSON object of
a report alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from idinf.formulas.formula import Formula, formula_of
from idinf.formulas.legend import legend
from idinf.render.text.walkthrough_end import class_lines, proof_lines
from idinf.render.text.walkthrough_terms import (
    bound_text,
    fits,
    level_text,
    r_text,
    upper_end,
    verdict_of,
    window_text,
    word_text,
)
from idinf.report.target import asked_lines, asked_target, count_words
from idinf.targets.supervised import SupervisedTarget
from idinf.transformers.from_dense import to_one_hot
from idinf.transformers.json_format import from_json_object

__all__ = ["Block", "Table", "WalkthroughStep", "story"]

#: Columns of the longest bar of the chart.
BAR = 40

#: What a hypothesis is that fits.
SELECTED, TOO_DEAR = "fits, selected", "fits, too dear"

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


def story(
    report: Mapping[str, Any], labels: Sequence[tuple[str, str]], inside: str | None = None
) -> tuple[WalkthroughStep, ...]:
    """Tell a report step by step.

    Parameters
    ----------
    report : mapping
        An ``idinf-report/1`` object.
    labels : sequence of (str, str)
        Some short words that count, in shortlex order, and what the target says about them.
    inside : str, optional
        What [HYB25] says about the target and C-RASP[periodic, local]: ``yes``, ``no``, ``unknown``.

    Returns
    -------
    tuple of WalkthroughStep
        The target, the hypotheses, one step for every n or run of alike n, the chart, what it proves.
    """
    runs, asked = _runs(report["stages"]), asked_target(report)
    return (
        _target(report, labels, asked),
        _hypotheses(report),
        *(_stage(report, run, asked) for run in runs),
        _chart(report, runs),
        WalkthroughStep("What this run proves", tuple(proof_lines(report))),
        *(
            (WalkthroughStep("What the theory adds", lines),)
            if (lines := class_lines(report, inside))
            else ()
        ),
    )


def _runs(stages: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Stages in step: neighbours with the same answer are told together."""
    keys = ("r_star", "r_star_lower", "num_selected", "num_selected_bad", "good", "counterexample")
    groups = itertools.groupby(stages, lambda stage: tuple(stage[key] for key in keys))
    return [list(group) for _, group in groups]


def _target(
    report: Mapping[str, Any], labels: Sequence[tuple[str, str]], asked: SupervisedTarget | None
) -> WalkthroughStep:
    target = report["target"]
    source = "\n".join(f"  {line.strip()}" for line in target["source"].strip().splitlines())
    is_next = asked is not None and asked.everywhere
    kind, label = ("target", "what follows its prefixes") if is_next else ("language", "label")
    words = "words" if asked is None or asked.domain is None else "words that count"
    signs = "ε is the empty word" + ("; $ the end, - nothing, * where nothing is asked" if is_next else "")
    return WalkthroughStep(
        f"The {kind} {target['name']}, over {' '.join(target['alphabet'])}",
        (
            f"It is defined by\n{source}",
            *asked_lines(target),
            f"A learner sees the labels of all {words} up to some length n. It must then be right on longer "
            f"words, up to length 2n. From which n on is it? The labels begin like this ({signs}):",
            Table(("word", label), tuple((word_text(word), said) for word, said in labels[:SHOWN_LABELS])),
        ),
    )


def _hypotheses(report: Mapping[str, Any]) -> WalkthroughStep:
    records, max_n = report["records"], report["max_n"]
    if not records:
        return WalkthroughStep(
            "The cheapest hypotheses",
            (f"None with R <= {bound_text(report['complete_up_to_r'])} is right on the empty word.",),
        )
    rows = tuple(
        (r_text(record["r"]), _lasts(record, max_n), word_text(record["counterexample"]), record["formula"])
        for record in records
    )
    terms = {name: value for name, value in records[-1]["r_terms"].items() if value and name != "total"}
    return WalkthroughStep(
        "The cheapest hypotheses",
        (
            "The learner chooses among small idealized transformers, Limit Transformers ([HYB25], "
            "arXiv 2410.02140). Each one has a price R: more layers, heads and bits and larger weights cost "
            "more. The learner takes a cheap one that fits.",
            "Of all hypotheses searched, only those matter that last longer than every cheaper one:",
            Table(("R", "right up to length", "first wrong word", "what it does"), rows),
            *legend([_formula(record) for record in records]),
            "The last one pays "
            + ", ".join(f"{value:g} for {name.replace('_', ' ')}" for name, value in terms.items())
            + f": R = {r_text(records[-1]['r'])} together.",
        ),
    )


def _formula(record: Mapping[str, Any]) -> Formula:
    return formula_of(to_one_hot(from_json_object(record["hypothesis"])))


def _lasts(record: Mapping[str, Any], max_n: int) -> str:
    """The longest length up to which a record is right on all words."""
    if record["fail"] is None:
        return f"{2 * max_n}, all that count"
    return "none" if record["fail"] == 0 else str(record["fail"] - 1)


def _stage(
    report: Mapping[str, Any], run: Sequence[Mapping[str, Any]], asked: SupervisedTarget | None
) -> WalkthroughStep:
    first, last = run[0], run[-1]
    n = first["n"]
    words = count_words(len(report["target"]["alphabet"]), asked, n)
    title = f"All words up to length {n}" + (f", and so on up to {last['n']}" if len(run) > 1 else "")
    seen = f"n = {n}: the learner has seen {words} word{'s' if words != 1 else ''}."
    rows = tuple(
        (r_text(record["r"]), record["formula"], _status(report, record, first))
        for record in report["records"]
    )
    table = (Table(("R", "hypothesis", "status"), rows),) if rows else ()
    return WalkthroughStep(
        title, (" ".join((seen, *_ruled_out(report, n))), *table, *_selection(report, first, last))
    )


def _ruled_out(report: Mapping[str, Any], n: int) -> Iterator[str]:
    """What the words of length n do to the records; before n = 1 there is ε alone."""
    for record in report["records"]:
        if record["fail"] is not None and (record["fail"] == n or (n == 1 and record["fail"] == 0)):
            yield f"The word {word_text(record['counterexample'])} rules out '{record['formula']}'."


def _status(report: Mapping[str, Any], record: Mapping[str, Any], stage: Mapping[str, Any]) -> str:
    if not fits(record, stage["n"]):
        return f"ruled out by {word_text(record['counterexample'])}"
    end = upper_end(report, stage)
    return SELECTED if end is not None and record["r"] <= end else TOO_DEAR


def _selection(report: Mapping[str, Any], first: Mapping[str, Any], last: Mapping[str, Any]) -> Iterator[str]:
    """The window, what is in it, and the verdict."""
    n = first["n"]
    if first["r_star"] is None:
        lower = bound_text(first["r_star_lower"])
        yield (
            f"No hypothesis with R <= {lower} fits. So R*_{n} > {lower}, and what is selected here is not "
            "known: undetermined."
        )
        return
    yield (
        f"R*_{n} = {r_text(first['r_star'])} is the least R that fits. The learner may select everything "
        f"that fits with R up to R*_{n} + {window_text(report, n)} = "
        f"{r_text(upper_end(report, first) or 0.0)}."
    )
    at_least = "" if first["num_selected_exact"] else "at least "
    wrong, selected = first["num_selected_bad"], first["num_selected"]
    counted = (
        f"Selected: {at_least}{selected} function{'s' if selected != 1 else ''}{_unlisted(report, first)}."
    )
    if first["good"] is False:
        yield (
            f"{counted} Of these, {at_least}{wrong} fail{'s' if wrong == 1 else ''} within length {2 * n}: a "
            f"shortest word that shows it is {word_text(first['counterexample'])}. The learner may still "
            f"pick a wrong one: n = {n} is bad."
        )
    elif first["good"]:
        where = f"n = {n}" if first is last else f"every n from {n} to {last['n']}"
        yield f"{counted} None fails within length 2n: {where} is good."
    else:
        yield f"{counted} The window reaches above what was searched: undetermined."


def _unlisted(report: Mapping[str, Any], stage: Mapping[str, Any]) -> str:
    """A remark where more is selected than the table lists: it has one hypothesis for a price at most."""
    listed = sum(_status(report, record, stage) == SELECTED for record in report["records"])
    return ", some of which the table does not list" if stage["num_selected"] > listed else ""


def _chart(report: Mapping[str, Any], runs: Sequence[Sequence[Mapping[str, Any]]]) -> WalkthroughStep:
    longest = max(run[0]["r_star_lower"] for run in runs)
    rows = []
    for run in runs:
        first, last = run[0], run[-1]
        numbers = f"{first['n']}" if first is last else f"{first['n']} to {last['n']}"
        bar = "=" * round(BAR * first["r_star_lower"] / longest) if longest > 0 else ""
        rows.append(
            (numbers, level_text(first), verdict_of(first), bar + (">" if first["r_star"] is None else ""))
        )
    if len({run[0]["r_star_lower"] for run in runs}) > 1:
        told = "Longer words rule the cheap hypotheses out, so R*_n can only rise."
    elif runs[0][0]["r_star"] is None:
        told = "No R*_n is known: nothing that fits was found before the run ended."
    else:
        told = "R*_n does not move: the cheapest hypothesis that fits at n = 1 fits to the end."
    return WalkthroughStep(
        "How R*_n moves",
        (
            told,
            Table(("n", "R*_n", "verdict", ""), tuple(rows)),
        ),
    )
