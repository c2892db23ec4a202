"""What `make test` leaves to `make test-all`.

Of a table with ``@pytest.mark.thinned(k)`` every k-th case runs; the rest is slow. Of a property, hypothesis
tries few examples, always the same ones.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.small_runs import bracketed, identified, not_identified, opened

__all__ = ["bracketed", "identified", "not_identified", "opened"]

#: Every folder may have a conftest: this one is not to be looked through for doctests under their name.
collect_ignore = ["conftest.py"]

settings.register_profile("quick", max_examples=20, deadline=None, derandomize=True, database=None)
settings.register_profile("all", settings.get_profile("quick"), max_examples=150)


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples where slow tests are asked for."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "all")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make the tests, ten thousand of robustness alone, without looking for garbage among them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is left out as slow, always the same cases."""
    seen: Counter[str] = Counter()
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is None:
            continue
        function = item.nodeid.partition("[")[0]
        if seen[function] % thinned.args[0]:
            item.add_marker(pytest.mark.slow)
        seen[function] += 1
