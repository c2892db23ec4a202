"""A hypothesis at work on one word: attention, accumulators, units, what it answers, in exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from idinf.errors import AlphabetMismatchError, BudgetError
from idinf.experiments.spec import Answer
from idinf.render.figures.canvas import INK, Sheet, styled
from idinf.render.figures.computation import Computation, LayerRows, computation_of, fraction_text
from idinf.render.figures.inputs import PlotError, RunReport, level_text
from idinf.report.comparison import ReportFormatError
from idinf.report.target import asked_target
from idinf.transformers.json_format import from_json_object
from idinf.transformers.limit_transformer import LimitTransformer, Matrix, Vector
from idinf.words import Alphabet, Word

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["MAX_WORD", "draw_hypothesis"]

#: Longer words would have columns too narrow for their fractions.
MAX_WORD = 24

#: Inches.
LABELS = 1.45
CELL = 0.27
WIDEST, NARROWEST = 0.85, 0.5

#: Characters of a symbol.
SYMBOL = 5


def draw_hypothesis(run: RunReport, word: str | None = None, record: int | None = None) -> Figure:
    """Draw what a hypothesis of a report computes on a word; column i is position i, read from the top down.

    Parameters
    ----------
    run : RunReport
    word : str, optional
        As the alphabet writes it. Without it, the word that ends the last wrong record.
    record : int, optional
        Number of the record, from 1. Without it the last one, or the upper bound that an open run knows.

    Raises
    ------
    PlotError
        If there is no such record, or the word is longer than `MAX_WORD`.
    AlphabetMismatchError
        If the word has a symbol outside the alphabet.
    HypothesisFormatError
        If the hypothesis in the report is broken.
    """
    name, dense, formula = _hypothesis(run, record)
    text = _default_word(run, dense.alphabet) if word is None else word
    try:
        codes = dense.alphabet.encode(text)
    except AlphabetMismatchError as error:
        raise AlphabetMismatchError(f"{run.origin}: {error}") from None
    if len(codes) > MAX_WORD:
        raise PlotError(
            f"the word has length {len(codes)}; expected at most {MAX_WORD}, for fractions to fit; shorten it"
        )
    try:
        done = computation_of(dense, codes)
    except BudgetError as error:
        raise PlotError(f"{run.origin}: {error}") from None
    notes = [_verdict(done)] if dense.output is None else _named_notes(run, dense.output.kind, codes, done)
    if formula:
        notes.insert(0, f"As a formula: {formula}.")
    return _draw(run, name, notes, dense.alphabet.decode(codes), done)


def _hypothesis(run: RunReport, record: int | None) -> tuple[str, LimitTransformer, str]:
    """What it is called, its matrices, and its formula where the report has one."""
    count = len(run.records)
    if record is not None and not 1 <= record <= count:
        raise PlotError(
            f"{run.origin}: there is no record {record}; expected one from 1 to {count}; choose one"
        )
    if record is None and run.records[-1].fail is not None and run.r_upper is not None:
        upper = from_json_object(run.upper_hypothesis, f"{run.origin}: bracket.hypothesis")
        return f"known upper bound, R = {level_text(run.r_upper)}", upper, ""
    number = count if record is None else record
    chosen = run.records[number - 1]
    dense = from_json_object(chosen.hypothesis, f"{run.origin}: records[{number - 1}].hypothesis")
    return f"record {number}, R = {level_text(chosen.r)}", dense, chosen.formula


def _default_word(run: RunReport, alphabet: Alphabet) -> str:
    """What rules out the last wrong record; it shows what the next one does better."""
    ends = [record.counterexample for record in run.records if record.counterexample]
    fitting = [word for word in ends if len(word) <= MAX_WORD]
    return fitting[-1] if fitting else (" " if alphabet.spaced else "").join(alphabet.symbols[:MAX_WORD])


def _verdict(done: Computation) -> str:
    """Of a hypothesis that accepts words."""
    relation, verdict = (">", "accepted") if done.accepted else ("≤", "rejected")
    output, threshold = fraction_text(done.output), fraction_text(Fraction(done.threshold))
    return f"Output at the last position: U y = {output} {relation} {threshold}, so it is {verdict}."


def _named_notes(run: RunReport, kind: Answer, word: Word, done: Computation) -> list[str]:
    """How output rows are read, and where they are wrong; what the target asks is built from the report."""
    threshold = fraction_text(Fraction(done.threshold))
    rule = (
        f"A symbol may follow, dark, where its row of U y is above {threshold}; $ is the end."
        if kind is Answer.SET
        else "The symbol with the largest row of U y follows, dark, of equal ones the first; $ is the end."
    )
    try:
        asked = asked_target({"target": run.target})
    except ReportFormatError as error:
        raise PlotError(f"{run.origin}: {error}") from None
    if asked is None or not asked.everywhere:
        return [rule]
    right = asked.next_symbols(word)
    places = [i for i, symbols in enumerate(right) if symbols is not None]
    wrong = [str(i) for i in places if set(done.named[i]) != set(right[i] or ())]
    positions = "position" if len(wrong) == 1 else "positions"
    said = f"Wrong at {positions} {', '.join(wrong)}" if wrong else "Right"
    if len(places) < len(right):
        said += f"; asked only at {', '.join(map(str, places))}" if places else ", as nothing is asked"
    outside = "" if asked.is_counted(word) else " The word is outside the domain: it does not count."
    return [rule, f"{said}.{outside}"]


def _draw(run: RunReport, name: str, notes: Sequence[str], word: str, done: Computation) -> Figure:
    symbols = [name if len(name) <= SYMBOL else f"{name[: SYMBOL - 1]}…" for name in done.symbols]
    columns = len(symbols)
    room = 7.0 - LABELS - 0.15
    cell = min(WIDEST, max(NARROWEST, room / columns))
    with styled():
        sheet = Sheet(max(7.0, LABELS + columns * cell + 0.15))
        sheet.heading(f"{run.name} on {word or 'the empty word'}: {name}")
        for number, layer in enumerate(done.layers, start=1):
            _draw_layer(sheet, layer, number, symbols, cell)
        if done.rows:
            _draw_outputs(sheet, done, symbols, cell)
        sheet.gap(0.12)
        sheet.notes(
            [
                *notes,
                "Column i is position i; α is the attention from i to key j ≤ i; z is the argument of a "
                "unit, u its value. All numbers are exact.",
            ]
        )
        return sheet.finish()


def _draw_layer(sheet: Sheet, layer: LayerRows, number: int, symbols: Sequence[str], cell: float) -> None:
    span = ((LABELS, cell * len(symbols)),)
    sheet.gap(0.36)
    first = True
    for head, attention in enumerate(layer.attention, start=1):
        axes = sheet.row(CELL * len(symbols), span)[0]
        _draw_attention(axes, attention, head, symbols, cell)
        _name_layer(axes, f"Layer {number}", symbols, cell, first)
        first = False
        sheet.gap(0.07)
    rows = [(name, values, False) for name, values in layer.accumulators]
    for argument, unit in zip(layer.arguments, layer.units, strict=True):
        rows += [(*argument, False), (*unit, True)]
    if rows:
        axes = sheet.row(CELL * len(rows), span)[0]
        _draw_rows(axes, [(label, values, values if dark else ()) for label, values, dark in rows], cell)
        _name_layer(axes, f"Layer {number}", symbols, cell, first)
    sheet.gap(0.06)
    sheet.notes(layer.notes)


def _draw_outputs(sheet: Sheet, done: Computation, symbols: Sequence[str], cell: float) -> None:
    """The rows of U y of next symbols; those that follow are dark."""
    sheet.gap(0.36)
    axes = sheet.row(CELL * len(done.rows), ((LABELS, cell * len(symbols)),))[0]
    rows = [
        (symbol, values, tuple(Fraction(symbol in named) for named in done.named))
        for symbol, values in done.rows
    ]
    _draw_rows(axes, rows, cell, "outputs")
    _name_layer(axes, "Output", symbols, cell, True)


def _name_layer(axes: Axes, name: str, symbols: Sequence[str], cell: float, first: bool) -> None:
    """Positions and symbols above the first panel of a layer, and its name."""
    axes.set_xticks([])
    if not first:
        return
    top = axes.get_ylim()[1]
    labels = [f"{i}: {symbol}" for i, symbol in enumerate(symbols)]
    size = _text_size(labels, cell)
    for i, label in enumerate(labels):
        axes.annotate(label, (i + 0.5, top), (0, 5), textcoords="offset points", ha="center", fontsize=size)
    axes.annotate(
        name,
        (0, top),
        (-LABELS * 72 + 9, 5),
        textcoords="offset points",
        ha="left",
        fontsize=10,
        fontweight="bold",
    )


def _draw_attention(axes: Axes, attention: Matrix, head: int, symbols: Sequence[str], cell: float) -> None:
    import numpy as np

    size = len(symbols)
    table = np.full((size, size), np.nan)
    for i, row in enumerate(attention):
        for j, alpha in enumerate(row):
            table[j, i] = float(alpha)
    _mesh(axes, table, f"attention {head}")
    size_of_text = _text_size((fraction_text(alpha) for row in attention for alpha in row), cell)
    for i, row in enumerate(attention):
        for j, alpha in enumerate(row):
            _write(axes, i, j, alpha, float(alpha) > 0.6, size_of_text)
    _label_rows(axes, [f"{j}: {symbol}" for j, symbol in enumerate(symbols)])
    axes.annotate(
        f"head {head}\nα of keys",
        (0, 0),
        (-LABELS * 72 + 9, -5),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=9,
    )


def _draw_rows(
    axes: Axes, rows: Sequence[tuple[str, Vector, Vector]], cell: float, gid: str = "units"
) -> None:
    """Numbers; rows with shades, one a position, also as dark (1) and light (0) cells."""
    import numpy as np

    size = len(rows[0][1])
    table = np.full((len(rows), size), np.nan)
    for place, (_, _, shades) in enumerate(rows):
        for i, shade in enumerate(shades):
            table[place, i] = min(1.0, 0.08 + float(shade))
    _mesh(axes, table, gid)
    size_of_text = _text_size((fraction_text(value) for _, values, _ in rows for value in values), cell)
    for place, (_, values, shades) in enumerate(rows):
        for i, value in enumerate(values):
            dark, weight = (shades[i] > 0, "bold") if shades else (False, "normal")
            _write(axes, i, place, value, dark, size_of_text, weight)
    _label_rows(axes, [name for name, _, _ in rows])


def _mesh(axes: Axes, table: NDArray[np.float64], gid: str) -> None:
    import numpy as np

    masked = np.ma.masked_invalid(table)
    mesh = axes.pcolormesh(masked, cmap="Blues", vmin=0.0, vmax=1.15, edgecolors="white", linewidth=1.0)
    mesh.set_gid(gid)
    axes.set_xlim(0, masked.shape[1])
    axes.set_ylim(masked.shape[0], 0)


def _text_size(texts: Iterable[str], cell: float) -> float:
    """One size for a panel: the largest, up to 9 points, at which its longest text fits a cell."""
    return min(9.0, 0.9 * cell * 72 / (0.63 * max(map(len, texts))))


def _write(
    axes: Axes, i: int, place: int, value: Fraction, on_dark: bool, size: float, weight: str = "normal"
) -> None:
    axes.text(
        i + 0.5,
        place + 0.5,
        fraction_text(value),
        ha="center",
        va="center",
        color="white" if on_dark else INK,
        fontsize=size,
        fontweight=weight,
    )


def _label_rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks([place + 0.5 for place in range(len(labels))], labels)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
