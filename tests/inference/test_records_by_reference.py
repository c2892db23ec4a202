"""Every record of every report, and what is wrong at a bad n: its file gives its R, and its fail on words.

The hypothesis goes through its JSON text and is judged word by word by the reference forward pass.
"""

import pytest

from idinf.base.words import words_up_to
from idinf.nets import json_format
from idinf.nets.reference import accepts, name_next_symbols
from idinf.nets.regularizer import compute_r_terms
from idinf.spec.bounds import SpaceBounds
from idinf.spec.catalogue import list_names, load
from idinf.targets.build import build_target
from idinf.targets.machine import accepts as in_target
from idinf.targets.supervised import SupervisedTarget
from tests.small_runs import prepare
from tests.spaces import small_space

#: Words up to this length are all tried, by the size of the alphabet.
LENGTHS = {1: 10, 2: 10, 3: 6}
#: Shipped targets but those whose search takes 4 GiB.
NAMES = [name for name in list_names() if "26" not in name]
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


def differs(dense, target, word) -> bool:
    """Whether a word counts and the reference gets it wrong, at any position for next symbols."""
    if isinstance(target, SupervisedTarget):
        pairs = zip(name_next_symbols(dense, word), target.next_symbols(word), strict=True)
        return target.is_counted(word) and any(asked not in (None, said) for said, asked in pairs)
    return accepts(dense, word) != in_target(target, word)


def check(name: str, max_n: int, bounds: SpaceBounds, length: int) -> None:
    target = build_target(load(name))
    run = prepare(target, bounds, max_n).run()
    assert run.records
    for record in (*run.records, *run.worst):
        dense = json_format.loads(json_format.dumps(record.hypothesis))
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


@pytest.mark.thinned(16)
@pytest.mark.parametrize("name", NAMES)
def test_records_of_short_runs(name):
    length = {1: 6, 2: 6, 3: 4}.get(len(load(name).alphabet), 3)
    check(name, 8, small_space(max_r=7.5, layers=2), length)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_records_of_every_shipped_target(name):
    spec = load(name)
    bounds = spec.space.overridden(max_r=BUDGETS[name]) if name in BUDGETS else spec.space
    check(name, spec.max_n, bounds, LENGTHS.get(len(spec.alphabet), 5))
