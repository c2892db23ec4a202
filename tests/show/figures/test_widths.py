"""Every kind of `idinf plot` fits a column and a page of a paper: nothing overlaps, and nothing is cut."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.report.value import Outcome
from idinf.show.figures.canvas import Look
from idinf.show.figures.kinds import KINDS, draw
from idinf.tables.accuracies import parse_accuracies
from idinf.tables.row import Row
from tests.show.figures.drawn import crowding
from tests.show.reports import family_rows, golden

#: Millimetres of a column and of a page.
WIDTHS = (84, 174)

ROWS = tuple(
    Row(
        f"{'a-long-name-' * (k % 3)}{k}",
        outcome=outcome.value,
        max_n=1024,
        n0=2**k if outcome.is_identified else None,
        n0_lower=2**k,
        r_star=None if outcome is Outcome.OPEN else 6.5 + k,
        r_lower=6.5 + k,
        r_upper=20.0 if k % 2 else None,
        star_free="yes" if k % 2 else "no",
        crasp="yes" if k % 2 else "no",
        crasp_periodic_local=("yes", "no", "unknown")[k % 3],
    )
    for k, outcome in enumerate([*Outcome] * 2)
)


def accuracies(bins, targets):
    lines = [
        f"{target},{encoding},{lengths},{1 - 0.04 * place - 0.02 * seed},{seed}"
        for target in targets
        for place, lengths in enumerate(bins)
        for encoding in ("NoPE", "APE")
        for seed in (1, 2)
    ]
    return parse_accuracies("target,encoding,bin,accuracy,seed\n" + "\n".join(lines), "mine.csv")


def many(count):
    """Reports in the order of a paper, as files with their names."""
    found = [golden(name) for name in ("majority", "parity", "dyck-1")]
    hypothesis = found[0].records[-1].hypothesis
    bracket = replace(found[1].bracket, r_upper=12.5, upper_length=20, hypothesis=hypothesis)
    found += [replace(found[1], bracket=bracket)] * (count - 3)
    return [(f"run-{k}.json", run) for k, run in enumerate(found[:count])]


def cases():
    """A kind with what it is drawn from, and more of `draw`."""
    for name, run in many(4):
        yield "frontier", [(name, run)], {}
        yield "hypothesis", [(name, run)], {}
    for word in ("", "a", "aabbab"):
        yield "hypothesis", many(3)[2:], {"word": word}
    for count in (1, 3, 7):
        yield "curve", many(count), {}
    yield "family", [("f.csv", family_rows())], {}
    for named in (many(3), [("batch.csv", ROWS)]):
        yield "batch", named, {}
    yield "observed", many(3), {}
    names = [row.target for row in ROWS]
    for bins in (["0-50", "51-100", "101-150"], list(range(10, 70, 10)), list(range(10, 210, 10))):
        yield "observed", [("batch.csv", ROWS)], {"data": accuracies(bins, names)}
        yield "classes", [("batch.csv", ROWS)], {"data": accuracies(bins, names)}


CASES = list(cases())


def test_every_kind_is_among_them():
    assert {kind for kind, _, _ in CASES} == set(KINDS)


@pytest.mark.thinned(40)
@pytest.mark.parametrize("place", range(len(CASES)))
def test_texts_neither_overlap_nor_are_cut(place):
    kind, named, more = CASES[place]
    for width in WIDTHS:
        figure = draw(kind, named, **more, look=Look(width / 25.4))
        assert figure.get_figwidth() == pytest.approx(width / 25.4)
        assert crowding(figure) == []
