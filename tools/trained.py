"""What n0 says about trained transformers: train many, judge each, and set the two beside each other.

Everything that is chosen stands here, and was committed before the first model was trained: targets, lengths,
architectures, seeds, training, and what counts as learned. `python -m tools.trained` trains what is not in
the table yet, so it goes on where it was ended; `--document` writes the page from the table.

A model is trained on words of length 0 to n until all of 1,000 fresh ones are right twice in a row, or
for 3,000 steps. It has positions for words to 2n, and begins at a random one. Then it is judged at offset 0
on all words to 2n, or as far as 32,768 prefixes go, and on 500 drawn words of each kind beyond. A regular
language is asked for its next symbols on its own words, as the field trains it, any other one whether it has
a word.

The trained n0 of a target is the least of the lengths from which on, at every one of them, at least 2 of
the 3 models have no wrong word.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from idinf.api.sources import read_source
from idinf.spec.spec import Answer, Spec
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.trained.judgement import Judgement, Questions, judge
from idinf.trained.task import Speech, Task
from idinf.trained.training import TrainingSettings, train_task
from tools.suite import ROOT

TABLE = ROOT / "docs" / "results" / "trained.csv"

#: Targets in the order in which they are trained, so that an early end leaves both kinds: those with an n0 in
#: the one-hot family or in a smaller space, and those that no net of the family decides.
TARGETS = (
    "tomita-1",
    "majority",
    "parity",
    "aa-star",
    "contains-ab",
    "d-2",
    "tomita-5",
    "tomita-2",
    "dyck-1",
    "at-least-3-ones",
    "tomita-7",
    "tomita-6",
    "aaaa-star",
    "ge-2-3",
    "d-3",
    "tomita-4",
    "012-02",
    "contains-ab-abc",
    "tomita-3",
    "threshold-t-s t=5 s=2",
    "ab-d-bc",
    "d-4",
    "abab-star",
)

LENGTHS = (2, 3, 4, 6, 8, 12, 16, 24)
ARCHITECTURES = {"1 layer": 1, "2 layers": 2}
SEEDS = (0, 1, 2)

#: Of every model; heads and width are those that the field's small models have.
HEADS, WIDTH, RATE, STEPS, CHECK_EVERY = 2, 32, 3e-3, 3_000, 100

#: How a model is judged: at offset 0, all words that so many prefixes reach, and drawn ones of each kind.
PREFIXES, SAMPLES = 1 << 15, 500

#: Seeds that have to be right.
MOST_SEEDS_WRONG = 1


@dataclass(frozen=True)
class Row:
    """One model; every value as the text of its cell."""

    target: str
    answer: str
    layers: str
    n: str
    seed: str
    steps: str
    loss: str
    accuracy: str  #: on fresh words of the training lengths
    stopped: str  #: why training ended
    exhaustive_to: str  #: all words up to here were asked
    words: str  #: how many these are
    wrong: str  #: of them
    drawn: str  #: longer words that were asked
    drawn_wrong: str
    first_wrong: str  #: length of the shortest wrong word; empty if there is none
    first_word: str
    seconds: str  #: of CPU

    @property
    def key(self) -> tuple[str, ...]:
        """What is not trained again."""
        return self.target, self.layers, self.n, self.seed

    @property
    def is_right(self) -> bool:
        """Whether no word to 2n was answered wrong."""
        return not self.first_wrong


HEADER = [field.name for field in fields(Row)]


def read_spec(text: str) -> Spec:
    """A target, with the values of a family."""
    name, *values = text.split()
    given = {key: int(value) for key, value in (each.split("=") for each in values)}
    return read_source(name, values=given).spec


def measure(target: str, layers: int, n: int, seed: int) -> Row:
    """Train one model and judge it."""
    began = time.process_time()
    spec = read_spec(target)
    is_regular = isinstance(build_target(spec), RegularTarget)
    task = Task.of(spec, Answer.SET if is_regular else Answer.ACCEPT)
    settings = TrainingSettings(
        layers=layers,
        heads=HEADS,
        width=WIDTH,
        room=2 * n,
        max_length=n,
        steps=STEPS,
        learning_rate=RATE,
        check_every=CHECK_EVERY,
        seed=seed,
    )
    trained = train_task(task, spec.name, settings)
    model = trained.model.astype("float64")
    asked = Questions((0,), 2 * n, PREFIXES, 2 * n, SAMPLES, seed)
    found, _ = judge(model, spec, Speech.of(model, task), asked)
    return Row(
        target,
        str(task.answer),
        str(layers),
        str(n),
        str(seed),
        str(trained.steps),
        f"{trained.loss:.6f}",
        f"{trained.accuracy:.4f}",
        trained.reason,
        *describe(found),
        f"{time.process_time() - began:.1f}",
    )


def describe(found: Judgement) -> tuple[str, ...]:
    """The cells of a judgement."""
    first = found.first
    return (
        str(found.exhaustive_to),
        str(sum(count.words for count in found.counts)),
        str(sum(count.wrong for count in found.counts)),
        str(sum(sample.words for sample in found.samples)),
        str(sum(sample.wrong for sample in found.samples)),
        "" if first is None else str(first.length),
        "" if first is None else first.word,
    )


def read_rows(path: Path = TABLE) -> list[Row]:
    """The rows of a table; none if it is not there."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def find_trained_n0(rows: Iterable[Row], lengths: Sequence[int] = LENGTHS) -> int | None:
    """The trained n0 of one target and architecture; None if the longest training length is not good.

    Lengths that are not trained with all seeds count as bad.
    """
    right = dict.fromkeys(lengths, 0)
    for row in rows:
        right[int(row.n)] += row.is_right
    found = None
    for n in sorted(lengths, reverse=True):
        if right[n] < len(SEEDS) - MOST_SEEDS_WRONG:
            break
        found = n
    return found


def run(targets: Sequence[str], jobs: int) -> None:
    """Train and judge what the table lacks, target by target, and add each row when it is there."""
    done = {row.key for row in read_rows()}
    asked = [
        each
        for each in itertools.product(targets, ARCHITECTURES.values(), LENGTHS, SEEDS)
        if tuple(map(str, each)) not in done
    ]
    is_new = not TABLE.exists()
    with TABLE.open("a", encoding="utf-8", newline="") as file, ProcessPoolExecutor(jobs) as pool:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        if is_new:
            writer.writeheader()
        running = {pool.submit(measure, *each): each for each in asked}
        for number, future in enumerate(as_completed(running), start=1):
            writer.writerow(asdict(future.result()))
            file.flush()
            print(f"{number} of {len(asked)}: {running[future]}", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("targets", nargs="*", default=TARGETS, help="by default all")
    arguments = parser.parse_args()
    run(arguments.targets, arguments.jobs)


if __name__ == "__main__":
    main()
