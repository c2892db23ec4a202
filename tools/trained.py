"""What n0 says about trained transformers: train many, judge each, and set the two beside each other.

Everything that is chosen stands here, and was committed before the first model was trained: targets, lengths,
architectures, seeds, training, and what counts as learned. `python -m tools.trained` trains what is not in
the table yet, so it goes on where it was ended; `--facts` asks idinf about the targets; `--document` writes
the page from both tables.

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
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import idinf
from idinf.api.sources import read_source
from idinf.base.quoting import shorten
from idinf.show.figures.canvas import (
    COLOURS,
    PALE,
    Sheet,
    apply_style,
    draw_line,
    draw_points,
    encode,
    fit_ticks,
    label_points,
)
from idinf.spec.spec import Answer, Spec
from idinf.targets.build import build_target
from idinf.targets.regular import RegularTarget
from idinf.trained.judgement import Judgement, Questions, judge
from idinf.trained.task import AnswerReader, Task
from idinf.trained.training import RIGHT, TrainingSettings, train_task
from tools.suite import ROOT, write_between

RESULTS = ROOT / "docs" / "results"
TABLE, FACTS, DOCUMENT = (RESULTS / name for name in ("trained.csv", "trained-targets.csv", "trained.md"))
FIGURE = ROOT / "docs" / "figures" / "trained.svg"

#: What idinf says of a target, as columns of `idinf batch`.
FACT_COLUMNS = (
    *("target", "outcome", "n0", "n0_lower", "r_star", "r_lower", "r_upper", "smaller_n0", "smaller_r_star"),
    *("states", "r_trivial", "crasp", "crasp_periodic_local"),
)

BEGIN, END = "<!-- trained: written by `make trained` -->", "<!-- end of trained -->"

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

#: Inches: the height of a panel of the figure.
PANEL = 2.7
SEEDS = (0, 1, 2)

#: Of every model; heads and width are those that the field's small models have.
HEADS, WIDTH, RATE, STEPS, CHECK_EVERY = 2, 32, 3e-3, 3_000, 100

#: How a model is judged: at offset 0, all words that so many prefixes reach, and drawn ones of each kind.
PREFIXES, SAMPLES = 1 << 15, 500

#: The published models by the beginning of their names, and what they are asked.
PUBLISHED = {
    "bce_tomita1": "tomita-1",
    "bce_D2": "d-2",
    "bce_ab_d_bc": "ab-d-bc",
    "bce_aaaastar": "aaaa-star",
    "bce_tomita4": "tomita-4",
    "bce_tomita5": "tomita-5",
    "bce_012_0_2": "012-02",
    "bin_majority": str(ROOT / "tools" / "bin-majority.toml"),
    "bin_majority_interleave": "majority-interleave-next",
}

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
    asked = Questions(length=2 * n, samples=SAMPLES, seed=seed, prefixes=PREFIXES, longest=2 * n)
    found = judge(model, spec, AnswerReader.of(model, task), asked)
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


def ask_facts(targets: Sequence[str], jobs: int) -> None:
    """Ask idinf about targets that are not in the table, with as many steps as `make readings` has."""
    known = read_facts()
    asked = [target for target in targets if target not in known]
    found = idinf.batch([read_spec(each) for each in asked], jobs=jobs, max_n=32, work=10_000)
    rows = known | {
        target: dict(zip(FACT_COLUMNS, cells, strict=True)) for target, cells in _cells(asked, found)
    }
    with FACTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FACT_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[target] for target in TARGETS if target in rows)


def _cells(targets: Sequence[str], found: idinf.Batch) -> Iterable[tuple[str, list[str]]]:
    """The cells of `FACT_COLUMNS` of each target."""
    for target, item in zip(targets, found, strict=True):
        values = (getattr(item.row, column) for column in FACT_COLUMNS[1:])
        yield target, [target, *("" if value is None else str(value) for value in values)]


def read_facts() -> dict[str, dict[str, str]]:
    """What idinf says, by target; nothing if the table is not there."""
    if not FACTS.exists():
        return {}
    with FACTS.open(encoding="utf-8", newline="") as file:
        return {row["target"]: row for row in csv.DictReader(file)}


@dataclass(frozen=True)
class Target:
    """What is known of a target whose models are all there."""

    name: str
    facts: dict[str, str]
    right: dict[int, dict[int, int]]  #: by layers and n, how many seeds are right
    trained: dict[int, int | None]  #: the trained n0 by layers

    @property
    def n0(self) -> str:
        """That of the family, else of a smaller space."""
        if self.facts["outcome"] == "never":
            return "none"
        smaller = self.facts.get("smaller_n0")
        return self.facts["n0"] or (f"{smaller}*" if smaller else f"≥ {self.facts['n0_lower']}")

    @property
    def share(self) -> dict[int, float]:
        """The share of all models that are right, by layers."""
        most = len(LENGTHS) * len(SEEDS)
        return {layers: sum(right.values()) / most for layers, right in self.right.items()}


def collect() -> list[Target]:
    """All targets whose models are all there, in the order of `TARGETS`."""
    facts, by_target = read_facts(), dict[str, list[Row]]()
    for row in read_rows():
        by_target.setdefault(row.target, []).append(row)
    found = []
    for name in TARGETS:
        rows = by_target.get(name, [])
        if len({row.key for row in rows}) < len(ARCHITECTURES) * len(LENGTHS) * len(SEEDS):
            continue
        own = {
            layers: [row for row in rows if row.layers == str(layers)] for layers in ARCHITECTURES.values()
        }
        right = {
            layers: {n: sum(row.is_right for row in rows if row.n == str(n)) for n in LENGTHS}
            for layers, rows in own.items()
        }
        trained = {layers: find_trained_n0(rows) for layers, rows in own.items()}
        found.append(Target(name, facts[name], right, trained))
    return found


def write_document() -> None:
    """Write the table, the correlations and the figure."""
    targets, rows = collect(), read_rows()
    lengths = ", ".join(map(str, LENGTHS))
    lines = [
        f"{len(targets)} targets, {len(rows)} models; training lengths {lengths}. *Right* is, for each of",
        "these, how many of the 3 seeds have no wrong word to 2n. \\* behind n0: in a smaller space than the",
        "family.",
        "",
        "| target | k | 2k − 2 | C-RASP | R-trivial | R\\* | n0 | 1 layer | right | 2 layers | right |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in targets:
        facts, states = each.facts, each.facts["states"].removesuffix(".0")
        r_star = f"{float(facts['r_star']):.6f}" if facts["r_star"] else "-"
        cells = [each.name, states or "-", str(2 * int(states) - 2) if states else "-"]
        cells += [
            _describe_class(facts),
            facts["r_trivial"] or "-",
            r_star,
            each.n0.replace("*", "\\*").removesuffix(".0"),
        ]
        for layers in ARCHITECTURES.values():
            right = each.right[layers]
            cells += [str(each.trained[layers] or "none"), " ".join(str(right[n]) for n in LENGTHS)]
        lines.append(f"| {' | '.join(cells)} |")
    missing = [name for name in TARGETS if name not in {each.name for each in targets}]
    lines += [
        "",
        f"Not run, or not with all models: {', '.join(missing) or 'none'}.",
        "",
        *_correlate(targets),
    ]
    lines += ["", *_compare_predictions(targets), "", _count_fits(rows, {each.name for each in targets})]
    write_between(BEGIN, END, "\n".join(lines), DOCUMENT)
    draw(targets)


def _describe_class(facts: dict[str, str]) -> str:
    """The smallest class with the target: models have positions, so [periodic, local] counts, too."""
    if facts["crasp"] == "yes":
        return "[]"
    return "[periodic, local]" if facts["crasp_periodic_local"] == "yes" else facts["crasp_periodic_local"]


def _correlate(targets: Sequence[Target]) -> list[str]:
    """Rank correlations of n0, R* and 2k - 2 with the trained n0 and the share of right models."""
    from scipy.stats import spearmanr

    from idinf.tables.accuracies import _interval

    lines = [
        "| Spearman's ρ of | with | layers | targets | ρ | 95 % interval |",
        "|---|---|---|---|---|---|",
    ]
    quantities = {
        "n0": lambda each: float(each.n0.rstrip("*")) if each.n0[0].isdigit() else None,
        "n0, none as the largest": lambda each: 1e9 if each.n0 == "none" else quantities["n0"](each),
        "R\\*": lambda each: float(each.facts["r_star"]) if each.facts["r_star"] else None,
        "2k − 2": lambda each: float(each.facts["states"]) if each.facts["states"] else None,
    }
    measured = {
        "trained n0, none as the largest": lambda each, layers: float(each.trained[layers] or 1e9),
        "share of right models": lambda each, layers: each.share[layers],
    }
    for (name, quantity), (other, value), layers in itertools.product(
        quantities.items(), measured.items(), ARCHITECTURES.values()
    ):
        pairs = [(x, value(each, layers)) for each in targets if (x := quantity(each)) is not None]
        if len(pairs) < 5 or any(len(set(column)) == 1 for column in zip(*pairs, strict=True)):
            continue
        rho = float(spearmanr(*zip(*pairs, strict=True)).statistic)
        low, high = _interval(rho, len(pairs), "spearman")
        lines.append(f"| {name} | {other} | {layers} | {len(pairs)} | {rho:.2f} | {low:.2f} to {high:.2f} |")
    return lines


def _compare_predictions(targets: Sequence[Target]) -> list[str]:
    """How often each class says right whether there is a trained n0."""
    predictions = {
        "C-RASP[periodic, local]": lambda facts: facts["crasp_periodic_local"],
        "C-RASP[]": lambda facts: facts["crasp"],
        "R-trivial (LTL[P])": lambda facts: facts["r_trivial"],
    }
    lines = [
        "| a trained n0 is there iff the target is in | layers | says right | wrong on |",
        "|---|---|---|---|",
    ]
    for (name, verdict), layers in itertools.product(predictions.items(), ARCHITECTURES.values()):
        known = [each for each in targets if verdict(each.facts) in ("yes", "no")]
        wrong = [
            each.name
            for each in known
            if (verdict(each.facts) == "yes") != (each.trained[layers] is not None)
        ]
        lines.append(
            f"| {name} | {layers} | {len(known) - len(wrong)} of {len(known)} | {', '.join(wrong) or '-'} |"
        )
    return lines


def _count_fits(rows: Sequence[Row], complete: set[str]) -> str:
    """How many models that answered all fresh words of their lengths have a wrong word to 2n."""
    own = [row for row in rows if row.target in complete]
    fit = [row for row in own if row.stopped == RIGHT]
    wrong = [row for row in fit if not row.is_right]
    inside = [row for row in wrong if int(row.first_wrong) <= int(row.n)]
    return (
        f"Of the {len(own)} models of these targets {len(fit)} answered 2,000 fresh words of their training\n"
        f"lengths without a mistake. **{len(wrong)} of these have a wrong word to 2n, {len(inside)} of them\n"
        "one that is no longer than n**, which sampling did not meet."
    )


@apply_style()
def draw(targets: Sequence[Target]) -> None:
    """Draw trained n0 against n0, a panel for each architecture; a number counts the targets of a mark."""
    sheet = Sheet(7.0)
    sheet.gap(0.25)
    none = 2 * LENGTHS[-1]
    for place, (title, layers) in enumerate(ARCHITECTURES.items()):
        sheet.gap(-PANEL if place else 0.0)
        axes = sheet.panel(PANEL, 0.7 + 3.3 * place, 0.2 + 3.3 * (1 - place))
        met: Counter[tuple[float, float]] = Counter()
        for each in targets:
            x = none if each.n0 == "none" else float(each.n0.strip("*≥ "))
            met[x, float(each.trained[layers] or none)] += 1
        axes.set(xscale="log", yscale="log", xlim=(1.6, 1.4 * none), ylim=(1.6, 1.4 * none))
        for side, axis, drawn in zip("xy", (axes.xaxis, axes.yaxis), zip(*met, strict=True), strict=True):
            ticks = fit_ticks(axes, [none, *sorted(map(int, drawn)), *LENGTHS], side)
            axis.set_ticks(ticks, [*map(str, ticks[:-1]), "none"])
            axis.set_ticks([], minor=True)
        draw_line(axes, [(2, 2), (none, none)], color=PALE, linewidth=0.8, zorder=1)
        draw_points(axes, met, "o", 7, COLOURS[0], "white", zorder=3)
        label_points(axes, [(str(count), point) for point, count in met.items()], met, 4.5, 2, fontsize=8)
        axes.set_xlabel("n₀ of the idealized learner")
        axes.set_title(title, fontsize=10)
        if not place:
            axes.set_ylabel("trained n₀")
    sheet.gap(0.5)
    FIGURE.write_bytes(encode(sheet.finish(), "svg"))


def judge_published(folder: Path) -> None:
    """Judge the models published with arXiv 2602.08857, a folder each, and print a row for each."""
    print("| model | target | all words to | words | wrong | drawn | wrong | first wrong word | CPU |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, target in PUBLISHED.items():
        for path in sorted(folder.glob(f"{name}-@*")):
            began = time.process_time()
            found = idinf.judge(path, target, report=False)
            words, wrong, drawn, drawn_wrong = describe(found)[1:5]
            first = "-" if found.first is None else f"`{shorten(found.first.word, 40)}`"
            cells = [
                path.name,
                found.target,
                str(found.exhaustive_to),
                words,
                wrong,
                drawn,
                drawn_wrong,
                first,
            ]
            print(f"| {' | '.join(cells)} | {time.process_time() - began:.0f} s |", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("targets", nargs="*", default=TARGETS, help="by default all")
    parser.add_argument("--facts", action="store_true", help="ask idinf about the targets instead")
    parser.add_argument("--document", action="store_true", help="write the page instead")
    parser.add_argument("--published", type=Path, help="judge the published models in this folder instead")
    chosen = parser.parse_args()
    if chosen.published is not None:
        judge_published(chosen.published)
    elif chosen.document:
        write_document()
    elif chosen.facts:
        ask_facts(chosen.targets, chosen.jobs)
    else:
        run(chosen.targets, chosen.jobs)


if __name__ == "__main__":
    main()
