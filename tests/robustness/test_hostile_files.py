"""The contract with hostile files: every one of the table with every command that takes such a file."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from tests.asked_for import asked_for
from tests.robustness.command_runner import Bench
from tests.robustness.command_table import ASKING, Command, put_good_files
from tests.robustness.hostile_files import FILES, TEXTS, put_text
from tests.robustness.sound_documents import WORDS_OF


def _cases(pairs: list[tuple[str, str]], quick: list[tuple[str, str]]) -> list[object]:
    """Every command for every input; of the quick inputs one command, in turn, is quick."""
    cases = []
    for kind, name in pairs:
        for place, command in enumerate(ASKING[kind]):
            turn = quick.index((kind, name)) if (kind, name) in quick else -1
            marks = () if turn >= 0 and place == turn % len(ASKING[kind]) else (pytest.mark.slow,)
            cases.append(pytest.param(kind, name, command, marks=marks, id=f"{name}-{_named(kind, place)}"))
    return asked_for(cases)


def _named(kind: str, place: int) -> str:
    command = ASKING[kind][place]
    return f"{kind}-{command.name.replace(' ', '-')}{place if command.name == 'compare' else ''}"


_FILES = [(kind, name) for name in FILES for kind in ASKING]
_TEXTS = [(kind, name) for kind, texts in TEXTS.items() for name in texts]

#: Of files that are none one kind is quick, in turn.
_QUICK_FILES = [(list(ASKING)[number % len(ASKING)], name) for number, name in enumerate(FILES)]


@pytest.mark.thinned(12)
@pytest.mark.parametrize(("kind", "name", "command"), _cases(_FILES, _QUICK_FILES))
def test_files(kind: str, name: str, command: Command, bench: Bench) -> None:
    if name == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads everything")
    put_good_files(bench.here)
    file = FILES[name](bench.here, WORDS_OF[kind])
    rows = 9 if name == "link-to-folder" and command.name == "batch" else 0
    promise = replace(command.promise, lines=command.promise.lines + rows)
    bench.run(*command.line(file, limited=True), promise=promise)


@pytest.mark.thinned(14)
@pytest.mark.parametrize(("kind", "name", "command"), _cases(_TEXTS, _TEXTS))
def test_texts(kind: str, name: str, command: Command, bench: Bench) -> None:
    put_good_files(bench.here)
    file = put_text(bench.here, kind, name)
    bench.run(*command.line(file, limited=True), promise=command.promise)
