"""What `make test` leaves to `make test-all`.

Of a table with ``@pytest.mark.thinned(k)`` every k-th case that is not slow runs; the rest is slow. Of a
property, hypothesis tries few examples, always the same ones.
"""

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from tests import asked_for
from tests.small_runs import bracketed, identified, not_identified, opened

__all__ = ["bracketed", "identified", "not_identified", "opened"]

TESTS = Path(__file__).parent

settings.register_profile("quick", max_examples=10, deadline=None, derandomize=True, database=None)
settings.register_profile("all", settings.get_profile("quick"), max_examples=150)


def pytest_configure(config: pytest.Config) -> None:
    """Try more examples where slow tests are asked for, and make no slow cases where they are not."""
    asked_for.slow_too = config.option.markexpr != "not slow"
    settings.load_profile("all" if asked_for.slow_too else "quick")
    config.pluginmanager.register(WhereExamplesAre())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Make the tests without looking for garbage among them, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Make no case that is left out: to make it and to drop it again takes longer than most cases run."""
    yield
    if asked_for.slow_too:
        return
    cases = metafunc._calls
    quick = [case for case in cases if not any(mark.name == "slow" for mark in case.marks)]
    thinned = metafunc.definition.get_closest_marker("thinned")
    quick = quick[:: thinned.args[0] if thinned else 1]
    # One is left in any case: where there is none, pytest takes the function for one without parameters.
    is_slow = metafunc.definition.get_closest_marker("slow") is not None
    cases[:] = (not is_slow and quick) or cases[:1]


class WhereExamplesAre:
    """Looks for doctests in modules of the package that show any; to import the others takes seconds."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[Any], list[Any]]:
        collected = yield
        shown = TESTS not in file_path.parents and ">>> " in file_path.read_text("utf-8")
        return [found for found in collected if shown or not isinstance(found, DoctestModule)]
