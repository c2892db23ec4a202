"""Programs of random regular languages: each is written, proved and timed.

Draws languages as `tests.perf.reach` does, takes those that are put into C-RASP[], and writes a program of
each by `idinf.synthesize`, which proves it equal to the automaton on all words. Then every program is
compared with the language on all short words, by the interpreter of the tests. Prints how many have a
program, and the median and the largest CPU time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from idinf.crasp.syntax import ProgramTree
from idinf.errors import BudgetError, SpecError
from idinf.experiments.spec import Kind
from idinf.synthesis.synthesize import synthesize
from idinf.words import Alphabet, words_up_to
from tests.crasp import plain_interpreter
from tests.perf.languages import Language, iter_distinct

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Write and time them; 1 if some language has none, or one that is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--number", type=int, default=500)
    asked = parser.parse_args(arguments)
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
    print(
        f"{len(times)} of {len(times) + without} have a proved program, {wrong} wrong; "
        f"CPU median {statistics.median(times):.3f} s, largest {max(times):.1f} s"
    )
    return int(without > 0 or wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
