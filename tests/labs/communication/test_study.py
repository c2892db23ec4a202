"""Both sides together: tables, laws, what is refuted."""

from __future__ import annotations

import math

from idinf.compilation.compiler import compile_program
from idinf.crasp.library import load
from idinf.labs.communication.study import (
    LowerRow,
    Study,
    fit_laws,
    list_lengths_up_to,
    measure_study,
)
from idinf.targets.counting import CountingTarget
from idinf.targets.tasks import TASKS


def dyck(max_n: int):
    loaded = load("dyck-1")
    net = compile_program(loaded.program, loaded.alphabet()).to_dense()
    machine = CountingTarget(loaded.program, loaded.alphabet())
    return measure_study("dyck-1", "", net, machine, list_lengths_up_to(max_n), 2)


def test_the_protocol_never_sends_less_than_it_must() -> None:
    found = dyck(32)
    assert [row.n for row in found.upper] == [2, 3, 4, 6, 8, 12, 16, 24, 32]
    for _, upper, lower in found.rows():
        assert math.ceil(lower.bits) <= upper.bits <= upper.bound
    assert [row.all_words for row in found.upper][:5] == [True, True, True, True, False]
    assert [law.model for law in found.upper_laws] == ["C*log2(n) + D", "C*n + D"]


def test_linear_and_logarithmic_are_told_apart() -> None:
    lengths = list_lengths_up_to(128)
    for name in TASKS:
        found = measure_study(name, "", None, TASKS[name], lengths, 1)
        logarithmic, linear = found.lower_laws
        assert found.growth.kind == "linear"
        assert linear.residual < logarithmic.residual
        assert found.refuted > 6
    logarithmic, linear = dyck(48).lower_laws
    assert logarithmic.residual < linear.residual


def test_what_is_refuted_grows_with_the_range() -> None:
    found = [measure_study("", "", None, TASKS["equality"], list_lengths_up_to(n), 1) for n in (8, 64, 512)]
    assert [one.refuted for one in found] == [4 / 3, 32 / 6, 256 / 9]
    assert Study("", "", (), None, (), (LowerRow(1, 1),), None).refuted is None


def test_laws_of_exact_points() -> None:
    points = [(n, 3.0 * n + 1) for n in (1, 2, 5, 9)]
    law = fit_laws(points)[1]
    assert law.model == "C*n + D"
    assert (round(law.slope, 9), round(law.offset, 9), round(law.residual, 9)) == (3.0, 1.0, 0.0)
    assert fit_laws(points[:2]) == ()
