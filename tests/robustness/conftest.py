"""The runner of command lines, one warm interpreter for each test process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.robustness.command_runner import Bench, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The warm interpreter."""
    warm = Server(tmp_path_factory.mktemp("caches"))
    yield warm
    warm.close()


@pytest.fixture
def bench(server: Server, tmp_path: Path) -> Iterator[Bench]:
    """A folder of the test and command lines in it; removed at the end, however large it got."""
    place = Bench(server, tmp_path / "bench")
    yield place
    place.close()
