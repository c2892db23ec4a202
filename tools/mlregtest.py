"""What idinf says of MLRegTest, the field's set of 1,800 labelled regular languages.

`python -m tools.mlregtest FOLDER` reads its 1,470 automata (`src/fstlib/att_format` of
github.com/heinz-jeffrey/subregular-learning, CC BY 4.0) and classifies them and the 330 complements that the
suite names; `programs` writes programs of the small ones in C-RASP[periodic, local], and `runs` runs the
procedure on the smallest, both over the table of `classes`. Each goes on where it was ended. `--document`
writes the page from the tables, without the automata.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path

import numpy as np

import idinf
from idinf.api.programs import synthesize
from idinf.api.sources import read_source
from idinf.languages.classification.by_automaton import number_components, word_to
from idinf.languages.classification.classes import classify
from idinf.languages.classification.membership import drop_last_symbol
from idinf.spec.spec import Kind, Spec
from idinf.targets.build import build_target
from idinf.targets.letters import find_symbols
from idinf.targets.machine import explore
from idinf.targets.regular import RegularTarget
from tools.suite import ROOT, write_between

RESULTS = ROOT / "docs" / "results"
DOCUMENT = RESULTS / "mlregtest.md"
BEGIN, END = "<!-- mlregtest: written by `make mlregtest` -->", "<!-- end of mlregtest -->"

#: Classes whose complements are languages of the suite, by their names.
COMPLEMENTS = {"SL": "coSL", "SP": "coSP", "TSL": "TcoSL"}

#: The classes in the order of the page, those of a tier behind those without.
CLASSES = (
    *("SL", "coSL", "LT", "LTT", "SP", "coSP", "PT", "PLT", "SF", "Zp", "Reg"),
    *("TSL", "TcoSL", "TLT", "TLTT", "TPLT"),
)

#: States of the largest languages that programs are written for, and that the procedure runs on.
FOR_PROGRAMS, FOR_RUNS = 10, 6

#: Seconds that a program or a run may take.
TIME_LIMIT = 60

#: Letters of the longest steady words that are looked for.
LONGEST = 2


@dataclass(frozen=True)
class Verdicts:
    """What is said of one language; every value as the text of its cell."""

    name: str
    states: str
    letters: str
    symbols: str  #: letters that the language tells apart
    monoid: str
    star_free: str
    ac0: str
    r_trivial: str
    piecewise_testable: str
    da: str
    dot_depth: str
    crasp: str
    crasp_periodic_local: str
    count_depth: str  #: the least nesting of counts, or a bracket of it
    window: str  #: how many symbols before it a position has to see; empty outside of the class
    modulus: str
    neutral: str  #: a letter that moves no state
    steady: str  #: a word to a state p, and a steady word there; empty if none was found
    problem: str  #: the same for languages that are one to the procedure; of those that it runs on
    reason: str  #: of the verdict on C-RASP[periodic, local]
    seconds: str  #: of CPU

    @property
    def kind(self) -> str:
        """The subregular class that the suite has it in."""
        return self.name.split(".")[2]


@dataclass(frozen=True)
class Written:
    """A program of one language."""

    name: str
    length: str  #: characters
    depth: str  #: of its counts
    program: str
    error: str
    seconds: str


@dataclass(frozen=True)
class Ran:
    """How a run on one language ended."""

    name: str
    outcome: str
    n0: str
    n0_lower: str
    r_lower: str
    r_upper: str  #: of a hypothesis that is right as far as is asked
    smaller_n0: str  #: n0 in a smaller space, where the family stays open
    seconds: str


Row = Verdicts | Written | Ran


def read_languages(folder: Path) -> dict[str, tuple[Path, bool]]:
    """By name the file of each language, and whether it is its complement; an error if one is missing."""
    found = {path.stem: (path, False) for path in sorted(folder.glob("*.att"))}
    for name, (path, _) in list(found.items()):
        parts = name.split(".")
        if len(parts) == 6 and parts[2] in COMPLEMENTS:
            found[".".join((*parts[:2], COMPLEMENTS[parts[2]], *parts[3:]))] = path, True
    if not found:
        raise SystemExit(f"{folder}: no .att files; expected the automata of the suite; name their folder")
    return found


def read_machine(path: Path, is_complement: bool) -> RegularTarget:
    """The minimal automaton of a language."""
    machine = build_target(read_source(path).spec)
    assert isinstance(machine, RegularTarget)
    return RegularTarget(machine.alphabet, machine.table, ~machine.accepting) if is_complement else machine


def judge_classes(name: str, path: Path, is_complement: bool) -> Verdicts:
    """Classify one language."""
    began = time.process_time()
    machine = read_machine(path, is_complement)
    found = classify(machine)
    notes = found.crasp_periodic_local.notes
    still = np.flatnonzero([machine.is_neutral(code) for code in range(len(machine.alphabet))])
    return Verdicts(
        **{key: str(finding.verdict) for key, finding in found.findings},
        name=name,
        states=str(found.states),
        letters=str(len(machine.alphabet)),
        symbols=str(len(set(find_symbols(machine)))),
        monoid="" if found.monoid_size is None else str(found.monoid_size),
        dot_depth=found.depth,
        count_depth=found.nesting.verdict,
        window="" if notes is None else str(notes[0]),
        modulus="" if notes is None else str(notes[1]),
        neutral=machine.alphabet.symbols[still[0]] if len(still) else "",
        steady=find_steady_word(machine),
        problem=find_problem(machine) if found.crasp_periodic_local.is_yes else "",
        reason=found.crasp_periodic_local.reason,
        seconds=f"{time.process_time() - began:.2f}",
    )


def find_steady_word(machine: RegularTarget) -> str:
    """A word to a state p and a short word w: p·w is another state, and no p·w^i leaves the component of p.

    States that every next symbol leads to one state count as one; docs/results/mlregtest.md has the lemma.

    >>> from idinf.base.words import Alphabet
    >>> find_steady_word(RegularTarget.from_regex("(a|b)*bb*", Alphabet(("a", "b"))))
    ''
    >>> find_steady_word(RegularTarget.from_regex("((a|c)*b(a|b|c)*a)*c*", Alphabet(("a", "b", "c"))))
    'b a'
    """
    table, first = drop_last_symbol(machine.table)
    component, states = number_components(table), np.arange(len(table))
    symbols = sorted(set(find_symbols(machine)))
    for length in range(1, LONGEST + 1):
        for word in itertools.product(symbols, repeat=length):
            moved = states
            for code in word:
                moved = table[moved, code]
            stays, now = moved != states, moved
            for _ in states:
                stays &= component[now] == component
                now = moved[now]
            if stays.any():
                state = int(np.argmax(stays))
                return f"{word_to(machine, int(first[state]))} {machine.alphabet.decode(word)}"
    return ""


def find_problem(machine: RegularTarget) -> str:
    """A digest of what the procedure is asked about; nothing of an automaton of too many states.

    Neither letters that are not told apart, nor the names of the others, nor a complement, whose hypotheses
    are read the other way round for the same R, change R* or n0.
    """
    if len(machine.table) > FOR_RUNS:
        return ""
    kept = sorted(set(find_symbols(machine)))
    forms = []
    for order in itertools.permutations(kept):
        rows = machine.table[:, order].tolist()
        states, table, _ = explore(0, partial(map, rows.__getitem__))
        accepting = [bool(machine.accepting[state]) for state in states]
        forms.append((table, min(accepting, [not each for each in accepting])))
    return hashlib.sha256(repr(min(forms)).encode()).hexdigest()[:8]


def write_one(name: str, path: Path, is_complement: bool) -> Written:
    """Write and prove the program of one language."""
    began = time.process_time()
    spec = write_spec(name, read_machine(path, is_complement))
    text, depth, error = "", "", ""
    try:
        found = synthesize(spec, time_limit=TIME_LIMIT)
        text, depth = found.text.strip(), str(found.facts.depth)
    except idinf.IdinfError as reason:
        error = str(reason)
    return Written(name, str(len(text)), depth, text, error, f"{time.process_time() - began:.1f}")


def run_one(name: str, path: Path, is_complement: bool) -> Ran:
    """Run the procedure on one language, with default settings."""
    began = time.process_time()
    report = idinf.identify(write_spec(name, read_machine(path, is_complement)), time_limit=TIME_LIMIT)
    bracket, end = report.bracket, report.upper_end
    smaller = [each.n0 for each in report.answers[1:] if each.n0 is not None]
    return Ran(
        name,
        report.outcome.value,
        "" if report.n0 is None else str(report.n0),
        "" if bracket is None else str(bracket.n0_lower),
        f"{report.complete_up_to_r:.6f}",
        "" if end is None or end[1] < report.max_n else f"{end[0]:.6f}",
        str(smaller[0]) if smaller else "",
        f"{time.process_time() - began:.1f}",
    )


def write_spec(name: str, machine: RegularTarget) -> Spec:
    """The language of a machine as a target."""
    return Spec(name, machine.alphabet, Kind.DFA, machine.automaton)


#: What is asked by each name: the rows, how one is made, and which languages it is asked of.
TABLES: dict[str, tuple[type[Row], Callable[[str, Path, bool], Row], Callable[[Verdicts], bool]]] = {
    "classes": (Verdicts, judge_classes, lambda _: True),
    "programs": (Written, write_one, lambda row: is_small(row, FOR_PROGRAMS)),
    "runs": (Ran, run_one, lambda row: is_small(row, FOR_RUNS)),
}


def is_small(row: Verdicts, most: int) -> bool:
    """Whether a language is in C-RASP[periodic, local] and has at most so many states."""
    return row.crasp_periodic_local == "yes" and int(row.states) <= most


def table_of(name: str) -> Path:
    """The file of a table."""
    return RESULTS / ("mlregtest.csv" if name == "classes" else f"mlregtest-{name}.csv")


def read_rows(name: str) -> list[Row]:
    """The rows of a table, by their names; none if it is not there."""
    kind, path = TABLES[name][0], table_of(name)
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [kind(**row) for row in csv.DictReader(file)]


def ask(name: str, folder: Path, jobs: int) -> None:
    """Ask what a table lacks, add each row when it is there, and sort them in the end."""
    kind, make, wanted = TABLES[name]
    languages = read_languages(folder)
    if name != "classes":
        kept = [row for row in read_rows("classes") if isinstance(row, Verdicts) and wanted(row)]
        if name == "runs":  # one language of each problem
            kept = list({row.problem: row for row in reversed(kept)}.values())
        languages = {row.name: languages[row.name] for row in kept}
    rows = {row.name: row for row in read_rows(name)}
    header = [field.name for field in fields(kind)]
    asked = [(each, *languages[each]) for each in languages if each not in rows]
    is_new = not table_of(name).exists()
    with table_of(name).open("a", encoding="utf-8", newline="") as file, ProcessPoolExecutor(jobs) as pool:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for number, future in enumerate(as_completed([pool.submit(make, *each) for each in asked]), start=1):
            row = future.result()
            rows[row.name] = row
            writer.writerow(asdict(row))
            file.flush()
            print(f"{number} of {len(asked)}: {row.name}", flush=True)
    with table_of(name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(rows[each]) for each in sorted(rows))


def write_document() -> None:
    """Write the tables of the page."""
    rows = [row for row in read_rows("classes") if isinstance(row, Verdicts)]
    titles = ("class", "languages", "states", "C-RASP[]", "C-RASP[periodic, local]", "LTL[P] (R-trivial)")
    lines = [f"| {' | '.join((*titles, 'star-free', 'steady word'))} |", "|---" * 8 + "|"]
    for kind in CLASSES:
        own = [row for row in rows if row.kind == kind]
        states = [int(row.states) for row in own]
        cells = [kind, str(len(own)), f"{min(states)} to {max(states)}" if own else "-"]
        cells += [_tell(own, key) for key in ("crasp", "crasp_periodic_local", "r_trivial", "star_free")]
        lines.append(f"| {' | '.join([*cells, _tell_steady(own)])} |")
    lines += ["", *_tell_sums(rows), *_tell_programs(), *_tell_runs(rows)]
    write_between(BEGIN, END, "\n".join(lines), DOCUMENT)


def _tell(rows: Sequence[Verdicts], key: str) -> str:
    """How many are in a class: all, none, or some; of what is not known that, too."""
    found = Counter(getattr(row, key) for row in rows)
    if unknown := found["unknown"]:
        return f"{found['yes']}, {unknown} unknown"
    return {len(rows): "**all**", 0: "none"}.get(found["yes"], str(found["yes"]))


def _tell_steady(rows: Sequence[Verdicts]) -> str:
    """For how many of those outside of C-RASP[] a steady word was found."""
    outside = [row for row in rows if row.crasp == "no"]
    return f"{sum(bool(row.steady) for row in outside)} of {len(outside)}" if outside else "-"


def _tell_sums(rows: Sequence[Verdicts]) -> Iterable[str]:
    """All languages together, and where the rivals disagree."""
    keys = ("crasp_periodic_local", "crasp", "r_trivial")
    inside, counting, ordered = ([row for row in rows if getattr(row, key) == "yes"] for key in keys)
    unknown = sum("unknown" in [getattr(row, key) for key in keys] for row in rows)
    merged = sum(int(row.symbols) < int(row.letters) for row in rows)
    seconds = sum(float(row.seconds) for row in rows)
    yield f"{len(rows):,} languages, {unknown} unknown, {seconds:.0f} s of CPU."
    yield f"R-trivial: {len(ordered)}; in C-RASP[]: {len(counting)}; in C-RASP[periodic, local]:"
    yield f"{len(inside)}, so that the two predictions disagree on {len(set(inside) ^ set(ordered))}."
    exact = sum(row.count_depth.isdigit() for row in inside)
    bracketed = sum(" to " in row.count_depth for row in inside)
    yield f"Of these {len(inside)} the depth of counts is exact for {exact}, between two ends for"
    yield f"{bracketed}, and has a lower end alone for {len(inside) - exact - bracketed}."
    yield f"{merged:,} languages have letters that they do not tell apart; the most that any tells apart are"
    yield f"{max(int(row.symbols) for row in rows)} of {max(int(row.letters) for row in rows)}."


def _tell_programs() -> Iterable[str]:
    """How many programs there are, and how long."""
    found = [row for row in read_rows("programs") if isinstance(row, Written)]
    if not found:
        return
    right = [row for row in found if row.program]
    fast = sum(float(row.seconds) <= TIME_LIMIT for row in right)
    lengths, seconds = [int(row.length) for row in right], [float(row.seconds) for row in found]
    yield ""
    yield f"**Programs.** In C-RASP[periodic, local] with at most {FOR_PROGRAMS} states: {len(found)}."
    yield f"Proved within {TIME_LIMIT} s of CPU: {fast} ({100 * fast / len(found):.0f} %); characters: median"
    yield f"{statistics.median(lengths):.0f}, from {min(lengths)} to {max(lengths)}; seconds: median"
    yield f"{statistics.median(seconds):.1f}, at most {max(seconds):.0f}."


def _tell_runs(rows: Sequence[Verdicts]) -> Iterable[str]:
    """How many runs ended with an n0 or with a bracket."""
    found = [row for row in read_rows("runs") if isinstance(row, Ran)]
    if not found:
        return
    problems = {row.name: row.problem for row in rows}
    number = Counter(row.problem for row in rows if row.problem)

    def count(chosen: Callable[[Ran], bool]) -> int:
        """Languages whose problem has a row of some kind."""
        return sum(number[problems[row.name]] for row in found if chosen(row))

    every, settled = count(lambda _: True), count(lambda row: bool(row.n0))
    finite = count(lambda row: bool(row.r_upper and not row.n0))
    smaller = count(lambda row: bool(row.r_upper and not row.n0 and row.smaller_n0))
    yield ""
    yield f"**Runs.** In the class with at most {FOR_RUNS} states: {every} languages, {len(found)} problems"
    yield f"up to alike letters, names of letters and complement, {TIME_LIMIT} s each. n0 in the one-hot"
    yield f"family: {settled} languages; a finite bracket of R\\* besides: {finite}, of which {smaller} have"
    yield f"an n0 in a smaller space; together {100 * (settled + finite) / every:.0f} %."


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="of the automata of the suite")
    parser.add_argument("tables", nargs="*", metavar="|".join(TABLES), help="what to ask; by default classes")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--document", action="store_true", help="write the page")
    chosen = parser.parse_args()
    if unknown := set(chosen.tables) - set(TABLES):
        parser.error(f"{', '.join(sorted(unknown))}: expected some of {', '.join(TABLES)}")
    if chosen.folder is None and not chosen.document:
        parser.error("no folder; expected that of the automata; name it, or give --document")
    if chosen.folder is not None:
        each = partial(ask, folder=chosen.folder, jobs=chosen.jobs)
        for name in chosen.tables or ["classes"]:
            each(name)
    if chosen.document:
        write_document()


if __name__ == "__main__":
    main()
