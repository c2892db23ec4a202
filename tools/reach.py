"""How far `idinf identify` reaches by itself: small random languages, default settings, a minute of CPU each.

Runs the command on every language that `tools.languages` draws for a seed, in a process of its own whose
CPU time the kernel limits, and looks at each report again with `tools.second_look`. A language that is
finished is a row of the CSV file, which a later run keeps. Then the shares of each class are printed, as CSV
and as Markdown: identified in the whole family, proved to have no n0, answered in a smaller space beside an
open run, and with an upper end of R*. A language may count for several of them.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import multiprocessing
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from idinf.base.files import write_whole
from idinf.base.words import Word
from tools.languages import CLASSES, Language, draw_languages
from tools.second_look import find_contradictions
from tools.suite import DOCUMENT, ROOT, cpu_of_children, write_between

BEGIN, END = "<!-- reach: written by `make reach` -->", "<!-- end of reach -->"

#: The seed to report. Seeds 1 to 9 are for whoever develops, and 2026 was looked at too often, so nothing is
#: tuned for this one.
REPORTED_SEED = 20261123

#: CPU seconds for writing the report after the signal, then the kernel ends the run.
GRACE = 30

#: Seconds of the clock for each second of CPU, on a machine that is busy.
PATIENCE = 10

#: Exit codes of a run that wrote its report: finished, open, and open as the limit of CPU time ended it; the
#: last one where that is reached after the report was written.
REPORTED = (0, 4, 128 + signal.SIGXCPU, -signal.SIGXCPU)

#: The outcome of a run that wrote no report.
FAILED = "failed"

#: What a second look says of a report that is right.
AGREES = "agrees"

#: What is counted, in the order of the columns, and how it is told.
RESULTS = {
    "family": "identified in the family",
    "never": "no n0",
    "smaller": "answered in a smaller space",
    "upper": "with an upper end",
}

#: Outcomes that are answers.
ANSWERED = ("identified", "identified-for-all-n", "not-identified", "never")


@dataclass(frozen=True)
class Row:
    """One language and what the run said; every value as the text of its cell."""

    class_name: str
    kind: str
    seed: str
    draw: str
    letters: str
    language: str
    states: str  #: of the minimal automaton; empty for a program that is not seen to be regular
    cpu: str  #: limit of CPU seconds
    outcome: str  #: of the report on the family; `FAILED` if there is none
    n0: str
    smaller: str  #: of the first answer in a smaller space, its outcome; empty if there is none
    smaller_n0: str
    r_lower: str
    r_upper: str  #: empty: none is known
    upper_length: str  #: length up to which the upper end is checked
    seconds: str  #: of CPU
    second_look: str  #: `AGREES`, or what is wrong

    @property
    def key(self) -> tuple[str, ...]:
        """What is not run again."""
        return self.seed, self.draw, self.language, self.cpu

    @property
    def is_wrong(self) -> bool:
        """Whether the run or its report is at fault."""
        return self.second_look != AGREES

    @property
    def results(self) -> tuple[str, ...]:
        """Those of `RESULTS` that it counts for."""
        holds = {
            "family": self.outcome.startswith("identified"),
            "never": self.outcome == "never",
            "smaller": self.outcome == "open" and self.smaller in ANSWERED,
            "upper": bool(self.r_upper),
        }
        return tuple(key for key in RESULTS if holds[key])


HEADER = [field.name for field in fields(Row)]


def measure(language: Language, cpu: int) -> Row:
    """Run the command on one language and look at its report again."""
    before = cpu_of_children()
    report, error = _identify(language, cpu)
    seconds = cpu_of_children() - before
    if report is None:
        return _row(language, cpu, seconds, outcome=FAILED, second_look=error)
    answers = list(_answers(report))
    # Letters that the target does not tell apart are one letter of the report.
    codes = [language.letters.index(letter) for letter in report["target"]["alphabet"]]

    def member(word: Word) -> bool:
        return language.membership(tuple(codes[code] for code in word))

    wrong = [text for answer in answers for text in find_contradictions(answer, member)]
    return _row(
        language, cpu, seconds, **_told(answers), **_ends(report), second_look="; ".join(wrong) or AGREES
    )


def _answers(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The reports on all spaces that are told of, the largest first."""
    return [report, *report.get("smaller", ())]


def _told(answers: Sequence[dict[str, Any]]) -> dict[str, object]:
    """What is said of the family, and of a smaller space beside it."""
    report, smaller = answers[0], [answer for answer in answers[1:] if answer["outcome"] in ANSWERED]
    found = {"outcome": report["outcome"], "n0": report["n0"]}
    return {**found, "smaller": smaller[0]["outcome"], "smaller_n0": smaller[0]["n0"]} if smaller else found


def _identify(language: Language, cpu: int) -> tuple[dict[str, Any] | None, str]:
    """The report as JSON, or why there is none."""
    clock = cpu * PATIENCE
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder, "language.toml")
        spec.write_text(language.toml, encoding="utf-8")
        command = [sys.executable, str(ROOT / "cli.py"), "identify", str(spec), "--json", "-q", "-j", "1"]
        try:
            answer = subprocess.run(
                [*command, "--time-limit", str(clock)],
                capture_output=True,
                text=True,
                check=False,
                timeout=clock + PATIENCE * GRACE,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + GRACE)),
            )
        except subprocess.TimeoutExpired:
            return None, f"no report after {clock + PATIENCE * GRACE} s"
    if answer.returncode not in REPORTED or not answer.stdout.endswith("}\n"):
        return None, f"exit code {answer.returncode}: {answer.stderr.strip()}"
    return json.loads(answer.stdout), ""


def _ends(report: dict[str, Any]) -> dict[str, object]:
    """The ends of R* at the largest n; equal where it is known."""
    known = report["stages"][-1]["r_star"]
    if known is not None:
        return {"r_lower": known, "r_upper": known}
    return {key: report["bracket"][key] for key in ("r_lower", "r_upper", "upper_length")}


def _row(language: Language, cpu: int, seconds: float, **found: object) -> Row:
    known = {
        "class_name": language.class_name,
        "kind": language.kind,
        "seed": language.seed,
        "draw": language.draw,
        "letters": language.letters,
        "language": language.spec.text,
        "states": None if language.machine is None else len(language.machine.table),
        "cpu": cpu,
        "seconds": f"{seconds:.1f}",
        **found,
    }
    return Row(**{name: "" if known.get(name) is None else str(known[name]) for name in HEADER})


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != HEADER:
            sys.exit(f"{path}: other columns than {','.join(HEADER)}; move it away")
        return [Row(**row) for row in reader]


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a CSV file, whole or not at all."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, HEADER)
    writer.writeheader()
    writer.writerows(map(asdict, rows))
    write_whole(path, text.getvalue())


def measure_all(languages: Sequence[Language], path: Path, cpu: int, jobs: int = 2) -> Iterator[Row]:
    """Give a row for each language: first those that the CSV file has, then each as soon as it is finished.

    The file has every row that was given, and what else it had; runs that failed are tried again.
    """
    rows = [row for row in read_rows(path) if row.outcome != FAILED]
    by_key = {row.key: row for row in rows}
    left = []
    for language in languages:
        key = str(language.seed), str(language.draw), language.spec.text, str(cpu)
        if key in by_key:
            yield by_key[key]
        else:
            left.append(language)
    # Each process waits for one run at a time: what its children used more than before is what that run used.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = [pool.submit(measure, language, cpu) for language in left]
        for finished in as_completed(running):
            rows.append(finished.result())
            write_rows(path, rows)
            yield rows[-1]


def count_results(rows: Sequence[Row]) -> list[dict[str, object]]:
    """A line for each class that has rows: how many, and the percentage that counts for each result."""
    lines = []
    for name in CLASSES:
        of_class = [row.results for row in rows if row.class_name == name]
        if of_class:
            counts = {key: sum(key in results for results in of_class) for key in RESULTS}
            shares = {key: f"{100 * number / len(of_class):.0f}" for key, number in counts.items()}
            lines.append({"class": name, "languages": len(of_class), **shares})
    return lines


def show_csv(lines: Sequence[dict[str, object]]) -> str:
    """The shares as CSV."""
    return "\n".join([",".join(lines[0]), *(",".join(map(str, line.values())) for line in lines)])


def show_table(lines: Sequence[dict[str, object]], seed: int, cpu: int) -> str:
    """The shares in Markdown, under a line that says what was run."""
    table = [f"| class | languages | {' | '.join(RESULTS.values())} |", "|---|---|---|---|---|---|"]
    for line in lines:
        shares = [f"{line[result]} %" for result in RESULTS]
        table.append(f"| {' | '.join([CLASSES[str(line['class'])], str(line['languages']), *shares])} |")
    which = f"Seed {seed}" if seed == REPORTED_SEED else f"Seed {seed}, one for development"
    return "\n".join([f"{which}; at most {cpu} s of CPU for each language:", "", *table])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is left, print the shares, and write the table where the document has its marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=REPORTED_SEED)
    parser.add_argument("--number", type=int, default=12, help="languages of each class")
    parser.add_argument("--outside", type=int, help="of the class outside; half as many by default")
    parser.add_argument("--limit-languages", type=int, metavar="N", help="the N that are drawn first alone")
    parser.add_argument("--cpu", type=int, default=60, help="seconds of CPU for each")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path("reach.csv"))
    parser.add_argument("--document", action="store_true", help=f"write the table into {DOCUMENT.name}")
    chosen = parser.parse_args(arguments)
    outside = chosen.number // 2 if chosen.outside is None else chosen.outside
    languages = draw_languages(chosen.seed, chosen.number, outside)
    if chosen.limit_languages is not None:
        languages = sorted(languages, key=lambda language: language.draw)[: chosen.limit_languages]
    rows = []
    for row in measure_all(languages, chosen.output, chosen.cpu, chosen.jobs):
        rows.append(row)
        said = " ".join(row.results) or row.outcome
        line = f"{len(rows)}/{len(languages)} {row.class_name}-{row.draw} {said} {row.seconds} s"
        print(f"{line} {row.language}", file=sys.stderr, flush=True)
    lines = count_results(rows)
    table = show_table(lines, chosen.seed, chosen.cpu)
    print(show_csv(lines), table, sep="\n\n")
    if chosen.document:
        write_between(BEGIN, END, table)
    wrong = [row for row in rows if row.is_wrong]
    for row in wrong:
        print(f"wrong: seed {row.seed}, draw {row.draw}, {row.language}: {row.second_look}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
