"""Columns of a table on the classes of a language, and targets chosen by them."""

from __future__ import annotations

from collections.abc import Sequence

from idinf.base.quoting import quote
from idinf.errors import ArgumentError
from idinf.languages.classification.classes import classify_spec
from idinf.spec.catalogue import CollectedSpec
from idinf.spec.spec import Spec, Verdict
from idinf.tables.row import COLUMNS, ClassCells

#: Columns that say in which classes a language is.
CLASS_COLUMNS = list(COLUMNS)[list(COLUMNS).index("states") :]

#: Possible values of the columns that hold no verdict.
_VALUES = {"states": ("number",), "dot_depth": ("number", "none", "unknown")}


def list_class_cells(spec: Spec) -> ClassCells:
    """Classify the language of a spec, and give the verdicts by columns.

    >>> from idinf.spec.catalogue import load
    >>> cells = list_class_cells(load("parity"))
    >>> cells["states"], cells["star_free"], cells["dot_depth"], cells["crasp"]
    (2, 'no', 'none', 'no')
    """
    found = classify_spec(spec)
    verdicts = {key: str(finding.verdict) for key, finding in found.findings}
    return {"states": found.states, "dot_depth": found.depth, **verdicts}


def keep_only(entries: Sequence[CollectedSpec], wanted: Sequence[str]) -> tuple[CollectedSpec, ...]:
    """Keep the targets with all wanted verdicts, as in ``crasp=no``; and entries that are no target.

    >>> from idinf.spec.catalogue import list_entries
    >>> [one.name for one in keep_only(list_entries(["parity", "tomita-1"]), ["crasp=no"])]
    ['parity']
    """
    pairs = [text.partition("=") for text in wanted]
    for key, _, value in pairs:
        if key not in CLASS_COLUMNS or not value:
            raise ArgumentError(
                f"{quote('='.join((key, value)))} is wanted; expected a verdict on one of: "
                f"{', '.join(CLASS_COLUMNS)}; give for example crasp=no"
            )
        said = _VALUES.get(key, tuple(map(str, Verdict)))
        if value not in said and not ("number" in said and value.isascii() and value.isdecimal()):
            raise ArgumentError(
                f"{quote(f'{key}={value}')} is wanted, and no language has it; expected of {key}: "
                f"{', '.join(said)}; give one of them"
            )
    return tuple(
        entry
        for entry in entries
        if not pairs or entry.spec is None or _said(list_class_cells(entry.spec), pairs)
    )


def _said(cells: ClassCells, wanted: Sequence[tuple[str, str, str]]) -> bool:
    return all(str(cells.get(key)) == value for key, _, value in wanted)
