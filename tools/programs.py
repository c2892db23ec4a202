"""Programs of the regular rows of the benchmark and of random regular languages: written, proved and timed.

The random ones are drawn as `tools.reach` does; those that are put into C-RASP[] count. Each language
gets its program from `idinf.synthesize`, which proves it equal to the automaton on all words. Then every
program of a random one is compared with the language on all short words, by the interpreter of the tests.
Prints the programs of the benchmark as a table, and of the random ones how many have a program, and the
median and the largest CPU time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from idinf.api import programs
from idinf.base.numbers import format_r
from idinf.base.words import Alphabet, words_up_to
from idinf.crasp.syntax import ProgramTree
from idinf.errors import BudgetError, SpecError
from idinf.languages.synthesis.synthesize import synthesize
from idinf.spec.catalogue import load
from idinf.spec.spec import Kind, Verdict
from tests.crasp import plain_interpreter
from tools.languages import Language, iter_distinct
from tools.suite import DOCUMENT, ROWS, write_between

BEGIN, END = "<!-- programs: written by `make programs` -->", "<!-- end of programs -->"

#: Length up to which programs are compared with automata once more.
LENGTH = 6


def iter_countable(seed: int) -> Iterator[Language]:
    """The distinct regular languages of a seed that are put into C-RASP[]."""
    for language in iter_distinct(seed, sys.maxsize):
        if language.kind is not Kind.CRASP and language.class_name == "crasp":
            yield language


def is_right(language: Language, program: ProgramTree) -> bool:
    """Whether a program accepts the words of the language, of those up to `LENGTH`."""
    inside, alphabet = language.membership, Alphabet(tuple(language.letters))
    words = words_up_to(len(alphabet), LENGTH)
    return all(plain_interpreter.accepts(program, alphabet, word) == inside(word) for word in words)


def write_table() -> str:
    """The program of each regular row of the benchmark that can have one, as Markdown."""
    lines = ["| target | class | R when compiled | program |", "|---|---|---|---|"]
    for name in ROWS:
        spec = load(name)
        if spec.kind is Kind.CRASP or dict(spec.expected)["crasp_periodic_local"] is not Verdict.YES:
            continue
        found = programs.synthesize(name)
        text = "<br>".join(f"`{line}`".replace("|", "\\|") for line in found.text.splitlines())
        lines.append(
            f"| {name} | {found.facts.class_name} | {format_r(programs.compile_source(found).r)} | {text} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write and time them; 1 if some random language has none, or one that is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--document", action="store_true", help=f"write both into {DOCUMENT.name}")
    asked = parser.parse_args(arguments)
    rows = write_table()
    print(rows, flush=True)
    times, without, wrong = list[float](), 0, 0
    for language in islice(iter_countable(asked.seed), asked.number):
        machine = language.machine
        assert machine is not None
        began = time.process_time()
        try:
            program = synthesize(machine).program
        except (SpecError, BudgetError) as error:
            without += 1
            print(f"no program: {language.text}: {error}", file=sys.stderr)
            continue
        times.append(time.process_time() - began)
        if not is_right(language, program):
            wrong += 1
            print(f"wrong: {language.text}", file=sys.stderr)
    random = (
        f"Seed {asked.seed}: {len(times)} of {len(times) + without} random languages have a proved program, "
        f"{wrong} wrong; CPU median {statistics.median(times):.2f} s, largest {max(times):.1f} s."
    )
    print(random)
    if asked.document:
        write_between(BEGIN, END, f"{rows}\n\n{random}")
    return int(without > 0 or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
