"""Figures of reports in one call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from idinf.errors import PlotError
from idinf.files import write_whole
from idinf.quoting import quoted
from idinf.render.figures.canvas import SUFFIXES, encode, load_matplotlib
from idinf.render.figures.kinds import KINDS, default_kind, draw, read_drawable
from idinf.report.family import FamilyReport
from idinf.report.value import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    *sources: Report | FamilyReport | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    kind: str | None = None,
    word: str | None = None,
    record: int | None = None,
) -> Figure:
    """Draw reports or the table of a family, as ``idinf plot`` does.

    Parameters
    ----------
    *sources : Report, Family or path
    path : path, optional
        Where to write the figure, too; ends in .svg or .png. The same sources give the same bytes.
    kind : str, optional
        ``frontier`` (of one report), ``curve`` (of several), ``hypothesis`` (on a word), ``family`` or
        ``observed`` (beside published accuracies); by content if it is not given.
    word : str, optional
        Of a hypothesis: the word it runs on.
    record : int, optional
        Of a hypothesis: which record of the report, from 1 on.

    Raises
    ------
    PlotError
        If it cannot be drawn, or matplotlib is not installed.
    """
    load_matplotlib()
    suffix = "" if path is None else Path(path).suffix.removeprefix(".").lower()
    if path is not None and suffix not in SUFFIXES:
        raise PlotError(
            f"{quoted(os.fspath(path))} ends in {quoted(suffix)}; expected .{' or .'.join(SUFFIXES)}; rename "
            "it"
        )
    if not sources or kind not in (None, *KINDS):
        raise PlotError(f"kind = {quoted(kind)}; expected reports and one of {', '.join(KINDS)}; name one")
    contents = [
        (f"report {place}", source)
        if isinstance(source, Report | FamilyReport)
        else (os.fspath(source), read_drawable(os.fspath(source)))
        for place, source in enumerate(sources, start=1)
    ]
    about_word = word is not None or record is not None
    chosen = kind or default_kind(contents[0][1], len(contents), about_word)
    figure = draw(chosen, contents, word, record)
    if path is not None:
        write_whole(os.fspath(path), encode(figure, suffix))
    return figure
