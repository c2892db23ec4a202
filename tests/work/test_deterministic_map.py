"""Units of work: the same results in the same order whatever is recalled and whoever works."""

import pytest

from idinf.work import deterministic_map as module
from idinf.work.deterministic_map import UnitsOfWork, WorkList
from idinf.work.journal import Journal
from idinf.work.parallel import Workers
from tests.asked_for import few


class Work:
    """Squares items and counts calls; fails from a number of calls on, as a kill would."""

    def __init__(self, calls_before_a_kill=10**9):
        self.calls, self.limit = 0, calls_before_a_kill

    def begin(self):
        return self

    def __call__(self, item):
        if self.calls == self.limit:
            raise KeyboardInterrupt
        self.calls += 1
        return item * item


def want(number):
    return [item * item for item in range(number)]


def run(all_work, *parts, least=32):
    return list(all_work.run(iter([WorkList(*part) for part in parts]), least=least))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("number", [0, 1, 2, 43])
@pytest.mark.parametrize("jobs", [1, 2])
def test_items_in_order(number, jobs, monkeypatch):
    for least, most, size in ((32, 1024, 2**20), (2, 3, 2**20), (1, 1, 0))[: few(2, 3) if number > 9 else 3]:
        monkeypatch.setattr(module, "LARGEST_WAVE", most)
        monkeypatch.setattr(module, "MAX_BYTES_AT_ONCE", size)
        all_work = UnitsOfWork(Workers(jobs, patience_s=0.0))
        parts = [((k,), iter(range(number + k)), Work().begin) for k in range(2)]
        assert run(all_work, *parts, least=least) == [*want(number), *want(number + 1)]


@pytest.mark.thinned(5)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("portion", [2**20, 0])
@pytest.mark.parametrize("finished", [0, 1, 2])
def test_what_a_wave_teaches_is_known_to_the_next_one(tmp_path, jobs, portion, finished, monkeypatch):
    """Whoever works, however little fits memory, and whatever is recalled."""
    monkeypatch.setattr(module, "LARGEST_WAVE", 4)
    monkeypatch.setattr(module, "GROWTH", 1)
    monkeypatch.setattr(module, "MAX_BYTES_AT_ONCE", portion)
    seen, known, begun = [], [], []

    def begin():
        before = len(known)
        return lambda item: before

    def learn():
        known[:] = seen
        return ["wave"]

    def parts(number):
        for k in range(number):
            begun.append(len(known))
            yield WorkList((k,), iter(range(3)), begin)

    for number in (finished, 4):
        seen[:], known[:], begun[:] = [], [], []
        with Journal(tmp_path, {}) as journal:
            all_work = UnitsOfWork(Workers(jobs, patience_s=0.0), journal)
            seen.extend(r for r in all_work.run(parts(number), learn, least=2) if r != "wave")
    # Waves of 2, 2, 4, 4, 4 places; a part has three items and an end, which has no result here.
    assert seen == [0, 0, 2, 3, 3, 3, 6, 6, 6, 9, 9, 9]
    assert begun == [0, 3, 6, 9]


def untouched():
    raise AssertionError("the items of a finished unit are not built again")
    yield


def test_a_finished_key_is_recalled_without_its_items(tmp_path):
    with Journal(tmp_path, {}) as journal:
        all_work = UnitsOfWork(Workers(1), journal)
        for key, number in ((("a",), 40), (("b",), 0)):
            assert run(all_work, (key, iter(range(number)), Work().begin)) == want(number)
    with Journal(tmp_path, {}) as journal:
        all_work, work = UnitsOfWork(Workers(2), journal), Work()
        for key, number in ((("a",), 40), (("b",), 0)):
            assert run(all_work, (key, untouched(), work.begin)) == want(number)
        assert work.calls == 0


@pytest.mark.parametrize("damaged", [0, 3, 6, "end"])
def test_a_damaged_unit_of_a_finished_key_is_done_again(tmp_path, damaged):
    number = 7
    with Journal(tmp_path, {}) as journal:
        run(UnitsOfWork(Workers(1), journal), ((1,), iter(range(number)), Work().begin))
        damage = "UPDATE kept SET value = zeroblob(40) WHERE key = ?"
        journal._file.execute(damage, (journal._digest((1, damaged)),))
    work = Work()
    with Journal(tmp_path, {}) as journal:
        results = run(UnitsOfWork(Workers(1), journal), ((1,), iter(range(number)), work.begin))
    assert results == want(number)
    assert work.calls == (damaged != "end")
