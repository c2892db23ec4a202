"""Texts: what is printed is read as the same language, and garbage is refused in one line."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

import idinf
from idinf.crasp.checker import read_program
from idinf.crasp.parser import parse
from idinf.crasp.printer import format_program
from idinf.errors import IdinfError
from idinf.experiments.reader import parse_spec
from idinf.experiments.spec import Kind
from idinf.targets.build import build_target
from idinf.targets.machine import accepts
from idinf.transformers.reference import accepts as in_net
from idinf.words import Alphabet, words_up_to
from tests.compilation.random_hypotheses import random_hypothesis
from tests.crasp import plain_interpreter
from tests.robustness.command_table import ASKING, Command, put_good_files
from tests.robustness.mutants import mutants
from tests.robustness.sound_documents import WORDS_OF
from tests.soak.questions import draw_any
from tests.soak.tools import Tools, rng_of
from tests.targets.random_programs import random_program

__all__ = ["run"]

#: All words up to this length are compared.
LENGTH = 6

#: Mutants of a sound file in one case; the first ones are the simplest.
MUTANTS = 5

#: Pieces that garbage is made of.
PIECES = (
    *'()[]{}"\'\\#=*+-!,.?|$^<>&;:/ \n\tabij01', "accept", "iff", "mod", "if", "else", "min(", "#[j = i-1]",
    "é", "\x00", "\x1b[2J", "\u2028", "9" * 40, "{1000000}", "max_n", "[space]", "alphabet", "true",
    "u1 :=", "last",
)  # fmt: skip


def run(seed: int, tools: Tools) -> str:
    """One case of some sort; which sort."""
    rng = rng_of("text", seed)
    sort = rng.choice((of_programs, of_formulas, of_languages, of_mutants, of_garbage))
    sort(rng, tools)
    return sort.__name__.removeprefix("of_")


def of_programs(rng: random.Random, tools: Tools) -> None:
    """A random program, printed and read again, by the plain interpreter and by the machine."""
    letters = rng.choice(("a", "ab", "abc"))
    alphabet = Alphabet(tuple(letters))
    text = random_program(np.random.default_rng(rng.randrange(2**32)), letters, rng.randint(1, 9))
    program = read_program(text, alphabet)
    printed = format_program(program)
    again = read_program(printed, alphabet)
    assert format_program(again) == printed
    machine = idinf.target(program=printed, alphabet=letters)
    for word in words_up_to(len(letters), LENGTH if len(letters) < 3 else 4):
        said = plain_interpreter.accepts(program, alphabet, word)
        assert plain_interpreter.accepts(again, alphabet, word) is said, word
        assert (alphabet.decode(word) in machine) is said, word


def of_formulas(rng: random.Random, tools: Tools) -> None:
    """The formula of a random hypothesis, read as a program, where it says that it is one."""
    net = random_hypothesis(rng.randrange(2**32))
    dense = net.to_dense()
    formula = idinf.hypothesis(dense).formula
    try:
        program = parse(formula, net.alphabet)
    except IdinfError as refusal:
        if any(word in str(refusal) for word in ("depends on N", "average")):
            return
        raise
    for word in words_up_to(len(net.alphabet), LENGTH):
        assert plain_interpreter.accepts(program, net.alphabet, word) == in_net(dense, word), word


def of_languages(rng: random.Random, tools: Tools) -> None:
    """A random language, with blanks, brackets and line ends in its text, beside the plain one."""
    letters = rng.choice(("a", "ab", "abc"))
    language = draw_any(rng, letters, rng.choice((Kind.REGEX, Kind.REGEX, Kind.DFA)))
    machines = [build_target(language.spec)]
    if language.kind is Kind.REGEX:
        parts = [f" {part}" if rng.random() < 0.3 else part for part in language.text]
        spaced = f"(({''.join(parts)}))"
        machines.append(build_target(spec_of_regex(spaced, letters)))
    for word in words_up_to(len(letters), LENGTH):
        said = {accepts(machine, word) for machine in machines}
        assert said == {language.membership(word)}, word


def spec_of_regex(regex: str, letters: str):
    """A spec of a regex."""
    return parse_spec(f'name = "t"\nalphabet = "{letters}"\nregex = """{regex}"""\n')


def of_mutants(rng: random.Random, tools: Tools) -> None:
    """Sound files with changed values and pieces, given to some command under its promise."""
    kind = rng.choice([*ASKING])
    command = rng.choice(ASKING[kind])

    @seed(rng.randrange(2**32))
    @settings(
        max_examples=MUTANTS, phases=[Phase.generate], database=None, deadline=None, print_blob=False,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(text=mutants(kind))
    def check(text: str) -> None:
        asked(tools, command, WORDS_OF[kind], text.encode("utf-8", "surrogatepass"))

    check()


def of_garbage(rng: random.Random, tools: Tools) -> None:
    """Random pieces and bytes as a program, a spec, an option and a name."""
    pieces = "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 40)))
    content = rng.randbytes(rng.randint(0, 60)) if rng.random() < 0.3 else pieces.encode()
    asked(tools, Command("crasp check @"), "crasp", content)
    asked(tools, Command("identify @ --max-n 2 --max-r 5 -o out.json", ("out.json",)), "toml", content)
    option = pieces.replace("\0", "") or "x"
    with tools.bench() as bench:
        line = rng.choice((["targets"], ["identify"], ["identify", "--regex"], ["classify", "--regex"]))
        promise = Command("identify").promise
        bench.run(
            *line,
            option,
            *(["--max-n", "2", "--time-limit", "5"] if line[0] == "identify" else []),
            promise=promise,
        )


def asked(tools: Tools, command: Command, ending: str, content: bytes) -> None:
    """Give a command a file."""
    with tools.bench() as bench:
        put_good_files(bench.here)
        path = bench.here / f"mutant.{ending}"
        path.write_bytes(content)
        bench.run(*command.line(path.name, limited=True), promise=command.promise)
