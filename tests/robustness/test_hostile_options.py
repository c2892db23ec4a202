"""The contract with hostile arguments: every option and every word of every command, found by its help."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from tests.asked_for import asked_for
from tests.robustness.command_runner import Bench
from tests.robustness.command_table import ASKING, SOUND, options_of, put_good_files
from tests.robustness.hostile_files import DIGITS, HEX

#: Values for numbers, and values for texts; no option may trip over either.
NUMBERS = {
    "digits": DIGITS,
    "hex": HEX,
    "1e308": "1e308",
    "digits-and-unit": f"{DIGITS}G",
    "minus-digits": f"-{DIGITS}",
    "assigned-digits": f"k={DIGITS}",
    "1e999": "1e999",
    "1e160": "1e160",
    "1e6": "1e6",
    "1e-320": "1e-320",
    "10**18": "1" + "0" * 18,
    "2**63": str(2**63),
    "nan": "nan",
    "infinity": "Infinity",
    "zero": "0",
    "minus-one": "-1",
    "superscript": "²",
    "underscores": "1_0",
}
TEXTS = {
    "controls": "a\x1b[31mb\x07\x9b2J\x7f",
    "very-long": "x" * 100_000,
    "half-a-character": "a\udcff\udce2",
    "line-ends": "a\nb\r\nc\u2028d",
    "long": "x" * 300,
    "empty": "",
    "blank": " ",
    "path": "nowhere/../../../x",
    "minus": "-",
    "braces": "{}%s%n\\",
}
VALUES = {**NUMBERS, **TEXTS}

#: Options that name a file or folder: what may be written there is another test's business.
PATHS = (
    "--output",
    "--run-dir",
    "--json-dir",
    "--plot",
    "--upper-bound",
    "--long",
    "--records",
    "--caption",
    "--csv",
)

#: What each command needs beside an option so that the option counts.
BESIDE = {"--split": ("--word", "ab"), "--record": ("--kind", "hypothesis"), "--word": ()}

OPTIONS = [
    (name, option)
    for name in SOUND
    for option, found in options_of(name).items()
    if not found.is_flag and option not in ("--help", *PATHS)
]


def _cases(places: list[tuple[str, ...]], values: Collection[str]) -> list[object]:
    """Every value at every place; at every second place one value, in turn, is quick."""
    return asked_for(
        pytest.param(
            *place,
            value,
            marks=() if number % 2 == 0 and turn == number // 2 % len(values) else (pytest.mark.slow,),
            id=" ".join((*place, value)),
        )
        for number, place in enumerate(places)
        for turn, value in enumerate(values)
    )


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("name", "option", "value"), _cases(OPTIONS, VALUES))
def test_options(name: str, option: str, value: str, bench: Bench) -> None:
    put_good_files(bench.here)
    command = SOUND[name]
    given = (option, VALUES[value])
    line = command.line(limited=True)
    if option in line:  # what is given last counts, but nothing may be given twice
        place = line.index(option)
        del line[place : place + 2]
    bench.run(*line, *BESIDE.get(option, ()), *given, promise=command.promise)


WORDS = {
    "label": "label majority @", "eval": "eval good.json @", "crasp run": "crasp run majority @",
    "crasp trace": "crasp trace majority @", "command": "@", "subcommand": "crasp @", "option": "targets --@",
    "short option": "targets -@", "unwanted": "targets @", "help of": "@ --help",
}  # fmt: skip

#: Every place for a word of a user, by name; where a file goes a name goes as well.
PLACES = {
    **WORDS,
    **{
        f"{kind} {number}": command.text
        for kind, all_of in ASKING.items()
        for number, command in enumerate(all_of)
    },
    "regex": "classify --regex @",
    "regex with alphabet": "classify --regex @ --alphabet ab",
    "operand": "crasp diff regex:@ regex:a",
    "program operand": "crasp diff program:@ regex:a",
    "target operand": "crasp diff target:@ regex:a",
    "second operand": "crasp diff regex:a @",
    "communicated": "communicate regex:@",
}


@pytest.mark.parametrize(
    ("place", "value"), _cases([(place,) for place in PLACES], {**TEXTS, "digits": DIGITS})
)
def test_words(place: str, value: str, bench: Bench) -> None:
    put_good_files(bench.here)
    text = PLACES[place]
    line = [word.replace("@", VALUES[value]) for word in text.split()]
    line = ["" if word == "''" else word for word in line]
    promise = replace(
        SOUND["verify"].promise, writes=("out.json", "out.csv", "out.csv.run", "out.html", "out.svg")
    )
    bench.run(*line, promise=promise, stdin=b"\x1b[31m\n")
