"""The sections of the atlas: what each says is worked out from the committed CSV files alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from idinf.report.value import Outcome
from idinf.tables.law import Points, fit_laws
from tools import atlas_small
from tools.atlas_rows import RUNS, TESTS, Found, count, markdown, read


def family(name: str, down: str, across: str | None = None) -> str:
    """The laws of a named space, and beside them the smaller members in the one-hot family."""
    return f"{laws(name, down, across)}\n\n{in_the_family(name, down, across)}"


def in_the_family(name: str, down: str, across: str | None = None) -> str:
    """The smaller members in the one-hot family, and how their n0 stands beside that of the named space."""
    named = {row.row.target: row.row.n0 for row in read(name)}
    rows = read(f"{name}-family")
    pairs = [(row.row, n0) for row in rows if (n0 := named[row.row.target]) is not None]
    larger = sum((row.n0_lower or 0) > n0 for row, n0 in pairs)
    equal = sum(row.n0 == n0 for row, n0 in pairs)
    smaller = sum(row.n0 is not None and row.n0 < n0 for row, n0 in pairs)
    beside = (
        f"Of the {len(pairs)} with an n0 in the space above, it is larger here in {larger}, the same in "
        f"{equal}, smaller in {smaller}, and not known in {len(pairs) - larger - equal - smaller}."
    )
    return "\n".join([_asked(f"{name}-family"), "", _grid(rows, down, across), "", _status(rows), beside])


def laws(name: str, down: str, across: str | None = None) -> str:
    """A table of a family, and the laws of every column."""
    rows = read(name)
    told: dict[str, list[int]] = {}
    for key, column in _columns(rows, across).items():
        for law in _laws(column, down):
            told.setdefault(law, []).extend([] if key is None else [key])
    lines = [
        f"- {f'{across} = ' + ', '.join(map(str, keys)) + ': ' if keys else ''}{law}"
        for law, keys in told.items()
    ]
    pairs = [(row.row.n0, 2 * row.row.states - 2) for row in rows if row.row.n0 and row.row.states]
    if pairs:
        below, equal, above = (sum(test(*pair) for pair in pairs) for test in TESTS)
        lines.append(
            f"- n0 is below 2k − 2 in {below}, equal in {equal} and above in {above} of the settled rows"
        )
    return "\n".join([_asked(name), "", _grid(rows, down, across), "", _status(rows), "", *lines])


def _columns(rows: Sequence[Found], parameter: str | None) -> dict[int | None, Sequence[Found]]:
    """The rows of each value of a parameter; all of them without one."""
    if parameter is None:
        return {None: rows}
    values = sorted({row.value(parameter) for row in rows})
    return {value: [row for row in rows if row.value(parameter) == value] for value in values}


def _grid(rows: Sequence[Found], down: str, across: str | None) -> str:
    """A line for each value of a parameter, a column for each of another, and 2k - 2 if all are regular."""
    columns = _columns(rows, across)
    cells = {(row.value(down), key): row for key, column in columns.items() for row in column}
    heads = ["R\\* and n0" if key is None else f"{across} = {key}" for key in columns]
    regular = any(row.row.states is not None for row in rows)
    lines = []
    for value in sorted({value for value, _ in cells}):
        found = [cells.get((value, key)) for key in columns]
        states = {row.row.states for row in found if row is not None and row.row.states is not None}
        bound = [", ".join(str(2 * k - 2) for k in sorted(states)) or "-"] if regular else []
        lines.append([value, *("" if row is None else row.cell for row in found), *bound])
    return markdown([down, *heads, *(["2k − 2"] if regular else [])], lines)


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
    told = [*_describe(_largest_points(), "n0", "T"), *_describe(stars, "R\\*", "T")]
    table = markdown(header, lines)
    parts = [_asked("ge"), "", table, "", _status(rows), "", *(f"- {law}" for law in told)]
    return "\n".join([*parts, "", in_the_family("ge", "k", "j")])


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
    weigh = atlas_small.weigh
    inside, outside = read("small-inside"), read("small-outside")
    known = [row for row in inside if row.row.n0 is not None]
    never = weigh(row for row in outside if row.row.outcome == Outcome.NEVER.value)
    proved = weigh(row for row in known if row.is_proved)
    most = max(row.row.n0 or 0 for row in known)
    above = weigh(row for row in known if (row.row.n0 or 0) > 2 * (row.row.states or 0) - 2)
    both = [row for found in atlas_small.with_both().values() for row in found]
    apart = sum(row.row.n0 != row.row.n0_canonical for row in both)
    lines = [
        f"Of the {weigh(atlas_small.small()):,} languages with at most 3 states, {weigh(inside)} are in "
        f"C-RASP[periodic, local] and {weigh(outside)} are not, which is **proved**; {never} of the latter "
        "have no n0, which is **proved** as well.",
        f"Of those {weigh(inside)}, {weigh(known)} have an n0 in the one-hot family (**proved** for every n "
        f"in {proved}; **exact** for the n examined in the rest). It is at most {most}, and above 2k − 2 in "
        f"{above}.",
        f"The canonical pick has another n0 than everything selected in {apart} of {len(both)} rows.",
        *(f"{law}, in the named space of ge-k-j." for law in _describe(_largest_points(), "largest n0", "T")),
    ]
    return "\n".join(f"- {line}" for line in lines)


def _asked(name: str) -> str:
    """The command, the space of its rows, and the smaller ones that answer beside it."""
    parts = [f"`idinf batch {RUNS[name]}`"]
    for what, of in (("space", _space), ("smaller space", _smaller_space)):
        if spaces := dict.fromkeys(space for row in read(name) if (space := of(row)) is not None):
            parts.append(f"{what} {' or '.join(f'*{space}*' for space in spaces)}")
    return f"{'; '.join(parts)}."


def _space(found: Found) -> str | None:
    return found.row.space


def _smaller_space(found: Found) -> str | None:
    return None if found.row.smaller_n0 is None else found.row.smaller_space


def _status(rows: Sequence[Found]) -> str:
    """How much of a table is proved, exact or a bracket."""
    never = sum(row.row.outcome == Outcome.NEVER.value for row in rows)
    proved = sum(row.is_proved for row in rows)
    exact = sum(row.row.n0 is not None and not row.is_proved for row in rows)
    numbers = {
        "**proved** for every n": proved,
        "**exact** for the n that the cell says": exact,
        "there is none, which is **proved**": never,
        "open, a lower bound of n0 that is **proved**": len(rows) - proved - exact - never,
    }
    told = "; ".join(f"{what}: {number}" for what, number in numbers.items() if number)
    return f"n0 in this space, of {count(len(rows), 'member')}: {told}."


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
    """The law of some points, marked; one that leaves out points names them."""
    for fit in fit_laws(points, size)[-1:]:  # the closest one
        outside = ", ".join(f"{size} = {T} has {given}" for T, given in points if T not in fit.sizes)
        text = fit.describe(value, size).replace(" ~ ", " ≈ ").replace("^2", "²")
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
    "modulus": lambda: "\n".join(
        [_asked("modulus"), "", _grid(read("modulus"), "m", "r"), "", _status(read("modulus"))]
    ),
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
