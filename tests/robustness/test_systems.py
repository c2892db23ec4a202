"""The contract on systems that lack a module of Unix: one sentence where a command cannot go without it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.robustness.command_runner import Bench
from tests.robustness.command_table import SOUND, put_good_files
from tests.robustness.promise import EXIT_CODES

#: What is not there on every system.
ABSENT = ("fcntl", "resource")


def _cases() -> list[object]:
    quick = {("identify", "resource"), ("batch", "fcntl")}
    return [
        pytest.param(name, absent, marks=() if (name, absent) in quick else (pytest.mark.slow,))
        for absent in ABSENT
        for name in SOUND
    ]


@pytest.mark.parametrize(("name", "absent"), _cases())
def test_a_missing_module(name: str, absent: str, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    promise = replace(command.promise, codes=EXIT_CODES)
    bench.run(*command.line(), promise=promise, before=f"import sys; sys.modules[{absent!r}] = None")


@pytest.mark.slow
@pytest.mark.parametrize("absent", ABSENT)
def test_run_directories_without_a_module(absent: str, bench: Bench) -> None:
    put_good_files(bench.here)
    line = [*SOUND["identify"].line(), "--run-dir", "run"]
    before = f"import sys; sys.modules[{absent!r}] = None"
    bench.run(*line, promise=SOUND["identify"].promise, before=before)
