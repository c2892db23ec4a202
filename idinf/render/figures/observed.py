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
from idinf.render.figures.canvas import (
    INK,
    MARGIN,
    USUAL,
    Look,
    Sheet,
    annotate,
    apply_style,
    draw_cells,
    draw_line,
)
from idinf.render.figures.table_cells import describe_row, shorten
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

#: Inches: the sheet, a row, and where columns of text and the numbers begin. A sheet of less than
#: `WITH_SPACE` inches has no column of spaces, one of less than `WITH_TEXTS` has texts above the numbers.
WIDTH, ROW = 8.6, 0.28
PRESET, PREDICTED, NUMBERS = 1.7, 2.4, 4.2
WITH_SPACE, WITH_TEXTS = 8.0, 6.7
NARROW_PREDICTED, NARROW_NUMBERS = 1.6, 3.5

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
    sheet = Sheet(WIDTH, look)
    sheet.heading("Predicted against observed")
    sheet.gap(0.5)
    _Table(sheet, labelled).draw()
    sheet.gap(0.14)
    predicted = (
        "Predicted: n₀ of the idealized procedure in the space of the report; open is no prediction of "
        "failure. Framed: the encoding that the space of the report is about."
    )
    sheet.notes([predicted, *CAVEATS])
    return sheet.finish()


class _Table:
    """The table itself; its rows are cells of numbers, and of texts where these have no room beside them."""

    def __init__(self, sheet: Sheet, labelled: Sequence[tuple[str, Row]]) -> None:
        width = sheet.width
        self.labelled = labelled
        self.is_stacked = width < WITH_TEXTS
        self.predicted, self.numbers = PREDICTED, NUMBERS
        if width < WITH_SPACE:
            self.predicted, self.numbers = NARROW_PREDICTED, MARGIN if self.is_stacked else NARROW_NUMBERS
        self.across = width - self.numbers - MARGIN
        self.cell = self.across / COLUMNS
        self.has_space = width >= WITH_SPACE
        self.each = 2 if self.is_stacked else 1  # rows of a target
        height = ROW * (0.8 if self.is_stacked else 1.0) * self.each * len(labelled)
        self.axes: Axes = sheet.panel(height, self.numbers, MARGIN)

    def draw(self) -> None:
        """Draw numbers with what stands above and beside them."""
        self._draw_numbers()
        self._draw_head()
        for place, (label, row) in enumerate(self.labelled):
            down = self.each * place + 0.5
            verdict = typeset(describe_row(row))
            if self.is_stacked:
                self._write(MARGIN, down, shorten(label), "bold", 8.0)
                self.axes.text(COLUMNS, down, verdict, ha="right", va="center", fontsize=8.0)
                continue
            self._write(MARGIN, down, shorten(label, 20))
            self._write(self.predicted, down, verdict)
            if self.has_space:
                self._write(PRESET, down, _preset(row))

    def _draw_numbers(self) -> None:
        import numpy as np

        known = load_published()
        runs = [row for _, row in self.labelled]
        size = min(8.5, 0.95 * self.cell * 72 / (5 * 0.64))
        for place, encoding in enumerate(ENCODINGS):
            start = place * (GROUP + BETWEEN)
            table = np.full((self.each * len(runs), GROUP), np.nan)
            table[self.each - 1 :: self.each] = [
                [known.get((run.target, encoding, low), np.nan) for low, _ in BINS] for run in runs
            ]
            texts = [["–" if np.isnan(value) else _score(value) for value in row] for row in table]
            if self.is_stacked:
                texts[::2] = [[]] * len(runs)
            draw_cells(self.axes, table, texts, f"observed {encoding}", size, start)
            for row, run in enumerate(runs):
                top = self.each * (row + 1) - 1
                if encoding == ("NoPE" if _preset(run) == "nope" else "APE") and not np.isnan(table[top, 0]):
                    across = [start, start + GROUP, start + GROUP, start, start]
                    down = [top + 0.05, top + 0.05, top + 0.95, top + 0.95, top + 0.05]
                    style = {"color": INK, "linewidth": 1.4, "clip_on": False, "zorder": 5}
                    draw_line(self.axes, zip(across, down, strict=True), **style, gid=f"frame {row}")
        self.axes.set_xlim(0, COLUMNS)
        self.axes.set_axis_off()

    def _draw_head(self) -> None:
        if not self.is_stacked:
            self._write(MARGIN, -0.45, "target", "bold")
            self._write(self.predicted, -0.45, "predicted", "bold")
        if self.has_space:
            self._write(PRESET, -0.45, "space", "bold")
        bins = "{}–{}" if self.has_space else "{}–\n{}"
        for place, title in enumerate(ENCODINGS.values()):
            start = place * (GROUP + BETWEEN)
            head: dict[str, Any] = {"ha": "center", "annotation_clip": False}
            size = 9.0 if self.has_space else 8.0
            annotate(
                self.axes, title, (start + GROUP / 2, 0), (0, 24), **head, fontsize=size, fontweight="bold"
            )
            for column, ends in enumerate(BINS):
                annotate(
                    self.axes, bins.format(*ends), (start + column + 0.5, 0), (0, 4), **head, fontsize=7.0
                )

    def _write(self, left: float, row: float, text: str, weight: str = "normal", size: float = 9.0) -> None:
        """Text by inches from the left edge of the sheet."""
        across = (left - self.numbers) / self.cell
        self.axes.text(across, row, text, ha="left", va="center", fontsize=size, fontweight=weight)


def _preset(row: Row) -> str:
    """The preset of the space, or the class."""
    return (row.space or "–").split()[0]


def _score(value: float) -> str:
    """All digits that were published, at most four: 1, .9996, .83, 0."""
    return f"{value:g}" if value in (0.0, 1.0) else f"{value:.4f}".strip("0")
