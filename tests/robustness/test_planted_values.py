"""The contract with values: hostile ones at every place of a spec, a hypothesis and a report."""

from __future__ import annotations

import pytest

from tests.asked_for import asked_for
from tests.robustness.command_runner import Bench
from tests.robustness.command_table import ASKING, put_good_files
from tests.robustness.hostile_files import DIGITS, HEX
from tests.robustness.sound_documents import DOCUMENTS, WORDS_OF, Route, leaves, planted, written

#: Keys of a report that only one with an open outcome fills.
ONLY_OPEN = ("bracket", "stages", "outcome", "stop_reason")

#: Written as they are in place of a number.
NUMBERS = {
    "digits": DIGITS, "minus-digits": f"-{DIGITS}", "hex": HEX, "1e999": "1e999", "1e308": "1e308",
    "nan": "nan", "NaN": "NaN", "infinity": "inf", "Infinity": "-Infinity", "2**63": str(2**63),
    "10**9": "1000000000", "minus-one": "-1", "minus-zero": "-0.0", "true": "true", "list": "[[]]",
    "object": "{}",
}  # fmt: skip

#: In place of a text.
TEXTS = {
    "controls": "a\x1b[31mb\x07\x9b2J\x7f", "surrogate": "\ud800", "long": "x" * 300,
    "very-long": "x" * 100_000, "empty": "", "line-ends": "a\nb\r\nc\u2028d", "nul": "a\0b",
    "digits": DIGITS, "path": "../outside/x", "folder": "..", "braces": "{k}{}%s",
    "script": "</script><script>alert(1)</script>",
}  # fmt: skip


def _cases(kinds: tuple[type, ...], values: dict[str, str]) -> list[object]:
    """Every value at every place, the commands in turn; at every third place one value in turn is quick."""
    cases = []
    places = [(name, route) for name, (_, document) in DOCUMENTS.items() for route in leaves(document, kinds)]
    # An open report has what the other one has, but for these parts.
    places = [(name, route) for name, route in places if name != "open-report" or route[0] in ONLY_OPEN]
    for number, (name, route) in enumerate(places):
        for turn, value in enumerate(values):
            marks = () if number % 3 == 0 and turn == number // 3 % len(values) else (pytest.mark.slow,)
            label = f"{name} {'.'.join(map(str, route))} {value}"
            cases.append(pytest.param(name, route, value, number + turn, marks=marks, id=label))
    return asked_for(cases)


def _ask(bench: Bench, name: str, text: str, turn: int) -> None:
    put_good_files(bench.here)
    kind = DOCUMENTS[name][0]
    path = bench.here / f"planted.{WORDS_OF[kind]}"
    path.write_text(text, encoding="utf-8", newline="")
    command = ASKING[kind][turn % len(ASKING[kind])]
    bench.run(*command.line(path.name, limited=True), promise=command.promise)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("name", "route", "value", "turn"), _cases((int, float), NUMBERS))
def test_numbers(name: str, route: Route, value: str, turn: int, bench: Bench) -> None:
    kind, document = DOCUMENTS[name]
    _ask(bench, name, written(kind, planted(document, route, "@raw0@"), NUMBERS[value]), turn)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "route", "value", "turn"), _cases((str,), TEXTS))
def test_texts(name: str, route: Route, value: str, turn: int, bench: Bench) -> None:
    kind, document = DOCUMENTS[name]
    _ask(bench, name, written(kind, planted(document, route, TEXTS[value])), turn)
