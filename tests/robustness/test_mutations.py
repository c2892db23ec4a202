"""The contract with mutants: sound specs, programs, hypotheses and reports, changed at random places."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.robustness.command_runner import Bench, Server
from tests.robustness.command_table import ASKING, put_good_files
from tests.robustness.sound_documents import DOCUMENTS, PROGRAM, TABLE, WORDS_OF, leaves, value_at, written

#: Mutants of each of the four kinds.
EXAMPLES = 75

#: In place of a value, and spliced into texts.
VALUES = (0, 1, -1, 2, 7, 10**6, 2**63, 10**30, 0.5, -0.0, 1e300, True, None, "", "a", "x" * 400, "\x1b[31m",
          "\ud800", [], {}, [[]], ["a"], {"a": 1}, "1/2", "1/3", "-1/4", "$", "(", "a*", "0")  # fmt: skip
SPLICES = (
    *'()[]{}"\'\\#=*+-!,ij01', "", " ", "\n", "\0", "\x1b[31m", "\u2028", "é", "==", "&&", "||", "//",
    "if", "else", "mod", "min(", "max(", "-1", "9" * 30, "true", "[j == i - 3]", "opened", "accept",
)  # fmt: skip

#: What is no document of keys and values.
TEXTS = {"program": PROGRAM, "table": TABLE}


@st.composite
def changed(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """A document with one to four values replaced, removed, doubled or swapped."""
    mutant = copy.deepcopy(document)
    places = list(leaves(document, (object,)))[1:]
    values = [value_at(document, route) for route in places]
    for _ in range(draw(st.integers(1, 4))):
        route = draw(st.sampled_from(places))
        try:
            inner: Any = value_at(mutant, route[:-1])
            how = draw(st.sampled_from(("value", "value", "another", "remove", "double", "add")))
            if how == "value":
                inner[route[-1]] = draw(st.sampled_from(VALUES))
            elif how == "another":
                inner[route[-1]] = copy.deepcopy(draw(st.sampled_from(values)))
            elif how == "remove":
                del inner[route[-1]]
            elif how == "double":
                inner[route[-1]] *= 2
            else:
                inner["key"] = draw(st.sampled_from(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed the place
    return mutant


@st.composite
def spliced(draw: st.DrawFn, text: str) -> str:
    """A text with one to six pieces replaced."""
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(SPLICES)) + text[end:]
    return text


@st.composite
def mutants(draw: st.DrawFn, kind: str) -> str:
    """The text of a mutant of a kind."""
    if kind in TEXTS:
        return draw(spliced(TEXTS[kind]))
    document = draw(st.sampled_from([document for of, document in DOCUMENTS.values() if of == kind]))
    text = written(kind, {key: value for key, value in draw(changed(document)).items() if value is not None})
    return draw(spliced(text)) if draw(st.integers(0, 3)) == 0 else text


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
