"""What the atlas says of all small languages, of picks and of readings, from the CSV files alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from scipy.stats import spearmanr

from idinf.report.value import Outcome
from idinf.spec.parameters import list_up_to_letters, swap_letters
from idinf.tables.batch_plan import READINGS
from idinf.tables.row import read_rows
from tools.atlas_rows import RUNS, TESTS, Found, count, markdown, read
from tools.readings import TABLE

#: Classes from the smallest to the largest, by the verdicts on C-RASP[] and C-RASP[periodic, local].
CLASSES = {
    ("yes", "yes"): "in C-RASP[]",
    ("no", "yes"): "in C-RASP[periodic, local], not in C-RASP[]",
    ("no", "no"): "not in C-RASP[periodic, local]",
}

#: What became of a language, in the words of the document.
RESULTS: dict[str, Callable[[Found], bool]] = {
    "n0 for every n": lambda row: row.is_proved,
    "n0 for the n examined": lambda row: row.row.n0 is not None and not row.is_proved,
    "no n0": lambda row: row.row.outcome == Outcome.NEVER.value,
    "open, n0 in a smaller space": lambda row: row.row.n0 is None and row.row.smaller_n0 is not None,
    "open": lambda row: row.row.outcome == Outcome.OPEN.value and row.row.smaller_n0 is None,
}


def small() -> tuple[Found, ...]:
    """The rows of all languages with at most 3 states, one of every two that differ by swapping letters."""
    return (*read("small-inside"), *read("small-outside"))


def class_of(found: Found) -> str:
    """The class of a language."""
    return CLASSES[str(found.row.crasp), str(found.row.crasp_periodic_local)]


def weight(found: Found) -> int:
    """How many languages a row stands for: itself, and the one with both letters swapped if it is another."""
    automaton = list_up_to_letters(found.value("k"))[found.value("i") - 1]
    return 1 if swap_letters(*automaton) == automaton else 2


def weigh(rows: Iterable[Found]) -> int:
    """How many languages rows stand for."""
    return sum(map(weight, rows))


def outcomes() -> str:
    """Languages by class and outcome."""
    rows = small()
    kept = {name: [row for row in rows if class_of(row) == name] for name in CLASSES.values()}
    lines = [
        [name, weigh(of), *(weigh(filter(test, of)) for test in RESULTS.values())]
        for name, of in (*kept.items(), ("all", rows))
    ]
    sizes = Counter[int]()
    for row in rows:
        sizes[row.value("k")] += weight(row)
    by_states = ", ".join(f"{number:,} with {count(k, 'state')}" for k, number in sorted(sizes.items()))
    asked = ", ".join(f"`idinf batch {RUNS[name]}`" for name in ("small-inside", "small-outside"))
    return "\n".join(
        [
            f"{asked}; {count(len(rows), 'row')} for {count(weigh(rows), 'language')}: {by_states}.",
            "",
            markdown(["class", "languages", *RESULTS], lines),
            "",
            "Every class is **proved** by `idinf classify`; none is unknown. **Proved**, too, are the n0 for "
            "every n, and that there is none.",
        ]
    )


def distribution() -> str:
    """How often each n0, and R* in each interval of length 1, by class."""
    known = [row for row in small() if row.row.n0 is not None]
    names = [name for name in CLASSES.values() if any(class_of(row) == name for row in known)]
    stars = [row for row in small() if row.row.r_star is not None]
    return "\n".join(
        [
            "n0 in the one-hot family, where it is known:",
            "",
            _histogram("n0", names, known, lambda row: (row.row.n0 or 0, str(row.row.n0))),
            "",
            "R\\* at the largest n examined, where it is known:",
            "",
            _histogram("R\\*", names, stars, _interval),
        ]
    )


def _interval(found: Found) -> tuple[int, str]:
    low = math.floor(found.row.r_star or 0)
    return low, f"[{low}, {low + 1})"


def _histogram(
    corner: str, names: Sequence[str], rows: Sequence[Found], key: Callable[[Found], tuple[int, str]]
) -> str:
    counts = Counter[tuple[tuple[int, str], str]]()
    for row in rows:
        counts[key(row), class_of(row)] += weight(row)
    keys = sorted({place for place, _ in counts})
    lines = [
        [shown, *(counts[(low, shown), name] for name in names), sum(counts[(low, shown), n] for n in names)]
        for low, shown in keys
    ]
    return markdown([corner, *names, "all"], lines)


def still_open() -> str:
    """Which languages of the classes have no n0 in the family yet, and what is known of them."""
    texts = []
    for name in list(CLASSES.values())[:2]:
        of = [row for row in read("small-inside") if row.row.n0 is None and class_of(row) == name]
        if not of:
            continue
        bounded = weigh(row for row in of if row.row.r_upper is not None)
        lower = _list_counts(f"n0 ≥ {n0}" for n0 in sorted(row.row.n0_lower or 0 for row in of))
        smaller = _list_counts(row.row.smaller_space for row in of if row.row.smaller_n0 is not None)
        texts.append(
            f"- {name}: {count(weigh(of), 'language')} ({count(len(of), 'row')}), {bounded} of them with an "
            f"upper end of R\\*. Lower bounds of n0, **proved**: {lower}. "
            f"An n0 in a smaller space: {smaller or 'none'}."
        )
    return "\n".join(texts)


def _list_counts(names: Iterable[str | None]) -> str:
    """In how many rows each name stands."""
    return ", ".join(f"{name} in {count(number, 'row')}" for name, number in Counter(names).items())


def against_states() -> str:
    """n0 of the small languages beside 2k - 2."""
    return _beside_states(small(), weigh)


def random_languages() -> str:
    """n0 of random languages in C-RASP[] beside 2k - 2."""
    return f"`idinf batch {RUNS['random']}`:\n\n{_beside_states(read('random'), count_rows)}"


def count_rows(rows: Iterable[Found]) -> int:
    """How many rows there are."""
    return sum(1 for _ in rows)


def _beside_states(rows: Sequence[Found], size: Callable[[Iterable[Found]], int]) -> str:
    lines = []
    for k in sorted({row.value("k") for row in rows}):
        of, bound = [row for row in rows if row.value("k") == k], 2 * k - 2
        known = [row for row in of if row.row.n0 is not None]
        proved = size(row for row in known if row.is_proved)
        numbers = [size(row for row in known if test(row.row.n0 or 0, bound)) for test in TESTS]
        stars = [row.row.r_star for row in known if row.row.r_star is not None]
        lines.append(
            [
                *(k, bound, size(of), size(known), proved, *numbers),
                max((row.row.n0 or 0 for row in known), default="-"),
                f"{min(stars):.6f} to {max(stars):.6f}" if stars else "-",
            ]
        )
    header = ["k", "2k − 2", "languages", "n0 known", "of these for every n"]
    return markdown([*header, "n0 below 2k − 2", "equal", "above", "largest n0", "R\\*"], lines)


def correlations() -> str:
    """Spearman's ρ of n0, R*, 2k - 2 and dot-depth, over the languages whose n0 is known."""
    rows = [row.row for row in small() if row.row.n0 is not None and row.row.r_star is not None]
    columns = {
        "n0": [row.n0 for row in rows],
        "R\\*": [row.r_star for row in rows],
        "2k − 2": [2 * (row.states or 0) - 2 for row in rows],
    }
    lines = []
    for one, other in combinations(columns, 2):
        rho = float(spearmanr(columns[one], columns[other]).statistic)
        lines.append([one, other, len(rows), f"{rho:.2f}"])
    return markdown(["one", "other", "rows", "Spearman's ρ"], lines)


def with_both() -> dict[str, list[Found]]:
    """The rows with an n0 of everything selected and one of the canonical pick, by their table."""
    known = {
        name: [row for row in read(name) if None not in (row.row.n0, row.row.n0_canonical)] for name in RUNS
    }
    return {name: rows for name, rows in known.items() if rows}


def picks() -> str:
    """How often n0 of the canonical pick is another one than that of all that is selected."""
    known = with_both()
    known["all"] = [row for rows in known.values() for row in rows]
    apart = {name: [_apart(row) for row in rows] for name, rows in known.items()}
    table = markdown(
        ["table", "rows with both", "rows where they differ", "largest difference"],
        ([name, len(gaps), sum(map(bool, gaps)), max(gaps)] for name, gaps in apart.items()),
    )
    below = sum(gap < 0 for gap in apart["all"])
    return f"{table}\n\nn0 of the canonical pick is the larger one in {count(below, 'row')}."


def _apart(found: Found) -> int:
    return (found.row.n0 or 0) - (found.row.n0_canonical or 0)


def small_readings() -> str:
    """The languages with at most 2 states in several readings."""
    rows = read("readings")
    names = list(dict.fromkeys(row.reading for row in rows))
    cells = {(row.row.target, row.reading): row.cell for row in rows}
    lines = [
        [name.removeprefix("regular-up-to-letters-"), *(cells.get((name, reading), "") for reading in names)]
        for name in dict.fromkeys(row.row.target for row in rows)
    ]
    return f"`idinf batch {RUNS['readings']}`:\n\n{markdown(['k-i', *names], lines)}"


def all_readings() -> str:
    """How often n0 is another one than in the usual reading, over shipped targets and small languages."""
    shipped = read_rows(str(TABLE))
    n0s = {(row.target, row.reading): row.n0 for row in shipped}
    own = {(found.row.target, found.reading): found.row.n0 for found in read("readings")}
    n0s |= own
    lines = []
    for reading in [each.name for each in READINGS[1:]]:
        both = [
            (usual, n0)
            for (target, name), n0 in n0s.items()
            if name == reading and n0 is not None and (usual := n0s[target, READINGS[0].name]) is not None
        ]
        asked = sum(name == reading for _, name in n0s)
        lines.append([reading, asked, len(both), *(sum(test(n0, u) for u, n0 in both) for test in TESTS)])
    return markdown(["reading", "targets", "n0 known in both", "smaller", "the same", "larger"], lines)
