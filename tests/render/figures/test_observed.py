"""Predicted beside observed: the numbers of the package, framed by the space of the report, with caveats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from idinf.experiments.bounds import SpaceBounds
from idinf.render.figures.observed import CAVEATS, ENCODINGS, draw_observed, load_published
from idinf.sweeps.row import Row
from tests.render.figures.drawn import artists, crowding, meshes, said
from tests.render.reports import renamed


def as_row(run):
    """The row of a report."""
    return Row.of_report(run.target.spec(), run)


def test_what_is_drawn_is_published(majority, parity, dyck):
    runs = [renamed(majority, "nowhere-published"), parity, dyck]
    figure = draw_observed([(str(k), as_row(run)) for k, run in enumerate(runs)])
    for encoding in ENCODINGS:
        (table,) = meshes(figure, f"observed {encoding}")
        for row, run in zip(table, runs, strict=True):
            known = [
                accuracy
                for (target, own, _), accuracy in load_published().items()
                if (target, own) == (run.target.name, encoding)
            ]
            assert list(row) == known if known else np.isnan(row).all()
    text = said(figure)
    for verdict in ("n₀ = 3", "open, n₀ ≥ 3", "n₀ = 5"):
        assert verdict in text
    flat = " ".join(text.split())
    assert all(caveat in flat for caveat in CAVEATS)
    assert crowding(figure) == []


def test_the_frame_follows_the_space(parity):
    lefts = {}
    for preset in ("nope", "local", "periodic", "family"):
        run = replace(parity, space=SpaceBounds.from_preset(preset))
        (frame,) = artists(draw_observed([("p", as_row(run))]), "frame 0")
        lefts[preset] = min(frame.get_xdata())
    assert lefts["nope"] == 0 < lefts["local"] == lefts["periodic"] == lefts["family"]
