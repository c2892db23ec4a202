"""Words of the story: how R, windows, verdicts and words are written and read off a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from idinf.transformers.regularizer import EPSILON

__all__ = [
    "bound_text",
    "fits",
    "level_text",
    "r_text",
    "upper_end",
    "verdict_of",
    "window_text",
    "word_text",
]

#: Decimals that people read; decisions are those of the report, made with nine.
SHOWN_DECIMALS = 4


def r_text(value: float) -> str:
    """Write R for people.

    Examples
    --------
    >>> r_text(8.414213562)
    '8.4142'
    """
    return f"{value:.{SHOWN_DECIMALS}f}"


def bound_text(value: float) -> str:
    """Write how far a search went, with all its decimals and no trailing zeros.

    Examples
    --------
    >>> bound_text(10.0), bound_text(8.664213562)
    ('10', '8.664213562')
    """
    return f"{value:.9f}".rstrip("0").removesuffix(".")


def word_text(word: str | None) -> str:
    """Write a word; ε for the empty one, a dash for none."""
    return "-" if word is None else word or "ε"


def fits(record: Mapping[str, Any], n: int) -> bool:
    """Whether a record is right on all words up to length n."""
    return record["fail"] is None or bool(record["fail"] > n)


def window_text(report: Mapping[str, Any], n: int) -> str:
    """What may be added to R*_n.

    Examples
    --------
    >>> window_text({"regularizer": {"tolerance": "1/(2n)"}}, 3)
    '1/6'
    """
    tolerance = report["regularizer"]["tolerance"]
    return f"1/{2 * n}" if tolerance == "1/(2n)" else f"{tolerance:g}"


def upper_end(report: Mapping[str, Any], stage: Mapping[str, Any]) -> float | None:
    """R*_n plus the tolerance, with room for ties; None where R*_n is not known."""
    if stage["r_star"] is None:
        return None
    tolerance = report["regularizer"]["tolerance"]
    window = 1 / (2 * stage["n"]) if tolerance == "1/(2n)" else float(tolerance)
    # R is written with 9 decimals, half of the last one away from the value that was compared.
    return float(stage["r_star"]) + window + 2 * EPSILON


def verdict_of(stage: Mapping[str, Any]) -> str:
    """Good, bad or undetermined."""
    return {True: "good", False: "bad", None: "undetermined"}[stage["good"]]


def level_text(stage: Mapping[str, Any]) -> str:
    """R*_n, or what it is proved to be above."""
    if stage["r_star"] is None:
        return f"> {bound_text(stage['r_star_lower'])}"
    return r_text(stage["r_star"])
