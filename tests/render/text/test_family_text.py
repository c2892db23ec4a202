"""The text of a family: rows, maxima and laws, and honest words about what is not settled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from idinf.experiments.catalogue import load_family
from idinf.inference.settings import Settings
from idinf.render.text.family import render_family
from idinf.report.family import FamilyReport
from idinf.sweeps.family_table import build_family_report, fits_of
from idinf.sweeps.sweep import Sweep

SPACE = "nope, layers <= 1, heads <= 1, units <= 1, precision <= 2"


@pytest.fixture(scope="module")
def table() -> FamilyReport:
    """Members up to T = 2, without proofs for all n."""
    family = load_family("ge-k-j")
    asked = [
        Settings(max_n=8, anneal_steps=0, proves=False, preset="spec").about(spec, "ge-k-j")
        for spec in family.members(2)
    ]
    questions = [replace(settings, max_n_cap=16) for settings in asked]
    found = build_family_report(family, questions, dict(Sweep(questions).answers()))
    return replace(found, members=tuple(replace(member, seconds=1.25) for member in found.members))


def test_text(table: FamilyReport) -> None:
    assert render_family(table).splitlines() == [
        "family  ge-k-j over 0 1: k in 1..16, j in 1..16, gcd 1; T = max(k, j)",
        f"space   {SPACE}; max_r 14, work 60000, aggregate max, tolerance 1/(2n)",
        "",
        "  member  T  outcome     R*           n0  max n  seconds",
        "  ge-1-1  1  identified  8.414213562  3   8      1.25",
        "  ge-1-2  2  identified  9.118033989  5   16     1.25",
        "  ge-2-1  2  identified  9.118033989  4   8      1.25",
        "",
        "  T  max n0  reached by",
        "  1  3       ge-1-1",
        "  2  5       ge-1-2",
        "",
        "no fit: 2 of 2 sizes settled, at least 3 are needed",
        "every n0 is exact for n from 1 to the max n of its row; nothing is claimed beyond",
        "max n: doubled from 8 until n0 <= max n / 2, at most 16",
    ]


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        (
            [3, 5, 8, 12, 16, 20],
            ["n0 = 4(T - 1) for all T in 3..6", "outside of it: T = 1 has 3, T = 2 has 5"],
        ),
        (
            [0, 0, None, 6],
            [
                "linear least squares over T in 1, 2, 4: n0 ~ 2.143(T - 1) - 0.857, "
                "residual 0.926 (root mean square), at most 1.286",
                "not settled, so not part of it: T = 3",
            ],
        ),
    ],
)
def test_laws(values: list[int | None], lines: list[str], table: FamilyReport) -> None:
    pattern = table.maxima[0]
    maxima = [replace(pattern, size=size, n0=n0) for size, n0 in enumerate(values, start=1)]
    points = [(maximum.size, maximum.n0) for maximum in maxima if maximum.n0 is not None]
    text = render_family(replace(table, maxima=tuple(maxima), fits=fits_of(points)))
    assert "\n" + "\n".join(lines) + "\n" in text
