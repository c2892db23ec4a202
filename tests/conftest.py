"""Of a table with ``@pytest.mark.thinned(k)`` every k-th case runs in ``make test``; the rest is slow."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.small_runs import bracketed, identified, not_identified, opened

__all__ = ["bracketed", "identified", "not_identified", "opened"]

#: Every folder may have a conftest: this one is not to be looked through for doctests under their name.
collect_ignore = ["conftest.py"]


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
