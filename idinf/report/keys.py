"""The keys of ``idinf-report/1``, so that a report with others is refused where it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from idinf.quoting import shortened, suggestion
from idinf.report.shape import OPTIONAL, SHAPE

__all__ = ["KEYS", "unknown_key"]

#: Keys by the place of their object; a place ending in ``[]`` is every object of a list.
KEYS: Mapping[str, Collection[str]] = {place: tuple(kinds) for place, kinds in SHAPE.items()}


def unknown_key(report: Mapping[str, object]) -> str | None:
    """Say which key of a report is not one of the format; None if all are.

    What a key holds is left to those who read it.

    Examples
    --------
    >>> unknown_key({"format": "idinf-report/1", "stages": [{"n": 1}, {"n": 2, "god": True}]})
    "stages[1].god is an unknown key; did you mean 'good'?"
    >>> unknown_key({"max_n": 3, "n0": None})
    """
    for place, always in KEYS.items():
        known = (*always, *OPTIONAL.get(place, ()))
        for path, value in _objects(report, place):
            for key in value:
                if key not in known:
                    hint = suggestion(key, known) or f"expected only {', '.join(known)}"
                    return f"{shortened(path + key)} is an unknown key; {hint}"
    return None


def _objects(report: Mapping[str, object], place: str) -> list[tuple[str, Mapping[str, object]]]:
    """The objects at a place with the path before their keys; what is none is not looked at."""
    if not place:
        return [("", report)]
    name = place.removesuffix("[]")
    value = report.get(name)
    if not place.endswith("[]"):
        return [(f"{name}.", value)] if isinstance(value, dict) else []
    items = value if isinstance(value, list) else []
    return [(f"{name}[{k}].", item) for k, item in enumerate(items) if isinstance(item, dict)]
