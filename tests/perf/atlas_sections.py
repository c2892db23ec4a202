"""The sections of the atlas: what each says is worked out from the committed CSV files alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from idinf.render.text.family import describe_law
from idinf.sweeps.family_table import Points, fits_of
from tests.perf import atlas_small
from tests.perf.atlas_rows import RUNS, TESTS, Found, markdown, read


def family(name: str, down: str, across: str | None = None) -> str:
    """A line for each value of a parameter, a column for each of another, and the laws of every column."""
    rows = read(name)
    columns = {None: rows} if across is None else _group(rows, across)
    cells = {(row.value(down), key): row for key, column in columns.items() for row in column}
    heads = ["R\\* and n0" if key is None else f"{across} = {key}" for key in columns]
    regular = any(row.row.states is not None for row in rows)
    lines = []
    for value in sorted({value for value, _ in cells}):
        found = [cells.get((value, key)) for key in columns]
        states = {row.row.states for row in found if row is not None and row.row.states is not None}
        bound = [", ".join(str(2 * k - 2) for k in sorted(states)) or "-"] if regular else []
        lines.append([value, *("" if row is None else row.cell for row in found), *bound])
    table = markdown([down, *heads, *(["2k − 2"] if regular else [])], lines)
    laws: dict[str, list[int]] = {}
    for key, column in columns.items():
        for law in _laws(column, down):
            laws.setdefault(law, []).extend([] if key is None else [key])
    told = [
        f"- {f'{across} = ' + ', '.join(map(str, keys)) + ': ' if keys else ''}{law}"
        for law, keys in laws.items()
    ]
    beside = [f"- {_beside_bound(rows)}"] if regular and any(row.row.n0 for row in rows) else []
    return "\n".join([_asked(name), "", table, "", _status(rows), "", *told, *beside])


def largest() -> str:
    """The largest n0 and R* of each T = max(k, j), and their laws; every member is in the CSV."""
    rows, by_size = read("ge"), _by_size()
    sizes = sorted(by_size)
    lines, stars = [], []
    for size in sizes:
        known = [row for row in by_size[size] if row.row.n0 is not None]
        n0 = max(row.row.n0 or 0 for row in known)
        top = ", ".join(row.row.target for row in known if row.row.n0 == n0)
        least, most = (pick(row.row.r_star or 0 for row in known) for pick in (min, max))
        settled = len(known) == len(by_size[size])
        lines.append([size, f"{len(known)} of {len(by_size[size])}", n0, top, f"{least:.6f}", f"{most:.6f}"])
        if settled:
            stars.append((size, Fraction(str(most))))
    header = ["T", "settled", "largest n0", "reached by", "least R\\*", "largest R\\*"]
    laws = [*_describe(_largest_points(), "n0", "T"), *_describe(stars, "R\\*", "T")]
    table = markdown(header, lines)
    return "\n".join([_asked("ge"), "", table, "", _status(rows), "", *(f"- {law}" for law in laws)])


def _by_size() -> dict[int, list[Found]]:
    """The rows of ge-k-j by T."""
    by_size: dict[int, list[Found]] = {}
    for row in read("ge"):
        by_size.setdefault(max(row.value("k"), row.value("j")), []).append(row)
    return by_size


def _largest_points() -> list[tuple[int, int]]:
    """T and the largest n0, where every member is settled."""
    return [
        (size, max(row.row.n0 or 0 for row in rows))
        for size, rows in sorted(_by_size().items())
        if all(row.row.n0 is not None for row in rows)
    ]


def summary() -> str:
    """What stands in the tables, in a few lines."""
    rows = atlas_small.small()
    outside = [row for row in rows if row.row.crasp_periodic_local == "no"]
    inside = [row for row in rows if row.row.crasp_periodic_local == "yes"]
    known = [row for row in inside if row.row.n0 is not None]
    proved = sum(row.is_proved for row in outside)
    most = max(row.row.n0 or 0 for row in known)
    weigh = atlas_small.weigh
    both = [row for found in atlas_small.with_both().values() for row in found]
    apart = sum(row.row.n0 != row.row.n0_canonical for row in both)
    above = weigh(row for row in known if (row.row.n0 or 0) > 2 * (row.row.states or 0) - 2)
    lines = [
        f"**Proved**: of the {weigh(rows):,} languages with at most 3 states, {weigh(inside)} are in "
        f"C-RASP[periodic, local] and {weigh(outside)} are not; of the latter, {proved} have an n0 for every "
        "n.",
        f"Of those {weigh(inside)}, {weigh(known)} have an n0 (**proved** for every n in "
        f"{weigh(row for row in known if row.is_proved)}, **exact** for the n examined in the rest), at most "
        f"{most}; it is above 2k − 2 in {above}. "
        "Where the whole family was not searched, they hold for the structures that the CSV names.",
        f"The canonical pick has another n0 than everything selected in {apart} of {len(both)} rows.",
        *(f"{law}, in the space of ge-k-j." for law in _describe(_largest_points(), "largest n0", "T")),
    ]
    return "\n".join(f"- {line}" for line in lines)


def _group(rows: Sequence[Found], parameter: str) -> dict[int | None, tuple[Found, ...]]:
    values = sorted({row.value(parameter) for row in rows})
    return {value: tuple(row for row in rows if row.value(parameter) == value) for value in values}


def _asked(name: str) -> str:
    """The command, and the space of its rows."""
    spaces = list(dict.fromkeys(str(row.row.space) for row in read(name)))
    return f"`idinf sweep {RUNS[name]}`; space {', '.join(f'`{space}`' for space in spaces)}."


def _status(rows: Sequence[Found]) -> str:
    """How much of a table is proved, exact or a bracket."""
    proved = [row for row in rows if row.is_proved]
    exact = [row for row in rows if row.row.n0 is not None and not row.is_proved]
    rest = len(rows) - len(proved) - len(exact)
    parts = [f"**proved** for every n: {len(proved)} of {len(rows)}"]
    if exact:
        parts.append(f"**exact** for the n that the cell says: {len(exact)}")
    if rest:
        parts.append(f"open, a lower bound of n0 that is **proved**: {rest}")
    return f"n0 in this space is {'; '.join(parts)}."


def _beside_bound(rows: Sequence[Found]) -> str:
    """How often n0 is below, equal to and above 2k - 2."""
    pairs = [(row.row.n0, 2 * row.row.states - 2) for row in rows if row.row.n0 and row.row.states]
    below, equal, above = (sum(test(*pair) for pair in pairs) for test in TESTS)
    return f"n0 is below 2k − 2 in {below}, equal in {equal} and above in {above} of the settled rows"


def _laws(rows: Sequence[Found], down: str) -> Iterator[str]:
    """The laws of n0 and R* against a parameter, from the rows that are settled."""
    known = [row for row in rows if row.row.n0 is not None]
    if len(known) < len(rows):
        left = ", ".join(str(row.value(down)) for row in rows if row.row.n0 is None)
        yield f"not settled, so in no law: {down} = {left}"
    if not known:
        yield from _describe(
            [(row.value(down), row.row.n0_lower or 0) for row in rows], "lower bound of n0", down
        )
    yield from _describe([(row.value(down), row.row.n0 or 0) for row in known], "n0", down)
    stars = [(row.value(down), Fraction(str(row.row.r_star))) for row in rows if row.row.r_star is not None]
    yield from _describe(stars, "R\\*", down)


def _describe(points: Points, value: str, size: str) -> Iterator[str]:
    """The laws of some points, marked; one that leaves out points names them."""
    for fit in fits_of(points, size):
        outside = ", ".join(f"{size} = {T} has {given}" for T, given in points if T not in fit.sizes)
        text = describe_law(fit, value, size).replace(" ~ ", " ≈ ").replace("^2", "²")
        mark = "**exact** for these members" if fit.exact else "**fit**"
        yield f"{mark}: {text}{f'; outside of it: {outside}' if outside else ''}"


#: By their names in the document.
SECTIONS: dict[str, Callable[[], str]] = {
    "summary": summary,
    "threshold": lambda: family("threshold", "t", "s"),
    "ge": largest,
    "share": lambda: family("share", "k", "s"),
    "chain": lambda: family("chain", "k"),
    "nested": lambda: family("nested", "d"),
    "blocks": lambda: family("blocks", "m", "t"),
    "modulus": lambda: family("modulus", "m", "r"),
    "outcomes": atlas_small.outcomes,
    "distribution": atlas_small.distribution,
    "open": atlas_small.still_open,
    "states": atlas_small.against_states,
    "random": atlas_small.random_languages,
    "correlations": atlas_small.correlations,
    "picks": atlas_small.picks,
    "readings": atlas_small.small_readings,
    "all-readings": atlas_small.all_readings,
}
