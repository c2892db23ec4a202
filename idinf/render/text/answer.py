"""The text answer of a run, for people. What was not searched is never said not to exist."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from idinf.experiments.bounds import SpaceBounds
from idinf.experiments.spec import Spec
from idinf.formulas.formula import Formula, formula_of
from idinf.formulas.legend import legend, structure
from idinf.render.text.baselines import BaselineColumns
from idinf.report.value import Inference, Outcome, Record, Stage
from idinf.report.writer import checked_terms
from idinf.transformers.regularizer import Aggregate
from idinf.words import Alphabet, Word

__all__ = ["text_answer"]

#: What a missing value looks like in a table.
_NONE = "-"

#: Bounds on what attention may depend on: 1 or 0 for nothing.
_PATTERN_BOUNDS = ("period", "reach", "logit_max", "content_max")


def text_answer(
    spec: Spec,
    bounds: SpaceBounds,
    inference: Inference,
    aggregate: Aggregate,
    tolerance: float | None,
    verbose: bool = False,
    compiled: float | None = None,
    baselines: BaselineColumns | None = None,
) -> str:
    """Write a run as text.

    Parameters
    ----------
    spec, bounds, inference, aggregate, tolerance
        As for `idinf.report.writer.report_object`.
    verbose : bool
        Adds the structure of the selected hypothesis and the terms of its R.
    compiled : float or None
        R of the target's program as it compiles; None if the target has no program.
    baselines : BaselineColumns or None
        Columns about other learners, beside the verdict on each n.

    Returns
    -------
    str
        Lines with a newline at the end; ε is written ε.
    """
    formulas = [formula_of(record.hypothesis) for record in inference.records]
    blocks = [
        _heading(spec, bounds, inference.max_n, aggregate, tolerance),
        _outcome(spec, inference),
        _stages(inference, spec.alphabet, baselines),
        _selected(spec, inference, aggregate, verbose) + _beside(inference, compiled),
        _records(inference, formulas, spec.alphabet),
        _work(inference),
    ]
    return "\n".join(line for block in blocks if block for line in (*block, "")).rstrip("\n") + "\n"


def _heading(
    spec: Spec, bounds: SpaceBounds, max_n: int, aggregate: Aggregate, tolerance: float | None
) -> list[str]:
    limits = bounds.to_dict()
    parts = [
        f"layers <= {limits['layers']}",
        *(f"{key} <= {limits[key]} per layer" for key in ("heads", "units")),
        f"precision <= {limits['precision']}",
        *(f"{key} {limits[key]}" for key in _PATTERN_BOUNDS if key in limits),
        f"max_r {bounds.max_r:g}",
        f"aggregate {aggregate.value}",
        f"tolerance {'1/(2n)' if tolerance is None else format(tolerance, 'g')}",
        "realisation one-hot",
    ]
    return [
        f"target  {spec.name} over {' '.join(spec.alphabet.symbols)} ({spec.kind}), n <= {max_n}",
        f"space   {bounds.preset}: {', '.join(parts)}",
    ]


def _outcome(spec: Spec, inference: Inference) -> list[str]:
    max_n = inference.max_n
    exact = f"every fail exact up to length {2 * max_n}"
    complete = f"Complete up to R = {_bound(inference.complete_up_to_r)}"
    match inference.outcome:
        case Outcome.IDENTIFIED | Outcome.IDENTIFIED_FOR_ALL_N:
            for_all = inference.outcome is Outcome.IDENTIFIED_FOR_ALL_N
            span = "every n" if for_all else f"n in [1, {max_n}]"
            return [
                f"identified: n0 = {inference.n0} exact for {span}; {exact}.",
                f"{complete}, the stop bound: nothing of larger R can be selected at any n <= {max_n}.",
                *_beyond(inference),
                f"n0 = {_count(inference.n0)} (all selected), "
                f"n0 = {_count(inference.n0_canonical)} (canonical pick)",
            ]
        case Outcome.NOT_IDENTIFIED:
            return [
                f"not identified: at n = {max_n} a selected hypothesis is wrong within length {2 * max_n}, "
                f"so there is no n0 in [1, {max_n}]; {exact}.",
                f"{complete}, the stop bound: nothing of larger R can be selected at any n <= {max_n}.",
                f"n0 = {_NONE} (all selected), n0 = {_count(inference.n0_canonical)} (canonical pick)",
            ]
        case Outcome.OPEN:
            return [
                f"open: {inference.stop_reason}.",
                f"{complete}: every hypothesis of this space with R up to there was enumerated; "
                "what lies above was not searched.",
                *_proved(spec, inference),
            ]


def _beyond(inference: Inference) -> Iterable[str]:
    """What is known about n > max_n, if it was asked."""
    if inference.beyond is None:
        return
    if inference.outcome is Outcome.IDENTIFIED_FOR_ALL_N:
        yield f"For all n: beyond n = {inference.max_n} {inference.beyond}."
    else:
        yield f"Beyond n = {inference.max_n} nothing is claimed: {inference.beyond}."


def _proved(spec: Spec, inference: Inference) -> Iterable[str]:
    """What an open run proves about R*_n and n0."""
    r = _bound(inference.complete_up_to_r)
    unknown = next((stage.n for stage in inference.stages if stage.r_star is None), None)
    if unknown is not None:
        yield (
            f"R*_n > {r} for every n >= {unknown}: no hypothesis of this space with R <= {r} agrees with "
            f"{spec.name} on all words up to length {unknown}."
        )
    else:
        yield (
            f"R*_n is known for every n <= {inference.max_n}; some selected sets reach above R = {r} and are "
            "known in part."
        )
    if unknown is not None and inference.upper is not None:
        upper = inference.upper
        last = min(upper.checked, inference.max_n)
        which = f"R*_{last}" if last == inference.max_n else f"R*_n for n in [{unknown}, {last}]"
        yield (
            f"{which} lies in ({r}, {_r(upper.r)}]: the upper end is a hypothesis that is right on all words "
            f"up to length {upper.checked}, not proved minimal:"
        )
        yield f"  {formula_of(upper.hypothesis)}"
    if inference.stop_bound_at_most is not None:
        yield (
            f"A run that is complete up to R = {_r(inference.stop_bound_at_most)} decides every n <= "
            f"{inference.max_n}."
        )
    if inference.n0_lower is not None:
        yield f"n0 is not decided; if there is one, n0 >= {inference.n0_lower}."
    if inference.n0_canonical is not None:
        yield f"n0 = {inference.n0_canonical} (canonical pick), which the part above cannot change."


def _stages(inference: Inference, alphabet: Alphabet, baselines: BaselineColumns | None) -> list[str]:
    rows: list[tuple[list[int], tuple[str, ...]]] = []
    for stage in inference.stages:
        cells = _stage_cells(stage, alphabet) + (baselines.cells(stage.n) if baselines else ())
        if rows and rows[-1][1] == cells:
            rows[-1][0].append(stage.n)
        else:
            rows.append(([stage.n], cells))
    header = ("n", "R*_n", "selected", "wrong at 2n", "verdict", "shortest counterexample")
    others = baselines.header if baselines else ()
    lines = _table([(*header, *others), *((_range(numbers), *cells) for numbers, cells in rows)])
    return lines + (baselines.legend(inference) if baselines else [])


def _stage_cells(stage: Stage, alphabet: Alphabet) -> tuple[str, ...]:
    verdict = {True: "good", False: "bad", None: "undetermined"}[stage.good]
    if stage.r_star is None:
        return f"> {_bound(stage.r_star_lower)}", _NONE, _NONE, verdict, _NONE
    at_least = "" if stage.num_selected_exact else "≥ "
    return (
        _r(stage.r_star),
        f"{at_least}{stage.num_selected}",
        f"{at_least}{stage.num_selected_bad}",
        verdict,
        _word_and_length(stage.counterexample, alphabet),
    )


def _selected(spec: Spec, inference: Inference, aggregate: Aggregate, verbose: bool) -> list[str]:
    record = inference.selected
    if record is None:
        return []
    lasts = f"agrees with {spec.name} on all words up to length "
    lasts += f"{2 * inference.max_n}" if record.fail is None else f"{record.fail - 1}"
    lines = [
        f"selected at n = {inference.max_n}: {formula_of(record.hypothesis)}",
        f"R = {_r(record.r)}; {lasts}",
    ]
    if verbose:
        lines.append(f"structure: {structure(record.hypothesis)}")
        terms = checked_terms(record, aggregate).as_dict()
        lines += _table([(name, _r(value)) for name, value in terms.items()])
    return lines


def _beside(inference: Inference, compiled: float | None) -> list[str]:
    """R of the program as written, beside the least R that was found, or below which none is."""
    if compiled is None:
        return []
    record = inference.selected
    least = f"> {_bound(inference.complete_up_to_r)}" if record is None else _r(record.r)
    return [f"R of the program itself: compiled {_r(compiled)}, minimal {least}"]


def _records(inference: Inference, formulas: Sequence[Formula], alphabet: Alphabet) -> list[str]:
    if not inference.records:
        return [
            f"records: no hypothesis with R <= {_bound(inference.complete_up_to_r)} agrees on the empty word"
        ]
    rows = [
        (_r(record.r), _fail(record, inference.max_n), _word(record.counterexample, alphabet), str(formula))
        for record, formula in zip(inference.records, formulas, strict=True)
    ]
    lines = ["records: the hypotheses that last longer than every cheaper one"]
    lines += _table([("R", "fail", "counterexample", "formula"), *rows])
    return lines + legend(formulas)


def _work(inference: Inference) -> list[str]:
    counts = inference.counts
    return [
        f"{counts.enumerated} parameter vectors enumerated, {counts.distinct} distinct behaviours kept, "
        f"{counts.exact} fails decided beyond short words, {counts.dp} lower stacks solved; "
        f"{inference.seconds:.2f} s, peak {inference.peak_bytes / 1e6:.0f} MB"
    ]


def _fail(record: Record, max_n: int) -> str:
    return f"> {2 * max_n}" if record.fail is None else str(record.fail)


def _word(word: Word | None, alphabet: Alphabet) -> str:
    return _NONE if word is None else alphabet.decode(word) or "ε"


def _word_and_length(word: Word | None, alphabet: Alphabet) -> str:
    return _NONE if word is None else f"{_word(word, alphabet)} (length {len(word)})"


def _range(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}..{numbers[-1]}"


def _count(value: int | None) -> str:
    return _NONE if value is None else str(value)


def _bound(value: float) -> str:
    """How far a search went, without trailing zeros."""
    return f"{value:.9f}".rstrip("0").removesuffix(".")


def _r(value: float) -> str:
    """R with 9 decimals, as it is compared."""
    return f"{value:.9f}"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns aligned on the left, two blanks apart; symbols are one column wide."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
