"""Both sides together: tables, and what is refuted."""

import math

from idinf.crasp.programs import load
from idinf.lab.communication.study import LowerRow, Study, Subject
from idinf.targets.counting import CountingTarget
from idinf.targets.tasks import TASKS
from idinf.translate.compilation.compiler import compile_program


def dyck(max_n: int):
    loaded = load("dyck-1")
    net = compile_program(loaded.program, loaded.alphabet()).to_dense()
    machine = CountingTarget(loaded.program, loaded.alphabet())
    return Subject("dyck-1", "", net, machine).study(max_n, 2)


def test_the_protocol_never_sends_less_than_it_must() -> None:
    found = dyck(32)
    assert [row.n for row in found.upper] == [2, 3, 4, 6, 8, 12, 16, 24, 32]
    for _, upper, lower in found.rows():
        assert math.ceil(lower.bits) <= upper.bits <= upper.bound
    assert [row.all_words for row in found.upper][:5] == [True, True, True, True, False]


def test_what_is_refuted_grows_with_the_range() -> None:
    found = [Subject("", "", None, TASKS["equality"]).study(n, 1) for n in (8, 64, 512)]
    assert [one.refuted for one in found] == [4 / 3, 32 / 6, 256 / 9]
    assert Study(Subject("", "", None, None), (), None, (), (LowerRow(1, 1),), None).refuted is None
