"""Classes of languages against published accuracies: Figures 2 and 4 of [HYB25], and C-RASP beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from idinf.render.figures.canvas import COLOURS, INK, PALE, Sheet, apply_style, draw_line, draw_points
from idinf.render.figures.observed import BINS, CAVEATS, ENCODINGS, load_published

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: How wide a group is drawn for each encoding; groups are 1 apart.
SPREAD = 0.28


@dataclass(frozen=True, slots=True)
class Group:
    """The languages that have one value of a class, with the accuracies that were observed.

    Parameters
    ----------
    title, value : str
        The class as texts name it, and the verdict, or the dot-depth.
    targets : tuple of str
    accuracies : mapping of str to tuple of float
        By encoding, in the order of the targets; those without a published number are left out.
    """

    title: str
    value: str
    targets: tuple[str, ...]
    accuracies: Mapping[str, tuple[float, ...]]

    def describe(self, encoding: str) -> str:
        """Mean, least and largest accuracy of an encoding."""
        found = self.accuracies[encoding]
        return f"{fmean(found):.3f}  ({min(found):g} to {max(found):g})" if found else "–"


def group_accuracies(verdicts: Mapping[str, Mapping[str, str]], low: int) -> tuple[Group, ...]:
    """Group targets by what each class says of them, with their accuracies in the bin that begins at ``low``.

    A target of which a class says nothing (``unknown``) is in no group of that class; ``none`` as a dot-depth
    is left out as well. Members come first, small dot-depths first.

    Examples
    --------
    >>> groups = group_accuracies({"parity": {"C-RASP[]": "no"}, "tomita-1": {"C-RASP[]": "yes"}}, 101)
    >>> [(group.value, group.targets, group.accuracies["APE"]) for group in groups]
    [('yes', ('tomita-1',), (1.0,)), ('no', ('parity',), (0.6206,))]
    """
    known = load_published()
    found = []
    for title in dict.fromkeys(title for said in verdicts.values() for title in said):
        values = {said[title] for said in verdicts.values()} - {"unknown", "none"}
        for value in sorted(values, key=lambda text: (text == "no", int(text) if text.isdigit() else 0)):
            targets = tuple(target for target, said in verdicts.items() if said[title] == value)
            accuracies = {
                encoding: tuple(
                    known[target, encoding, low] for target in targets if (target, encoding, low) in known
                )
                for encoding in ENCODINGS
            }
            found.append(Group(title, value, targets, accuracies))
    return tuple(found)


@apply_style()
def draw_classes(groups: Sequence[Group], low: int) -> Figure:
    """Draw a column of points for each group: accuracies in the bin that begins at ``low``.

    A good class has all points of its members at 1 and all others far below. Lines are means.
    """
    high = dict(BINS)[low]
    sheet = Sheet(8.6)
    sheet.heading(f"Classes of languages against accuracies at lengths {low}–{high}")
    sheet.gap(0.22)
    axes = sheet.panel(3.2, 0.7, 0.15, ruled=True)
    sheet.gap(0.46)
    for place, encoding in enumerate(ENCODINGS):
        marks, means = [], []
        for column, group in enumerate(groups):
            middle = column + (place - 1) * 1.12 * SPREAD
            values = sorted(group.accuracies[encoding])
            step = SPREAD / max(1, len(values))
            marks += [(middle + (k - (len(values) - 1) / 2) * step, value) for k, value in enumerate(values)]
            if values:
                ends = (middle - SPREAD / 2, middle + SPREAD / 2)
                means.append([(end, fmean(values)) for end in ends])
        look = {"gid": f"accuracies {encoding}", "label": encoding, "zorder": 3}
        draw_points(axes, marks, "osD"[place], 4.2, COLOURS[place], "white", **look, markeredgewidth=0.4)
        for mean in means:
            draw_line(axes, mean, color=COLOURS[place], linewidth=1.2, zorder=2)
    starts = [k for k, group in enumerate(groups) if k and group.title != groups[k - 1].title]
    for start in starts:
        draw_line(axes, [(start - 0.5, -0.05), (start - 0.5, 1.05)], color=PALE, linewidth=0.8)
    labels = [f"{group.value}\n{len(group.targets)}" for group in groups]
    axes.set_xticks(range(len(groups)), labels)
    for first, last in zip([0, *starts], [*starts, len(groups)], strict=True):
        middle = (first + last - 1) / 2
        axes.text(middle, 1.09, groups[first].title, ha="center", va="bottom", fontsize=8, color=INK)
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_ylim(-0.05, 1.05)
    axes.set_ylabel("accuracy")
    sheet.legend(axes, len(ENCODINGS))
    sheet.gap(0.06)
    sheet.notes(["Below each verdict: how many languages have it. Lines are means.", *CAVEATS])
    return sheet.finish()
