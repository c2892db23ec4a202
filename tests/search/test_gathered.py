"""What units of work learn reaches others in the same way for any number of processes."""

from dataclasses import replace

import pytest

from idinf.search.slice_types import Mode
from idinf.spec.catalogue import load
from idinf.targets.build import build_target
from idinf.work import parallel
from tests.asked_for import few
from tests.small_runs import prepare
from tests.spaces import small_space


@pytest.fixture(autouse=True)
def _workers_from_the_start(monkeypatch):
    monkeypatch.setattr(parallel, "PATIENCE_S", 0.0)


def ran(name, jobs, **bounds):
    """A run, and all that it counted."""
    screening = bounds.pop("screening", None)
    space = small_space(bounds.pop("preset", "nope"), **bounds)
    mode = Mode(certified_above=0.0)
    target = build_target(load(name))
    procedure = prepare(target, space, 6, mode=mode, jobs=jobs, screening=screening)
    report = procedure.run()
    return replace(report, seconds=0.0, peak_bytes=0), procedure.search.counts


RUNS = {
    "chains": ("d-2", {"layers": 3, "units": 1, "precision": 1, "max_r": 9.6}),
    "few short words": ("majority", {"layers": 2, "units": 1, "precision": 1, "screening": 4, "max_r": 9.5}),
    "two units": ("tomita-2", {"layers": 2, "precision": 0, "max_r": 9.6}),
    "a budget of work": ("d-2", {"layers": 3, "units": 1, "precision": 1, "work": 300}),
    "next symbols": ("majority-next", {"layers": 1, "units": 1, "precision": 0, "max_r": 8.5}),
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", RUNS)
def test_runs_are_the_same_for_any_number_of_processes(name, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    target, bounds = RUNS[name]
    one = ran(target, 1, **bounds)
    assert one[1].work
    for jobs in range(few(3, 2), 4):
        assert ran(target, jobs, **bounds) == one
