"""The text answer of a run, for people."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from idinf.base.numbers import align, format_above, format_r, format_range, format_up_to, format_word
from idinf.base.words import Alphabet
from idinf.nets.one_hot import to_one_hot
from idinf.nets.regularizer import EPSILON
from idinf.report.value import Outcome, Report, Stage, TrainingStage
from idinf.show.report_facts import (
    collect_legend,
    format_fail,
    format_stage,
    join_stages,
    list_worst,
    write_formula_if_one_hot,
)
from idinf.show.sentences import describe_training, headline, sentences
from idinf.spec.bounds import WholeClass
from idinf.translate.formulas.legend import describe_structure


def render_answer(
    report: Report,
    verbose: bool = False,
    compiled: float | None = None,
    advice: str = "",
) -> str:
    """Write a report as lines of text; of an open one the bounds of R* and n0 alone, unless ``verbose``.

    Then also with the structure of the selected hypothesis and the terms of its R. R of the target's compiled
    program is ``compiled``, and ``advice`` is a hint for a run that gets further.
    """
    target = report.target
    about = f"target  {target.title} over {target.over} ({target.kind}), n <= {report.max_n}"
    blocks: list[Iterable[str]] = [[headline(report)], (about, _space(report))]
    if report.outcome is not Outcome.OPEN or verbose:
        blocks += _answer(report, verbose, compiled)
        for smaller in report.smaller:
            blocks += [[_space(smaller)], *_answer(smaller, verbose)]
    else:
        blocks += [sentences(report)[1:], _stages(report), _training(report), _selected(report, False)]
        blocks += [_beside(report, compiled)]
        for smaller in report.smaller:
            blocks += [(_space(smaller), *_selected(smaller, False))]
    blocks += [[f"To get further: {advice}."] if advice else []]
    return (
        "\n".join(line for block in map(tuple, blocks) if block for line in (*block, "")).rstrip("\n") + "\n"
    )


def _answer(report: Report, verbose: bool, compiled: float | None = None) -> Iterator[Iterable[str]]:
    """The blocks about one space."""
    counts = report.counts
    yield sentences(report)[1:]
    yield _stages(report)
    yield _worst(report)
    yield _training(report)
    yield (*_selected(report, verbose), *_beside(report, compiled))
    yield _records(report)
    yield (
        f"{counts.enumerated} parameter vectors enumerated, {counts.distinct} distinct behaviours kept, "
        f"{counts.exact} fails decided beyond short words, {counts.dp} lower stacks solved; "
        f"{report.seconds:.2f} s, peak {report.peak_bytes / 1e6:.0f} MB",
    )


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Write rows in aligned columns, a little inwards."""
    return [f"  {line}" for line in align(rows)]


def _space(report: Report) -> str:
    """The name of the space, its budgets, and how the paper is read."""
    space, rule = report.space, report.regularizer
    detail = ""  # settings that the name leaves out
    if isinstance(space, WholeClass):
        detail = ": nets of any size and width"
    elif space.reach and "reach" not in space.restrictions:
        detail = f" (reach <= {space.reach})"
    parts = [
        f"{space.name}{detail}",
        *(f"{key} {space.limits[key]:g}" for key in ("max_r", "work") if key in space.limits),
        f"aggregate {rule.aggregate.value}",
        f"tolerance {rule.window_text()}",
    ]
    return f"space   {'; '.join(parts)}"


def _stages(report: Report) -> list[str]:
    alphabet = Alphabet(report.target.alphabet, report.target.spaced)

    def cells(stage: Stage) -> tuple[str, ...]:
        *others, word = format_stage(stage)
        if stage.counterexample is not None:
            word += f" (length {len(alphabet.encode(stage.counterexample))})"
        return (*others, word)

    header = ("n", "R*_n", "selected", "wrong at 2n", "verdict", "shortest counterexample")
    return align_columns([header, *((n, *row) for n, row in join_stages(report, cells))])


def _worst(report: Report) -> list[str]:
    """The worst selected hypotheses at bad n; nothing where none is bad."""
    rows = [
        (n, format_r(record.r), format_word(record.counterexample), record.formula)
        for n, record in list_worst(report)
    ]
    title = "bad n: the selected hypothesis that fails first"
    return [title, *align_columns([("n", "R", "wrong on", "formula"), *rows])] if rows else []


def _training(report: Report) -> list[str]:
    """Lines about another training length; none if the report has none."""
    training = report.training
    if training is None:
        return []

    def cells(stage: TrainingStage) -> tuple[str, ...]:
        star = format_above(report.complete_up_to_r) if stage.r_star is None else format_r(stage.r_star)
        verdict = "undetermined" if stage.good is None else "good" if stage.good else "bad"
        return star, verdict, format_word(stage.counterexample)

    rows = []
    for row, alike in itertools.groupby(training.stages, cells):
        stages = list(alike)
        trained = format_range(sorted({stage.trained for stage in stages}))
        rows.append((format_range([stage.n for stage in stages]), trained, *row))
    header = ("n", "t(n)", "R*_t(n)", "verdict", "shortest counterexample")
    return [*describe_training(training), *align_columns([header, *rows])]


def _selected(report: Report, verbose: bool) -> Iterable[str]:
    record = report.selected
    if record is None:
        return
    length = report.horizon if record.fail is None else record.fail - 1
    letters = f" (over {report.target.over})" if report.target.letters else ""
    yield f"selected at n = {report.max_n}{letters}: {record.formula}"
    yield f"R = {format_r(record.r)}; agrees with {report.target.title} on all words up to length {length}"
    if verbose:
        if write_formula_if_one_hot(record.hypothesis) is not None:
            yield f"structure: {describe_structure(to_one_hot(record.hypothesis))}"
        yield from align_columns(
            [(name, format_r(value)) for name, value in record.r_terms.as_dict().items()]
        )


def _beside(report: Report, compiled: float | None) -> list[str]:
    """R of the program as written, beside the least R that was found, or below which none is."""
    if compiled is None:
        return []
    record = report.selected
    least = format_above(report.complete_up_to_r) if record is None else format_r(record.r)
    outside = " (outside of this space)" if compiled < report.r_bounds[0] - EPSILON else ""
    return [f"R of the program itself: compiled {format_r(compiled)}{outside}, minimal {least}"]


def _records(report: Report) -> list[str]:
    if not report.records:
        level = format_up_to(report.complete_up_to_r)
        return [f"records: no hypothesis with R {level} agrees on the empty word"]
    rows = [
        (format_r(record.r), format_fail(record, report), format_word(record.counterexample), record.formula)
        for record in report.records
    ]
    lines = ["records: the hypotheses that last longer than every cheaper one"]
    lines += align_columns([("R", "fail", "counterexample", "formula"), *rows])
    return lines + collect_legend((*report.records, *report.worst))
