"""What is said of a space before it is searched: its size, the memory it would need, and the knob to turn."""

from __future__ import annotations

from idinf.experiments.bounds import Space, SpaceBounds, WholeClass
from idinf.experiments.spec import Spec
from idinf.numbers import format_amount
from idinf.space.cells import list_cells
from idinf.space.forecast import BYTES_PER_UNIT, Forecast, forecast, measure_longest_list
from idinf.space.units import RAW
from idinf.transformers.regularizer import Aggregate

#: R up to which the kinds of structures are counted where the tool chooses.
CELLS_UP_TO = (9.0, 10.0, 11.0)

_KNOBS = "lower --max-r, --precision, --units, --layers or --period"


def forecast_text(spec: Spec, bounds: Space, aggregate: Aggregate, memory: int) -> str:
    """Describe a space in lines for people. Raises UnsupportedBoundError if the space is empty."""
    if isinstance(bounds, WholeClass):
        return _class_text(bounds)
    if bounds.is_chosen:
        return _chosen_text(spec, bounds, aggregate)
    size = forecast(bounds, aggregate, len(spec.alphabet), spec.answer)
    keys = ", ".join(f"{key} {value}" for key, value in bounds.limits.items())
    more = "" if size.all_structures else "> "
    most = "at most" if size.all_units else "more than"
    by_depth = ", ".join(
        f"{more if depth == len(size.structures) else ''}{number} of {format_amount(depth, 'layer')}"
        for depth, number in size.structures
    )
    lines = [
        f"space       {bounds.preset}: {keys} over {' '.join(spec.alphabet.symbols)}",
        f"structures  {more}{size.total} with a floor of at most R = {bounds.max_r:g} ({by_depth}); "
        f"least floor {size.floor:.9g}",
        f"units       {most} {_number(size.largest)} in the longest list of one layer{_at(size)}",
        f"memory      {most} {_bytes(size.memory_bytes)} for that list, if no two units behave alike; "
        f"the bound is {_bytes(memory)}",
    ]
    whole = size.all_structures and size.all_units
    if not whole:
        lines.append("Counting ended after a fixed amount of work: '>' and 'more than' are lower bounds.")
    if not whole or size.memory_bytes > memory:
        lines.append(
            "Lists are made in parts, of which the distinct units are kept; where these meet the bound, or a "
            f"list has {RAW} units for each one that would, the search ends open below R = {bounds.max_r:g}; "
            f"raise --memory, or {_KNOBS}."
        )
    else:
        lines.append("The longest list fits. A search stops earlier where every R*_n is settled earlier.")
    return "\n".join(lines) + "\n"


def _class_text(space: WholeClass) -> str:
    """Describe a whole class: what is known, and from where on what is not."""
    from idinf.whole_class.floors import FLOOR, list_missing

    lines = [f"class       {space.preset}: nets of any size and width, all of them below R = {FLOOR:.6f}"]
    lines += [f"missing     from R = {missing.r:.6f}: {missing.what}" for missing in list_missing(space.kind)]
    return "\n".join(lines) + "\n"


def _chosen_text(spec: Spec, bounds: SpaceBounds, aggregate: Aggregate) -> str:
    """Describe a space within which the tool chooses."""
    keys = ", ".join(f"{key} {value}" for key, value in bounds.limits.items())
    cells = [list_cells(bounds, len(spec.alphabet), aggregate, spec.answer, r) for r in CELLS_UP_TO]
    counted = ", ".join(f"{len(c)} up to R = {r:g}" for r, c in zip(CELLS_UP_TO, cells, strict=True))
    return (
        f"space       {bounds.preset}: {keys} over {' '.join(spec.alphabet.symbols)}\n"
        f"sizes       {counted}: structures by their largest sizes, each kind searched by itself\n"
        "What is searched is chosen on the way, within the budget of work.\n"
    )


def warn_of_size(spec: Spec, bounds: Space, aggregate: Aggregate, memory: int) -> str | None:
    """One line if a few structures show that the space up to its budget is astronomically large, or None.

    A space that the tool chooses is never searched as a whole.
    """
    if isinstance(bounds, WholeClass) or bounds.is_chosen:
        return None
    longest, exact = measure_longest_list(bounds, aggregate, len(spec.alphabet), spec.answer)
    if longest * BYTES_PER_UNIT <= 1000 * memory:
        return None
    return (
        f"up to max_r = {bounds.max_r:g} the space has a layer of {'up to' if exact else 'more than'} "
        f"{_number(longest)} units, more than {RAW} for each one that the memory bound of {_bytes(memory)} "
        f"holds; unless every R*_n is settled earlier the search ends open; {_KNOBS}"
    )


def _at(size: Forecast) -> str:
    if size.structure is None:
        return ""
    shape = ", ".join(f"{len(layer.heads)} + {layer.units}" for layer in size.structure.layers)
    return f" (heads + units by layer: {shape}; precision {size.structure.precision})"


def _number(value: float) -> str:
    return f"{value:.0f}" if value < 1e6 else f"{value:.2e}"


def _bytes(value: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            return f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} PiB"
