"""Classes of languages beside the published accuracies of trained transformers, in one call."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from idinf.errors import ArgumentError
from idinf.files import write_whole
from idinf.library.classification import TITLES, classify
from idinf.library.sources import Path, target_names
from idinf.numbers import align
from idinf.quoting import quote
from idinf.render.figures.canvas import encode, read_suffix
from idinf.render.figures.classes import Group, draw_classes, group_accuracies
from idinf.render.figures.observed import BINS, CAVEATS, ENCODINGS, load_published

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What is compared, in the order in which the paper turns it down and then proposes it.
CLASSES = ("star_free", "dot_depth", "ac0", "crasp", "crasp_periodic_local")


@dataclass(frozen=True, slots=True)
class Observed:
    """What each class says of the languages with published accuracies, and what these are."""

    low: int  #: the least length of the words that accuracies are about
    groups: tuple[Group, ...]

    def __str__(self) -> str:
        rows = [("class", "", "languages", *ENCODINGS.values())]
        rows += [
            (group.title, group.value, str(len(group.targets)), *(group.describe(e) for e in ENCODINGS))
            for group in self.groups
        ]
        bounds = f"mean, least and largest accuracy at lengths {self.low} to {dict(BINS)[self.low]}"
        return "\n".join([bounds, "", *align(rows, "<<>"), "", *CAVEATS])

    def plot(self, path: Path | None = None) -> Figure:
        """Draw the accuracies by class, and write the figure to a file if one is named.

        Raises
        ------
        PlotError
            If matplotlib is not installed, or the file does not end in .svg, .pdf or .png.
        """
        suffix = None if path is None else read_suffix(os.fspath(path))
        figure = draw_classes(self.groups, self.low)
        if path is not None and suffix is not None:
            write_whole(os.fspath(path), encode(figure, suffix))
        return figure


def observed(low: int = 101) -> Observed:
    """Classify all languages with published accuracies, and group these by the verdicts.

    Accuracies are those of words of length 0 to 50, 51 to 100 or 101 to 150; ``low`` is the least of them.

    Raises
    ------
    ArgumentError
        If there is no such bin.

    Examples
    --------
    >>> [group.targets for group in observed().groups if group.title == "dot-depth"][-1]
    ('d-12',)
    """
    if low not in dict(BINS):
        expected = ", ".join(str(least) for least, _ in BINS)
        raise ArgumentError(f"low = {quote(low)}; expected one of {expected}; choose one")
    shipped = target_names()
    known = dict.fromkeys(target for target, _, _ in load_published() if target in shipped)
    titles = {**TITLES, "dot_depth": "dot-depth"}
    verdicts = {}
    for target in known:
        said = classify(target).to_dict()
        verdicts[target] = {titles[key]: said[key]["verdict"] for key in CLASSES}
    return Observed(low, group_accuracies(verdicts, low))
