"""The contract with mutants: sound specs, programs, hypotheses and reports, changed at random places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.robustness.command_runner import Bench, Server
from tests.robustness.command_table import ASKING, put_good_files
from tests.robustness.mutants import mutants
from tests.robustness.sound_documents import DOCUMENTS, WORDS_OF

#: Mutants of each of the four kinds.
EXAMPLES = 75


def _run(server: Server, root: Path, kind: str, text: str, turn: int) -> None:
    bench = Bench(server, root)
    try:
        put_good_files(bench.here)
        path = bench.here / f"mutant.{WORDS_OF[kind]}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        command = ASKING[kind][turn]
        bench.run(*command.line(path.name, limited=True), promise=command.promise)
    finally:
        bench.close()


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ASKING)
def test_mutants(kind: str, server: Server, tmp_path: Path) -> None:
    @_settings(EXAMPLES)
    @given(text=mutants(kind), turn=st.integers(0, len(ASKING[kind]) - 1))
    def check(text: str, turn: int) -> None:
        _run(server, tmp_path / "bench", kind, text, turn)

    check()


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ASKING)
def test_a_few_mutants(kind: str, server: Server, tmp_path: Path) -> None:
    @_settings(4)
    @given(text=mutants(kind), turn=st.integers(0, len(ASKING[kind]) - 1))
    def check(text: str, turn: int) -> None:
        _run(server, tmp_path / "bench", kind, text, turn)

    check()


def test_mutants_differ_from_what_is_sound() -> None:
    seen: set[str] = set()

    @_settings(20)
    @given(text=mutants("net"))
    def collect(text: str) -> None:
        seen.add(text)

    collect()
    assert len(seen - {json.dumps(DOCUMENTS["net"][1])}) > 10
