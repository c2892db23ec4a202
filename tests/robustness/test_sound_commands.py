"""The contract with sound input: every command keeps it, also under limits of time and memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.robustness.command_runner import Bench
from tests.robustness.command_table import SOUND, options_of, put_good_files

#: Commands whose help has --time-limit and --memory.
LIMITED = (
    "identify", "batch", "family", "label", "classify", "communicate", "verify",
    "crasp check", "crasp run", "crasp trace", "crasp compile", "crasp decompile", "crasp diff",
    "crasp eventual", "crasp fooling-pair",
)  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_sound_input_is_answered(name: str, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    ended = bench.run(*command.line(""), promise=replace(command.promise, codes=(0,)))
    assert ended.stdout or command.writes


def test_help_names_the_limits() -> None:
    assert [name for name in LIMITED if not {"--time-limit", "--memory"} <= options_of(name).keys()] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LIMITED)
def test_limits_that_are_not_reached_change_nothing(name: str, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    promise = replace(command.promise, codes=(0,))
    bench.run(*command.line(""), "--time-limit", "60", "--memory", "2G", promise=promise)
