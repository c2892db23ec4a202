"""The kinds of figures, what each is drawn from, and which one fits some files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.errors import AlphabetMismatchError, PlotError, ReportFormatError
from idinf.files import show_path
from idinf.render.figures.curve import MAX_RUNS, draw_curve
from idinf.render.figures.family import draw_family
from idinf.render.figures.frontier import draw_frontier
from idinf.render.figures.hypothesis import draw_hypothesis
from idinf.render.figures.observed import draw_observed
from idinf.report import family, files
from idinf.report.family import FamilyReport, read_family
from idinf.report.files import read_document, report_from_dict
from idinf.report.value import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What figures are drawn from: a run, or the table of a family.
Drawable = Report | FamilyReport

#: How many files a kind takes at most.
MOST = {"frontier": 1, "curve": MAX_RUNS, "hypothesis": 1, "family": 1, "observed": 40}

KINDS = tuple(MOST)

#: Characters of a name in a legend or a table.
LABEL = 20


def read_drawable(path: str) -> Drawable:
    """Read a report or the table of a family; a ReportFormatError if a file is neither of them."""
    content = read_document(path)
    if content["format"] == family.FORMAT:
        return read_family(content, path)
    return report_from_dict(content, path)


def choose_kind(content: Drawable, count: int, about_word: bool) -> str:
    """Choose a kind by the first of ``count`` files, and whether a word or a record was chosen."""
    if isinstance(content, FamilyReport):
        return "family"
    if about_word:
        return "hypothesis"
    return "frontier" if count == 1 else "curve"


def draw(
    kind: str, named: Sequence[tuple[str, Drawable]], word: str | None = None, record: int | None = None
) -> Figure:
    """Draw a figure of one of `KINDS` from files with their names; the rest is as for `draw_hypothesis`.

    Raises PlotError if there are too many files, or one is not what this kind is drawn from.
    """
    if len(named) > MOST[kind]:
        most = "one" if MOST[kind] == 1 else f"at most {MOST[kind]}"
        raise PlotError(f"{len(named)} files for --kind {kind}; expected {most}; leave out the rest")
    for origin, content in named:
        _check(kind, content, origin)
    if kind in ("curve", "observed"):
        runs = [content for _, content in named if isinstance(content, Report)]
        labels = name_runs([(origin, run.target.name) for (origin, _), run in zip(named, runs, strict=True)])
        labelled = list(zip(labels, runs, strict=True))
        return draw_curve(labelled) if kind == "curve" else draw_observed(labelled)
    ((origin, content),) = named
    try:
        if isinstance(content, FamilyReport):
            return draw_family(content)
        return draw_frontier(content) if kind == "frontier" else draw_hypothesis(content, word, record)
    except (PlotError, AlphabetMismatchError, ReportFormatError) as error:
        raise type(error)(f"{show_path(origin)}: {error}") from None


def name_runs(named: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Name runs drawn together: by their targets, and by their files where that is not enough.

    Long names are cut to `LABEL` characters.

    Examples
    --------
    >>> name_runs([("runs/1.json", "parity"), ("runs/2.json", "parity"), ("3.json", "dyck-1")])
    ('1 (parity)', '2 (parity)', 'dyck-1')
    """
    targets = [target for _, target in named]
    once = {target for target in targets if targets.count(target) == 1}
    labels = [target if target in once else f"{Path(origin).stem} ({target})" for origin, target in named]
    return tuple(label if len(label) <= LABEL else f"{label[: LABEL - 1]}…" for label in labels)


def _check(kind: str, content: Drawable, origin: str) -> None:
    """Refuse what a kind is not drawn from."""
    if (kind == "family") == isinstance(content, FamilyReport):
        return
    given, wanted = files.FORMAT, f'"{family.FORMAT}", the table of a family'
    remedy = "write one with 'idinf family --json -o FILE', or choose another --kind"
    if kind != "family":
        given, wanted = family.FORMAT, f'"{files.FORMAT}", the report of one run'
        remedy = "write one with 'idinf identify --json -o FILE', or choose --kind family"
    raise PlotError(f'{show_path(origin)}: format = "{given}"; expected {wanted}; {remedy}')
