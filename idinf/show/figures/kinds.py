"""The kinds of figures, the content of each, and the kind that fits some files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.base.files import show_path
from idinf.errors import AlphabetMismatchError, PlotError, ReportFormatError, SpecError
from idinf.report.files import read_document, report_from_dict
from idinf.report.value import FORMAT, Report
from idinf.show.figures.canvas import USUAL, Look
from idinf.show.figures.hypothesis import draw_hypothesis
from idinf.show.figures.lines import draw_family
from idinf.show.figures.rows import draw_accuracies, draw_batch, draw_classes, read_published, shorten
from idinf.show.figures.runs import MAX_RUNS, draw_curve, draw_frontier
from idinf.tables.accuracies import Accuracies
from idinf.tables.classes import list_class_cells
from idinf.tables.row import Row, read_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Content of a figure: a run, or the rows of a batch.
Drawable = Report | tuple[Row, ...]

#: How many files a kind takes at most.
MOST = {
    "frontier": 1,
    "curve": MAX_RUNS,
    "hypothesis": 1,
    "family": 1,
    "batch": 200,
    "observed": 200,
    "classes": 200,
}

KINDS = tuple(MOST)

#: Kinds that set accuracies beside rows, and kinds that draw rows.
OF_DATA = ("observed", "classes")
OF_ROWS = (*OF_DATA, "batch", "family")

#: Characters of a name in a legend or a table.
LABEL = 20


def read_drawable(path: str) -> Drawable:
    """Read a report or, where the name ends in .csv, the rows of a batch; a ReportFormatError if neither."""
    if path.lower().endswith(".csv"):
        return read_rows(path)
    content = read_document(path)
    return report_from_dict(content, path)


def choose_kind(content: Drawable, count: int, about_word: bool, has_data: bool = False) -> str:
    """Choose a kind by the first of ``count`` files, and by a given word, record or data."""
    if has_data:
        return "observed"
    if isinstance(content, tuple):
        families = {row.family for row in content}
        is_family = count == 1 and len(families) == 1 and families != {None}
        return "family" if is_family else "batch"
    if about_word:
        return "hypothesis"
    return "frontier" if count == 1 else "curve"


def draw(
    kind: str,
    named: Sequence[tuple[str, Drawable]],
    word: str | None = None,
    record: int | None = None,
    data: Accuracies | None = None,
    look: Look = USUAL,
) -> Figure:
    """Draw a figure of one of `KINDS` from files with their names; the rest is as for `draw_hypothesis`.

    Accuracies, which only `OF_DATA` take, replace the published ones. Raises PlotError if there are too
    many files, or one is no content of this kind.
    """
    if len(named) > MOST[kind]:
        most = "one" if MOST[kind] == 1 else f"at most {MOST[kind]}"
        raise PlotError(f"{len(named)} files for --kind {kind}; expected {most}; leave out the rest")
    for origin, content in named:
        if not isinstance(content, Report) and kind not in OF_ROWS:
            raise PlotError(
                f'{show_path(origin)}: a CSV; expected "{FORMAT}", the report of one run; write one with '
                "'idinf identify --json -o FILE', or choose --kind batch"
            )
    if kind in OF_ROWS:
        rows = list_rows(named)
        if kind == "family":
            return draw_family([row for _, row in rows], look)
        if kind == "batch":
            return draw_batch(rows, look)
        beside = read_published() if data is None else data
        if kind == "observed":
            return draw_accuracies(rows, beside, look)
        return draw_classes([row for _, row in rows], beside, look)
    if kind == "curve":
        runs = [content for _, content in named if isinstance(content, Report)]
        labels = name_runs([(origin, run.target.name) for (origin, _), run in zip(named, runs, strict=True)])
        return draw_curve(list(zip(labels, runs, strict=True)), look)
    ((origin, content),) = named
    try:
        assert isinstance(content, Report)
        if kind == "frontier":
            return draw_frontier(content, look)
        return draw_hypothesis(content, word, record, look)
    except (PlotError, AlphabetMismatchError, ReportFormatError) as error:
        raise type(error)(f"{show_path(origin)}: {error}") from None


def list_rows(named: Sequence[tuple[str, Drawable]]) -> list[tuple[str, Row]]:
    """The rows of batches, and of reports, each with a name of its own."""
    found: list[tuple[str, Row]] = []
    for origin, content in named:
        if isinstance(content, tuple):
            found += [(origin, row) for row in content]
        elif isinstance(content, Report):
            try:
                spec = content.target.spec()
                classes = list_class_cells(spec)
            except SpecError as error:
                raise ReportFormatError(f"{show_path(origin)}: {error}") from None
            found.append((origin, Row.of_report(spec, content, classes)))
    if not found:
        raise PlotError("no row to draw; expected a batch with at least one; run more targets")
    if len(named) == 1:  # rows of one file need no name of the file
        return [(row.target, row) for _, row in found]
    labels = name_runs([(origin, row.target) for origin, row in found])
    return [(label, row) for label, (_, row) in zip(labels, found, strict=True)]


def name_runs(named: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Name runs drawn together: by their targets, and by their files where that is not enough.

    Long names are cut to `LABEL` characters.

    >>> name_runs([("runs/1.json", "parity"), ("runs/2.json", "parity"), ("3.json", "dyck-1")])
    ('1 (parity)', '2 (parity)', 'dyck-1')
    """
    targets = [target for _, target in named]
    once = {target for target in targets if targets.count(target) == 1}
    labels = [target if target in once else f"{Path(origin).stem} ({target})" for origin, target in named]
    return tuple(shorten(label, LABEL) for label in labels)
