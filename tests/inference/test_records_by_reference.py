"""Every record of every report, and what is wrong at a bad n: its file gives its R, and its fail on words.

The hypothesis goes through its JSON text and is judged word by word by the reference forward pass.
"""

from __future__ import annotations

from functools import lru_cache

import pytest

from idinf.experiments.catalogue import list_names, load
from idinf.inference.procedure import Procedure
from idinf.targets.build import build_target
from idinf.targets.machine import accepts as in_target
from idinf.targets.supervised import SupervisedTarget
from idinf.transformers import json_format
from idinf.transformers.reference import accepts, name_next_symbols
from idinf.transformers.regularizer import compute_r_terms
from idinf.words import words_up_to

#: Words up to this length are all tried, by the size of the alphabet.
LENGTHS = {1: 10, 2: 10, 3: 6}
#: Others are judged by the reference in `test_procedure`, without the detour over a file.
QUICK = ("majority", "aa-star")
#: Budgets of targets whose whole run takes minutes; their last records are beyond, and `tests/test_suite.py`
#: runs them to the end.
BUDGETS = {
    "ab-d-bc": 10.5,
    "aa-bb-cc": 10.75,
    "aa-bb-cc-dd-ee": 10.5,
    "anbncn": 10.5,
    "abab-star": 14.0,
    "d-12": 11.25,
}


@lru_cache(maxsize=2)
def run_of(name: str, max_r: float | None):
    spec = load(name)
    target = build_target(spec)
    bounds = spec.space if max_r is None else spec.space.overridden(max_r=max_r)
    return target, Procedure(target, bounds, spec.max_n).run()


def differs(dense, target, word) -> bool:
    """Whether a word counts and the reference gets it wrong, at any position for next symbols."""
    if isinstance(target, SupervisedTarget):
        pairs = zip(name_next_symbols(dense, word), target.next_symbols(word), strict=True)
        return target.is_counted(word) and any(asked not in (None, said) for said, asked in pairs)
    return accepts(dense, word) != in_target(target, word)


def check(name: str, max_r: float | None, length: int) -> None:
    target, run = run_of(name, max_r)
    assert run.records
    for record in (*run.records, *run.worst):
        dense = json_format.loads(json_format.dumps(record.hypothesis.to_dense()))
        assert compute_r_terms(dense).total == pytest.approx(record.r, abs=1e-9)
        wrong = None
        for word in words_up_to(len(target.alphabet), length):
            if differs(dense, target, word):
                wrong = word
                break
        if record.fail is not None and record.fail <= length:
            assert wrong is not None
            assert len(wrong) == record.fail
            assert target.alphabet.decode(wrong) == record.counterexample
        else:
            assert wrong is None
        if record.counterexample is not None:
            word = target.alphabet.encode(record.counterexample)
            assert differs(dense, target, word)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_records_of_a_few_targets(name):
    check(name, 8.7, 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in list_names() if "26" not in name])  # which takes 4 GiB
def test_records_of_every_shipped_target(name):
    check(name, BUDGETS.get(name), LENGTHS.get(len(load(name).alphabet.symbols), 5))
