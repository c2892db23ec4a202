"""A hypothesis at work on one word: attention, accumulators, units, answers, in exact numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from idinf.base.linear_algebra import dot
from idinf.base.numbers import format_number
from idinf.base.words import SOS, Alphabet, Word
from idinf.errors import BudgetError, PlotError
from idinf.nets.dense import Layer, Matrix, Vector
from idinf.nets.limit_transformer import LimitTransformer
from idinf.nets.reference import ForwardTrace, trace
from idinf.report.value import Report
from idinf.show.coordinates import Names, describe_head, format_fraction, write_linear
from idinf.show.figures.canvas import INK, USUAL, Look, Sheet, annotate, apply_style
from idinf.show.figures.canvas import NARROWEST as LEAST
from idinf.show.report_facts import build_supervision, write_formula_if_one_hot
from idinf.spec.spec import Answer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Longer words would have columns too narrow for their fractions.
MAX_WORD = 24

#: Inches: the labels left of the cells, the height of a cell, its width.
LABELS = 1.45
CELL = 0.27
WIDEST, NARROWEST = 0.85, 0.5

#: Points of the smallest text in a cell, and how wide its letters are for their size.
SMALLEST, LETTER = 5.0, 0.63

#: Cells of a higher value are written in white: the shade behind them is dark.
DARK = 0.8

#: As much of the width of a cell as its text may take.
FILLED = 0.9

#: Name, values, and shades where cells are shaded.
_Row = tuple[str, Sequence[Fraction], Sequence[Fraction]]

#: Characters of a symbol.
SYMBOL = 5


def draw_hypothesis(
    run: Report, word: str | None = None, record: int | None = None, look: Look = USUAL
) -> Figure:
    """Draw the computation of a hypothesis of a report on a word; column i is position i, from the top down.

    Records are numbered from 1. Without a number it is the last one, or the upper bound that an open run
    knows; without a word, the one that ends the last wrong record. Raises PlotError if there is no such
    record, or the word is longer than `MAX_WORD`, AlphabetMismatchError if the word has a symbol outside the
    alphabet, and ReportFormatError if the target of the report defines nothing.
    """
    name, dense, formula = _hypothesis(run, record)
    text = _default_word(run, dense.alphabet) if word is None else word
    codes = dense.alphabet.encode(text)
    if len(codes) > MAX_WORD:
        raise PlotError(
            f"the word has length {len(codes)}; expected at most {MAX_WORD}, for fractions to fit; shorten it"
        )
    try:
        done = trace_computation(dense, codes)
    except BudgetError as error:
        raise PlotError(str(error)) from None
    notes = [f"As a formula: {formula}."] if formula else []
    if dense.output is None:
        relation, verdict = (">", "accepted") if done.run.accepted else ("≤", "rejected")
        output = format_fraction(done.run.logits[dense.accept_row])
        compared = f"{output} {relation} {format_fraction(Fraction(dense.threshold))}"
        notes.append(f"Output at the last position: U y = {compared}, so it is {verdict}.")
    else:
        notes += _named_notes(run, dense, codes, done.run.next_symbols)
    return _draw(run, name, notes, dense.alphabet.decode(codes), done, look)


def _hypothesis(run: Report, record: int | None) -> tuple[str, LimitTransformer, str]:
    """Name of a hypothesis, its matrices, and its formula where there is one."""
    count = len(run.records)
    if not count:
        raise PlotError("records = []; expected at least one record to draw; give the run more time")
    if record is not None and not 1 <= record <= count:
        raise PlotError(f"there is no record {record}; expected one from 1 to {count}; choose one")
    if record is None and run.records[-1].fail is not None and run.upper_end is not None:
        r, _, upper = run.upper_end
        return f"known upper bound, R = {format_number(r)}", upper, str(write_formula_if_one_hot(upper) or "")
    number = count if record is None else record
    chosen = run.records[number - 1]
    return f"record {number}, R = {format_number(chosen.r)}", chosen.hypothesis, chosen.formula


def _default_word(run: Report, alphabet: Alphabet) -> str:
    """The word that rules out the last wrong record; on it the next record does better."""
    ends = [record.counterexample for record in run.records if record.counterexample]
    fitting = [word for word in ends if len(word) <= MAX_WORD]
    return fitting[-1] if fitting else (" " if alphabet.spaced else "").join(alphabet.symbols[:MAX_WORD])


def _named_notes(
    run: Report, net: LimitTransformer, word: Word, named: Sequence[tuple[str, ...]]
) -> list[str]:
    """Notes on the rule for output rows, and on wrong positions, by the target that the report describes."""
    threshold = format_fraction(Fraction(net.threshold))
    rule = (
        f"A symbol may follow, dark, where its row of U y is above {threshold}; $ is the end."
        if net.output is not None and net.output.kind is Answer.SET
        else "The symbol with the largest row of U y follows, dark, of equal ones the first; $ is the end."
    )
    asked = build_supervision(run.target)
    if asked is None or not asked.everywhere:
        return [rule]
    right = asked.next_symbols(word)
    places = [i for i, symbols in enumerate(right) if symbols is not None]
    wrong = [str(i) for i in places if set(named[i]) != set(right[i] or ())]
    positions = "position" if len(wrong) == 1 else "positions"
    said = f"Wrong at {positions} {', '.join(wrong)}" if wrong else "Right"
    if len(places) < len(right):
        said += f"; asked only at {', '.join(map(str, places))}" if places else ", as nothing is asked"
    outside = "" if asked.is_counted(word) else " The word is outside the domain: it does not count."
    return [rule, f"{said}.{outside}"]


@apply_style()
def _draw(run: Report, name: str, notes: Sequence[str], word: str, done: Computation, look: Look) -> Figure:
    symbols = [name if len(name) <= SYMBOL else f"{name[: SYMBOL - 1]}…" for name in done.symbols]
    positions = [f"{i}: {symbol}" for i, symbol in enumerate(symbols)]
    longest = max(map(len, (*positions, *map(format_fraction, _list_numbers(done)))))
    labels = min(LABELS, 0.85 + 0.075 * max(map(len, positions)))
    least = labels + len(symbols) * longest * SMALLEST * LETTER / 72 / FILLED + 0.15
    spacious = LABELS + len(symbols) * NARROWEST + 0.15
    sheet = Sheet(max(7.0, spacious), look, max(LEAST, least))
    if sheet.width >= spacious:
        labels = LABELS
    cell = min(WIDEST, (sheet.width - labels - 0.15) / len(symbols))
    sheet.heading(f"{run.target.name} on {word or 'the empty word'}: {name}")
    tables = _Tables(sheet, positions, cell, labels)
    for number, layer in enumerate(done.layers, start=1):
        tables.draw_layer(layer, f"Layer {number}")
    if done.rows:
        tables.draw_outputs(done)
    sheet.gap(0.12)
    about = (
        "Column i is position i; row i of α is the attention of query i to keys j ≤ i; z is the "
        "argument of a unit, u its value. All numbers are exact."
    )
    sheet.notes([*notes, about])
    return sheet.finish()


def _list_numbers(done: Computation) -> Iterator[Fraction]:
    """Every number in a cell."""
    for layer in done.layers:
        for row in itertools.chain.from_iterable(layer.attention):
            yield from row
        for _, values in (*layer.accumulators, *layer.arguments, *layer.units):
            yield from values
    for _, values in done.rows:
        yield from values


@dataclass(frozen=True, slots=True)
class _Tables:
    """Panels of cells below each other, a column for each position."""

    sheet: Sheet
    positions: Sequence[str]  #: with their symbols
    cell: float  #: width in inches
    labels: float  #: inches left of the cells

    @property
    def edge(self) -> float:
        """The left edge of the sheet, in points from the first column."""
        return 9 - 72 * self.labels

    def draw_layer(self, layer: LayerRows, name: str) -> None:
        """Draw attention, accumulators and units, with their meanings."""
        self.sheet.gap(0.36)
        panels = []
        for head, attention in enumerate(layer.attention, start=1):
            panels.append(self._draw_attention(attention, head))
            self.sheet.gap(0.07)
        rows: list[_Row] = [(name, values, ()) for name, values in layer.accumulators]
        for argument, (unit, values) in zip(layer.arguments, layer.units, strict=True):
            rows += [(*argument, ()), (unit, values, values)]
        if rows:
            panels.append(self._draw_rows(rows, "units"))
        if panels:
            self._head(panels[0], name)
        self.sheet.gap(0.06)
        self.sheet.key(layer.notes)

    def draw_outputs(self, done: Computation) -> None:
        """Draw the rows of U y of next symbols; those that follow are dark."""
        self.sheet.gap(0.36)
        rows: list[_Row] = [
            (symbol, values, [Fraction(symbol in named) for named in done.run.next_symbols])
            for symbol, values in done.rows
        ]
        self._head(self._draw_rows(rows, "outputs"), "Output")

    def _head(self, axes: Axes, name: str) -> None:
        """Write positions and symbols above the first panel, and a name beside them."""
        top = axes.get_ylim()[1]
        size = self._text_size(self.positions)
        for i, label in enumerate(self.positions):
            annotate(axes, label, (i + 0.5, top), (0, 5), ha="center", fontsize=size)
        annotate(axes, name, (0, top), (self.edge, 5), ha="left", fontsize=10, fontweight="bold")

    def _draw_attention(self, attention: Matrix, head: int) -> Axes:
        """Rows are queries i, columns are keys j <= i."""
        size = len(self.positions)
        rows = [[*row, *[None] * (size - len(row))] for row in attention]
        shades = [[math.nan if alpha is None else float(alpha) for alpha in row] for row in rows]
        texts = [["" if alpha is None else format_fraction(alpha) for alpha in row] for row in rows]
        axes = self._draw_table(shades, texts, self.positions, f"attention {head}")
        annotate(axes, f"head {head}\nα by row", (0, 0), (self.edge, -5), ha="left", va="top", fontsize=9)
        return axes

    def _draw_rows(self, rows: Sequence[_Row], gid: str) -> Axes:
        """Numbers; rows with shades, one a position, also as dark (1) and light (0) cells."""
        none = [math.nan] * len(self.positions)
        shades = [[min(1.0, 0.08 + float(shade)) for shade in of_row] or none for _, _, of_row in rows]
        texts = [[format_fraction(value) for value in values] for _, values, _ in rows]
        bold = [place for place, (_, _, of_row) in enumerate(rows) if of_row]
        return self._draw_table(shades, texts, [name for name, _, _ in rows], gid, bold)

    def _draw_table(
        self,
        shades: Sequence[Sequence[float]],
        texts: Sequence[Sequence[str]],
        labels: Sequence[str],
        gid: str,
        bold: Sequence[int] = (),
    ) -> Axes:
        """Draw a panel of texts on cells that are white (0) to dark (1), none where nan, beside row names.

        ``gid`` names the cells in the file; in rows ``bold`` texts are bold.
        """
        import numpy as np

        rows, columns = len(shades), len(self.positions)
        right = self.sheet.width - self.labels - self.cell * columns
        axes = self.sheet.panel(CELL * rows, self.labels, right)
        look: dict[str, Any] = {"cmap": "Blues", "vmin": 0.0, "vmax": 1.15, "edgecolors": "white", "gid": gid}
        cells = np.ma.masked_invalid(np.array(shades))
        axes.pcolormesh(np.arange(columns + 1), np.arange(rows + 1), cells, **look, linewidth=1.0)
        size = self._text_size(text for row in texts for text in row)
        middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
        for row, of_row in enumerate(texts):
            weight = "bold" if row in bold else "normal"
            for column, text in enumerate(of_row):
                if text:
                    colour = "white" if shades[row][column] > DARK else INK
                    axes.text(column + 0.5, row + 0.5, text, fontweight=weight, color=colour, **middle)
        axes.set_ylim(rows, 0)
        axes.set_xlim(0, columns)
        axes.set_xticks([])
        axes.set_yticks([place + 0.5 for place in range(len(labels))], labels)
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_visible(False)
        return axes

    def _text_size(self, texts: Iterable[str]) -> float:
        """One size for a panel: the largest, up to 9 points, at which its longest text fits a cell."""
        return min(9.0, FILLED * self.cell * 72 / (LETTER * max(map(len, texts))))


@dataclass(frozen=True, slots=True)
class LayerRows:
    """One layer; a row is a name and N numbers, one for each position 0..n."""

    #: (N, N) of each head, α_ij with query i and key j <= i; rows are ragged, row i has i + 1 entries.
    attention: tuple[Matrix, ...]
    accumulators: tuple[tuple[str, Vector], ...]  #: sums that attention adds to a coordinate of the stream
    arguments: tuple[tuple[str, Vector], ...]  #: A Y_i + b of each unit
    units: tuple[tuple[str, Vector], ...]  #: ψ(A Y_i + b)
    notes: tuple[str, ...]  #: meanings of the names


@dataclass(frozen=True, slots=True)
class Computation:
    """A whole forward pass, with names for its values."""

    run: ForwardTrace
    symbols: tuple[str, ...]  #: those read, `$` first
    layers: tuple[LayerRows, ...]
    rows: tuple[tuple[str, Vector], ...]  #: of every next symbol its row of U y_i; empty for acceptance


def trace_computation(dense: LimitTransformer, word: Word) -> Computation:
    """Run a hypothesis on a word by the definitions and name its values; exact.

    >>> from idinf.nets.one_hot import OneHotTransformer
    >>> from idinf.nets.one_hot import OneHotLayer, OneHotUnit
    >>> from idinf.base.words import Alphabet
    >>> unit = OneHotUnit((), s=(0, 1), b=0)
    >>> net = OneHotTransformer(Alphabet(("a",)), 0, (OneHotLayer((), (unit,)),), (1,), 0)
    >>> done = trace_computation(net.to_dense(), (0,))
    >>> done.run.accepted, done.layers[0].units, done.layers[0].notes
    (True, (('u1', (Fraction(0, 1), Fraction(1, 1))),), ('u1 = 1 iff [a] > 0',))
    """
    run, names = trace(dense, word), Names.of(dense)
    stream, layers = run.inputs, []
    for number, (layer, done) in enumerate(zip(dense.layers, run.layers, strict=True)):
        channels, units = names.channels[number], names.units[number]
        added = (tuple(y[k] - x[k] for x, y in zip(stream, done.mixed, strict=True)) for k in channels)
        read = zip(units, layer.mlp.A, layer.mlp.b, strict=True)
        notes = _channel_notes(layer, channels, names.coordinates)
        notes += _unit_notes(layer, units, names.read_by(number))
        layers.append(
            LayerRows(
                tuple(head.attention for head in done.heads),
                tuple(zip(channels.values(), added, strict=True)),
                tuple((f"z{u[1:]}", tuple(dot(row, y) + b for y in done.mixed)) for u, row, b in read),
                tuple(zip(units, zip(*done.activations, strict=True), strict=True)),
                tuple(notes),
            )
        )
        stream = done.outputs
    symbols = (SOS, *(dense.alphabet.symbols[code] for code in word))
    following = () if dense.output is None else zip(dense.output.symbols, dense.output.rows, strict=True)
    rows = tuple((name, tuple(dot(dense.unembedding[row], y) for y in stream)) for name, row in following)
    return Computation(run, symbols, tuple(layers), rows)


def _channel_notes(layer: Layer, named: dict[int, str], names: Sequence[str]) -> list[str]:
    notes = []
    for k, name in named.items():
        parts = [
            f"Σⱼ αᵢⱼ ({write_linear(head.V[k], names)}) of head {number}"
            for number, head in enumerate(layer.heads, start=1)
            if any(head.V[k])
        ]
        notes.append(f"{name} = {' + '.join(parts)}")
    heads = (f"head {number}: {describe_head(head)}" for number, head in enumerate(layer.heads, start=1))
    return [*heads, *notes]


def _unit_notes(layer: Layer, fired: Sequence[str], names: Sequence[str]) -> list[str]:
    notes = []
    for name, row, b, activation in zip(fired, layer.mlp.A, layer.mlp.b, layer.mlp.activation, strict=True):
        argument = write_linear(row, names, b)
        heaviside = activation.value == "heaviside"
        notes.append(f"{name} = 1 iff {argument} > 0" if heaviside else f"{name} = max({argument}, 0)")
    return notes
