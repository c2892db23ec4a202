"""The kinds of figures, what each is drawn from, and which one fits some files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from idinf.render.figures.curve import MAX_RUNS, draw_curve
from idinf.render.figures.family import draw_family
from idinf.render.figures.frontier import draw_frontier
from idinf.render.figures.hypothesis import draw_hypothesis
from idinf.render.figures.inputs import PlotError, read_family, read_run
from idinf.render.figures.observed import draw_observed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["KINDS", "MOST", "default_kind", "draw"]

JsonObject = Mapping[str, object]

#: How many files a kind takes at most.
MOST = {"frontier": 1, "curve": MAX_RUNS, "hypothesis": 1, "family": 1, "observed": 40}

KINDS = tuple(MOST)


def default_kind(contents: Sequence[JsonObject], about_word: bool) -> str:
    """Choose a kind by what was given.

    Parameters
    ----------
    contents : sequence of JsonObject
        At least one.
    about_word : bool
        Whether a word or a record was chosen.

    Examples
    --------
    >>> run, family = {"format": "idinf-report/1"}, {"format": "idinf-family/1"}
    >>> default_kind([run], False), default_kind([run], True), default_kind([run, run], False)
    ('frontier', 'hypothesis', 'curve')
    >>> default_kind([family], False)
    'family'
    """
    if contents[0].get("format") == "idinf-family/1":
        return "family"
    if about_word:
        return "hypothesis"
    return "frontier" if len(contents) == 1 else "curve"


def draw(
    kind: str, named: Sequence[tuple[str, JsonObject]], word: str | None = None, record: int | None = None
) -> Figure:
    """Draw a figure.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    named : sequence of (str, JsonObject)
        Files by their names, ``idinf-report/1`` or, for a family, ``idinf-family/1``.
    word, record : optional
        As for `draw_hypothesis`.

    Raises
    ------
    PlotError
        If there are too many files, or one is not what this kind is drawn from.
    """
    if len(named) > MOST[kind]:
        most = "one" if MOST[kind] == 1 else f"at most {MOST[kind]}"
        raise PlotError(f"{len(named)} files for --kind {kind}; expected {most}; leave out the rest")
    if kind == "family":
        origin, content = named[0]
        return draw_family(read_family(content, origin))
    runs = [read_run(content, origin) for origin, content in named]
    match kind:
        case "curve":
            return draw_curve(runs)
        case "observed":
            return draw_observed(runs)
        case "hypothesis":
            return draw_hypothesis(runs[0], word, record)
        case _:
            return draw_frontier(runs[0])
