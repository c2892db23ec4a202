"""Names of schedulers: what is taken, and what is refused in one line."""

from __future__ import annotations

import pytest

from idinf.errors import ArgumentError
from idinf.runtime.cluster.scheduler import MOST_LOCAL, Scheduler


def test_what_is_taken() -> None:
    assert Scheduler.of("local:3") == Scheduler("local:3", 3)
    assert Scheduler.of("tcp://127.0.0.1:8786/") == Scheduler("tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "local",
        "local:",
        "local:x",
        "local:-1",
        "8786",
        "http://h:1",
        "tcp://h",
        "tcp://:1",
        "tcp://a b:1",
        "tcp://h:1/x",
        "tls://h:1",
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"expected local:N or tcp://HOST:PORT"):
        Scheduler.of(text)


@pytest.mark.parametrize("text", ["local:0", f"local:{MOST_LOCAL + 1}", "tcp://h:0", "tcp://h:65536"])
def test_numbers_out_of_range(text: str) -> None:
    with pytest.raises(ArgumentError, match="1 to "):
        Scheduler.of(text)
