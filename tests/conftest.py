"""What `make test` leaves to `make test-all`.

Of a table with ``@pytest.mark.thinned(k)`` every k-th case that is not slow runs; the rest is slow. Of a
property, hypothesis tries few examples, always the same ones.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests import asked_for
from tests.small_runs import bracketed, identified, not_identified, opened

__all__ = ["bracketed", "identified", "not_identified", "opened"]

#: Every folder may have a conftest: this one is not to be looked through for doctests under their name.
collect_ignore = ["conftest.py"]

settings.register_profile("quick", max_examples=20, deadline=None, derandomize=True, database=None)
settings.register_profile("all", settings.get_profile("quick"), max_examples=150)


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples where slow tests are asked for, and make no slow cases where they are not."""
    asked_for.slow_too = config.option.markexpr != "not slow"
    settings.load_profile("all" if asked_for.slow_too else "quick")


@pytest.fixture(scope="module", autouse=True)
def little_annealing() -> Generator[None]:
    """Anneal for a moment only, in this process and in those it forks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("idinf.inference.procedure.DEFAULT_STEPS", 20)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make the tests without looking for garbage among them, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is left out as slow, always the same cases."""
    seen: Counter[str] = Counter()
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is None or item.get_closest_marker("slow"):
            continue
        function = item.nodeid.partition("[")[0]
        if seen[function] % thinned.args[0]:
            item.add_marker(pytest.mark.slow)
        seen[function] += 1
