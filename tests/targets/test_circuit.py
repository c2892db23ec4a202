"""The circuit keeps one counter per primitive form and nothing the output does not need."""

from __future__ import annotations

import pytest

from idinf.crasp.checker import read_program
from idinf.targets.circuit import (
    Choice,
    ConstantNode,
    Not,
    ProgramCircuit,
    ThresholdTest,
    Window,
    build_circuit,
    list_parts,
)
from idinf.words import Alphabet

SIGMA = Alphabet(("a", "b"))


def circuit(text: str) -> ProgramCircuit:
    return build_circuit(read_program(text, SIGMA), SIGMA)


def forms(text: str) -> set[tuple[tuple[int, int], ...]]:
    return {node.form for _, node in circuit(text).nodes if isinstance(node, ThresholdTest)}


@pytest.mark.parametrize(
    "comparison",
    [
        '# "a" < # "b"',
        '# "b" > # "a"',
        '6 * # "a" - 6 * # "b" <= -4',
        '# "b" + # "a" - 2 * # "a" >= 7',
        '-(# "a" - # "b") != 3',
        '# "a" == # "b"',
    ],
)
def test_multiples_of_one_form_share_it(comparison: str) -> None:
    assert forms(f'x = # "a" <= # "b" y = {comparison} z = x && y') == {((1, 0), (-1, 1))}


@pytest.mark.parametrize(
    "text",
    [
        'x = # "a" >= 0',
        'x = # "a" > -3',
        'x = # "a" == # "a"',
        "x = !(3 < 2)",
        'x = 2 * # "a" != 3',
        "x = # false == 0",
        'x = #[j > i] "a" == 0',
        'x = (1 if true else # "a") == 1',
        "x = (i mod 1 == 0)",
        'x = true || # "a" > 3',
    ],
)
def test_what_always_holds_is_a_constant(text: str) -> None:
    assert [node for _, node in circuit(text).nodes] == [ConstantNode(True)]


def test_parts_have_smaller_numbers() -> None:
    text = (
        'p = #[j >= i-2] ("a" || (i mod 3 == 1)) q = min(p, # "b") + max(# "a", 3) '
        'x = (q if # "a" > # "b" else -2) <= p'
    )
    nodes = circuit(text).nodes
    assert all(part < number for number, node in nodes for part in list_parts(node))
    assert {part for _, node in nodes for part in list_parts(node)} | {nodes[-1][0]} == {
        number for number, _ in nodes
    }
    assert {Window, Choice, Not} <= {type(node) for _, node in nodes}
