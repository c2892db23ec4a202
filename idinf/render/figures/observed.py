"""Predicted against observed: verdict and n0 of runs beside published accuracies of trained transformers.

``observed.csv`` has, for every shipped target that was trained on, three bins of lengths and up to three
encodings: ``NoPE`` and ``APE`` are the numbers behind Figure 1 of arXiv 2410.02140 as stored with its public
experiments (standard deviations with ddof 1; plotted values of the formal languages come without), ``later``
are single runs of the models of arXiv 2602.08857, of the first variant listed for the task.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from idinf.numbers import typeset
from idinf.render.figures.canvas import INK, MARGIN, USUAL, Look, Sheet, apply_style, draw_cells, draw_line
from idinf.render.figures.table_cells import describe_row
from idinf.sweeps.row import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Lengths, as they are nominally; see the caveats.
BINS = ((0, 50), (51, 100), (101, 150))

#: With what stands above their columns.
ENCODINGS = {"NoPE": "NoPE", "APE": "APE", "later": "later, 1 run"}

#: Said wherever these numbers are shown.
CAVEATS = (
    "Observed: accuracies of trained transformers by length, from the data behind Figure 1 of arXiv "
    "2410.02140 (NoPE, APE) and single runs of later models of the same group (arXiv 2602.08857).",
    "Figure 1 averages only runs that reached 100 % on the shortest bin. Where NoPE or APE is below 1 in "
    "that bin (PARITY, Tomita 3, 5, 6, {0,1,2}*02*), this cannot hold; the data do not say what was "
    "averaged there.",
    "The bins of the formal languages differ from the nominal 0–50, 51–100, 101–150 in the stored data: "
    "Tomita languages were trained to 100 with both test bins 101–150, (aaaa)* and (abab)* to 500.",
    "The later models contradict two points: {0,1,2}*02* has 1.0 everywhere, Tomita 3 has .9995, .9755, "
    ".8825. The figure is no clean ground truth.",
)

#: Inches: the sheet, a row, and where the columns of text end and the numbers begin.
WIDTH, ROW = 8.6, 0.28
PRESET, PREDICTED, NUMBERS = 1.7, 2.4, 4.2

#: Columns of an encoding, and between two of them.
GROUP, BETWEEN = len(BINS), 0.3
COLUMNS = GROUP * len(ENCODINGS) + BETWEEN * (len(ENCODINGS) - 1)


def load_published() -> dict[tuple[str, str, int], float]:
    """All accuracies, by target, encoding and the least length of the bin.

    Examples
    --------
    >>> [load_published()["parity", "APE", low] for low, _ in BINS]
    [1.0, 0.8295, 0.6206]
    """
    return {
        (row["target"], row["encoding"], int(row["bin_lo"])): float(row["accuracy"]) for row in list_rows()
    }


def list_rows() -> list[dict[str, str]]:
    """The rows of ``observed.csv``: means over runs, or plotted values where it gives no number of runs."""
    text = files("idinf.render.figures").joinpath("observed.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@apply_style()
def draw_observed(labelled: Sequence[tuple[str, Row]], look: Look = USUAL) -> Figure:
    """Draw a table with a row for each named target; accuracies are shaded from white (0) to dark (1).

    The accuracies that its run is about are framed: without positions (preset nope) NoPE, else APE.
    """
    runs = [row for _, row in labelled]
    sheet = Sheet(WIDTH, look, WIDTH)
    sheet.heading("Predicted against observed")
    sheet.gap(0.5)
    axes = sheet.panel(ROW * len(runs), NUMBERS, MARGIN)
    _draw_numbers(axes, runs)
    _draw_head(axes)
    for place, (label, row) in enumerate(labelled):
        _write(axes, MARGIN, place + 0.5, label)
        _write(axes, PRESET, place + 0.5, _preset(row))
        _write(axes, PREDICTED, place + 0.5, typeset(describe_row(row)))
    sheet.gap(0.14)
    predicted = (
        "Predicted: n₀ of the idealized procedure in the space of the report; open is no prediction of "
        "failure. Framed: the encoding that the space of the report is about."
    )
    sheet.notes([predicted, *CAVEATS])
    return sheet.finish()


def _preset(row: Row) -> str:
    """The preset of the space, or the class."""
    return (row.space or "–").split()[0]


def _draw_numbers(axes: Axes, runs: Sequence[Row]) -> None:
    import numpy as np

    known = load_published()
    for place, encoding in enumerate(ENCODINGS):
        start = place * (GROUP + BETWEEN)
        table = np.array(
            [[known.get((run.target, encoding, low), np.nan) for low, _ in BINS] for run in runs]
        )
        texts = [["–" if np.isnan(value) else _score(value) for value in row] for row in table]
        draw_cells(axes, table, texts, f"observed {encoding}", 8.5, start)
        for row, run in enumerate(runs):
            if encoding == ("NoPE" if _preset(run) == "nope" else "APE") and not np.isnan(table[row, 0]):
                across = [start, start + GROUP, start + GROUP, start, start]
                down = [row + 0.05, row + 0.05, row + 0.95, row + 0.95, row + 0.05]
                style = {"color": INK, "linewidth": 1.4, "clip_on": False, "zorder": 5}
                draw_line(axes, zip(across, down, strict=True), **style, gid=f"frame {row}")
    axes.set_xlim(0, COLUMNS)
    axes.set_axis_off()


def _score(value: float) -> str:
    """All digits that were published, at most four: 1, .9996, .83, 0."""
    return f"{value:g}" if value in (0.0, 1.0) else f"{value:.4f}".strip("0")


def _draw_head(axes: Axes) -> None:
    for left, title in ((MARGIN, "target"), (PRESET, "space"), (PREDICTED, "predicted")):
        _write(axes, left, -0.45, title, weight="bold")
    for place, title in enumerate(ENCODINGS.values()):
        start = place * (GROUP + BETWEEN)
        middle: dict[str, Any] = {"ha": "center", "va": "center"}
        axes.text(start + GROUP / 2, -1.3, title, **middle, fontsize=9, fontweight="bold")
        for column, (low, high) in enumerate(BINS):
            axes.text(start + column + 0.5, -0.45, f"{low}–{high}", **middle, fontsize=7.0)


def _write(axes: Axes, left: float, row: float, text: str, weight: str = "normal") -> None:
    """Text left of the numbers, by inches from the left edge of the sheet."""
    across = (left - NUMBERS) / (WIDTH - NUMBERS - MARGIN) * COLUMNS
    axes.text(across, row, text, ha="left", va="center", fontsize=9, fontweight=weight)
