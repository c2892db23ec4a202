"""Figures of runs, and correlations of their results with accuracies of trained transformers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack

from idinf.base.files import take_path
from idinf.base.numbers import MISSING, align
from idinf.base.quoting import list_some, quote
from idinf.errors import ArgumentError, PlotError
from idinf.report.rows import Rows
from idinf.report.value import Outcome, Path, Report
from idinf.tables.accuracies import (
    ENOUGH,
    LEAST,
    METHODS,
    Accuracies,
    Correlation,
    correlate_all,
    least_noticed,
    list_rivals,
    take_accuracies,
)
from idinf.tables.row import Row, read_rows

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from idinf.show.figures.kinds import Drawable


class HasRow(Protocol):
    """An item of a batch, with the one attribute that figures read."""

    @property
    def row(self) -> Row:
        """The cells of ``idinf batch``."""


class LookArguments(TypedDict, total=False):
    """Options of a figure beside its content; each as for `plot`, with the same default."""

    width: float | None
    title: bool
    caption: bool


def plot(
    *sources: Report | tuple[HasRow, ...] | Path,
    path: Path | None = None,
    kind: str | None = None,
    word: str | None = None,
    record: int | None = None,
    data: Path | pandas.DataFrame | None = None,
    **look: Unpack[LookArguments],
) -> Figure:
    """Draw reports or a batch, as ``idinf plot`` does.

    Parameters
    ----------
    path : path, optional
        Where to write the figure, too; ends in .svg, .pdf or .png. The same sources give the same bytes.
    kind : str, optional
        ``frontier`` (of one report), ``curve`` (of several), ``hypothesis`` (on a word), ``family``,
        ``batch``, ``observed`` (beside accuracies) or ``classes`` (against accuracies); by content if it is
        not given.
    word, record : optional
        Of a hypothesis: the word it runs on, and which record of the report it is, from 1 on.
    data : path or pandas.DataFrame, optional
        Accuracies, as for `correlate`; the published ones if they are not given.
    **look
        ``width`` in inches; ``title`` and ``caption``, True to draw them; `caption` gives them anyway.

    Raises
    ------
    ArgumentError
        If the figure cannot be so narrow or so wide.
    PlotError
        If it cannot be drawn, or matplotlib is not installed.
    """
    from idinf.show.figures.canvas import Look, load_matplotlib, read_suffix, write_figure
    from idinf.show.figures.kinds import KINDS, OF_DATA, choose_kind, draw

    load_matplotlib()
    if path is not None:
        read_suffix(take_path(path))
    if not sources or kind not in (None, *KINDS):
        raise PlotError(f"kind = {quote(kind)}; expected reports and one of {', '.join(KINDS)}; name one")
    contents = [_name_content(source, place) for place, source in enumerate(sources, start=1)]
    about_word = word is not None or record is not None
    chosen = kind or choose_kind(contents[0][1], len(contents), about_word, data is not None)
    if data is not None and chosen not in OF_DATA:
        raise ArgumentError(
            f"data is about kinds {' and '.join(OF_DATA)}, not {chosen}; leave one of them out"
        )
    accuracies = None if data is None else take_accuracies(data)
    return write_figure(lambda: draw(chosen, contents, word, record, accuracies, Look(**look)), path)


def _name_content(source: Report | tuple[HasRow, ...] | Path, place: int) -> tuple[str, Drawable]:
    """Name of a source in messages, and the content that is drawn."""
    if isinstance(source, Report):
        return f"report {place}", source
    if isinstance(source, tuple):
        return f"batch {place}", tuple(item.row for item in source)
    from idinf.show.figures.kinds import read_drawable

    return take_path(source), read_drawable(take_path(source))


def caption(figure: Figure) -> str:
    """Give the title and the text below a figure of `plot`, one line each, drawn or not."""
    from idinf.show.figures.canvas import read_caption

    return read_caption(figure)


#: How texts name the quantities; k states have the ranks of 2k - 2.
TITLES = {"r_star": "R*", "n0": "n0", "states": "k, 2k - 2"}


@dataclass(frozen=True)
class Correlations:
    """Rank correlations, one row for each encoding, bin of lengths and quantity, and caveats."""

    method: str
    rows: Rows[Correlation]
    notes: tuple[str, ...]

    def to_frame(self) -> pandas.DataFrame:
        """Make a pandas table of the rows."""
        return self.rows.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """Write ``idinf-correlation/1``, plain values that JSON takes."""
        return {
            "format": "idinf-correlation/1",
            "method": self.method,
            "correlations": [{**asdict(row), "left_out": list(row.left_out)} for row in self.rows],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        sign = "ρ" if self.method == "spearman" else "τ"
        head = ("encoding", "lengths", "with", "languages", sign, "95 % interval", "open", "γ", "pairs")
        table = [head, *map(_cells, self.rows)]
        title = f"Rank correlations with accuracy, {METHODS[self.method]}"
        return "\n".join([title, "", *align(table, "<<<>><>>>"), "", *self.notes])

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


def correlate(
    batch: tuple[HasRow, ...] | Path, data: Path | pandas.DataFrame | None = None, *, method: str = "spearman"
) -> Correlations:
    """Correlate R*, n0 and the number of states of targets with accuracies, as ``idinf plot --data`` does.

    Parameters
    ----------
    batch : Batch or path
        A result of `batch`, or the CSV of ``idinf batch``.
    data : path or pandas.DataFrame, optional
        Accuracies: columns ``target`` and ``accuracy``, and perhaps ``length`` or ``bin``, ``encoding`` and
        ``seed``; the published ones if they are not given. Means over seeds are correlated.
    method : str
        ``spearman`` or ``kendall``.

    Raises
    ------
    ReportFormatError
        If a file is wrong, with line and column.
    ArgumentError
        If there is no such method.
    """
    from idinf.show.figures.rows import read_published

    rows = tuple(item.row for item in batch) if isinstance(batch, tuple) else read_rows(take_path(batch))
    return correlate_rows(rows, read_published() if data is None else take_accuracies(data), method)


def correlate_rows(rows: tuple[Row, ...], data: Accuracies, method: str) -> Correlations:
    """Correlate rows of a batch, with caveats.

    Examples
    --------
    >>> from idinf.tables.accuracies import parse_accuracies
    >>> rows = tuple(Row(name, outcome="open", n0_lower=2, r_lower=9.0) for name in "ab")
    >>> data = parse_accuracies("target,accuracy\\na,1\\nb,0.5\\n", "x.csv")
    >>> print(correlate_rows(rows, data, "spearman"))
    Rank correlations with accuracy, Spearman's ρ
    <BLANKLINE>
    encoding  lengths  with       languages  ρ  95 % interval  open  γ  pairs
    -         all      R*                 0  -  -                 2  -      0
    -         all      n0                 0  -  -                 2  -      0
    -         all      k, 2k - 2          0  -  -                 0  -      0
    <BLANKLINE>
    k is the number of states of the minimal complete DFA.
    Left out, as only a bracket of R* is known: a, b.
    Left out, as only a bracket of n0 is known: a, b.
    Open targets tend to be hard ones, so what is left out is no random sample.
    γ takes all pairs that values or brackets order.
    No coefficient below 5 languages (here 0): chance orders 4 perfectly, up or down, once in 12.
    Several correlations are shown: some look large by chance alone.
    """
    found = correlate_all(rows, data, method)
    return Correlations(method, Rows(found), tuple(_notes(found, rows, data, method)))


def _notes(found: tuple[Correlation, ...], rows: tuple[Row, ...], data: Accuracies, method: str) -> list[str]:
    notes = ["k is the number of states of the minimal complete DFA."]
    for quantity in dict.fromkeys(one.quantity for one in found):
        names = dict.fromkeys(name for one in found if one.quantity == quantity for name in one.left_out)
        if names:
            told = f"only a bracket of {TITLES[quantity]} is known"
            notes.append(f"Left out, as {told}: {list_some(names, ', ')}.")
    if notes:
        notes.append("Open targets tend to be hard ones, so what is left out is no random sample.")
        notes.append("γ takes all pairs that values or brackets order.")
    wanted = set(data.targets)
    if partly := sum(row.target in wanted and row.outcome == Outcome.IDENTIFIED.value for row in rows):
        notes.append(f"n0 of {partly} of the targets is shown up to their max n only, not for every n.")
    given = {row.target for row in rows}
    if unknown := [target for target in data.targets if target not in given]:
        notes.append(f"With accuracies, but not in the batch: {list_some(unknown, ', ')}.")
    notes += list_rivals(rows, data)
    counts = sorted({one.languages for one in found})
    if any(one.coefficient is not None for one in found):
        variance = "(1 + ρ²/2)/(n - 3) (Bonett, Wright)" if method == "spearman" else "0.437/(n - 4)"
        notes.append(f"Intervals by Fisher's transformation of n languages, with variance {variance}.")
    if any(one.coefficient is None and one.languages >= LEAST for one in found):
        notes.append("No coefficient where all values or all accuracies are equal.")
    if any(n < LEAST for n in counts):
        here = ", ".join(str(n) for n in counts if n < LEAST)
        told = f"chance orders {LEAST - 1} perfectly, up or down, once in 12"
        notes.append(f"No coefficient below {LEAST} languages (here {here}): {told}.")
    if few := [n for n in counts if LEAST <= n < ENOUGH]:
        least = ", ".join(f"{least_noticed(n, method):.2f} with {n}" for n in few)
        notes.append(
            f"Low power below {ENOUGH} languages: only a correlation beyond about {least} is told apart "
            "from 0 in four of five samples."
        )
    if len(found) > 1:
        notes.append("Several correlations are shown: some look large by chance alone.")
    return notes


def _cells(row: Correlation) -> tuple[str, ...]:
    interval = MISSING if row.low is None else f"{_number(row.low)} to {_number(row.high)}"
    return (
        row.encoding or MISSING,
        row.lengths,
        TITLES[row.quantity],
        str(row.languages),
        _number(row.coefficient),
        interval,
        str(len(row.left_out)),
        _number(row.agreeing),
        str(row.ordered),
    )


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"
