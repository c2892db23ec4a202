"""The procedure for C-RASP[] against its text word for word: labels, garbage, simple cycles, fractions."""

from __future__ import annotations

import random

import numpy as np

from idinf.languages.classification.membership import (
    drop_last_symbol,
    find_inseparable,
    find_stable_classes,
    iter_component_parts,
    refine_classes,
)
from tests.asked_for import few
from tests.languages.classification.classes_by_definition import (
    is_decided_by_counts,
    is_in_crasp,
    minimal,
    random_dfa,
)


def test_random_automata_agree_with_the_procedure_word_for_word() -> None:
    rng, verdicts = random.Random(8), []
    for _ in range(few(133, 400)):
        table, _ = minimal(*random_dfa(rng, 5, rng.choice((1, 2, 2, 3))))
        verdicts.append(is_decided_by_counts(table))
        assert (find_inseparable(np.array(table)) is None) is verdicts[-1], table
    assert few(13, 40) < sum(verdicts) < few(130, 390)


def test_the_last_symbol_is_what_quotients_by_it_say() -> None:
    rng, verdicts = random.Random(81), set()
    for _ in range(few(133, 400)):
        table, accepting = minimal(*random_dfa(rng, 5, rng.choice((1, 2, 2, 3))))
        merged, first = drop_last_symbol(np.array(table))
        by_counts, found = find_inseparable(np.array(table)) is None, find_inseparable(merged) is None
        assert found is is_in_crasp(table, accepting), table
        assert found or not by_counts
        assert first[0] == 0
        verdicts.add((by_counts, found))
    assert verdicts == {(True, True), (False, True), (False, False)}


def graded(rng: random.Random, heights: int, width: int, size: int) -> tuple[tuple[int, ...], ...]:
    """States (height, place) that half of the symbols raise, half lower: several rounds of relabelling."""
    sink = heights * width
    rows = [[sink] * size for _ in range(sink + 1)]
    for height in range(heights):
        for place in range(width):
            for code in range(size):
                above = height + (1 if code % 2 else -1)
                if 0 <= above < heights and rng.random() < 0.6:
                    rows[height * width + place][code] = above * width + rng.randrange(width)
    return tuple(map(tuple, rows))


def test_graded_automata_agree_too() -> None:
    rng, seen = random.Random(9), set()
    for _ in range(few(40, 120)):
        table = graded(rng, 3, 2, 2)
        found = find_inseparable(np.array(table)) is None
        assert found is is_decided_by_counts(table), table
        for _, part in iter_component_parts(np.array(table)):
            classes = np.zeros(part.size, dtype=np.int64)
            seen.add((found, find_stable_classes(part, classes).max() > refine_classes(part, classes).max()))
    assert {(True, False), (False, False), (True, True)} <= seen
